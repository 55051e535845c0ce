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
from conformance.http.redaction import Redactor
from conformance.model.findings import ConfigurationFault
from conformance.model.text import printable
from conformance.model.verdict import Blame, Exit
from conformance.preflight.diagnosis import Diagnosis
from conformance.preflight.doctor import examine
from conformance.reference.process import ReferenceProcess


def visit(settings: Settings, service: ReferenceProcess | None) -> int:
    """Examine the target, print what was found, and return the exit code."""
    session = session_of(settings, target_of(settings, service))
    session.clock.expects(settings.profile, share=1, times=session.target.budget.times)
    try:
        found = examine(session, needs_token=settings.profile == "full")
    except ConfigurationFault as fault:
        clean = Redactor(session.secrets()).text
        raise Failure(clean(str(fault)), remedy=clean(fault.remedy), blame=Blame.CONFIGURATION) from None
    except Exception as error:
        clean = Redactor(session.secrets()).text
        raise SuiteFailure(error, redact=clean) from None
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
    broken = False
    for problem in found.problems:
        wrong = problem.exit_code is not None or problem.blame is not Blame.CONFIGURATION
        broken |= wrong
        line("problem" if wrong else "note", "bold red" if wrong else "yellow", problem.message)
        line("  blame", "dim", problem.blame)
        line("  to do", "dim", problem.remedy)
    well = "A run can begin, but it will leave much undecided." if broken else "A run can begin."
    console.print(well if found.fatal is None else "A run would not get far before this is mended.")


def _exit_code(found: Diagnosis) -> Exit:
    """Return the code with which `check` would stop; what does not stop it is for its report to say."""
    return Exit.CONFORMS if found.fatal is None else found.fatal.exit_code or Exit.USAGE
