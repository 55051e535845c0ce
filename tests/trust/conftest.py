"""The fixtures of tests that speak to a server of their own."""

from raw_server import client, serve

__all__ = ["client", "serve"]
