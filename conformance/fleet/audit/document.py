"""The results of a whole audit: the contents of `audit.json`, in the shape of `schemas/audit.schema.json`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from conformance import NAME, __version__
from conformance.fleet.audit.changes import Changed
from conformance.fleet.audit.result import Result
from conformance.model.build import build
from conformance.model.printable import as_json
from conformance.model.verdict import Exit

SCHEMA_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class AuditSuite:
    """The suite that made an audit."""

    name: str = NAME
    version: str = __version__
    build: str = field(default_factory=build)


@dataclass(frozen=True, kw_only=True)
class Audit:
    """A finished audit. Times are RFC 3339 in UTC."""

    id: str
    started: str
    finished: str
    exit_code: Exit
    """The worst of all runs."""
    targets: tuple[Result, ...]
    """In the order of the file of the targets."""
    previous: str | None = None
    """The audit to which `changes` compares this one; None for the first one."""
    changes: tuple[Changed, ...] = ()
    suite: AuditSuite = field(default_factory=AuditSuite)
    schema_version: int = SCHEMA_VERSION

    @property
    def regressions(self) -> tuple[Changed, ...]:
        """The targets of which a requirement or the outcome got worse."""
        return tuple(each for each in self.changes if each.is_regression)


def write(audit: Audit, path: Path) -> None:
    """Write `audit.json` whole or not at all: its presence says that the audit is finished."""
    part = path.with_suffix(".part")
    part.write_text(as_json(asdict(audit), indent=2) + "\n", "utf-8")
    part.replace(path)


def read(path: Path) -> Audit:
    """Return the audit in a file; raise OSError or msgspec.MsgspecError for one that this version cannot read."""
    import msgspec

    return msgspec.json.decode(path.read_bytes(), type=Audit)


def regressions_json(audit: Audit) -> str:
    """Return the regressions of an audit, for a command that sends them on."""
    told = {
        "audit": audit.id,
        "previous": audit.previous,
        "exit_code": int(audit.exit_code),
        "regressions": [asdict(each) for each in audit.regressions],
        "unreachable": [each.name for each in audit.targets if each.words == "unreachable"],
    }
    return as_json(told, indent=2) + "\n"
