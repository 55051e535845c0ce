"""The wheel of the suite: made of its code alone, so that an installation gives the bytes of the release again.

The build backend (build_backend.py) packs each wheel with `packed`, and `of_this_suite` packs the code that runs, also
of an editable installation. Names are sorted, and times and modes are fixed. SOURCE_DATE_EPOCH would change nothing.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from conformance import NAME, __version__
from conformance.model import build
from conformance.trust import archive
from conformance.trust.archive import EvidenceFault

FILE: Final = f"{NAME.replace('-', '_')}-{__version__}-py3-none-any.whl"
_INFO: Final = f"{NAME.replace('-', '_')}-{__version__}.dist-info"
_RECORD: Final = f"{_INFO}/RECORD"
_MOST_BYTES: Final = 1 << 26
"""Most bytes of an unpacked wheel: sixteen times those of this one."""
_DESCRIBING: Final = ("METADATA", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE")
"""The files of _INFO that a wheel has. What an installer adds there stays out."""
_DATA: Final = (".json", ".typed", ".yml")
_PACKAGES: Final = ("conformance", "conformance.schemas", "conformance.fixtures", "conformance.ci_templates")


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return the wheel of these files, by their names in it; its RECORD is written anew."""
    content = {name: data for name, data in files.items() if name != _RECORD}
    record = io.StringIO()
    lines = csv.writer(record, lineterminator="\n")
    for name, data in sorted(content.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.writerow((name, f"sha256={digest}", len(data)))
    lines.writerow((_RECORD, "", ""))
    return archive.packed(content | {_RECORD: record.getvalue().encode()})


def read(path: Path) -> dict[str, bytes]:
    """Return the files of a wheel that was just built, by name."""
    with zipfile.ZipFile(path) as source:
        return {entry.filename: source.read(entry) for entry in source.infolist() if not entry.is_dir()}


def of_this_suite() -> bytes:
    """Return the wheel of the code that runs; raise EvidenceFault if that is not installed as it is."""
    # A build leaves an egg-info folder beside the source, which is found from there and is no installation.
    installed = next((each for each in metadata.distributions(name=NAME) if each.read_text("WHEEL")), None)
    if installed is None:
        raise EvidenceFault(
            f"The suite runs from source files that are not installed; a wheel needs the metadata of {NAME}.",
            remedy="Install the suite, for example with: pip install -e FOLDER, where FOLDER has its pyproject.toml.",
        )
    if installed.version != __version__:
        raise EvidenceFault(
            f"The installed metadata is of version {installed.version}, the code of version {__version__}.",
            remedy="Install the suite again, for example with: pip install -e FOLDER.",
        )
    content = {f"{_INFO}/{name}": text.encode() for name in _DESCRIBING if (text := installed.read_text(name))}
    return packed(content | {name: file.read_bytes() for name, file in build.files_of(_PACKAGES).items()})


def fault(path: Path, recorded: object) -> str:
    """Return why the wheel `path` is not the suite of a run that records the build `recorded`; "" if it is.

    The digest of the build covers all code. What it leaves out may hold nothing that Python or an installer would run.
    """
    with TemporaryDirectory(prefix="drsi-wheel-") as name:
        folder = Path(name)
        try:
            archive.unpack(path, folder, most=_MOST_BYTES)
        except EvidenceFault as problem:
            return str(problem).replace(str(path), path.name).removesuffix(".")
        files = [each for each in folder.rglob("*") if each.is_file()]
        content = {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}
    code = {name: data for name, data in content.items() if name.startswith("conformance/")}
    known = (*_DESCRIBING, "RECORD")
    if foreign := [each for each in content.keys() - code.keys() if each.partition(".dist-info/")[2] not in known]:
        return f"it has files that no wheel of the suite has ({', '.join(sorted(foreign))})"
    uncovered = {name: data for name, data in code.items() if name.startswith(build.NO_CODE)}
    if hidden := [
        name for name, data in uncovered.items() if not name.endswith(_DATA) and (data or not name.endswith(".py"))
    ]:
        return f"it has code that the digest of the build leaves out ({', '.join(sorted(hidden))})"
    if (found := build.digest_of(code)) != recorded:
        return f"expected the build {recorded}, which the report names, received {found}"
    return ""
