"""The reader's copy of the specification with notes: every word as it is, and every requirement beside its words."""

from __future__ import annotations

import re
from html import unescape

import pytest
import report_samples as samples
import stand_in
from report_samples import typed

from conformance.cli.requirements import proofs_of_requirements
from conformance.model.requirements import catalogue
from conformance.model.specification import Specification
from conformance.model.specification_places import places
from conformance.model.verdict import Outcome, Verdict
from conformance.reports import basis
from conformance.reports.annotated import render, render_proof
from conformance.trace.har import exchanges_of

UNIT = re.compile(r'<span class="unit ([a-z-]*)">(.*?)</span>(?:<sup class="marks">(.*?)</sup>)?')
NOTE = re.compile(
    r'<li class="note ([a-z-]+)" id="note-(\d+)">(.*?)</li>\s*(?=<li class="note|</ol>\s*</section>)', re.DOTALL
)


@pytest.fixture(name="copy", scope="module")
def _copy() -> Specification:
    return stand_in.specification()


@pytest.fixture(name="page", scope="module")
def _page(copy: Specification) -> str:
    """The page of a run that fails, with hostile texts of the service."""
    report = samples.report(findings=samples.broken_findings(samples.HOSTILE) | samples.alert_findings())
    return render(report, exchanges_of(samples.evidence(samples.HOSTILE)), copy)


def note_of(page: str, requirement: str) -> tuple[str, str, str]:
    """Return the state, the number and the text of the only note on a requirement."""
    (found,) = [note for note in NOTE.findall(page) if f"<code>{requirement}</code></p>" in note[2]]
    return found


def test_the_words_are_those_of_the_copy_in_their_order(page: str, copy: Specification) -> None:
    assert [unescape(words) for _, words, _ in UNIT.findall(page)] == [copy.words[unit] for unit in copy.units]
    assert [unit for block in copy.blocks for unit in block.heads if f">{unit}</" not in page] == []


def test_every_sentence_has_a_note_and_every_requirement_one(page: str) -> None:
    marks = [re.findall(r'href="#note-(\d+)"', marks) for _, _, marks in UNIT.findall(page)]
    numbers = [number for _, number, _ in NOTE.findall(page)]

    assert len(marks) == len(places().digests)
    assert all(marks)
    assert {each for group in marks for each in group} <= set(numbers)
    assert numbers == sorted(set(numbers), key=int)
    assert all(note_of(page, id) for id in catalogue().rows)


def test_a_text_of_the_service_stays_a_text(page: str) -> None:
    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page


def test_the_share_of_a_clause_counts_what_was_decided(copy: Specification) -> None:
    undecided = {"4.3-answers-ok": (samples.finding(Verdict.INCONCLUSIVE),)}
    every, fewer = (
        render(samples.report(Outcome.INCONCLUSIVE, findings=findings), [], copy) for findings in ({}, undecided)
    )
    share = re.compile(r"4\.3\. DELETE.*?Decided: (\d+) of (\d+) requirements", re.DOTALL)

    decided, of = map(int, share.findall(every.partition("<main")[2])[0])
    assert share.findall(fewer.partition("<main")[2]) == [(str(decided - 1), str(of))]


def test_without_a_run_a_note_names_checks_and_faults(copy: Specification) -> None:
    proofs, services = proofs_of_requirements()
    page = render_proof(copy, proofs, services)
    state, _, note = note_of(page, "4.3-answers-ok")

    assert state == "must"
    assert proofs["4.3-answers-ok"].faults.keys() >= {"delete-answers-okay"}
    assert [name for name in proofs["4.3-answers-ok"].faults if f"<code>{name}</code>" not in note] == []
    assert "No check: no client can decide it" in note_of(page, "4.5-complete-overview")[2]
    assert [each.name for each in services if f"<code>{each.name}</code>" not in page] == []


@pytest.mark.parametrize("edition", ["sha256:" + "0" * 64, ""])
def test_another_edition_is_not_quoted(edition: str) -> None:
    report = samples.eventful()
    words = {"4.3, paragraph 1": "The plain text of this copy."}
    assert basis.quoting(typed(report), Specification(catalogue().edition.digest, words, ())).quoted == words

    assert basis.quoting(typed(report), Specification(edition, words, ())) == typed(report)
    report["suite"].pop("edition")
    assert basis.quoting(typed(report), Specification(edition, words, ())) == typed(report)
