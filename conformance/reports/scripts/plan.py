"""The plan of a reproduction script: what it calls, and what the decisive response has to be."""

from __future__ import annotations

from typing import TypedDict


class Call(TypedDict, total=False):
    """A call of a plan."""

    name: str
    method: str
    path: str  # {} in it stands for an identifier
    about: str  # the name of the creation whose request that is
    who: str
    headers: list[list[str]]
    body: str
    status: int  # that of the recorded answer


class ProbeOfPlan(TypedDict):
    """What the decisive response has to be: `Kind` in `conformance/model/errors.py` describes it."""

    kind: str
    pointer: str
    values: list[str]
    optional: bool


class Plan(TypedDict, total=False):
    """What a script does."""

    base_url: str
    tokens: dict[str, str]  # the variable of each caller's token
    further: dict[str, str]  # the variable of the value of each further header field
    host: str  # the host that calls name in place of that of the address
    certificate: bool  # whether connections show a client certificate
    proxy: bool  # whether a proxy leads to the service
    calls: list[Call]  # the last one is decisive
    probe: ProbeOfPlan
    needs_room: bool  # whether a refusal at the limit says only that the account is full
    shown: list[tuple[str, str, str]]  # path, JSON Pointer, digest of the values: others may have another right answer
    in_progress: bool  # a completed request would explain the answer
    rounds: int
    expected: str
    start: str  # what serves the application that the run served itself; empty for a service
    again: str
