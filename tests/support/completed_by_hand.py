"""A service whose requests complete only by an act outside of the interface: a file with the identifier as its name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service


def completed_by_hand(folder: Path, base: type[Service] = Service) -> type[Service]:
    """Return a service that completes each request whose identifier names a file in `folder`."""

    class ByHand(base):  # type: ignore[misc, valid-type]
        """Completes what the files name."""

        async def answer(self, call: Call) -> Reply:
            for each in self.store.all():
                if each.complete_after is None and (folder / each.id).exists():
                    age = (self.now() - each.created_at).total_seconds()
                    self.store.replace(replace(each, complete_after=age))
            reply: Reply = await super().answer(call)
            return reply

    return ByHand
