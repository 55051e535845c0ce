"""The bundles of a store, each under its SHA-256 digest, in a folder or at another address that fsspec reaches."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit
from uuid import uuid4

import fsspec  # type: ignore[import-untyped]

from conformance.fleet.store.rows import StoreFault
from conformance.trust import bundle
from conformance.trust.archive import MOST_BYTES


class Bundles:
    """Bundles by digest, in a folder or at another address. A bundle is there as a whole or not at all."""

    def __init__(self, address: str) -> None:
        """Use the folder or address; raise StoreFault if none can be. The first bundle that is kept makes a folder."""
        self.address = address
        try:
            if "://" in address and urlsplit(address).password:
                raise StoreFault(
                    "The address of the evidence has a password, and a store records its address.",
                    remedy="Give it by the configuration or the environment of the service, as fsspec reads it.",
                )
            self._files, self._root = fsspec.url_to_fs(address)
        except (ImportError, ValueError) as error:  # a package that is not installed, no such protocol, or no address
            raise StoreFault(
                f"Evidence cannot be kept at {address.rpartition('@')[2]}: {error}.",  # without a password
                remedy="Name a folder, or an address of a system that fsspec supports, and install its package.",
            ) from None

    def put(self, digest: str, data: bytes) -> None:
        """Keep a bundle under its digest, unless it is kept already; raise StoreFault if it cannot be written."""
        place = self._place(digest)
        with self._explained("written"):
            if self._files.exists(place):
                return
            self._files.makedirs(self._files._parent(place), exist_ok=True)
            part = f"{place}.{uuid4().hex}.part"
            try:
                with self._files.open(part, "wb") as file:
                    file.write(data)
                    file.flush()
                    with suppress(OSError, AttributeError):  # no file of this machine
                        os.fsync(file.fileno())
                self._files.mv(part, place)
            except BaseException:
                with suppress(OSError):
                    self._files.rm_file(part)
                raise

    def read(self, digest: str) -> bytes:
        """Return a bundle; raise StoreFault if it is absent, was altered, or cannot be read."""
        with self._explained("read"):
            place = self._place(digest)
            too_large = self._files.info(place)["size"] > MOST_BYTES
            data = b"" if too_large else self._files.cat_file(place)
        if hashlib.sha256(data).hexdigest() != digest:
            raise StoreFault(
                f"The bundle {digest:.64} was altered: it does not have its digest.",
                remedy="Put an unaltered copy in its place.",
            )
        return bytes(data)

    @contextmanager
    def file(self, digest: str) -> Iterator[Path]:
        """Yield a temporary file with a bundle; raise StoreFault as `read` does."""
        with TemporaryDirectory(prefix="drsi-store-") as folder:
            path = Path(folder) / f"{digest}{bundle.SUFFIX}"
            path.write_bytes(self.read(digest))
            yield path

    def remove(self, digest: str) -> None:
        """Remove a bundle, if it is there; raise StoreFault if it cannot be removed."""
        with self._explained("removed"), suppress(FileNotFoundError):
            self._files.rm_file(self._place(digest))

    def _place(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest}{bundle.SUFFIX}"

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """Raise StoreFault for the errors of the file system, of which each kind has its own."""
        try:
            yield
        except StoreFault:
            raise
        except FileNotFoundError as error:
            raise StoreFault(
                f"Evidence at {self.address} cannot be {what}: {error} does not exist.",
                remedy="Put the bundles of the store there, or name the place where they are.",
            ) from None
        except Exception as error:
            raise StoreFault(
                f"Evidence at {self.address} cannot be {what}: {error}.",
                remedy="Give access to that place, or name another one.",
            ) from None


def address_of(path: Path) -> str:
    """Return the address of the bundles beside the file of a store."""
    return str(path.with_name(f"{path.name}.evidence").absolute())
