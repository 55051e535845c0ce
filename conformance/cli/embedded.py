"""The suite's own service, begun as early as may be: it gets ready while the rest of the suite is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from conformance.cli.interrupt import unheard
from conformance.cli.settings import Settings
from conformance.reference.process import ReferenceProcess


@contextmanager
def embedded(settings: Settings) -> Iterator[ReferenceProcess | None]:
    """Run the suite's own service where no other was named; yield None where one was."""
    if settings.base_url is not None:
        yield None
        return
    service = ReferenceProcess()
    try:
        with unheard():
            service.launch()
        yield service
    finally:
        service.stop()
