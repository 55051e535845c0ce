"""The digest of the suite's own code: what counts in it."""

from __future__ import annotations

from conformance.model import build


def test_code_data_and_templates_count_and_measurements_do_not() -> None:
    content = {name: file.read_bytes() for name, file in build.files_of(["conformance", "conformance.schemas"]).items()}
    assert build.digest_of(content | {"conformance/calibration/score.json": b"{}"}) == build.build()
    of_verdicts = ("judge/verdicts.py", "model/requirements.toml", "schemas/openapi.json")
    of_pages = ("reports/templates/style.css", "calibration/examples.json")
    for name in (f"conformance/{each}" for each in (*of_verdicts, *of_pages)):
        assert build.digest_of(content | {name: content[name] + b"\n"}) != build.build()
