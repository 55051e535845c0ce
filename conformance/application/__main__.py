"""`python -m conformance.application NAME FILE PORT`: serve an application, and print its address as one line of JSON.

Its exceptions go into the file, each as one line of JSON. The port may be empty: then it follows from the name.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from conformance.application.loading import Name, Unusable, load, port_of
from conformance.application.serving import served
from conformance.model.raised import Raised


def main() -> None:
    """Serve until standard input ends."""
    text, file, port = sys.argv[1:]
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the application prints is no answer
    sys.path.insert(0, str(Path.cwd()))
    name, lock = Name.parse(text), threading.Lock()
    with Path(file).open("a", encoding="utf-8") as kept:

        def keep(raised: Raised) -> None:
            with lock:
                kept.write(json.dumps(asdict(raised)) + "\n")
                kept.flush()

        try:
            with served(load(name), keep, path=name.path, port=int(port or port_of(text))) as base_url:
                _say(answer, base_url=base_url, tokens=[])
                while os.read(sys.stdin.fileno(), 1024):
                    pass
        except Unusable as reason:
            _say(answer, error=str(reason))


def _say(answer: int, **members: object) -> None:
    os.write(answer, (json.dumps(members) + "\n").encode())


if __name__ == "__main__":
    main()
