"""`python -m conformance.reference`: serve, and say on standard output where, in one line of JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from dataclasses import asdict

from conformance.reference.config import ReferenceConfig
from conformance.reference.server import LOOPBACK, Ready, find_bend, serve


def main() -> None:
    """Serve until told to stop; with --config-from-stdin, until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m conformance.reference", description=__doc__)
    parser.add_argument("--host", default=LOOPBACK)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--bend", metavar="NAME", help="fault or twin to bend the service with")
    parser.add_argument(
        "--config-from-stdin",
        action="store_true",
        help="read the configuration as one line of JSON, and stop when standard input ends",
    )
    options = parser.parse_args()
    config = None
    if options.config_from_stdin:
        config = ReferenceConfig.from_json(sys.stdin.readline())
        threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    bend = find_bend(options.bend) if options.bend else None
    serve(config, bend, host=options.host, port=options.port, on_ready=_say_ready)


def _say_ready(ready: Ready) -> None:
    sys.stdout.write(json.dumps(asdict(ready)) + "\n")
    sys.stdout.flush()


def _stop_at_end_of_input() -> None:
    # Read beneath the buffer: a thread inside it would stand in the way of a normal exit.
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
