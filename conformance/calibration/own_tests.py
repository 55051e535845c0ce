"""The score of a user's own tests: which faulty services they catch, and which conforming ones they refuse.

The command of the tests runs once against each service, which is fresh, on a port of its own, and told to the command
by variables of its environment. Exit code 0 means that the tests accept the service.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from conformance import NAME, __version__
from conformance.calibration.combinations import find_variant
from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import Job, users_of
from conformance.calibration.score import measured
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Fault, Twin, Variant
from conformance.http.processes import apart, end, words_of
from conformance.model.build import build
from conformance.model.clauses import heading_of, titled
from conformance.model.printable import printable
from conformance.model.requirements import catalogue
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.server import listening
from conformance.reports.pages import styled

FILE: Final = "own-tests.json"
"""The results so far."""

TAIL: Final = 2_000
"""Characters of what a command printed that are kept: the last ones."""

SAMPLE: Final = 60
"""Faulty services of the sample, beside half as many conforming ones."""


@dataclass(frozen=True)
class Attempt:
    """What the command said of a service."""

    name: str
    code: int | None
    """Its exit code; None if it took too long."""
    seconds: float
    requests: int
    """The calls that the service got from it."""
    output: str
    """The end of what it printed."""

    @property
    def variant(self) -> Variant:
        """The service."""
        return find_variant(self.name)

    @property
    def accepts(self) -> bool:
        """Whether the tests accept the service."""
        return self.code == 0

    @property
    def is_right(self) -> bool:
        """Whether the tests accept what conforms, and nothing else. A command that does not end says nothing."""
        return self.code is not None and self.accepts is not bool(self.variant.faults)

    @property
    def clause(self) -> str:
        """The heading of the specification that the service violates, or that allows it."""
        variant = self.variant
        if isinstance(variant, Fault):
            return heading_of(catalogue()[variant.requirement].clause)
        return heading_of(variant.clause) if isinstance(variant, Twin) else ""

    @property
    def summary(self) -> str:
        """What the service does."""
        return " ".join(self.variant.summary.split())


class CommandFault(Exception):
    """The command cannot be started, or it refuses the reference service, so that it measures nothing."""


class OtherResults(Exception):
    """A folder holds the results of another command, or of another build of the suite."""


def services(faults: int | None = SAMPLE) -> list[Job]:
    """Return so many faulty services that a command can judge, and half as many conforming ones; all with None.

    They are the same ones in the same order each time.

    Left out is what no command alone can see: a service that needs a further token or something done by its
    organisation, whose account is not empty, or whose fault no client can detect.
    """
    chance = random.Random(0)
    kinds = [[Job(name=name) for name in names if _is_visible(find_variant(name))] for names in (FAULTS, TWINS)]
    sizes = map(len, kinds) if faults is None else (faults, (faults + 1) // 2)
    chosen = [job for kind, size in zip(kinds, sizes, strict=True) for job in chance.sample(kind, min(size, len(kind)))]
    chance.shuffle(chosen)
    return chosen


def _is_visible(variant: Variant) -> bool:
    hidden = isinstance(variant, Fault) and bool(variant.undetectable)
    return not (hidden or variant.has_more_options or variant.is_in_use)


class Runner:
    """Runs a command against services, several at a time."""

    def __init__(self, command: str, timeout: float) -> None:
        """`timeout` is in seconds. Raise CommandFault for a command with an open quotation mark, or of no words."""
        try:
            self._words = words_of(command)
        except ValueError as error:
            raise CommandFault(f"The command has an open quotation mark: {error}.") from None
        if not self._words:
            raise CommandFault("The command is empty.")
        self._timeout = timeout
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def attempts(self, jobs: Sequence[Job], workers: int) -> Iterator[Attempt]:
        """Yield what the command says of each service, as it ends. When the caller stops, running commands end."""
        pool = ThreadPoolExecutor(workers)
        try:
            for done in as_completed([pool.submit(self.attempt, job) for job in jobs]):
                yield done.result()
        finally:
            self._stopped = True
            for process in list(self._running):
                end(process)
            pool.shutdown(cancel_futures=True)

    def attempt(self, job: Job) -> Attempt:
        """Run the command against one service; raise CommandFault if it cannot be started."""
        config = job.variant.configured(ReferenceConfig(users=users_of(job.seed), seed=job.seed + 1))
        base, calls = job.variant.service, itertools.count()

        class Counting(base):  # type: ignore[misc, valid-type]
            async def answer(self, call: Call) -> Reply:
                next(calls)
                reply: Reply = await super().answer(call)
                return reply

        with listening(config, Counting) as ready:
            token, other_token = ready.tokens[:2]
            began = time.perf_counter()
            code, printed = self._run({"base_url": ready.base_url, "token": token, "other_token": other_token})
        return Attempt(job.name, code, round(time.perf_counter() - began, 2), next(calls), printed)

    def _run(self, given: Mapping[str, str]) -> tuple[int | None, str]:
        """Return the exit code of the command, None if it took too long, and the end of what it printed."""
        words = self._words
        for name, value in given.items():
            words = [word.replace(f"{{{name}}}", value) for word in words]
        variables = {f"DRSI_{name.upper()}": value for name, value in given.items()}
        try:
            process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - the user's own
                words,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                **apart(),
            )
        except OSError as error:
            raise CommandFault(f"The command cannot be started: {error.strerror or error}.") from None
        self._running.add(process)
        try:
            with process:
                try:
                    printed, _ = process.communicate(timeout=0 if self._stopped else self._timeout)
                except subprocess.TimeoutExpired:
                    end(process)
                    printed, _ = process.communicate()
                    return None, _tail(printed)
        finally:
            self._running.discard(process)
        return process.returncode, _tail(printed)


def _tail(printed: bytes) -> str:
    return printed.decode("utf-8", "replace")[-TAIL:]


# ---------------------------------------------------------------------- results


def earlier(folder: Path, command: str) -> list[Attempt]:
    """Return the results that a folder has, so that a later call goes on.

    Raise OtherResults for those of another command or build, OSError.
    """
    if not (folder / FILE).exists():
        return []
    with suppress(ValueError, TypeError, KeyError):
        known = json.loads((folder / FILE).read_text("utf-8"))
        if (known["command"], known["suite"]["build"]) == (command, build()):
            names = [each.name for each in fields(Attempt)]
            return [Attempt(**{name: row[name] for name in names}) for row in known["services"]]
    raise OtherResults(f"{folder / FILE} holds the results of another command, or of another build of the suite.")


@dataclass(frozen=True)
class Tally:
    """What the tests said of some services: those of a clause, or all."""

    name: str
    attempts: Sequence[Attempt]

    def missed(self) -> list[Attempt]:
        """Return the faulty services that the tests accept, or did not end with."""
        return [each for each in self.attempts if each.variant.faults and not each.is_right]

    def refused(self) -> list[Attempt]:
        """Return the conforming services that the tests do not accept."""
        return [each for each in self.attempts if not each.variant.faults and not each.is_right]

    def caught(self) -> str:
        """Return how many mistakes are caught, and of how many."""
        return "{kept} of {of}".format(**self.of_mistakes())

    def refusals(self) -> str:
        """Return how many conforming services are refused, and of how many."""
        return f"{len(self.refused())} of {self.of_conforming()['of']}"

    def of_mistakes(self) -> dict[str, int]:
        """Return how many faulty services are caught, and of how many."""
        return measured([each.is_right for each in self.attempts if each.variant.faults])

    def of_conforming(self) -> dict[str, int]:
        """Return how many conforming services are accepted, and of how many."""
        return measured([each.is_right for each in self.attempts if not each.variant.faults])


def by_clause(attempts: Sequence[Attempt]) -> list[Tally]:
    """Return the attempts by the headings of the specification, in their order."""
    ordered = sorted(attempts, key=lambda each: (each.clause, each.name))
    return [Tally(titled(clause), [*here]) for clause, here in itertools.groupby(ordered, lambda each: each.clause)]


def document(command: str, attempts: Sequence[Attempt]) -> dict[str, Any]:
    """Return the results as JSON-compatible data."""
    whole = Tally("", attempts)
    return {
        "command": command,
        "suite": {"name": NAME, "version": __version__, "build": build()},
        "caught": whole.of_mistakes(),
        "accepted": whole.of_conforming(),
        "services": [
            {
                "kind": each.variant.kind,
                **asdict(each),
                "clause": each.clause,
                "summary": each.summary,
                "requirement": FAULTS[each.name].requirement if each.variant.faults else None,
            }
            for each in attempts
        ],
    }


def page_of(command: str, attempts: Sequence[Attempt]) -> str:
    """Return the page: by clause, which mistakes the tests catch, and which legal behaviour they refuse."""
    whole, clauses = Tally("", attempts), by_clause(attempts)
    text = styled("own_tests.html", "plain.css", command=command, version=__version__, whole=whole, clauses=clauses)
    return printable(text, keep="\n")
