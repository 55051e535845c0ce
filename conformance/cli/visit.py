"""The doctor's visit: facts and problems on standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from conformance.cli.failure import Failure, SuiteFailure
from conformance.cli.settings import Settings
from conformance.cli.streams import as_file
from conformance.cli.target import session_of, target_of
from conformance.doctor import Diagnosis, Problem, examine
from conformance.reference.process import ReferenceProcess
from conformance.reports.text import printable
from conformance.target import ConfigurationFault
from conformance.verdict import Blame, Exit
from conformance.wire.redact import Redactor

_EXITS = {Blame.NETWORK: Exit.INCONCLUSIVE, Blame.CONFIGURATION: Exit.USAGE, Blame.CREDENTIAL: Exit.USAGE}


def visit(settings: Settings, service: ReferenceProcess | None) -> int:
    """Examine the target, print what was found, and return the exit code."""
    session = session_of(settings, target_of(settings, service))
    try:
        found = examine(session, needs_token=settings.profile == "full")
    except ConfigurationFault as fault:
        clean = Redactor(session.secrets()).text
        raise Failure(clean(str(fault)), remedy=clean(fault.remedy), blame=Blame.CONFIGURATION) from None
    except Exception as error:
        clean = Redactor(session.secrets()).text
        raise SuiteFailure.of(error, on_screen=settings.debug, redact=clean) from None
    finally:
        session.close()
    _print(found, Redactor(session.secrets()).text)
    return _exit_code(found)


def _print(found: Diagnosis, clean: Callable[[str], str]) -> None:
    console = Console(file=as_file(sys.stdout))

    def line(mark: str, style: str, text: str) -> None:
        console.print(Text.assemble((f"{mark:<9}", style), printable(clean(text))), soft_wrap=True)

    for name, fact in found.facts:
        line("ok", "green", f"{name}: {fact}")
    for problem in found.problems:
        stops = _code_of(problem) is not Exit.CONFORMS
        line("problem" if stops else "note", "bold red" if stops else "yellow", problem.message)
        line("  blame", "dim", problem.blame)
        line("  to do", "dim", problem.remedy)
    well = _exit_code(found) == Exit.CONFORMS
    console.print("A run can begin." if well else "A run would not get far before this is mended.")


def _exit_code(found: Diagnosis) -> Exit:
    """Return the code of what is worst for a run; what is wrong with the target's answers is for the checks to say."""
    if found.fatal is not None:
        return _code_of(found.fatal)
    return next((code for problem in found.problems if (code := _code_of(problem))), Exit.CONFORMS)


def _code_of(problem: Problem) -> Exit:
    return problem.exit_code or _EXITS.get(problem.blame, Exit.CONFORMS)
