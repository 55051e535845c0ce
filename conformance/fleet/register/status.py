"""The status document of a run in a public register, in the shape of `schemas/register-status.schema.json`.

It states facts and no grade. Whether it is valid follows from the facts and the clock of the reader (`state_at`); its
own `state` is that of the moment at which the register was built.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec

from conformance.fleet.moments import Moment, stamp
from conformance.model.printable import as_json
from conformance.model.verdict import Outcome
from conformance.trust import in_toto

SCHEMA_VERSION: Final = 2
PREDICATE_TYPE: Final = "urn:drsi-conformance:register-status:v2"
FOLDER: Final = "status"
SIGNED: Final = ".dsse"
"""What the name of a signed document has before its ending."""
MOST_NUMBER: Final = 99_991_231_235_959
"""The largest number of a register: that of the last moment that RFC 3339 can write."""
CLOCKS_DIFFER: Final = timedelta(hours=1)
"""How far the clocks of two machines may be apart before one of them is wrong: by a change to summer time."""


class State(StrEnum):
    """What a reader may conclude from a status document now."""

    VALID = "valid"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


class Independence(StrEnum):
    """Who stands behind a run, beside the organisation itself."""

    SELF = "self"
    """Nothing recorded shows that anybody else does."""
    WITNESSED = "witnessed"
    """An independent party tested the verdicts of the run on the live service, and signed that they agree."""
    THIRD_PARTY = "third party"
    """An independent party made the run."""


class Proof(StrEnum):
    """What shows something: a signature that was checked, or only the register's own word."""

    SIGNATURE = "signature"
    """The signature of the bundle, by a key of an independent party."""
    WITNESS = "witness"
    """The signed statement of a witness, by such a key."""
    REGISTER = "register"
    """The operator of the register says so."""
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Service:
    """The service under its name in the register, and the address that the run checked."""

    name: str
    base_url: str


@dataclass(frozen=True, kw_only=True)
class Suite:
    """The suite that made the run."""

    version: str
    build: str


@dataclass(frozen=True, kw_only=True)
class RunBy:
    """Who made the run, as far as it is shown; `name` and `key` are empty where nothing shows it."""

    name: str = ""
    key: str = ""
    """SHA-256 fingerprint of the key that signed the bundle."""
    basis: Proof = Proof.NONE


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The independence of a run, on what it rests, and the independent party."""

    value: Independence = Independence.SELF
    basis: Proof = Proof.NONE
    name: str = ""
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class Withdrawn:
    """That and why the status does not hold any more; `date` is an RFC 3339 full-date."""

    reason: str
    date: str


@dataclass(frozen=True, kw_only=True)
class StatedReply:
    """What the organisation answered to a finding; `key` is the fingerprint of the key that signed it, or empty."""

    requirement: str
    statement: str
    name: str
    date: str
    key: str


@dataclass(frozen=True, kw_only=True)
class Status:
    """The status of one run, under the digest of its bundle. Moments are RFC 3339 in UTC."""

    service: Service
    bundle: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    """SHA-256 of the bundle, as 64 hexadecimal digits."""
    outcome: Outcome
    failures: tuple[str, ...]
    """Ids of the scored requirements that failed, waived ones too."""
    alerts: tuple[str, ...]
    started: str
    finished: str
    profile: str
    requirement_set: str
    edition: str
    catalogue: str
    suite: Suite
    run_by: RunBy
    independence: Standing
    published_by: str
    """consent of the organisation, or authority of the register."""
    valid_until: Moment
    number: int = 0
    """One for all documents of a register, larger each time that it is built: it tells which of two is newer."""
    issued: Moment = ""
    """When the register stated it."""
    next_update: Moment = ""
    """Before this moment the register states it again: from then on a copy does not show what the register says."""
    state: State = State.VALID
    withdrawn: Withdrawn | None = None
    superseded_by: str | None = None
    """The bundle of the next published run of the service."""
    replies: tuple[StatedReply, ...] = ()
    register: str = ""
    """Name of the operator, as given by the operator."""
    schema_version: int = SCHEMA_VERSION

    def state_at(self, moment: str) -> State:
        """Return the state at a moment (RFC 3339, UTC, milliseconds). A withdrawal outweighs all else."""
        if self.withdrawn:
            return State.WITHDRAWN
        if self.superseded_by:
            return State.SUPERSEDED
        return State.VALID if moment < self.valid_until else State.EXPIRED


def document(status: Status) -> bytes:
    """Return a status document as JSON. Equal documents have equal bytes."""
    return as_json(asdict(status), indent=1).encode()


def statement(status: Status) -> dict[str, Any]:
    """Return the in-toto statement of a document, which is signed."""
    return in_toto.statement({f"{status.bundle}.drsi.zip": status.bundle}, PREDICATE_TYPE, {"status": asdict(status)})


def read(data: Any) -> Status:
    """Return the status document in JSON data; raise ValueError for other data."""
    if isinstance(data, dict) and (version := data.get("schema_version")) != SCHEMA_VERSION:
        raise ValueError(f"its schema_version is {version!r:.20}, and this version reads {SCHEMA_VERSION}")
    found = msgspec.convert(data, Status)
    if not 1 <= found.number <= MOST_NUMBER:
        raise ValueError(f"its number is {found.number}, which no register has")
    # Only the date may make the state of a reader another one than the state of the register.
    is_final = found.state in (State.WITHDRAWN, State.SUPERSEDED)
    if is_final != (found.withdrawn is not None or found.superseded_by is not None) or (
        is_final and found.state_at("") is not found.state
    ):
        raise ValueError(f"its state is {found.state.value}, and its withdrawn and superseded_by say otherwise")
    return found


def stated(data: Any) -> Status:
    """Return the document in a statement; raise ValueError for another statement."""
    try:
        kind, status = data["predicateType"], data["predicate"]["status"]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"it has no {error!s:.60}") from None
    if kind != PREDICATE_TYPE:
        raise ValueError(f"its predicateType is {kind!r:.80}, and this version reads {PREDICATE_TYPE}")
    found = read(status)
    if in_toto.digests(data) != [found.bundle]:
        raise ValueError("its subject is another bundle than that of its document")
    return found


def file_of(bundle: str, signed: str = "") -> str:
    """Return the path of a status document in a register, or with SIGNED that of its envelope."""
    return f"{FOLDER}/{bundle}{signed}.json"


def later(moment: str, duration: timedelta) -> str:
    """Return the moment that is so much later."""
    return stamp(datetime.fromisoformat(moment) + duration)


_DURATION: Final = re.compile(r"([1-9][0-9]{0,4})([hdw])")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_LONGEST: Final = timedelta(days=3660)


def duration(text: str) -> timedelta:
    """Return a duration such as 90d, 12w or 36h; raise ValueError for another text, or more than ten years."""
    found = _DURATION.fullmatch(text.strip())
    length = int(found[1]) * _UNITS[found[2]] if found else None
    if length is None or length > _LONGEST:
        raise ValueError(
            "expected a duration of at most ten years, in hours, days or weeks, such as 90d, 12w or 36h, "
            f"received {text!r:.40}"
        )
    return length
