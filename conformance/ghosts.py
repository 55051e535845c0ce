"""Requests that are there though their deletion was confirmed: they take places, and are a finding of their own (3)."""

from __future__ import annotations

from functools import partial
from typing import Final

from conformance.caller import Caller
from conformance.exchange import Operation
from conformance.limit import accepted
from conformance.record import request_id_of
from conformance.service import Service

_MOST: Final = 100
"""Requests that are looked for, the latest first: one that stayed takes its place for ever."""


def some_are_back(service: Service, caller: Caller) -> bool:
    """Read what `caller` deleted, and tell whether any of it is still there; each answer is judged (3-removed)."""
    deletions = service.record.answered(Operation.DELETE, 200)
    own = [each for each in deletions if each.question.credential == caller.label and accepted(each)]
    gone = list(dict.fromkeys(request_id_of(each) for each in reversed(own)))[:_MOST]
    reads = service.session.side_by_side([partial(service.read, one, caller, request="deleted") for one in gone])
    return any(read.answer is not None and read.answer.status == 200 for read in reads)
