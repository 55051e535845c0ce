from __future__ import annotations

import json
from importlib.resources import files

from conformance.model.published_score import calibration, proofs


def test_the_published_score_is_what_a_report_states() -> None:
    document = json.loads((files("conformance.calibration") / "score.json").read_text("utf-8"))
    stated = calibration()

    assert stated is not None
    assert stated.measured == document["measured"]
    assert stated.catalogue == document["suite"]["catalogue"]
    for name in ("sensitivity", "attribution", "specificity"):
        measure = getattr(stated, name)
        assert {"kept": measure.kept, "of": measure.of} == document["score"][name]
    assert proofs() == document["score"]["proofs"]
