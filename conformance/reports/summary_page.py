"""The summary: what the service did, for people who do not read HTTP, such as a court.

Each finding stands with what the specification demands, the calls and answers that show it, on what it rests, what it
means for a person if anything follows, and the numbers of its exhibits. All of it follows from the finding and its
exchanges; nothing is said of findings of a kind. The page is safe against text from the service.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Final

from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.target import EMPTY_ACCOUNT, MAY_BE_SHORT, NO_SELECTOR
from conformance.model.verdict import Verdict
from conformance.reports import call_words, dependents, outcome, summary
from conformance.reports.language import ENGLISH, N_, generator, gettext, speaking
from conformance.reports.pages import styled
from conformance.reports.problems import Standing, by_standing, waiver_words
from conformance.reports.timeline import decisive_of, history

IDS: Final = 24
"""Exhibits and ids that a line names; it states the number of all."""

CALLS: Final = 10
"""The most calls of a finding that are shown."""

LABELS: Final = 2
"""Labels of a run that the head shows beside those that it knows."""

_ASSESSOR, _AUTHORITY, _CASE = "assessor", "authority", "case"

_CONFIRMED: Final = {
    EMPTY_ACCOUNT: N_(
        "The tester confirmed that the accounts were empty: nothing else counted against the limit of their requests."
    ),
    NO_SELECTOR: N_("The tester confirmed that no client can choose the language of the list of types of data."),
    MAY_BE_SHORT: N_("The tester accepted that the token is removed from the record only where it was sent."),
}


def render(report: Report, exchanges: Sequence[Exchange], digest_of_data: str, language: str = ENGLISH) -> str:
    """Return the page, which names the SHA-256 digest of report.json.

    Raise ModuleNotFoundError for a language other than English without Babel.
    """
    with speaking(language):
        return _rendered(report, exchanges, digest_of_data)


def _rendered(report: Report, exchanges: Sequence[Exchange], digest_of_data: str) -> str:
    standing = by_standing(report)
    by_id = {each.id: each for each in exchanges}
    return styled(
        "summary_page.html",
        "summary_page.css",
        report=report,
        words=call_words,
        organisation=_organisation(exchanges),
        facts=list(_facts(report)),
        confirmed=[gettext(_CONFIRMED[each]) for each in report.confirmations if each in _CONFIRMED],
        alerts=standing[Standing.ALERT],
        failed=standing[Standing.FAILED],
        waived=standing[Standing.WAIVED],
        waiver_words=waiver_words,
        numbers=count(1),
        next=next,
        decisive_of=decisive_of,
        calls_of=partial(_calls, by_id),
        meaning_of=partial(_meaning, by_id),
        warned=standing[Standing.WARNING],
        unscored=summary.first_ids([problem.id for problem in standing[Standing.UNSCORED]], IDS),
        not_applicable=list(_not_applicable(report)),
        reasons=[
            (summary.first_ids([row.id for row in group.rows], IDS), group.finding.message)
            for group in summary.undecided(report)
        ],
        untested=[row.id for row in report.requirements if row.verdict == Verdict.NOT_TESTED],
        attested=summary.first_ids([each.requirement for each in report.attestations], IDS),
        replied=summary.first_ids([each.requirement for each in report.replies], IDS),
        matters=outcome.open_matters(report),
        ids_shown=IDS,
        generator=generator(),
        digest=digest_of_data,
    )


def _calls(exchanges: Mapping[str, Exchange], finding: Finding[str]) -> list[Exchange]:
    """Return the calls that show a finding, in their order: its steps, or some with what came before.

    There are none if the evidence lacks them.
    """
    if finding.steps:
        return [exchanges[step.exchange] for step in finding.steps if step.exchange in exchanges]
    shown = [exchanges[name] for name in finding.exchanges if name in exchanges][:CALLS]
    before = history(exchanges.values(), shown[0]) if shown else []
    return sorted({each.id: each for each in [*before, *shown]}.values(), key=lambda each: each.number)


def _meaning(exchanges: Mapping[str, Exchange], finding: Finding[str]) -> str:
    """Return what the call that decides a finding means for a person; empty if nothing follows."""
    found = exchanges.get(decisive_of(finding))
    return call_words.meaning(finding, found) if found else ""


def _not_applicable(report: Report) -> Iterable[tuple[str, str]]:
    """Return why a service that conforms gave no opportunity to test requirements, and their ids."""
    known = catalogue()
    circumstances = {known.decided_by[name]: text for name, text in known.circumstances.items()}
    for decided_by, untested in dependents.untested(report).items():
        rows = [row for row in untested if row.verdict == Verdict.NOT_APPLICABLE]
        if rows:
            why = circumstances.get(decided_by) or rows[0].reason or rows[0].findings[0].message
            yield why, summary.first_ids([row.id for row in rows], IDS)


def _organisation(exchanges: Iterable[Exchange]) -> str:
    """Return the name that the service states of its organisation in GET /settings; empty if it states none."""
    for each in exchanges:
        if each.operation is Operation.SETTINGS and each.response is not None and each.response.status == 200:
            name = each.response.member("organisationName")
            if isinstance(name, str) and name.strip():
                return name
    return ""


def _facts(report: Report) -> Iterable[tuple[str, str]]:
    labels = dict(report.run.labels)
    tls = report.target.tls
    yield gettext("Checked by"), labels.pop(_ASSESSOR, gettext("not stated"))
    if _AUTHORITY in labels:
        yield gettext("Authority"), labels.pop(_AUTHORITY)
    if _CASE in labels:
        yield gettext("Case"), labels.pop(_CASE)
    yield gettext("Run"), summary.started(report)
    yield gettext("Suite"), f"{report.suite.name} {report.suite.version}"
    edition = report.suite.edition.removeprefix("sha256:")
    if report.scope.set:
        edition = gettext("%(edition)s, set %(set)s", edition=edition, set=report.scope.set)
    yield gettext("Edition"), edition
    if tls:
        yield (
            gettext("Connection"),
            gettext("%(tls)s, certificate %(digest)s", tls=tls.version, digest=tls.certificate_sha256),
        )
    elif report.target.base_url.startswith("http:"):
        yield gettext("Connection"), gettext("not encrypted")
    yield from list(labels.items())[:LABELS]
