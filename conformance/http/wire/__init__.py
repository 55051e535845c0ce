"""Bytes to and from the target: connections, limits of time and size, decoding."""
