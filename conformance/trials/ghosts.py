"""Requests that are there though their deletion was confirmed: they take places, and are a finding of their own (3)."""

from __future__ import annotations

from functools import partial
from typing import Final

from conformance.client.user import UserClient
from conformance.model.exchange import Operation, request_id_of
from conformance.model.identity import Identity

_LOOKED_FOR: Final = "what was deleted and looked for"


def some_are_back(service: UserClient, caller: Identity) -> bool:
    """Read what `caller` deleted of what the run had made; tell whether any of it is there. Each answer is judged.

    Each is looked for once in a run, and whoever was found once is taken to be there still.
    """
    known: dict[str, bool] = service.session.memory.setdefault(_LOOKED_FOR, {})
    deletions = service.record.answered(Operation.DELETE, 200)
    gone = [request_id_of(each) for each in deletions if each.request.credential == caller.label]
    made = [one for one in dict.fromkeys(gone) if one in service.session.journal.gone]
    new = [one for one in made if one not in known]
    reads = service.session.side_by_side([partial(service.read, one, caller, request="deleted") for one in new])
    known.update(
        {one: read.response is not None and read.response.status == 200 for one, read in zip(new, reads, strict=True)}
    )
    return any(known[one] for one in made)
