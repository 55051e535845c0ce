"""How a language is asked for: found where it can be chosen, and nowhere else."""

from __future__ import annotations

import pytest
from whole_runs import config, differences, notes_of, only, row_of, run_over, session_over

from conformance.model.target import LanguageSelector
from conformance.model.verdict import Blame, Verdict
from conformance.scenarios.api import Api
from conformance.scenarios.languages import language_choice


@pytest.mark.parametrize(
    ("languages", "unsupported"),
    [
        (("en-GB", "zh-Hant-TW", "nl_NL"), "eo"),
        (("eng", "nld", "epo"), "qaa"),
        (("en", "qaa-x-ours"), "qtz"),
    ],
)
def test_what_is_asked_for_in_vain_is_called_by_no_other_name_in_the_list(
    languages: tuple[str, ...], unsupported: str
) -> None:
    with session_over(config(languages=languages)) as session:
        assert language_choice.result(Api(session)).unsupported == unsupported


@pytest.mark.parametrize(
    ("selector", "said"), [("header:Accept-Language", "header:Accept-Language has an effect"), (None, "")]
)
def test_a_selector_that_the_tester_denied_is_used_and_said(selector: str | None, said: str) -> None:
    none = LanguageSelector("none", "")

    run = run_over(config(language_selector=selector), plan=only("4.5-supported-languages"), language_selector=none)

    notes = [each for each in notes_of(run) if "--language-selector none confirms" in each.message]
    assert [(said in each.message, each.blame) for each in notes] == [(True, Blame.CONFIGURATION)] * bool(said)
    expected = Verdict.PASS if said else Verdict.NOT_APPLICABLE
    assert row_of(run.report, "4.5-supported-languages").verdict is expected
    assert differences(run) == []
