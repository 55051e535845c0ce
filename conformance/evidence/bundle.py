"""The bundle of a run: everything that its verdicts can be recomputed from, in one archive with a list of digests.

Files of a bundle:

- those of the run: report.json, evidence.har, report.html, summary.html, and the other formats that were written;
- attachments/: the documents that its attestations and replies name;
- catalogue/ and schemas/: what the verdicts were decided by;
- manifest.json: the SHA-256 digest and the size of each file above;
- statement.dsse.json: the signed statement about manifest.json, if the bundle is signed;
- timestamp.tsr: the time stamp over the statement, or over manifest.json if the bundle is not signed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from conformance import NAME, __version__
from conformance.evidence import archive
from conformance.evidence.archive import Altered, EvidenceFault
from conformance.model.requirements import catalogue
from conformance.model.text import as_json
from conformance.reports import files

SUFFIX: Final = ".drsi.zip"
MANIFEST: Final = "manifest.json"
STATEMENT: Final = "statement.dsse.json"
TIME_STAMP: Final = "timestamp.tsr"
CATALOGUE: Final = "catalogue/requirements.toml"
KEY: Final = "pseudonyms.key"
"""The key of the pseudonyms in a bundle: it tells which values they stand for."""

_ATTACHMENTS: Final = "attachments"
_BESIDE: Final = (MANIFEST, STATEMENT, TIME_STAMP)
"""The files that the manifest does not list."""
_NEEDED: Final = (files.DATA, files.EVIDENCE)
_TO_READ: Final = ("html", "summary")


def contents(folder: Path, report: dict[str, Any], evidence: dict[str, Any], *, key: str = "") -> dict[str, bytes]:
    """Return the files of the bundle of the run in `folder`, by name, without the manifest.

    Other files of the folder stay out, above all the journal; `key` is the key of the pseudonyms as hexadecimal
    digits, if it is packed too.
    Raise EvidenceFault if this version cannot pack the run, OSError if a file cannot be read, and ViewCrashed.
    """
    found = {name: (folder / name).read_bytes() for name in files.FILE_NAMES if (folder / name).is_file()}
    absent = [kind for kind in _TO_READ if not files.VIEWS[kind].keys() <= found.keys()]
    for name, pieces in files.rendered(report, evidence, absent).items():
        found[name] = "".join(pieces).encode()
    found |= _documents(folder, report)
    if key:
        found[KEY] = f"{key}\n".encode()
    if report["suite"]["catalogue"] != catalogue().digest:
        raise EvidenceFault(
            f"The run used another catalogue of requirements: expected {catalogue().digest}, which version "
            f"{__version__} has, received {report['suite']['catalogue']}.",
            remedy=f"Pack the run with version {report['suite']['version']} of {NAME}, which made it.",
        )
    found[CATALOGUE] = (resources.files("conformance.model") / "requirements.toml").read_bytes()
    for schema in resources.files("conformance.schemas").iterdir():
        if schema.name.endswith(".json"):
            found[f"schemas/{schema.name}"] = schema.read_bytes()
    return found


def _documents(folder: Path, report: dict[str, Any]) -> dict[str, bytes]:
    """Return the documents that people's statements in the report name. Those that are no longer there stay out."""
    found = {}
    stated = [*report.get("attestations", ()), *report.get("replies", ())]
    for document in filter(None, (each["document"] for each in stated)):
        place = folder / _ATTACHMENTS / document["name"]
        if place.parent != folder / _ATTACHMENTS or not place.is_file():
            continue
        content = found[f"{_ATTACHMENTS}/{place.name}"] = place.read_bytes()
        if hashlib.sha256(content).hexdigest() != document["sha256"]:
            raise EvidenceFault(
                f"{place} is not the document that was attested, whose SHA-256 is {document['sha256']}.",
                remedy="Put the attested document back, or attest again with this one.",
            )
    return found


def manifest(packed: Mapping[str, bytes]) -> bytes:
    """Return the manifest of the files `packed`."""
    listed = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for name, content in sorted(packed.items())
    }
    return as_json({"packed_by": f"{NAME} {__version__}", "files": listed}, indent=1).encode()


def listed(folder: Path) -> dict[str, dict[str, Any]]:
    """Return digest and size of each file that the manifest in `folder` lists; raise EvidenceFault if it is no list."""
    try:
        document = json.loads((folder / MANIFEST).read_bytes())
        found = {
            name: {"sha256": str(one["sha256"]), "size": int(one["size"])} for name, one in document["files"].items()
        }
    except OSError:
        raise archive.unusable(folder, f"expected the file {MANIFEST}, received none") from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise archive.unusable(folder, f"{MANIFEST} is no list of files with their digests and sizes") from None
    return found


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """Yield a temporary folder with the files of the bundle `path`, each of which agrees with the manifest.

    Raise EvidenceFault if the bundle is damaged, altered or hostile. The signature is not checked here.
    """
    with TemporaryDirectory(prefix="drsi-bundle-") as place:
        folder = Path(place)
        archive.unpack(path, folder)
        try:
            _check_digests(folder)
        except EvidenceFault as fault:
            raise type(fault)(str(fault).replace(str(folder), str(path)), remedy=fault.remedy) from None
        yield folder


def _check_digests(folder: Path) -> None:
    wanted = listed(folder)
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in sorted(found - wanted.keys() - {*_BESIDE}):
        raise archive.unusable(folder, f"it contains {name}, which {MANIFEST} does not list", Altered)
    for name in sorted({*wanted, *_NEEDED} - found):
        raise archive.unusable(folder, f"expected the file {name}, received none", Altered)
    for name, expected in wanted.items():
        with (folder / name).open("rb") as file:
            digest, size = hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
        if (digest, size) != (expected["sha256"], expected["size"]):
            raise archive.unusable(
                folder,
                f"{name} was altered after it was packed: expected SHA-256 {expected['sha256']} of "
                f"{expected['size']:,} bytes, received {digest} of {size:,} bytes",
                Altered,
            )
