"""The archive of a bundle: a zip file, because every system opens it and shows single files of it.

The same files give the same bytes. Reading takes the archive for hostile: no name leads out of the folder, and no
number in the archive decides how much is read.
"""

from __future__ import annotations

import io
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

MOST_FILES: Final = 1_000
MOST_BYTES: Final = 1 << 30
"""Most bytes of all unpacked files together."""
MOST_RATIO: Final = 200
"""Most bytes of all unpacked files for each byte of an archive. Evidence of a run has about 20, and a bomb 1,000.

What can be compressed better than this is packed as it is: a service that sends one letter a million times is no reason
to refuse its run."""
_MOST_OF_THE_LIST: Final = 1 << 20
"""Most bytes of the list of files."""
DOCUMENTS: Final = "attachments/"
"""Where the documents are that people named. Other names are the suite's, in ASCII: none looks like another one."""

_LONGEST_NAME: Final = 200
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[. ].*)?", re.IGNORECASE)
"""The names of devices, which Windows opens in place of a file."""
_PIECE: Final = 1 << 16
_END: Final = struct.Struct("<4s8xLLH")
"""The last record of a zip file: its signature, the size and the place of the list of files, the size of a comment."""
_LOCATOR: Final = 20
"""Bytes of what stands before it in an archive that is larger than a bundle may be, and has another list."""


class EvidenceFault(Exception):
    """Evidence or a key that cannot be used; the message says what was expected and received, `remedy` what to do."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class Altered(EvidenceFault):
    """A bundle whose files are not those of its manifest."""


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return the archive of `files`, which depends on nothing else: names are sorted, times and modes are fixed.

    Raise EvidenceFault for files that `unpack` would refuse.
    """
    if wrong := next((name for name in files if not _is_plain(name)), None):
        raise EvidenceFault(f"A file cannot be packed under the name {wrong[:80]!a}.", remedy="Rename it.")
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
        raise EvidenceFault(
            f"A bundle has at most {MOST_FILES:,} files and {MOST_BYTES:,} bytes; these are more.",
            remedy="Attach smaller documents.",
        )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as target:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name)  # of 1 January 1980
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            smaller = len(zlib.compress(files[name], 9)) * MOST_RATIO >= len(files[name])
            target.writestr(entry, files[name], zipfile.ZIP_DEFLATED if smaller else zipfile.ZIP_STORED, 9)
    return archive.getvalue()


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """Write the archive of `files` to `path`, whole or not at all; raise OSError if that cannot be done."""
    with TemporaryDirectory(prefix=".", suffix=".part", dir=path.parent) as waiting:
        complete = Path(waiting, path.name)
        complete.write_bytes(packed(files))
        complete.replace(path)


def unpack(path: Path, folder: Path, *, most: int = MOST_BYTES) -> None:
    """Unpack the archive `path` into `folder`, which is empty; raise EvidenceFault if it is not one of `packed`.

    `most` bytes are unpacked at most. Of an archive in an archive it says less than the usual number, because the ratio
    of the outer one has made it large.
    """
    try:
        with path.open("rb") as file:
            _check_list(path, file)
            with zipfile.ZipFile(file) as archive:
                entries = archive.infolist()
                _check_names(path, [entry.filename for entry in entries])
                left = _room(entries, path.stat().st_size, most)
                for entry in entries:
                    left -= _unpack_one(archive, entry, folder / entry.filename, left)
    except OSError as error:
        raise EvidenceFault(
            f"{path} cannot be unpacked: {error.strerror or error}.",
            remedy="Name a bundle that can be read, and free some space in the folder for temporary files.",
        ) from None
    # zipfile raises RuntimeError for an encrypted file, and a subclass of it for a compression that it lacks.
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise unusable(path, f"it is damaged ({error})") from None


def member(data: bytes, name: str, *, most: int = MOST_BYTES) -> bytes:
    """Return one file of an archive whose digest is known; raise EvidenceFault if it lacks it, or if it is larger."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(name) as file:
            content = file.read(_room([archive.getinfo(name)], len(data), most))
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as error:
        raise EvidenceFault(
            f"A bundle lacks {name}, or it is damaged: {error}.", remedy="Make the bundle again."
        ) from None
    return content


def _room(entries: Sequence[zipfile.ZipInfo], size: int, most: int) -> int:
    """Return how many bytes the files of an archive of this size may have; raise ValueError if they state more."""
    most = min(most, MOST_BYTES, MOST_RATIO * size)
    if (stated := sum(entry.file_size for entry in entries)) > most:
        raise ValueError(f"expected at most {most:,} bytes in all, received a list of {stated:,}")
    return most


def unusable(path: Path, reason: str, kind: type[EvidenceFault] = EvidenceFault) -> EvidenceFault:
    """Return the fault for a file that is no bundle."""
    return kind(
        f"{path} is no usable bundle: {reason}.",
        remedy="Ask the sender for the file again, and compare its SHA-256 digest with that of the sender.",
    )


def _check_list(path: Path, file: BinaryIO) -> None:
    """Check the size of the list of files: the library reads it as a whole, before anything else."""
    file.seek(max(0, file.seek(0, io.SEEK_END) - _LOCATOR - _END.size))
    tail = file.read().rjust(_LOCATOR + _END.size, b"\0")
    end, size, _, comment = _END.unpack_from(tail, _LOCATOR)
    file.seek(0)
    if file.read(2) != b"PK":
        raise unusable(
            path, "expected a zip file, received " + ("another file" if tail.strip(b"\0") else "an empty one")
        )
    if end != b"PK\x05\x06" or comment:
        raise unusable(path, "expected the end of a zip file without a comment; the file is incomplete, or was altered")
    if size > _MOST_OF_THE_LIST or tail.startswith(b"PK\x06\x07"):
        raise unusable(path, f"expected a list of files of at most {_MOST_OF_THE_LIST:,} bytes, received a longer one")


def _check_names(path: Path, names: list[str]) -> None:
    if len(names) > MOST_FILES:
        raise unusable(path, f"expected at most {MOST_FILES:,} files, received {len(names):,}")
    seen: set[str] = set()
    for name in names:
        if not _is_plain(name):
            raise unusable(path, f"expected names such as schemas/error.schema.json, received {name[:80]!a}", Altered)
        alike = unicodedata.normalize("NFKC", name).casefold()
        if alike in seen:
            raise unusable(path, f"expected each file once, received {name!a} twice", Altered)
        seen.add(alike)


def _is_plain(name: str) -> bool:
    """Whether `name` leads to a file below the folder, on every system, and is shown as it is."""
    parts = name.split("/")
    if not name.isascii() and not name.startswith(DOCUMENTS):
        return False
    return len(name.encode("utf-8", "surrogatepass")) <= _LONGEST_NAME and all(
        part.rstrip(" .") == part != ""
        and part[0] != "."
        and part.isprintable()
        and not {*part} & {*"\\:"}
        and not _DEVICE.fullmatch(part)
        for part in parts
    )


def _unpack_one(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path, most: int) -> int:
    """Write a file to `place`; return its size. What the archive says of the size does not count."""
    place.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with archive.open(entry) as source, place.open("xb") as target:
        while piece := source.read(_PIECE):
            size += len(piece)
            if size > most:
                raise ValueError("received more bytes than its list states")
            target.write(piece)
    return size
