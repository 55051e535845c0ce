"""The garbage collector in a run, nearly all of whose objects stay until it ends: to go through them is time lost."""

from __future__ import annotations

import gc
from typing import Final

_NEW_ONES: Final = 100_000
"""Objects that have to be new before the collector looks for what can go; by itself it would look 200 times a run."""


def look_seldom() -> None:
    """Let the collector look seldom from now on."""
    gc.set_threshold(_NEW_ONES)


def set_aside() -> None:
    """Spare the collector all that there is by now, whoever calls it."""
    gc.freeze()


class WhatIsLoaded:
    """A plugin for pytest that sets the checks aside: hypothesis calls the collector before its first example."""

    def pytest_collection_finish(self) -> None:
        """Set aside what the collection loaded, nearly all of hypothesis among it."""
        set_aside()
