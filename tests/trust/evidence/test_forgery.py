"""Forged bundles: foreign members, look-alike names and members that programs read differently."""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from bundles import key, listed_again, packed, recorded, written

from conformance.cli.recorded import AlteredRun, read
from conformance.reports import files
from conformance.trust import archive, authenticity, bundle
from conformance.trust.archive import Altered, EvidenceFault

CYRILLIC = "rероrt.html"
COMPOSED = unicodedata.normalize("NFC", "Löschung.pdf")


def results(path: Path) -> dict[str, authenticity.Result]:
    """Return what `check` says of a bundle, by part."""
    with bundle.opened(path) as folder:
        return {each.part: each for each in authenticity.check(folder, None, None)}


def refused(path: Path) -> str:
    """Return why a bundle is not opened: somebody altered it."""
    with pytest.raises(Altered) as fault, bundle.opened(path):
        pass
    return str(fault.value)


def attested(folder: Path, *names: str, **changes: Any) -> Path:
    """Return a run in which a person attached documents with these names."""
    report = samples.eventful() | changes
    digest = hashlib.sha256(b"We delete.").hexdigest()
    statement = {"requirement": "1-erasure", "statement": "We erase.", "name": "A. Person", "date": "2026-01-31"}
    report["attestations"] = [statement | {"document": {"name": name, "sha256": digest}} for name in names]
    run = recorded(folder / "run", report)
    (run / "attachments").mkdir()
    for name in names:
        (run / "attachments" / name).write_bytes(b"We delete.")
    return run


def test_members_that_options_add_are_known(tmp_path: Path) -> None:
    run = attested(tmp_path, COMPOSED, "plan.pdf")
    files.write_views(run, samples.eventful(), samples.evidence(), [*files.VIEWS])
    content = packed(run, key(tmp_path)) | {bundle.KEY: b"ab" * 32 + b"\n", bundle.TIME_STAMP: b""}

    found = results(written(tmp_path / "a.zip", listed_again(content)))

    assert found["members"].valid is True, found["members"].message


@pytest.mark.parametrize("name", ["certificate.html", "reports.html", "schemas/own.schema.json", "attachments/b.pdf"])
def test_a_foreign_member_is_refused(tmp_path: Path, name: str) -> None:
    content = packed(attested(tmp_path, "a.pdf")) | {name: b"<h1>Certified</h1>"}
    found = results(written(tmp_path / "a.zip", listed_again(content)))["members"]
    assert found.valid is False
    assert name in found.message


def test_a_member_that_only_another_build_knows_is_named_and_accuses_no_one(tmp_path: Path) -> None:
    run = attested(tmp_path, "a.pdf", suite=samples.eventful()["suite"] | {"build": f"sha256:{'1' * 64}"})
    found = results(written(tmp_path / "a.zip", listed_again(packed(run) | {"report.pdf": b"%PDF"})))["members"]
    assert found.valid is None
    assert "report.pdf" in found.message


@pytest.mark.parametrize("name", [CYRILLIC, "report.html\u200b", "r\u0435port.json", "schemas/\uff41.json"])
def test_a_name_that_looks_like_another_is_refused(tmp_path: Path, name: str) -> None:
    content = packed(recorded(tmp_path / "run")) | {name: b"<h1>Conforms</h1>"}
    with pytest.raises(EvidenceFault, match="cannot be packed under the name"):
        archive.packed(content)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as forged:
        for each, text in listed_again(content).items():
            forged.writestr(each, text)
    said = refused(path)
    assert "expected names such as schemas/error.schema.json, received " in said


def test_two_attachments_whose_names_look_alike_are_refused(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", COMPOSED)
    content = packed(attested(tmp_path, COMPOSED, "a.pdf"))
    content[f"attachments/{decomposed}"] = content[f"attachments/{COMPOSED}"]
    path = tmp_path / "a.zip"
    with pytest.raises(EvidenceFault, match="expected each file once"):
        results(written(path, listed_again(content)))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("report.json", '"outcome": ', '"outcome": "conforms", "outcome": '),
        ("report.json", '"verdict": "fail"', '"verdict": "pass", "verdict": "fail"'),
        ("evidence.har", '"status": ', '"status": 200, "status": '),
        ("evidence.har", '{"log": {', '{"log": {}, "log": {'),
    ],
)
def test_a_member_that_is_there_twice_is_refused(tmp_path: Path, name: str, old: str, new: str) -> None:
    content = packed(recorded(tmp_path / "run"))
    text = content[name].decode()
    assert old in text
    assert json.loads(text.replace(old, new, 1)) == json.loads(text), "programs that take the last one see no change"

    path = written(tmp_path / "a.zip", listed_again(content | {name: text.replace(old, new, 1).encode()}))
    with pytest.raises(AlteredRun, match=rf"{name} cannot be read .* it was altered: two members '\w+' in one object"):
        read(path, needs_evidence=True)


def test_what_follows_the_evidence_is_refused(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run")
    with (run / files.EVIDENCE).open("ab") as file:
        file.write(b'{"log": {"entries": []}}\n')
    with pytest.raises(ValueError, match="Extra data"):
        files.evidence_in(run / files.EVIDENCE)


def test_a_manifest_that_lists_a_file_twice_is_refused(tmp_path: Path) -> None:
    content = packed(recorded(tmp_path / "run"))
    text = content[bundle.MANIFEST].decode()
    content[bundle.MANIFEST] = text.replace('"files": {', '"files": {"report.html": {}, ', 1).encode()
    assert "manifest.json has two members 'report.html'" in refused(written(tmp_path / "a.zip", content))


def test_a_statement_with_a_member_twice_is_refused(tmp_path: Path) -> None:
    private = key(tmp_path)
    content = packed(recorded(tmp_path / "run"), private)
    envelope = json.loads(content[bundle.STATEMENT])
    text = json.dumps(envelope).replace('"payload": ', '"payload": "e30=", "payload": ')
    found = results(written(tmp_path / "a.zip", content | {bundle.STATEMENT: text.encode()}))
    assert found["signature"].valid is False
    assert "two members 'payload'" in found["signature"].message

    payload = base64.b64decode(envelope["payload"]).decode()
    twice = payload.replace('"result":', '"result": "PASSED", "result":')
    assert twice != payload
    envelope["payload"] = base64.b64encode(twice.encode()).decode()
    found = results(written(tmp_path / "b.zip", content | {bundle.STATEMENT: json.dumps(envelope).encode()}))
    assert found["signature"].valid is False
    assert "two members 'result'" in found["signature"].message
