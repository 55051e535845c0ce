"""`python -m conformance.reference`: serve, and print the address as one line of JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from conformance.reference.config import ReferenceConfig
from conformance.reference.server import LOOPBACK, Ready, serve
from conformance.reference.service import Service


def main(arguments: Sequence[str] | None = None, service_class: type[Service] = Service, **settings: Any) -> None:
    """Serve until told to stop; with --config-from-stdin, until standard input ends. `settings` replace those read."""
    parser = argparse.ArgumentParser(prog="python -m conformance.reference", description=__doc__)
    parser.add_argument("--host", default=LOOPBACK)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument(
        "--config-from-stdin",
        action="store_true",
        help="read the configuration as one line of JSON, and stop when standard input ends",
    )
    options = parser.parse_args(arguments)
    config = ReferenceConfig()
    if options.config_from_stdin:
        config = ReferenceConfig.from_json(sys.stdin.readline())
        threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    config = replace(config, **settings)
    serve(config, service_class, host=options.host, port=options.port, on_ready=_print_ready)


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
