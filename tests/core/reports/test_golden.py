"""What readers of four runs see, in every format: the files of the folder `golden`."""

from __future__ import annotations

import golden
import pytest
import report_samples as samples

from conformance.reports import files

ANEW = "If the change is meant, run python tests/support/golden.py, and read what it changes."


@pytest.mark.parametrize("run", golden.runs())
def test_each_format_shows_a_run_as_it_did(run: str) -> None:
    assert samples.errors_of(golden.runs()[run]) == []
    shown = golden.files_of(golden.runs()[run], samples.HOSTILE if run == "hostile" else "")
    kept = {path.name.removesuffix(".golden"): path for path in (golden.FOLDER / run).iterdir()}

    assert shown.keys() == kept.keys(), ANEW
    for name, text in shown.items():
        assert text == kept[name].read_bytes().decode(), f"{run}, {name}. {ANEW}"


def test_no_format_is_left_out() -> None:
    names = {name for views in files.VIEWS.values() for name in views} - {golden.SAME_AS_MARKDOWN}
    assert {path.name.removesuffix(".golden") for path in (golden.FOLDER / "failing").iterdir()} == names | {
        "terminal.txt"
    }
