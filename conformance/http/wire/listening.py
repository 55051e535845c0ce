"""Sockets that listen: alone on their port, on every system."""

from __future__ import annotations

import socket
import sys


def listen_alone(listener: socket.socket) -> None:
    """Let a socket that is not bound yet take a free port at once, and no port that another process listens on.

    SO_REUSEADDR means the first on POSIX: a port whose connections have just ended is free. On Windows it means that
    two processes may listen on one port, and SO_EXCLUSIVEADDRUSE is what prevents it.
    """
    if sys.platform == "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
