"""`python -m served_variant NAME FOLDER`: serve a fault or a twin that a folder tells what the organisation does.

A file called `reset` removes all requests, any other one completes the request whose identifier is its name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.calibration.combinations import find_variant
from conformance.reference.__main__ import main
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

RESET = "reset"


def told_by(folder: Path, base: type[Service]) -> type[Service]:
    """Return a service that looks into `folder` before each call."""

    class Told(base):  # type: ignore[misc, valid-type]
        """Does what the files say, and removes them."""

        async def answer(self, call: Call) -> Reply:
            for file in list(folder.iterdir()):
                if file.name == RESET:
                    self.reset()
                else:
                    self.complete_request(file.name)
                file.unlink()
            reply: Reply = await super().answer(call)
            return reply

    return Told


if __name__ == "__main__":
    variant = find_variant(sys.argv[1])
    main(told_by(Path(sys.argv[2]), variant.service), **variant.config)
