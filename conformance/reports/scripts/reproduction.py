"""Reproduction scripts: for one finding, a POSIX sh script that tells by its exit code whether the deviation persists.

A script needs curl and standard tools only. It makes the data requests that it needs, repeats the decisive call, tests
the probe of the finding on the response, and deletes what it created. Tokens come from the environment.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Final

from conformance import NAME
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.probe import Probe
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.text import one_line
from conformance.reports import basis
from conformance.reports.exchange_text import status_of
from conformance.reports.scripts.assertions import FROM_JSON, WITH_MOMENTS, deviates
from conformance.reports.scripts.calls import (
    Calls,
    Recorded,
    calls_of,
    group_of,
    is_limit_refusal,
    is_racing,
    request_id,
    rounds_of,
)
from conformance.reports.scripts.credentials import HEADERS, credential, tokens
from conformance.reports.scripts.shell import BEGINNING, CALLS, JSON, MOMENT, UTF8

_OPTIONS: Final = ("language-selector", "empty-account", "account-is-for-testing", "thorough", "anonymous")
"""Options of a run that decide what it can test, and what the service sees."""

_LARGEST: Final = 20_000
"""Bytes of a body beyond which it does not fit into a script."""

_ROUNDS: Final = 15
"""Repetitions of calls at the same time: chance decides whether one round shows the deviation."""

_POINTER: Final = re.compile(r"(/[A-Za-z0-9]+)*")
_HOP: Final = frozenset(["host", "connection", "user-agent", "authorization", "content-length"])
"""Headers that curl or the credential sets."""
_USUAL: Final = frozenset([("accept-encoding", "identity")])
"""Headers that change nothing for curl."""


def command(report: Report, *ids: str) -> str:
    """Return the line that checks only these requirements, with the options of the run that matter for them."""
    words = [NAME, "check", report.target.base_url, "--select", ",".join(ids)]
    options = report.run.options
    for name in _OPTIONS:
        value = options.get(name)
        if value is True:
            words.append(f"--{name}")
        elif value not in (None, False, ""):
            words += [f"--{name}", str(value)]
    return shlex.join(words)


def script(report: Report, recorded: Recorded, row: RequirementResult, finding: Finding[str]) -> str | None:
    """Return the script for a finding of the requirement `row`; None if no script can decide it.

    Then only `command` does: where statistics, moments or many calls show the deviation.
    """
    probe = finding.probe
    if probe is None or not _POINTER.fullmatch(probe.pointer):
        return None
    base_url = report.target.base_url.rstrip("/")
    try:
        calls = calls_of(recorded, finding, probe)
        if calls is None or not all(_is_repeatable(entry, base_url) for entry in calls.entries):
            return None
        made = list(_made(recorded, calls, base_url))
        test = deviates(probe, calls, calls.decisive.id)
    except (KeyError, ValueError):  # a record that does not hold what it names
        return None
    if test is None:
        return None
    rounds = max(3, min(_ROUNDS, 150 // len(calls.entries))) if calls.at_the_same_time else rounds_of(recorded, calls)
    parts = [
        _head(report, row, finding),
        f"recorded_url={shlex.quote(base_url)}",
        BEGINNING.strip(),
        *tokens(calls),
        *credential(calls),
        CALLS.strip(),
        *([JSON.strip(), UTF8.strip()] if probe.kind in FROM_JSON else []),
        *([MOMENT.strip()] if probe.kind in WITH_MOMENTS else []),
        "calls() {\n" + "\n".join(f"  {line}" for line in made) + "\n}",
        _guarded(test, recorded, calls, probe),
        _end(report, row, finding, rounds),
    ]
    return "\n\n".join(parts) + "\n"


def _is_repeatable(entry: Exchange, base_url: str) -> bool:
    """Whether a script can make a call, and what it writes without quotes is one word: anybody may hand on a record."""
    words = re.fullmatch(r"e\d+", entry.id) and re.fullmatch("[A-Z]+", entry.request.method)
    # A service may withdraw a language instead of answering in it.
    open_to_change = entry.intent.language == "supported"
    ours = entry.request.credential in HEADERS and entry.request.url.startswith(f"{base_url}/")
    return bool(words) and ours and not open_to_change


def _head(report: Report, row: RequirementResult, finding: Finding[str]) -> str:
    lines = [
        f"{row.id} ({row.level}): {basis.stated(row)}",
        *(f"Reason: {why}" for why in [basis.reason(row)] if why),
        f"Finding: {finding.message}",
        f"Expected: {finding.expected}",
        f"Actual: {finding.actual}",
        "",
        f"This script repeats what {report.suite.name} {report.suite.version} found. It needs curl.",
        "Usage: DRSI_TOKEN=... [DRSI_OTHER_TOKEN=...] sh THIS_FILE [BASE_URL]",
        "Exit code: 1 the deviation persists; 0 it was not shown; 2 it could not be tested.",
    ]
    return "\n".join(["#!/bin/sh", *(f"# {one_line(line, 400)}".rstrip() for line in lines)])


def _made(recorded: Recorded, calls: Calls, base_url: str) -> Iterator[str]:
    """Yield the lines that make the calls; raise ValueError or KeyError if a body is too large or is not there."""
    about = [_creation(calls, entry) or calls.similar(entry) for entry in calls.entries]
    used = {creation.id for creation in about if creation is not None}
    waiting: list[str] = []
    for index, entry in enumerate(calls.entries):
        shown = _shown(entry, used)
        yield from _sent(recorded, calls, entry, base_url, " &" if is_racing(entry) else "")
        if is_racing(entry):
            waiting += shown
            following = calls.entries[index + 1] if index + 1 < len(calls.entries) else None
            if following is not None and is_racing(following) and group_of(following) == group_of(entry):
                continue
            yield "wait"
            yield from waiting
            waiting = []
            continue
        yield from shown


def _shown(entry: Exchange, used: set[str]) -> list[str]:
    """Return the lines that show the response of a call, and that demand the request which later calls are about."""
    status = status_of(entry)
    seen = f"seen {entry.id}" + (f" {status}" if status in (429, 503) else "")
    return [seen, *([f"need {entry.id}"] if entry.id in used else [])]


def _creation(calls: Calls, entry: Exchange) -> Exchange | None:
    """Return the creation among the calls of the request that `entry` is about."""
    creation = calls.creations.get(request_id(entry).lower())
    return creation if creation in calls.entries else None


def _sent(recorded: Recorded, calls: Calls, entry: Exchange, base_url: str, after: str) -> Iterator[str]:
    request, name = entry.request, entry.id
    path = shlex.quote(request.url[len(base_url) :])
    creation = _creation(calls, entry)
    if creation is not None:
        segment = entry.path.removesuffix("/").rpartition("/")[2]
        before, _, rest = request.url[len(base_url) :].partition(segment)
        path = f'{shlex.quote(before)}"$(id_of {creation.id})"{shlex.quote(rest) if rest else ""}'
    elif similar := calls.similar(entry):
        # The identifier of no request, which begins and ends as that of one.
        other = f"sed 's/^\\(.\\{{8\\}}\\).\\{{16\\}}/\\1{request_id(entry)[8:24]}/'"
        path = f'/requests/"$(id_of {similar.id} | {other})"'
    words = ["send", name, request.method, path, shlex.quote(entry.request.credential)]
    for field, value in request.headers:
        if field.lower() not in _HOP and (field.lower(), value) not in _USUAL:
            words += ["-H", shlex.quote(_line(f"{field}: {value}" if value else f"{field};"))]
        if field.lower() == "accept-encoding" and value != "identity":
            words.append("--compressed")
    body = request.body
    if len(body) > _LARGEST:
        raise ValueError("the body is too large for a script")
    if request.method == "POST" and not any(field.lower() == "content-type" for field, _ in request.headers):
        words += ["-H", "Content-Type:"]
    if body and (text := _plain(body)) is not None:
        words += ["--data-raw", shlex.quote(text)]
    elif body:
        octal = "".join(f"\\{byte:03o}" for byte in body)
        yield f"printf '{octal}' >\"$dir/{name}.sent\""
        words += ["--data-binary", f'"@$dir/{name}.sent"']
    elif request.method == "POST":
        words += ["--data-raw", "''"]
    if any(each.redirected_from == name for each in recorded.entries.values()):
        words += ["--location", "--max-redirs", "1"]
    yield " ".join(words) + after


def _plain(body: bytes) -> str | None:
    """Return a body as text; None unless it consists of printable characters only."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return text if one_line(text, len(text)) == text else None


def _line(text: str) -> str:
    """Return a header without characters that would end its line."""
    return re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", " ", text)


def _guarded(test: str, recorded: Recorded, calls: Calls, probe: Probe) -> str:
    """Return the function that tests the decisive response, after what would make the test say something else."""
    name, answered = calls.decisive.id, _answered(recorded, calls)
    lines = [f'status=$(cat "$dir/{name}.status")']
    if status_of(answered) != 401 and calls.decisive.request.credential in ("user", "other user"):
        lines.append("[ \"$status\" != 401 ] || stop 'the token was not accepted.'")
    full = is_limit_refusal(answered) or answered.intent.limit == "reached"
    if calls.decisive.operation is Operation.CREATE and not full and probe.values != ("4xx",):
        lines += [
            f'case $status in 4*) ! grep -q MaximumAmountOfRequestsReached "$dir/{name}.body" ||',
            "  stop 'the account has no room for another data request. Empty it first.' ;; esac",
        ]
    if probe.kind not in ("status", "other-status"):
        kind = status_of(answered) // 100
        lines.append(f'case $status in {kind}*) ;; *) stop "the decisive call answered $status." ;; esac')
    body = "\n".join(f"  {line}" for line in [*lines, *test.splitlines()])
    return f"# deviates: whether the decisive response is not as it has to be.\ndeviates() {{\n{body}\n}}"


def _answered(recorded: Recorded, calls: Calls) -> Exchange:
    """Return the exchange with the decisive response: that of a redirected call is in another one."""
    name = calls.decisive.id
    return next((each for each in recorded.entries.values() if each.redirected_from == name), calls.decisive)


def _end(report: Report, row: RequirementResult, finding: Finding[str], rounds: int) -> str:
    expected = shlex.quote(one_line(finding.expected or row.statement, 400))
    again = shlex.quote(one_line(command(report, row.id), 1000))
    return f"""rounds=${{ROUNDS:-{rounds}}}
while [ "$rounds" -gt 0 ]; do
  calls
  if deviates; then
    printf '\\nThe deviation persists. Expected: %s\\n' {expected}
    exit 1
  fi
  delete_created
  rounds=$((rounds - 1))
done
printf '\\nThe deviation was not shown. This decides it: %s\\n' {again}
exit 0"""
