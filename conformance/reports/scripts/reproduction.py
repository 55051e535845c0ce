"""Reproduction scripts: for one finding, a Python script that tells by its exit code whether the deviation persists.

A script needs Python and nothing else. It makes the data requests that it needs, repeats the decisive call, tests the
probe of the finding on the response, and deletes what it created. Tokens come from the environment. `runtime.py` is its
code; here is its plan, which holds all that was recorded as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pprint import pformat
from typing import Final

from conformance.facts.answers import is_limit_refusal
from conformance.model.credential_forms import FORMS
from conformance.model.curl import variable_of
from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.errors import Probe
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.further_headers import is_marked
from conformance.model.printable import one_line
from conformance.model.report import OF_TYPES, Report
from conformance.model.results import RequirementResult
from conformance.reports import basis
from conformance.reports.again import BEFORE, command, to_start
from conformance.reports.scripts.answers import FORMATS, Answer, NotTested, deviates, digest_at
from conformance.reports.scripts.calls import Recorded, calls_of, request_id, rounds_of
from conformance.reports.scripts.plan import Call, Plan
from conformance.reports.scripts.runtime import WITHOUT_HEADER, id_in

_LARGEST: Final = 20_000
"""Bytes of a body beyond which it does not fit into a script."""

_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
"""A name of a header field."""
_POINTER: Final = re.compile(r"(/[A-Za-z0-9]+)*")
_HOP: Final = frozenset(["host", "connection", "user-agent", "authorization", "content-length"])
"""Headers that the script sets."""
_USUAL: Final = frozenset([("accept-encoding", "identity")])
"""Headers that change nothing for the script."""

_REFUSED: Final = ("4xx",)
_TOKENS: Final = {"user": "DRSI_TOKEN", "other user": "DRSI_OTHER_TOKEN", **REFUSED_CREDENTIALS}
_MODULES: Final = (
    ("conformance.model", "credential_forms.py"),
    *((__package__, name) for name in ("plan.py", "answers.py", "wire.py", "runtime.py")),
)
"""The code of a script, each after what it needs; they import one another in single lines."""
_FUTURE: Final = "from __future__ import annotations\n"


def script(report: Report, recorded: Recorded, row: RequirementResult, finding: Finding[str]) -> str | None:
    """Return the script for a finding of the requirement `row`; None if no script can decide it.

    Then only `again.command` does: where statistics, moments or many calls show the deviation.
    """
    probe = finding.probe
    if probe is None or not _POINTER.fullmatch(probe.pointer):
        return None
    base_url = report.target.base_url.rstrip("/")
    try:
        calls = calls_of(recorded, finding, probe)
        if not calls or not all(_is_repeatable(entry, base_url) for entry in calls):
            return None
        plan = _plan(recorded, calls, probe, base_url)
    except (KeyError, ValueError):  # a record that does not hold what it names
        return None
    if plan is None:
        return None
    plan |= _way(report)[0]
    plan |= {
        "expected": one_line(finding.expected or row.statement, 400),
        "again": one_line(command(report, row.id), 1000),
        "start": one_line(to_start(report.run.options, base_url), 1000),
    }
    parts = [
        f"{_head(report, row, finding)}\n{_FUTURE}",
        f"PLAN = {pformat(plan, width=118, sort_dicts=False)}",
        _runtime(),
        'if __name__ == "__main__":\n    sys.exit(repeat(PLAN))',
    ]
    return "\n\n".join(parts) + "\n"


def _way(report: Report) -> tuple[Plan, list[str]]:
    """Return what a script needs, beside tokens, to get to the service as the run did, and the words on variables."""
    options, plan, words = report.run.options, Plan(), []
    if names := [each for each in options.get("header") or () if _NAME.fullmatch(str(each))]:
        plan["further"] = {name: variable_of(name) for name in names}
        words = [f"{variable}=... is the value of the header {name}." for name, variable in plan["further"].items()]
    if options.get("app-host"):
        plan["host"] = str(options["app-host"])
    if options.get("ca-file"):
        words.append("SSL_CERT_FILE=... is the file with the certificate of the authority.")
    if options.get("client-cert"):
        plan["certificate"] = True
        words.append("DRSI_CLIENT_CERT=... is the file of the client certificate, DRSI_CLIENT_KEY=... that of its key.")
    if options.get("proxy"):
        plan["proxy"] = True
        words.append("HTTPS_PROXY=... or HTTP_PROXY=... is the address of the proxy.")
    return plan, words


@cache
def _runtime() -> str:
    """Return the code of a script: its modules as one, without the line that has to stand at the beginning."""
    texts = (files(where).joinpath(name).read_text("utf-8").partition(_FUTURE)[2] for where, name in _MODULES)
    return re.sub(
        r"^from conformance\..*\n", "", "\n".join(text.strip() + "\n\n" for text in texts), flags=re.MULTILINE
    )


def _is_repeatable(entry: Exchange, base_url: str) -> bool:
    """Whether a script can make a call: anybody may hand on a record."""
    words = re.fullmatch(r"e\d+", entry.id) and re.fullmatch("[A-Z]+", entry.request.method)
    # A service may withdraw a language instead of answering in it.
    open_to_change = entry.intent.language == "supported"
    ours = entry.request.credential in {*_TOKENS, *FORMS, *WITHOUT_HEADER} and entry.request.url.startswith(
        f"{base_url}/"
    )
    return bool(words) and ours and not open_to_change


def _head(report: Report, row: RequirementResult, finding: Finding[str]) -> str:
    lines = [
        f"{row.id} ({row.level}): {basis.stated(row)}",
        *(f"Reason: {why}" for why in [basis.reason(row)] if why),
        f"Finding: {finding.message}",
        f"Expected: {finding.expected}",
        f"Actual: {finding.actual}",
        "",
        f"This script repeats what {report.suite.name} {report.suite.version} found. It needs Python 3.9 or later.",
        "Usage: DRSI_TOKEN=... [DRSI_OTHER_TOKEN=...] python3 THIS_FILE BASE_URL",
        *(f"{BEFORE}: {first}" for first in [to_start(report.run.options, report.target.base_url)] if first),
        *_way(report)[1],
        "Exit code: 1 the deviation persists; 0 it was not shown; 2 it could not be tested.",
    ]
    # Of the first two lines, Python obeys a comment that names an encoding: none of the lines after them is that.
    first = ["#!/usr/bin/env python3", "# -*- coding: utf-8 -*-"]
    return "\n".join([*first, *(f"# {one_line(line, 400)}".rstrip() for line in lines)])


def _plan(recorded: Recorded, calls: list[Exchange], probe: Probe, base_url: str) -> Plan | None:
    """Return the plan of `runtime.repeat`, without its last words; None if no script can test the probe.

    Raises ValueError or KeyError if a body is too large or is not there.
    """
    decisive, kind = calls[-1], probe.kind
    if "status" in kind and not all(re.fullmatch("[0-9x]+", each) for each in probe.values):
        return None
    if kind == "format" and probe.values[0] not in FORMATS:
        return None
    callers = {"user": None, **dict.fromkeys(entry.request.credential for entry in calls)}
    is_beyond = recorded.is_beyond_the_limit(decisive)
    needs_room = decisive.operation is Operation.CREATE and probe.values != _REFUSED
    plan: Plan = {
        "base_url": base_url,
        "tokens": {who: _TOKENS[who] for who in callers if who in _TOKENS},
        "calls": list(_made(recorded, calls, base_url)),
        "probe": {
            "kind": kind,
            "pointer": probe.pointer,
            "values": list(probe.values),
            "optional": probe.optional,
        },
        "needs_room": needs_room and not is_limit_refusal(decisive.response) and not is_beyond,
        "rounds": rounds_of(recorded, calls),
    }
    if kind == "as-created" and "about" not in plan["calls"][-1]:
        return None
    if kind == "status":
        plan["in_progress"] = is_beyond or (decisive.operation is Operation.READ and decisive.status == 404)
    plan["shown"] = [
        (operation.path, pointer, _shown(recorded, operation, pointer))
        for operation, pointer in _depends_on(recorded, decisive, kind)
    ]
    is_comparable = all(digest for _, _, digest in plan["shown"])
    return plan if is_comparable and _shows(plan, calls) else None


def _depends_on(recorded: Recorded, decisive: Exchange, kind: str) -> Iterator[tuple[Operation, str]]:
    """Yield what the service shows, and the right answer depends on: the operation and a JSON Pointer."""
    body = decisive.intent.body
    if (kind in OF_TYPES and (kind != "set" or body == "omitted")) or (kind == "status" and body == "known types"):
        yield Operation.DATA, "/0/type"
    if kind == "status" and recorded.is_beyond_the_limit(decisive):
        yield Operation.SETTINGS, "/maxNumberOfRequests"
    if kind == "status" and decisive.intent.language == "unsupported":
        yield Operation.SETTINGS, "/supportedLanaguages"


def _shown(recorded: Recorded, operation: Operation, pointer: str) -> str:
    """Return the digest of what the last answer of an operation shows; empty without one."""
    answered = [each for each in recorded.entries.values() if each.operation is operation and each.status == 200]
    return digest_at(_answer(answered[-1]), pointer) if answered else ""


def _shows(plan: Plan, calls: list[Exchange]) -> bool:
    """Whether the recorded answers deviate for the script too: it knows less than the suite, such as of formats."""
    answers = {each.id: _answer(each) for each in calls if each.response}
    ids = [id for each in calls if _creates(each) and (id := id_in(answers[each.id]))]
    try:
        return deviates(plan, answers, ids)
    except NotTested:
        return False


def _creates(entry: Exchange) -> bool:
    return entry.operation is Operation.CREATE and entry.status // 100 == 2


def _answer(entry: Exchange) -> Answer:
    assert entry.response is not None
    headers = {name.lower(): value for name, value in entry.response.headers}
    return Answer(entry.response.status, headers, entry.response.body, entry.started.timestamp())


def _made(recorded: Recorded, calls: list[Exchange], base_url: str) -> Iterator[Call]:
    """Yield the calls of a plan; raise ValueError or KeyError if a body is too large or is not there."""
    for entry in calls:
        request, path = entry.request, entry.request.url[len(base_url) :]
        creation = recorded.creation_of(request_id(entry))
        call: Call = {"name": entry.id, "method": request.method, "path": path, "status": entry.status}
        if creation is not None and creation in calls:
            segment = entry.path.removesuffix("/").rpartition("/")[2]
            call |= {"path": path.replace(segment, "{}", 1), "about": creation.id}
        call |= {"who": request.credential, "headers": [list(each) for each in _headers(request.headers)]}
        if len(request.body) > _LARGEST:
            raise ValueError("the body is too large for a script")
        call |= {"body": request.body.decode()} if request.body else {}
        yield call


def _headers(headers: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        if is_marked(name, value):
            continue  # the script takes it from a variable
        if name.lower() not in _HOP and (name.lower(), value) not in _USUAL:
            yield name, re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", " ", value)  # without what would end its line
