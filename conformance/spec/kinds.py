"""The kinds of calls, read from `kinds.toml`: what each of them must be answered in each state of the world.

A kind is what a call asks: the operation, the form of its body, the credential, whose request. The caller states it,
and it never changes. A state is what the run shows of the world when the answer comes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Final

from conformance.model.error_table import CONDITIONS, Condition
from conformance.model.exchange import Operation
from conformance.model.requirements import catalogue

WORDS: Final = {
    Operation.SETTINGS: "settings",
    Operation.DATA: "data",
    Operation.DATA_ME: "data-me",
    Operation.CREATE: "create",
    Operation.READ: "read",
    Operation.DELETE: "delete",
}
"""The name of each operation in a kind."""

_ALL: Final = tuple(each.error for each in CONDITIONS)


class State(StrEnum):
    """The state of the world that decides what a call must be answered."""

    ANY = ""
    """No state counts."""
    LISTED = "listed"
    """GET /data lists types to a call without a language."""
    ROOM = "room"
    """The run knows no reason why a creation is refused."""
    FULL = "full"
    EITHER = "either"
    """There is room, or there is none."""
    SOMETIMES = "sometimes"
    """The creation names a type that is listed sometimes."""
    EXISTING = "existing"
    IN_PROGRESS = "in-progress"
    """An answer shows the request in progress later."""
    COMPLETED = "completed"
    PERHAPS = "perhaps"
    """The request exists, or it does not."""
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a call of one kind must be answered in one state; errors are those of the table of clause 7."""

    status: int | None = None
    """The status; that of `error` if the row names one; None if the specification states none."""
    by: str = ""
    """The requirement that another status violates; "" if the row is open, so that one exchange decides nothing."""
    error: str = ""
    """The error that a refusal has to have, unless it names another one."""
    unauthorized: str = ""
    """The requirement that a refusal of the token violates, in place of `by`."""
    refused: str = ""
    """The requirement that any other refusal violates, in place of `by`."""
    allows: Sequence[str] = ()
    """Other answers that are right: statuses, classes of statuses, and errors."""
    names: Sequence[str] = _ALL
    """The errors that the answer may name."""
    document: str = ""
    """The schema of the document that an accepted call is answered with."""
    only_shown: bool = False
    """Whether only an answer that shows a request violates `by`."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirements that the status of an answer violates or keeps."""
        return tuple(filter(None, (self.by, self.unauthorized, self.refused)))

    def allows_status(self, status: int) -> bool:
        """Tell whether a status is right beside the one of the row."""
        return str(status) in self.allows or f"{status // 100}xx" in self.allows

    def lacks_refusal(self, status: int) -> bool:
        """Tell whether an answer with this status is none, and the table states a refusal of the call."""
        return bool(self.by) and self.status is not None and self.status >= 400 and not self.allows_status(status)


@dataclass(frozen=True, slots=True)
class Due:
    """What one call must be answered, as far as its answer leaves it open."""

    status: int | None
    """The status; None if the specification states none."""
    by: str
    """The requirement that another status than `status` violates; "" if this answer violates none."""
    document: str = ""
    """The schema of the document that an accepted call is answered with; "" for none."""
    kept: tuple[str, ...] = ()
    """The requirements that the answer keeps, because its status is right."""
    error: Condition | None = None
    """The row of the table of errors that the answer has to agree with."""
    must_be_error: bool = False
    """Whether the answer is a refusal that has to be an error object (2.4)."""
    must_be_json: bool = False
    """Whether the body of the answer has to be JSON (preamble, 4, 7)."""

    @property
    def must_accept(self) -> bool:
        """Whether the service has to accept the call."""
        return self.status == 200

    @property
    def must_refuse(self) -> bool:
        """Whether the table states a refusal of the call, which then has no effect."""
        return bool(self.by) and self.status is not None and self.status >= 400


OPEN: Final = Row()
"""The row of a kind that the table does not have."""


def row_of(kind: str, state: State) -> Row:
    """Return what a call of a kind must be answered in a state; `OPEN` for an unknown kind."""
    rows = kinds()
    return rows.get((kind, state)) or rows.get((kind, State.ANY)) or OPEN


@cache
def kinds() -> Mapping[tuple[str, State], Row]:
    """Return the rows that ship with the suite, by kind and state."""
    return rows_of((files("conformance.spec") / "kinds.toml").read_text(encoding="utf-8"))


def rows_of(text: str) -> Mapping[tuple[str, State], Row]:
    """Return the rows of a table of kinds."""
    members: dict[tuple[str, str], dict[str, Any]] = {}
    for operations, of_operations in tomllib.loads(text).items():
        for names, given in of_operations.items():
            by_states = {key: value for key, value in given.items() if isinstance(value, dict)}
            by_states[""] = {key: value for key, value in given.items() if key not in by_states}
            for states, own in by_states.items():
                for operation, name, state in product(*(each.split(", ") for each in (operations, names, states))):
                    members.setdefault((f"{operation}.{name}", state), {}).update(own)
    rows = {}
    for (kind, state), own in members.items():
        if own:
            of_kind = members.get((kind, ""), {}) if state else {}
            rows[kind, State(state)] = _row(kind, {**of_kind, **own})
    return rows


def _row(kind: str, given: Mapping[str, Any]) -> Row:
    operation = kind.partition(".")[0]
    row = Row(**{name: value for name, value in given.items() if name != "open"})
    stated = {name: getattr(row, name).format(operation=operation) for name in ("by", "unauthorized", "refused")}
    for requirement in filter(None, stated.values()):
        catalogue()[requirement]  # a wrong id fails at load
    if given.get("open"):
        stated |= {"by": "", "refused": ""}
    elif not row.by:
        raise ValueError(f"{kind} names no requirement by `by`; an open row has open = true")
    errors = {each.error: each for each in CONDITIONS}
    return replace(row, **stated, status=errors[row.error].status if row.error else row.status)
