"""Marks for tests that need what not every system has."""

from __future__ import annotations

import sys

import pytest

_ON_WINDOWS = sys.platform == "win32"

POSIX_SIGNALS = pytest.mark.skipif(
    _ON_WINDOWS, reason="Windows sends no signals to processes: os.kill and send_signal end them at once"
)
POSIX_COMMANDS = pytest.mark.skipif(_ON_WINDOWS, reason="Windows lacks sh, echo, touch, printf and false as programs")
POSIX_MODES = pytest.mark.skipif(_ON_WINDOWS, reason="Windows has no permissions for owner, group and others")
SYMBOLIC_LINKS = pytest.mark.skipif(_ON_WINDOWS, reason="Windows lets only some users make symbolic links")
