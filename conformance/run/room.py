"""Whether the account has room for as many requests as the limit allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from conformance.model.errors import NotDecided
from conformance.model.findings import Note
from conformance.model.text import count
from conformance.run.account import of_the_account
from conformance.run.doctor import Fact
from conformance.scenarios.api import Api

MOST: Final = 10
"""Requests that are created at most."""


def room(service: Api) -> Iterator[Note | Fact]:
    """Create requests up to the limit, yield whether the account has room for them, and delete them."""
    limit = service.limit()
    wanted = min(limit, MOST)
    try:
        for _ in range(wanted):
            service.create()
    except NotDecided as error:
        found = list(of_the_account(service.session))
        yield from found or [Note(error.blame, error.message, error.remedy)]
    else:
        yield "room", f"{count(wanted, 'request')} at the same time; maxNumberOfRequests is {limit}"
    finally:
        service.session.clean_up(insist=True)
