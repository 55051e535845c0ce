"""An application in a process of its own: its code touches nothing of the suite, and is loaded anew for each run."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.model.raised import Raised
from conformance.reference.process import ReferenceProcess


class ApplicationProcess(ReferenceProcess):
    """An application, named as `Name.parse` reads it, on a port of the loopback address while the context lasts.

    By default the port follows from the name; another one is taken where it is not free.

    Raises RuntimeError, with the reason, when it does not start.
    """

    def __init__(self, name: str, port: int | None = None) -> None:
        self._folder = TemporaryDirectory(prefix="drsi-")
        self._file = Path(self._folder.name) / "exceptions"
        super().__init__(program=("conformance.application", name, str(self._file), str(port or "")))

    def raised(self) -> list[Raised]:
        """Return the exceptions until now."""
        with self._file.open(encoding="utf-8") as lines:
            return [Raised(**json.loads(line)) for line in lines if line.endswith("\n")]

    def stop(self) -> None:
        """End the process, if it runs, and forget its exceptions."""
        super().stop()
        self._folder.cleanup()
