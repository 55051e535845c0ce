"""`python -m served_variant NAME SEED FOLDER`: serve a variant that a folder tells what the organisation does.

A file called `reset` removes all requests, any other one completes the request whose identifier is its name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.calibration.combinations import find_variant
from conformance.reference.__main__ import main
from conformance.reference.call import Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service

RESET = "reset"
USERS = (User("alice.example", "alice-Qm7xT2vKp9RzW4nL"), User("bob.example", "bob-Yh3cF8jSd5GtB6uE"))
EXPIRED, FOREIGN = "alice-Xp4mWc8eZr2TyH6s", "alice-Fo9kJb5vNq3UdL7a"


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
    name, seed, folder = sys.argv[1:]
    variant = find_variant(name)
    usual = ReferenceConfig(users=USERS, seed=int(seed) + 1, expired_token=EXPIRED, foreign_token=FOREIGN)
    main(variant.configured(usual), told_by(Path(folder), variant.service))
