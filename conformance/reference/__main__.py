"""`python -m conformance.reference`: serve, and print the address as one line of JSON.

The service ends when standard input does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import asdict

from conformance.reference.config import ReferenceConfig
from conformance.reference.server import Ready, serve
from conformance.reference.service import Service


def main(config: ReferenceConfig | None = None, service_class: type[Service] = Service) -> None:
    """Serve until standard input ends."""
    threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    serve(config, service_class, on_ready=_print_ready)


def _print_ready(ready: Ready) -> None:
    sys.stdout.write(json.dumps(asdict(ready)) + "\n")
    sys.stdout.flush()


def _stop_at_end_of_input() -> None:
    # Read without the buffer of sys.stdin: a thread that holds its lock blocks the normal exit.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
