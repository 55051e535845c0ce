"""A recorded run on the disk: what `check` wrote, read again for the commands that work without the service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance import NAME
from conformance.cli.errors import Failure
from conformance.model import unique_keys
from conformance.model.verdict import Exit
from conformance.trust import builds, chain

if TYPE_CHECKING:
    from conformance.model.exchange import Exchange
    from conformance.model.report import Report, ReportData
    from conformance.trace.har import Har


class AlteredRun(Failure):
    """The report is not what the run wrote, or the bundle not what was packed: a digest is another one."""


_NO_EVIDENCE: Final[Har] = {"log": {"entries": []}}


@dataclass(frozen=True)
class RecordedRun:
    """The data of a run; `evidence` has no entries if evidence.har is not beside report.json."""

    folder: Path
    """Where the run is; of a bundle, a temporary folder that no longer exists."""
    data: ReportData
    """The report as its file has it, which the digests are of."""
    evidence: Har

    @cached_property
    def report(self) -> Report:
        """The report as views take it."""
        from conformance.model.report import report_of

        return report_of(self.data)

    @property
    def has_evidence(self) -> bool:
        """Whether evidence.har is beside report.json."""
        return self.evidence != _NO_EVIDENCE

    @property
    def damage(self) -> list[str]:
        """In words, what does not have its digest; of a run without evidence, report.json."""
        try:
            if self.has_evidence:
                return list(chain.damage(self.data, self.evidence))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            return ["evidence.har is not what 'check' wrote"]
        return ["report.json was altered"] if chain.resealed(self.data) != self.data else []

    def demand_unaltered(self, run: Path) -> None:
        """Raise AlteredRun, with the name `run`, if a part does not have its digest."""
        if damage := self.damage:
            raise AlteredRun(
                f"{run} was altered: {'; '.join(damage[:3])}.",
                remedy="Name the report.json and the evidence.har that 'check' wrote together, unaltered.",
            )

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of the evidence; raise Failure if they are not as this suite writes them."""
        from conformance.trace.har import exchanges_of

        try:
            return exchanges_of(self.evidence)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(self.folder, f"an exchange is not as 'check' wrote it ({error!r})") from None


def read(path: Path, *, needs_evidence: bool = False) -> RecordedRun:
    """Return the run at `path`: a folder, its report.json, or a bundle; raise Failure if it cannot be read."""
    from conformance.reports.files import DATA, EVIDENCE, evidence_in

    with unpacked(path) as place:
        file = place / DATA if place.is_dir() else place
        report, har = _report(file), file.parent / EVIDENCE
        evidence = document(har, evidence_in) if needs_evidence or har.is_file() else _NO_EVIDENCE
        log = evidence.get("log")
        entries = log.get("entries") if isinstance(log, dict) else None
        if not isinstance(entries, list) or not all(isinstance(each, dict) and "_id" in each for each in entries):
            raise _unreadable(har, "it is not the evidence of a run")
    return RecordedRun(file.parent, report, evidence)


def is_bundle(path: Path) -> bool:
    """Tell whether a path names a bundle: a zip file of any name, or a damaged one, which has the name of one."""
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                return path.suffix == ".zip" or file.read(2) == b"PK"
    return False


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Yield the path of a recorded run, of a bundle a temporary folder; raise Failure for a bundle that was altered."""
    if not is_bundle(path):
        yield path
        return
    from conformance.trust import bundle
    from conformance.trust.archive import Altered, EvidenceFault

    try:
        with bundle.opened(path) as folder:
            yield folder
    except EvidenceFault as fault:
        raise (AlteredRun if isinstance(fault, Altered) else Failure)(str(fault), remedy=fault.remedy) from None
    except Failure as failure:
        message = failure.message.replace(str(folder), str(path))
        raise type(failure)(message, remedy=failure.remedy, exit_code=failure.code) from None


def read_report(path: Path) -> Report:
    """Return the report of the run at `path`: a folder, its report.json, or a bundle; raise Failure without one."""
    from conformance.model.report import report_of
    from conformance.reports.files import DATA

    with unpacked(path) as place:
        return report_of(_report(place / DATA if place.is_dir() else place))


def document(
    file: Path, load: Callable[[Path], Any] = lambda file: unique_keys.loads(file.read_bytes())
) -> dict[str, Any]:
    """Return the JSON object that `load` finds in the file; raise Failure if there is none."""
    try:
        found = load(file)
    except FileNotFoundError:
        raise _absent(file) from None
    except PermissionError as error:
        raise _unreadable(file, error.strerror or str(error), "Give yourself the permission to read it.") from None
    except OSError as error:
        raise _unreadable(file, error.strerror or str(error)) from None
    except unique_keys.RepeatedKey as error:
        raise _unreadable(file, f"it was altered: {error}", "Ask for an unaltered copy.", AlteredRun) from None
    except (ValueError, RecursionError):
        raise _unreadable(file, "it is not JSON") from None
    if not isinstance(found, dict):
        raise _unreadable(file, "it is not a JSON object")
    return found


def _report(file: Path) -> ReportData:
    """Return the report in the file, checked against its schema: no view fails on a foreign or damaged one."""
    from conformance.model.report import SCHEMA_VERSION

    report = document(file)
    version = report.get("schema_version")
    if version != SCHEMA_VERSION:
        is_one = isinstance(version, int) and isinstance(report.get("suite"), dict)
        remedy = _use_the_build_of(report) if is_one else _NAME_IT
        code = Exit.INCONCLUSIVE if is_one and _is_of_another_build(report) else Exit.USAGE
        reason = f"its schema_version is {version!r}, and this version reads {SCHEMA_VERSION}"
        raise _unreadable(file, reason, remedy, code=code)
    if broken := _broken(report):
        if isinstance(report.get("digests"), dict) and chain.resealed(report) != report:
            reason, remedy = f"it was altered, it does not have its digest, and {broken}", "Ask for an unaltered copy."
            raise _unreadable(file, reason, remedy, AlteredRun)
        if _is_of_another_build(report):
            reason = f"another build of the suite made it, and for this one {broken}"
            raise _unreadable(file, reason, _use_the_build_of(report), code=Exit.INCONCLUSIVE)
        raise _unreadable(file, f"it is not a report of this suite: {broken}")
    for moment in ("started", "finished"):
        try:
            datetime.fromisoformat(str(report.get(moment)))
        except ValueError:
            raise _unreadable(file, f"{moment} is no date-time") from None
    return report


def _broken(report: ReportData) -> str:
    """Say how a report breaks its schema; return "" if it does not."""
    import jsonschema_rs

    schema = json.loads((files("conformance.schemas") / "report.schema.json").read_bytes())
    with suppress(ValueError):  # a surrogate in the name of a member, which only Python can read
        if jsonschema_rs.is_valid(schema, report):  # in a hundredth of the time of jsonschema, which says more
            return ""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(report))
    return f"{error.json_path} breaks {error.validator!r} of its schema" if error else ""


_NAME_IT = "Name the folder that 'drsi-conformance check' wrote, its report.json, or a bundle."


def _is_of_another_build(report: ReportData) -> bool:
    """Tell whether a report has its digest and names another build, or none, as the suite's first builds did."""
    suite = report.get("suite")
    sealed = isinstance(report.get("digests"), dict) and chain.resealed(report) == report
    if not sealed or not isinstance(suite, dict) or suite.get("name") != NAME:
        return False
    return not builds.is_this_build(suite.get("build"))


def _use_the_build_of(report: ReportData) -> str:
    suite = report["suite"]
    return f"Use the build that made the run: {builds.named(suite.get('version'), suite.get('build'))}."


def _unreadable(
    file: Path, reason: str, remedy: str = _NAME_IT, kind: type[Failure] = Failure, code: Exit = Exit.USAGE
) -> Failure:
    return kind(f"{file} cannot be read as the result of a run: {reason}.", remedy=remedy, exit_code=code)


def _absent(file: Path) -> Failure:
    """Return the failure for a file of a run that does not exist."""
    from conformance.reports.files import EVIDENCE
    from conformance.run.live_evidence import is_killed

    if is_killed(file.parent):
        remedy = "'drsi-conformance verify' checks what it recorded, and 'cleanup' deletes what it left behind."
        return _unreadable(file, "the run was killed, so there is no report", remedy)
    if file.name == EVIDENCE:
        return _unreadable(file, "No such file", f"Put the {EVIDENCE} of the run beside report.json.")
    return _unreadable(file, "No such file")
