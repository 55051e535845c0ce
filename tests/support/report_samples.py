"""Sample runs: the whole catalogue with verdicts, and the exchanges that its findings name."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema_rs import validator_for

from conformance import NAME, __version__
from conformance.judge.verdicts import outcome_of
from conformance.model.build import build
from conformance.model.exchange import ErrorKind, Exchange, Operation, Request, Response
from conformance.model.findings import Finding, Note
from conformance.model.report import Report, ReportData, Suite, data_of, report_of
from conformance.model.requirements import Requirement, catalogue
from conformance.model.results import IN_FORCE, RequirementResult, Waiver, alerts_of, summarise
from conformance.model.run_record import CheckedTarget, Scope
from conformance.model.score import Calibration, Measure, proofs
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Blame, Level, Outcome, Verdict
from conformance.reports.basis import of_catalogue
from conformance.trace.har import har

SCHEMA = json.loads((files("conformance.schemas") / "report.schema.json").read_text("utf-8"))
_SCHEMA = validator_for(SCHEMA)
ROWS = len(catalogue().rows)


BASE_URL = "https://data.example.org/api/v1"
STARTED = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
JSON_TYPE = (("Content-Type", "application/json"), ("Server", "example/2.1"))

HOSTILE = (
    "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)><svg/onload=alert(3)>"
    "\"'><a href='javascript:alert(4)'>x</a>]]><!-- \x1b[31mred\x1b]0;title\x07 \x00 \x9b2J \ud800 \u202egnp.exe\u2066 "
    "\u2028 \ufffe {{ 7*7 }} {% raw %} [bold]rich[/bold] :boom: &lt;b&gt;"
)


CALIBRATION = Calibration(
    measured="2026-01-30T12:00:00Z",
    version=__version__,
    catalogue=catalogue().digest,
    sensitivity=Measure(kept=1499, of=1500),
    attribution=Measure(kept=1500, of=1500),
    specificity=Measure(kept=250, of=250),
    combined_sensitivity=Measure(kept=1590, of=1600),
    combined_attribution=Measure(kept=700, of=700),
    stability=Measure(kept=1750, of=1750),
    repetitions=20,
    excused=1,
)


def exchange(
    number: int,
    operation: Operation,
    *,
    status: int = 200,
    body: bytes = b"",
    headers: tuple[tuple[str, str], ...] = JSON_TYPE,
    sent: bytes = b"",
    path: str = "/settings",
    trouble: ErrorKind | None = None,
) -> Exchange:
    method = {Operation.CREATE: "POST", Operation.DELETE: "DELETE"}.get(operation, "GET")
    asked = (("Host", "data.example.org"), ("Accept", "application/json"), ("Authorization", "Bearer [redacted]"))
    label = (("Content-Type", "application/json"),) if sent else ()
    return Exchange(
        id=f"e{number}",
        check="test_sample",
        operation=operation,
        started=STARTED + timedelta(milliseconds=20 * number),
        request=Request(method, BASE_URL + path, asked + label, sent, "user"),
        response=None if trouble else Response(status, "OK" if status == 200 else "No", "HTTP/1.1", headers, body),
        error=trouble,
        error_detail="nothing within 10 s" if trouble else "",
        seconds=0.0123,
        path=path.partition("?")[0],
    )


ONE = "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11"
"""The identifier of a data request."""


def exchanges(text: str = "") -> list[Exchange]:
    """Return twelve exchanges; `text` goes wherever a target can put text."""
    settings = json.dumps({"organisationName": f"Example Organisation{text}", "supportedLanguages": ["en", "nl"]})
    created = json.dumps(
        {
            "requestId": ONE,
            "createdAt": "2026-01-31T12:00:00Z",
            "isCompleted": False,
            "completedAt": None,
            "dataRequested": ["account", f"orders{text}"],
        }
    )
    noisy = (*JSON_TYPE, ("X-Note", text or "plain"), ("Set-Cookie", "a=b; Path=/"))
    types = [{"type": f"type-{number}", "context": "" if number else text} for number in range(3000)]
    data = json.dumps(types).encode()
    return [
        exchange(1, Operation.SETTINGS, body=settings.encode(), headers=noisy),
        exchange(2, Operation.DATA, path="/data?lang=nl&x=", body=data),
        exchange(3, Operation.DATA, path="/data", body=data),
        exchange(4, Operation.CREATE, path="/requests", sent=b'["account","orders"]', body=created.encode()),
        exchange(5, Operation.READ, path=f"/requests/{ONE}", body=b'"OK\xff\xfe' + text.encode("utf-8", "replace")),
        exchange(6, Operation.DELETE, path=f"/requests/{ONE}", body=b'"OK"'),
        exchange(7, Operation.DELETE, path=f"/requests/{ONE}", status=404, body=b'{"error":"Not Found"}'),
        exchange(8, Operation.READ, path="/requests/x", trouble=ErrorKind.DEADLINE),
        exchange(9, Operation.CREATE, path="/requests", status=401, sent=b"\xff\xfe", body=b""),
        exchange(10, Operation.DATA_ME, path="/data/me", body=b"[" * 5000),
        exchange(11, Operation.CREATE, path="/requests", sent=data, status=400, body=b"{}"),
        exchange(12, Operation.CREATE, path="/requests", sent=data, status=400, body=b"{}"),
    ]


def finding(verdict: Verdict, text: str = "", **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "check": "test_settings_carry_the_languages",
        "verdict": verdict,
        "blame": Blame.TARGET,
        "message": f"The settings lack what the clause demands.{text}",
        "expected": f"supportedLanaguages: array of strings{text}",
        "actual": f"a field supportedLanguages instead{text}",
        "remedy": f"Name the field supportedLanaguages (sic).{text}",
        "exchanges": ("e1",),
        "curl": f"curl -i -H \"Authorization: Bearer $DRSI_TOKEN\" '{BASE_URL}/settings{text}'",
    }
    return Finding(**(values | changes))


def broken_findings(text: str = "") -> dict[str, tuple[Finding, ...]]:
    expired = {"blame": Blame.CREDENTIAL, "message": "The access token expired.", "actual": "", "expected": ""}
    expired |= {"remedy": "Use --token-command, and run again.", "exchanges": ("e9",), "curl": ""}
    return {
        "2.3-supportedLanaguages": (finding(Verdict.FAIL, text),),
        "1.4-every-parameter": (finding(Verdict.FAIL, text, message=f"One of the ten fields is missing.{text}"),),
        "4.3-answers-ok": (
            finding(
                Verdict.FAIL,
                text,
                check="test_deleting_a_request_answers_ok",
                message=f"The body is a JSON string, not plain text.{text}",
                expected="OK",
                actual=f'"OK"{text}',
                remedy="Answer 200 with the two letters OK as the whole body.",
                exchanges=("e6", "e5", "e7", "e4", "e8"),
            ),
            finding(Verdict.FAIL, text, exchanges=("e10",), message=f"A second thing about it.{text}"),
        ),
        "3-in-progress-no-completedAt": (
            finding(
                Verdict.FAIL,
                text,
                message="completedAt is null while the request is in progress.",
                expected="no completedAt",
                actual="null",
                remedy="Leave completedAt out of the object until the request is completed.",
                exchanges=("e4",),
            ),
        ),
        "2.2-isErasable-present": (
            finding(
                Verdict.WARN,
                text,
                message=f"isErasable is no boolean.{text}",
                expected="isErasable true",
                actual=f"isErasable truthy{text}",
                exchanges=("e2", "e3"),
            ),
        ),
        "8-limit-enforced": (finding(Verdict.INCONCLUSIVE, **expired),),
        "8-accepts-up-to-limit": (finding(Verdict.INCONCLUSIVE, **expired),),
        "8-completed-do-not-count": (
            finding(
                Verdict.INCONCLUSIVE,
                blame=Blame.NETWORK,
                message="The target did not answer.",
                remedy="Try again when it does.",
                exchanges=("e8",),
                curl="",
            ),
        ),
        "5-isolation": (
            finding(Verdict.OBSERVED, text, message=f"Another user reads 404.{text}", exchanges=("e7",), remedy=""),
        ),
        "0-redirects": (
            finding(Verdict.OBSERVED, text, message="No redirect was seen.", actual="", exchanges=(), curl=""),
        ),
    }


def alert_findings(text: str = "") -> dict[str, tuple[Finding, ...]]:
    """Return findings that raise two alerts."""
    return {
        "5-token-over-http": (
            finding(Verdict.OBSERVED, text, message=f"The tokens are sent over http.{text}", alert=True),
        ),
        "5-isolation": (
            finding(
                Verdict.OBSERVED,
                text,
                message=f"Another user could read the request.{text}",
                exchanges=("e5",),
                alert=True,
            ),
        ),
    }


def report(
    outcome: Outcome | None = None,
    *,
    findings: Mapping[str, tuple[Finding, ...]] | None = None,
    strict: bool = False,
    complete: bool = True,
    left_behind: int = 0,
    left_out_clause: str = "",
    base_url: str = BASE_URL,
    fail_on: tuple[str, ...] = (),
    unscored: Collection[str] = (),
) -> Report:
    """Return a run over the whole catalogue in which everything without findings is kept; its outcome follows."""
    found = findings or {}
    left_out = tuple(
        row.id for row in catalogue().rows.values() if left_out_clause and row.clause.startswith(left_out_clause)
    )
    every = (_row(row, found.get(row.id, ()), row.id in left_out) for row in catalogue().rows.values())
    rows = tuple(replace(row, scored=row.id not in unscored) for row in every)
    deselect = (left_out_clause,) if left_out_clause else ()
    scope = Scope(set="2026-1" if unscored else "", deselect=deselect, left_out=left_out)
    options: dict[str, Any] = {"complete": complete, "strict": strict, "fail_on": fail_on}
    return Report(
        **options,
        outcome=outcome or outcome_of(rows, scope, left_behind=left_behind, **options),
        suite=Suite(
            name=NAME,
            version=__version__,
            build=build(),
            catalogue=catalogue().digest,
            edition=catalogue().edition.digest,
            calibration=CALIBRATION,
        ),
        target=CheckedTarget(base_url=base_url),
        started="2026-01-31T12:00:00Z",
        finished="2026-01-31T12:00:01.250Z",
        seed=0,
        scope=scope,
        summary=summarise(
            rows, exchanges=212, created=31, deleted=31 - left_behind, not_found=0, left_behind=left_behind
        ),
        notes=(
            Note(
                blame=Blame.CONFIGURATION,
                message="The token came from --token and shows in the process list.",
                remedy="Set DRSI_TOKEN instead.",
            ),
        ),
        requirements=rows,
        alerts=alerts_of(rows),
    )


def with_waivers(sample: Report, outcome: Outcome, *waivers: Waiver) -> Report:
    """Return `sample` with this outcome, and with those requirements waived that a waiver in force names."""
    named = {waiver.requirement for waiver in waivers if waiver.state == IN_FORCE}
    rows = tuple(replace(row, waived=row.id in named) for row in sample.requirements)
    return replace(
        sample,
        outcome=outcome,
        requirements=rows,
        waivers=waivers,
        summary=replace(sample.summary, waived=len(named)),
    )


def waiver(requirement: str, text: str = "", **changes: str) -> Waiver:
    """Return a waiver in force."""
    values = {"reason": f"Ticket 12.{text}", "owner": f"Team API{text}", "expires": "2026-12-31", **changes}
    return Waiver(requirement=requirement, **values)


def data(sample: Report) -> dict[str, Any]:
    """Return `sample` as report.json holds it: lists, not tuples."""
    values: dict[str, Any] = json.loads(json.dumps(data_of(sample)))
    return values


def typed(values: ReportData | Report) -> Report:
    """Return the data of a report as views take it."""
    return values if isinstance(values, Report) else report_of(values)


def errors_of(report: dict[str, Any]) -> list[str]:
    """Return how the data of a report break its schema."""
    return [error.message[:300] for error in _SCHEMA.iter_errors(json.loads(json.dumps(report)))]


def attested(values: dict[str, Any], *ids: str, text: str = "") -> dict[str, Any]:
    """Return the data of a report in which a person attested the requirements `ids`."""
    document = {"name": f"policy{text}.pdf".replace("/", ""), "sha256": "ab" * 32}
    one = {"statement": f"Our job erases it.{text}", "name": f"A. Person{text}", "date": "2026-02-01"}
    values["attestations"] = [one | {"requirement": each, "document": document} for each in ids]
    return values


def replied(values: dict[str, Any], *ids: str, text: str = "") -> dict[str, Any]:
    """Return the data of a report in which the organisation answered the findings of the requirements `ids`."""
    document = {"name": f"letter{text}.pdf".replace("/", ""), "sha256": "ab" * 32}
    one = {"statement": f"We read it otherwise.{text}", "name": f"Example Ltd{text}", "date": "2026-02-01"}
    signed = {"key": f"SHA256:0123{text}", "public_key": text or "PEM", "signature": text or "{}"}
    values["replies"] = [one | signed | {"requirement": each, "document": document} for each in ids]
    return values


def eventful(text: str = "") -> dict[str, Any]:
    """Return the data of a run with failures, a waived one, warnings, alerts and undecided requirements."""
    values: dict[str, Any] = json.loads(_eventful(text))
    return values


@cache
def _eventful(text: str) -> str:
    sample = report(findings=broken_findings(text) | alert_findings(text))
    return json.dumps(data(with_waivers(sample, sample.outcome, waiver("4.3-answers-ok", text))))


UNSCORED: dict[str, tuple[Finding, ...]] = {
    "4.3-answers-ok": (finding(Verdict.FAIL, message="The new check failed."),),
    "5-isolation": (finding(Verdict.OBSERVED, message="The new alert.", alert=True),),
    "8-limit-enforced": (finding(Verdict.INCONCLUSIVE, message="The new one is open."),),
}
"""What was found about requirements that no set scores."""


def unscored() -> dict[str, Any]:
    """Return the data of a run that conforms, with three unscored requirements."""
    return data(report(findings=UNSCORED, unscored=UNSCORED))


def everything_wrong(text: str) -> dict[str, Any]:
    """Return a run in which every requirement has a problem, and every text is as long as can be."""
    rows = [row for row in catalogue().rows.values() if not row.untestable]
    found = {
        row.id: (finding(VERDICT_WHEN_BROKEN[row.level], text, message=f"{row.id} {text}", alert=row.alert),)
        for row in rows
    }
    for row in rows[5:60:6]:
        found[row.id] = (finding(Verdict.INCONCLUSIVE, message=f"{row.id} {text}"),)
    base_url = f"https://{'a' * 200}.example/{text}"
    sample = report(findings=found, base_url=base_url, left_behind=3, complete=False)
    waivers = [waiver(row.id, text) for row in rows[1:60:7]]
    values = data(with_waivers(sample, sample.outcome, *waivers))
    values["run"]["labels"] = {f"{number}{text}": text for number in range(9)} | {"assessor": text, "case": text}
    values["run"]["nonce"] = text
    values["target"]["tls"] = {"version": "TLSv1.3", "certificate_sha256": "ab" * 32}
    values["scope"] |= {"left_out": [row.id for row in rows[9:70:7]], "select": [text]}
    return values


def text_of(page: str) -> str:
    """Return the visible text of a page."""
    found = re.sub("<[^>]*>", " ", page.partition("<body>")[2])
    return " ".join(html.unescape(found).split())


def evidence(text: str = "") -> dict[str, Any]:
    return har(exchanges(text))


def _row(row: Requirement, findings: tuple[Finding, ...], is_left_out: bool) -> RequirementResult:
    verdict, reason, checks = Verdict.PASS, "", (f"test_{row.id.partition('-')[2].replace('-', '_')}",)
    if row.untestable:
        verdict, reason, checks = Verdict.NOT_TESTED, row.untestable, ()
    elif findings:
        verdict = findings[0].verdict
    elif is_left_out:
        verdict, reason, checks = Verdict.NOT_TESTED, "Left out of this run by its profile or selection.", ()
    elif row.level is Level.OPEN:
        verdict, findings = Verdict.OBSERVED, (finding(Verdict.OBSERVED, message="As usual.", actual="", curl=""),)
    elif row.id.startswith(("7-language", "4.5-supported")):
        verdict, reason = Verdict.NOT_APPLICABLE, "No usual way of choosing a language has an effect."
    return replace(
        of_catalogue(row),
        verdict=verdict,
        reason=reason,
        checks=checks,
        findings=findings,
        proofs=proofs().get(row.id),
    )
