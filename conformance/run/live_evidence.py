"""The evidence of a run while it goes on: a file with a line for each exchange, which is left if the run is killed.

Beside the exchanges, lines tell how the run was made, what its scenarios returned, and what the run learned later of an
exchange. So a killed run can be judged by what it recorded.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from conformance.http.secrets.redaction import without_secrets
from conformance.http.session import Session
from conformance.model import unique_keys
from conformance.model.build import build
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Crashes
from conformance.reports import files
from conformance.run.plan import Plan
from conformance.run.recorded_trace import conditions_of, result_of
from conformance.scenarios.registry import Scenario
from conformance.trace import har
from conformance.trace.har import Har, data_of
from conformance.trust import chain

FILE: Final = "evidence.jsonl"

_LATER: Final = ("_intent", "_superseded")
"""Members of an exchange that the run may learn, or change, after its end."""

_KILLED: Final = "the end of the process"
"""What a killed run ended before, in place of a check."""


@contextmanager
def live_evidence(folder: Path, session: Session, plan: Plan) -> Iterator[None]:
    """Write each exchange of a session when it ends, with a digest that includes the line before it.

    The lines are not synced: they survive the end of the process, not that of the machine. Leaving the context removes
    the file, because evidence.har holds the same then. A file that cannot be written is given up: the run goes on.
    Only the user of the process may read the file.
    """
    path = folder / FILE
    with ExitStack() as stack:
        with suppress(OSError):
            path.unlink(missing_ok=True)
            path.touch(mode=0o600)
            file = path.open("a", encoding="utf-8")
            stack.callback(_remove, path, file)
            lines = _Lines(file, session, plan)
            session.record.on_end, session.results.on_end = lines.exchange, lines.scenario
        try:
            yield
        finally:
            session.record.on_end, session.results.on_end = lambda _: None, lambda _: None


def _remove(path: Path, file: IO[str]) -> None:
    with suppress(OSError):  # a full disk has no place for what is in the memory either
        file.close()
    with suppress(OSError):
        path.unlink(missing_ok=True)


class _Lines:
    """Writes the lines of a run.

    No line is written before GET /data/me was asked for each user: until then the run does not know which values of
    the users to replace. A run of the profile public drops its credentials, and asks nothing of a user.
    """

    def __init__(self, file: IO[str], session: Session, plan: Plan) -> None:
        self._file = file
        self._session = session
        self._plan = plan
        self._converted, self._before = har.Entries(), ""
        self._unknown = set(session.credentials)
        self._exchanges: list[Exchange] = session.record.in_order()
        """Those that ended, after those of an earlier run."""
        self._written: list[tuple[Any, ...]] = []
        """What was written of the members in `_LATER`, of the first of them."""
        self._conditions: dict[str, Any] = {}
        self._lock = threading.RLock()

    def exchange(self, exchange: Exchange) -> None:
        """Write an exchange that ended, and those before it that were held back."""
        with self._lock:
            self._exchanges.append(exchange)
            if exchange.operation is Operation.DATA_ME:
                self._unknown.discard(exchange.request.credential)
            self._write_exchanges()

    def scenario(self, scenario: Scenario[Any]) -> None:
        """Write the result of a scenario that ended, and what the run learned meanwhile."""
        with self._lock:
            if not self._may_write:
                return
            for place, exchange in enumerate(self._exchanges):
                if (now := _later(exchange)) != self._written[place]:
                    self._written[place] = now
                    entry = self._entry(exchange)
                    self._write({"_amends": exchange.id, **{name: entry[name] for name in _LATER}})
            self._write_conditions()
            member, data = result_of(self._session, scenario)
            if member:
                self._write({"_scenario": scenario.name, member: data})

    @property
    def _may_write(self) -> bool:
        return self._unknown.isdisjoint(self._session.credentials)

    def _write_exchanges(self) -> None:
        if not self._may_write:
            return
        if not self._written:
            self._write({"_report": _frame(self._session, self._plan)})
            self._write_conditions()
        for each in self._exchanges[len(self._written) :]:
            self._written.append(_later(each))
            self._write(self._entry(each))

    def _write_conditions(self) -> None:
        conditions = conditions_of(self._session, Crashes(), ended_before=_KILLED, interrupted=True)
        if (data := data_of(conditions)) != self._conditions:
            self._conditions = data
            self._write({"_run": data})

    def _entry(self, exchange: Exchange) -> dict[str, Any]:
        return self._converted.of(without_secrets(exchange, self._session.secrets.redactor))

    def _write(self, line: dict[str, Any]) -> None:
        line[chain.DIGEST] = self._before = chain.link(line, self._before)
        with suppress(OSError):
            self._file.write(f"{json.dumps(line)}\n")
            self._file.flush()  # what is in the memory of the process does not survive its end


def _later(exchange: Exchange) -> tuple[Any, ...]:
    return exchange.intent, exchange.superseded


def _frame(session: Session, plan: Plan) -> dict[str, Any]:
    """Return what a report would state of a run beside its exchanges, in the members that it has for it."""
    return {
        "started": session.clock.now().isoformat(),
        "seed": session.seed,
        "strict": plan.strict,
        "fail_on": list(plan.fail_on),
        "waivers": [],
        "scope": {
            "profile": plan.profile,
            "set": plan.set.name,
            "select": list(plan.select),
            "deselect": list(plan.deselect),
            "only": list(plan.only),
        },
        "run": {"options": {}, "nonce": session.nonce},
        "target": {"base_url": session.target.base_url},
        "suite": {"build": build()},
    }


def is_killed(folder: Path) -> bool:
    """Tell whether a folder holds what a killed run left, and no report."""
    return (folder / FILE).is_file() and not (folder / files.DATA).is_file()


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a run that was killed; its last line may be cut off. Raise ValueError for another file."""
    *lines, last = path.read_text("utf-8").split("\n")
    for line in lines:
        yield unique_keys.loads(line)
    with suppress(ValueError):
        yield unique_keys.loads(last)


def unfinished(lines: Iterator[dict[str, Any]]) -> tuple[Mapping[str, Any], Har]:
    """Return what a report would state of a run that was killed, and its evidence, made of its lines.

    Raise LookupError, TypeError or ValueError for lines that the suite did not write.
    """
    frame: dict[str, Any] = {}
    run: dict[str, Any] = {}
    results: dict[str, dict[str, Any]] = {"results": {}, "ends": {}}
    exchanges: dict[str, dict[str, Any]] = {}
    for line in lines:
        if "_id" in line:
            exchanges[line["_id"]] = line
        elif "_amends" in line:
            exchanges[line["_amends"]].update({name: line[name] for name in _LATER})
        elif "_scenario" in line:
            member = next(name for name in results if name in line)
            results[member][line["_scenario"]] = line[member]
        else:
            frame, run = line.get("_report", frame), line.get("_run", run)
    if not exchanges or not frame:
        raise ValueError("the run was killed before it wrote how it was made")
    frame = {**frame, "finished": max(each["startedDateTime"] for each in exchanges.values())}
    return frame, {"log": {"_run": {**run, **results}, "entries": [*exchanges.values()]}}
