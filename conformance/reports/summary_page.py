"""The summary: what the service did, for people who do not read HTTP, such as a court.

Each finding stands with what the specification demands, the calls and answers that show it, on what it rests, what it
means for a person if anything follows, and the numbers of its exhibits. All of it follows from the finding and its
exchanges; nothing is said of findings of a kind. The page is safe against text from the service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from markupsafe import Markup

from conformance.model.errors import UUID
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.printable import printable
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.target import EMPTY_ACCOUNT, MAY_BE_SHORT, NO_SELECTOR
from conformance.model.verdict import Level, Verdict
from conformance.reports import call_words, dependents, open_matters, summary
from conformance.reports.language import ENGLISH, N_, generator, gettext, speaking
from conformance.reports.pages import digest, page
from conformance.reports.problems import Problem, Standing, by_standing, waiver_words
from conformance.reports.timeline import decisive_of

IDS: Final = 24
"""Exhibits and ids that a line names; it states the number of all."""

CALLS, ALIKE = 10, 2
"""The most calls of a finding that are shown, and how many of one operation with the same answer."""

LABELS: Final = 2
"""Labels of a run that the head shows beside those that it knows."""

_CUT, _BODY = "…", ", body "
"""The mark of a text that a finding shortens, and what stands in a finding before the body of an answer."""

_ASSESSOR, _AUTHORITY, _CASE = "assessor", "authority", "case"

_CONFIRMED: Final = {
    EMPTY_ACCOUNT: N_(
        "The tester confirmed that the accounts were empty: nothing else counted against the limit of their requests."
    ),
    NO_SELECTOR: N_("The tester confirmed that no client can choose the language of the list of types of data."),
    MAY_BE_SHORT: N_("The tester accepted that the token is removed from the record only where it was sent."),
}


@dataclass(frozen=True)
class Stated:
    """A finding as the page states it, with its number on the page."""

    number: int
    row: RequirementResult
    finding: Finding[str]
    message: str
    """With the identifiers of requests in full."""
    calls: list[Exchange]
    """The calls that show it, in their order; none if the evidence lacks them."""
    unshown: int
    """How many more of its exhibits are calls, which the page does not show because others like them stand there."""
    decisive: str
    """The exhibit that decides it."""
    meaning: str
    same_as: int
    """The number of the earlier finding that the same answer shows; 0 if none."""
    more: int
    """Further findings of the requirement."""
    received: str
    """What the service answered, without a body that the finding shortens."""
    follows: str
    """From which failure it probably follows, and how many follow from it, in sentences."""
    blocked: str
    blocked_musts: int
    """How many of those that it blocked are mandatory, as the head counts them; 0 if all of them are."""


def render(report: Report, exchanges: Sequence[Exchange], digest_of_data: str, language: str = ENGLISH) -> str:
    """Return the page, which names the SHA-256 digest of report.json.

    Raise ModuleNotFoundError for a language other than English without Babel.
    """
    with speaking(language):
        return _rendered(report, exchanges, digest_of_data)


def _rendered(report: Report, exchanges: Sequence[Exchange], digest_of_data: str) -> str:
    standing = by_standing(report)
    style = (files("conformance.reports") / "templates" / "summary_page.css").read_text("utf-8")
    stated, by_id = _Findings(report, exchanges), {each.id: each for each in exchanges}
    text = page(
        "summary_page.html",
        report=report,
        words=call_words,
        style=Markup(style),  # noqa: S704 - a file of the suite
        style_digest=digest(style),
        organisation=_organisation(exchanges),
        facts=list(_facts(report)),
        confirmed=[gettext(_CONFIRMED[each]) for each in report.confirmations if each in _CONFIRMED],
        alerts=stated.of(standing[Standing.ALERT]),
        failed=stated.of(standing[Standing.FAILED]),
        waived=[(each, waiver_words(report, each.row)) for each in stated.of(standing[Standing.WAIVED])],
        warned=stated.of(standing[Standing.WARNING]),
        unscored=summary.first_ids([problem.id for problem in standing[Standing.UNSCORED]], IDS),
        not_applicable=list(_not_applicable(report)),
        reasons=[
            (
                summary.first_ids([row.id for row in group.rows], IDS),
                _in_full(group.finding.message, (by_id[each] for each in group.finding.exchanges if each in by_id)),
            )
            for group in summary.undecided(report)
        ],
        untested=[row.id for row in report.requirements if row.verdict == Verdict.NOT_TESTED],
        attested=summary.first_ids([each.requirement for each in report.attestations], IDS),
        replied=summary.first_ids([each.requirement for each in report.replies], IDS),
        matters=open_matters.observed(report),
        ids_shown=IDS,
        generator=generator(),
        digest=digest_of_data,
    )
    return printable(text, keep="\n")


class _Findings:
    """The findings of the page, counted through all its sections."""

    def __init__(self, report: Report, exchanges: Sequence[Exchange]) -> None:
        self._report = report
        self._exchanges = {each.id: each for each in exchanges}
        self._numbers: dict[str, int] = {}
        self._number = 0

    def of(self, problems: Iterable[Problem]) -> list[Stated]:
        """Return the first finding of each problem, with the next numbers."""
        return [self._stated(problem) for problem in problems]

    def _stated(self, problem: Problem) -> Stated:
        finding, *others = problem.findings
        self._number += 1
        decisive = decisive_of(finding)
        calls = self._calls(finding)
        found = self._exchanges.get(decisive)
        earlier = self._numbers.get(decisive, 0)
        self._numbers[decisive] = earlier or self._number
        later = dependents.following_sentence(dependents.following(self._report, [problem.id]))
        blocked = dependents.blocked_by(self._report, [problem.id])
        musts = sum(row.level == Level.MUST for row in blocked)
        return Stated(
            number=self._number,
            row=problem.row,
            finding=finding,
            message=_in_full(finding.message, calls),
            calls=calls,
            unshown=len(set(finding.exchanges) & self._exchanges.keys() - {each.id for each in calls}),
            decisive=decisive,
            meaning=call_words.meaning(finding, found) if found else "",
            same_as=earlier,
            more=len(others),
            received=_received(finding.actual),
            follows=" ".join(filter(None, (dependents.origin_sentence(self._report, problem.row), later))),
            blocked=dependents.blocked_sentence(blocked),
            blocked_musts=musts if musts < len(blocked) else 0,
        )

    def _calls(self, finding: Finding[str]) -> list[Exchange]:
        """Return the calls that show a finding, in their order: its steps, or not more than two of a kind."""
        if finding.steps:
            return [self._exchanges[step.exchange] for step in finding.steps if step.exchange in self._exchanges]
        kinds: Counter[tuple[str | None, str]] = Counter()
        shown: list[Exchange] = []
        for each in (self._exchanges[name] for name in finding.exchanges if name in self._exchanges):
            kind = (each.operation, call_words.answered(each))
            kinds[kind] += 1
            if kinds[kind] <= ALIKE and len(shown) < CALLS:
                shown.append(each)
        made = self._made(shown[0]) if shown else []
        return sorted({each.id: each for each in [*made, *shown]}.values(), key=lambda each: each.number)

    def _made(self, decisive: Exchange) -> list[Exchange]:
        """Return the calls before the decisive one that made its data request, or removed it."""
        if decisive.operation not in (Operation.READ, Operation.DELETE):
            return []
        name = decisive.request_id
        before = (each for each in self._exchanges.values() if each.number < decisive.number)
        return [each for each in before if 200 <= each.status < 300 and _made_or_removed(each, name)]


def _made_or_removed(exchange: Exchange, request_id: str) -> bool:
    if exchange.operation is Operation.DELETE:
        return exchange.request_id == request_id
    answer = exchange.response if exchange.operation is Operation.CREATE else None
    return answer is not None and answer.member("requestId") == request_id


def _in_full(text: str, calls: Iterable[Exchange]) -> str:
    """Return a message with the identifiers of these calls in full, which it abbreviates."""
    for each in calls:
        text = text.replace(UUID.sub(r"\1…", each.path), each.path)
    return text


def _received(actual: str) -> str:
    """Return what a finding states as received, of a shortened answer the status; empty if that says nothing whole."""
    whole = actual.partition(_BODY)[0] if _CUT in actual else actual
    return "" if _CUT in whole else whole


def _not_applicable(report: Report) -> Iterable[tuple[str, str]]:
    """Return why a service that conforms gave no opportunity to test requirements, and their ids."""
    known = catalogue()
    circumstances = {known.decided_by[name]: text for name, text in known.circumstances.items()}
    for group in dependents.untested(report):
        rows = [row for row in group.rows if row.verdict == Verdict.NOT_APPLICABLE]
        if rows:
            why = circumstances.get(group.decided_by) or rows[0].reason or rows[0].findings[0].message
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
    edition = report.suite.edition.removeprefix("sha256:") or gettext("not named")
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
