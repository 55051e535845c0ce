"""A PostgreSQL server for tests, from the packages of the system, on a socket of its own and without any network."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

IN_CI = os.environ.get("CI") == "true"
SECONDS = 60
EACH_DATABASE = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
"""For a test of what SQLAlchemy does not decide alone: views, text, locks."""


def programs() -> Path | None:
    """Return the folder of initdb and pg_ctl of the newest version, or None: Debian has them beside the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    beside = shutil.which("initdb")
    newest = found[-1] if found else Path(beside).resolve() if beside else None
    return newest.parent if newest else None


class Server:
    """A server with databases that are made for single tests."""

    def __init__(self, socket: Path, user: str) -> None:
        self._socket, self._user = socket, user
        self._numbers = count(1)

    def url(self, database: str) -> str:
        """Return the address of a database."""
        return f"postgresql://{self._user}@/{database}?host={self._socket}"

    def new_database(self) -> str:
        """Return the address of a new database, which is empty."""
        import psycopg

        name = f"test_{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)


@contextmanager
def started() -> Iterator[Server]:
    """Start a server, and stop it at the end. PostgreSQL refuses to run as root: then it runs as another user."""
    if sys.platform == "win32":
        pytest.skip("PostgreSQL has no sockets of the file system on Windows")
    folder = programs()
    if folder is None and not IN_CI:
        pytest.skip("PostgreSQL is not installed")
    assert folder is not None, "PostgreSQL is not installed, and CI must not do without"
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    user = "nobody" if is_root else getpass.getuser()
    place = Path(tempfile.mkdtemp(prefix="drsi-postgres-"))  # a short name: that of a socket has at most 107 bytes
    if is_root:
        shutil.chown(place, user)

    def call(program: str, *arguments: str | Path) -> None:
        subprocess.run(
            [folder / program, "-D", place / "data", *arguments],
            cwd=place,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            user=user if is_root else None,
            extra_groups=[] if is_root else None,
            stdout=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        )

    try:
        call("initdb", "--auth=trust", f"--username={user}", "--encoding=UTF8", "--no-sync")
        options = f"-k {place} -c listen_addresses= -c fsync=off -c full_page_writes=off"
        call("pg_ctl", "-w", "-t", f"{SECONDS}", "-l", place / "log", "-o", options, "start")
        try:
            yield Server(place, user)
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place, ignore_errors=True)
