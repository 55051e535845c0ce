"""The summary: one printed page for people who do not read HTTP, safe against text from the service."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

from markupsafe import Markup

from conformance.model.printable import printable
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.rights import Meaning, rights
from conformance.model.verdict import Verdict
from conformance.reports import basis, dependents, outcome, summary
from conformance.reports.language import ENGLISH, generator, gettext, listed, sentence, speaking, spoken
from conformance.reports.pages import digest, page
from conformance.reports.problems import Problem, Standing, by_standing, waiver_words

ROWS, ALERTS, REASONS, WAIVED, LABELS = 6, 3, 3, 2, 2
"""How many lines have room on the fullest page: alerts, failures and warnings together, and the other kinds."""

_IDS = 2
_ASSESSOR, _AUTHORITY, _CASE = "assessor", "authority", "case"


@dataclass(frozen=True)
class Part:
    """The lines of one section that have room, and how many requirements it names in all and leaves out."""

    shown: list[tuple[str, str, Meaning]]
    """The ids of requirements that mean the same for a person, on what these rest, and this meaning."""
    total: int
    left: int


def render(report: Report, digest_of_data: str, language: str = ENGLISH) -> str:
    """Return the page, which names the SHA-256 digest of report.json.

    Raise ModuleNotFoundError for a language other than English without Babel.
    """
    with speaking(language):
        return _rendered(report, digest_of_data)


def _rendered(report: Report, digest_of_data: str) -> str:
    standing = by_standing(report)
    style = (files("conformance.reports") / "templates" / "one_page.css").read_text("utf-8")
    reasons, attested = summary.undecided(report), [each.requirement for each in report.attestations]
    most_reasons = REASONS - bool(attested)  # the line that names attestations takes the room of one
    alerts = _part(standing[Standing.ALERT], ALERTS)
    # Room that other sections do not need is for these lines.
    room = ROWS + max(0, REASONS - len(reasons)) + max(0, WAIVED - len(standing[Standing.WAIVED]))
    room += (not report.scope.left_out) + (len(report.run.labels) <= LABELS)
    first = dependents.first_fix(report)
    room -= bool(report.run.nonce) + bool(report.replies) + bool(standing[Standing.UNSCORED])
    room -= spoken() != ENGLISH  # the lines of other languages are longer
    failed = _part(standing[Standing.FAILED], room - len(alerts.shown))
    warned = _part(standing[Standing.WARNING], room - len(alerts.shown) - len(failed.shown))
    text = page(
        "one_page.html",
        report=report,
        summary=summary,
        outcome=outcome,
        basis=basis,
        style=Markup(style),  # noqa: S704 - a file of the suite
        style_digest=digest(style),
        facts=list(_facts(report)),
        alerts=alerts,
        failed=failed,
        warned=warned,
        waived=[(problem.id, waiver_words(report, problem.row)) for problem in standing[Standing.WAIVED]],
        most_waived=WAIVED,
        unscored=summary.first_ids([problem.id for problem in standing[Standing.UNSCORED]], _IDS),
        first=first,
        dependents=dependents,
        open_first=dependents.untested(report),
        reasons=[
            (summary.first_ids([row.id for row in group.rows], _IDS), group.finding.message)
            for group in reasons[:most_reasons]
        ],
        more_reasons=len(reasons) - most_reasons,
        untested=[row for row in report.requirements if row.verdict == Verdict.NOT_TESTED],
        attested=summary.first_ids(attested, _IDS),
        replied=summary.first_ids([each.requirement for each in report.replies], _IDS),
        articles=listed(
            gettext("%(article)s: %(right)s", article=str(number), right=sentence(words) or words)
            for number, words in rights().articles.items()
        ),
        generator=generator(),
        digest=digest_of_data,
    )
    return printable(text, keep="\n")


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
    edition = basis.edition_brief(report)
    if report.scope.set:
        edition = gettext("%(edition)s, set %(set)s", edition=edition, set=report.scope.set)
    yield gettext("Edition"), edition
    if tls:
        yield (
            gettext("Connection"),
            gettext("%(tls)s, certificate %(digest)s…", tls=tls.version, digest=tls.certificate_sha256[:16]),
        )
    elif report.target.base_url.startswith("http:"):
        yield gettext("Connection"), gettext("not encrypted")
    yield from list(labels.items())[:LABELS]


def _part(found: list[Problem], most: int) -> Part:
    """Return one line for each meaning, the gravest first."""
    groups: dict[Meaning, list[RequirementResult]] = {}
    for problem in found:
        meaning = rights().of(problem.id) or Meaning(problem.row.statement, (), 0)
        groups.setdefault(meaning, []).append(problem.row)
    ordered = sorted(groups.items(), key=lambda group: -group[0].gravity)
    left = sum(len(rows) for _, rows in ordered[most:])
    shown = [
        (summary.first_ids([row.id for row in rows], _IDS), _rests_on(rows[:_IDS]), meaning)
        for meaning, rows in ordered[:most]
    ]
    return Part(shown, len(found), left)


def _rests_on(rows: list[RequirementResult]) -> str:
    return listed(dict.fromkeys(basis.rests_on(row) for row in rows))
