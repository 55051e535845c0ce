"""The argument of a command that is about a store which exists."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click


def on_store(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument STORE, and the open store in place of its name."""

    @click.argument("store", metavar="STORE")
    @wraps(command)
    def opened(store: str, **given: Any) -> Any:
        from conformance.fleet.store.store import Store

        with Store.open(store) as found:
            return command(found, **given)

    return opened
