"""The bundle of a run: everything that its verdicts can be recomputed from, in one archive with a list of digests.

Files of a bundle:

- those of the run: report.json, evidence.har, report.html, summary.html, and the other formats that were written;
- attachments/: the documents that its attestations and replies name;
- catalogue/ and schemas/: what the verdicts were decided by;
- suite/: the wheel of the suite that made the run, if it was asked for;
- manifest.json: the SHA-256 digest and the size of each file above;
- statement.dsse.json: the signed statement about manifest.json, if the bundle is signed;
- timestamp.tsr: the time stamp over the statement, or over manifest.json if the bundle is not signed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from conformance import NAME, __version__
from conformance.model import unique_keys
from conformance.model.printable import as_json
from conformance.model.requirements import catalogue
from conformance.reports import files
from conformance.trust import archive, builds, wheel
from conformance.trust.archive import Altered, EvidenceFault

SUFFIX: Final = ".drsi.zip"
MANIFEST: Final = "manifest.json"
STATEMENT: Final = "statement.dsse.json"
TIME_STAMP: Final = "timestamp.tsr"
CATALOGUE: Final = "catalogue/requirements.toml"
SUITE: Final = "suite/"
KEY: Final = "pseudonyms.key"
"""The key of the pseudonyms in a bundle: it tells which values they stand for."""

_BESIDE: Final = (MANIFEST, STATEMENT, TIME_STAMP)
"""The files that the manifest does not list."""
_OF_MANY_RUNS: Final = ("audit.schema.json", "register-status.schema.json")
"""The schemas that decide nothing about a run."""
_NEEDED: Final = (files.DATA, files.EVIDENCE)
_TO_READ: Final = ("html", "summary")


def contents(
    folder: Path, report: dict[str, Any], evidence: dict[str, Any], *, key: str = "", suite: bool = False
) -> dict[str, bytes]:
    """Return the files of the bundle of the run in `folder`, by name, without the manifest.

    Other files of the folder stay out, above all the journal; `key` is the key of the pseudonyms as hexadecimal
    digits, if it is packed too, and `suite` adds the wheel of this build, which has to be that of the run.
    Raise EvidenceFault if this version cannot pack the run, OSError if a file cannot be read, and ViewCrashed.
    """
    if report.get("repetitions"):
        raise EvidenceFault(
            "The report joins several runs, and a bundle has the evidence of one.",
            remedy=f"Pack each of its repetitions: {', '.join(each['folder'] for each in report['repetitions'])}.",
        )
    for name in files.FILE_NAMES:
        if name not in _NEEDED and (folder / name).is_symlink():  # no digest shows that it is of the run
            raise EvidenceFault(
                f"{folder / name} is a symbolic link: it may lead to a file of yours that is no part of the run.",
                remedy="Remove it; 'render' writes the format again.",
            )
    found = {name: (folder / name).read_bytes() for name in files.FILE_NAMES if (folder / name).is_file()}
    absent = [kind for kind in _TO_READ if not files.VIEWS[kind].keys() <= found.keys()]
    for name, text in files.rendered(report, evidence, absent).items():
        found[name] = text.encode()
    found |= documents(folder, report)
    if key:
        found[KEY] = f"{key}\n".encode()
    if report["suite"]["catalogue"] != catalogue().digest:
        raise EvidenceFault(
            f"The run used another catalogue of requirements: expected {catalogue().digest}, which version "
            f"{__version__} has, received {report['suite']['catalogue']}.",
            remedy="Pack the run with the build that made it: "
            f"{builds.named(report['suite']['version'], report['suite'].get('build'))}.",
        )
    if suite:
        if not builds.is_this_build(made_by := report["suite"].get("build")):
            raise EvidenceFault(
                f"Another build made the run: expected {builds.named(report['suite']['version'], made_by)}; this is "
                f"{builds.this_build()}.",
                remedy="Pack the run with the build that made it, or leave out its wheel.",
            )
        found[f"{SUITE}{wheel.FILE}"] = wheel.of_this_suite()
    found[CATALOGUE] = (resources.files("conformance.model") / "requirements.toml").read_bytes()
    return found | _schemas()


def _schemas() -> dict[str, bytes]:
    names = (each for each in resources.files("conformance.schemas").iterdir() if each.name.endswith(".json"))
    return {f"schemas/{each.name}": each.read_bytes() for each in names if each.name not in _OF_MANY_RUNS}


def foreign(folder: Path, report: dict[str, Any], *, same_build: bool) -> list[str]:
    """Return the files of an opened bundle that `contents` would not pack of the run with this report.

    Another build may have other schemas. The content of pages and of the catalogue is not compared here.
    """
    digests = {f"{archive.DOCUMENTS}{each['name']}": each["sha256"] for each in _named_in(report)}
    digests |= {name: hashlib.sha256(content).hexdigest() for name, content in _schemas().items()}
    unknown = _names_in(folder) - {*_BESIDE, *files.FILE_NAMES, CATALOGUE, KEY, wheel_in(folder)}
    return sorted(
        name
        for name in unknown
        if name not in digests
        or ((same_build or name.startswith(archive.DOCUMENTS)) and _digest(folder / name) != digests[name])
    )


def wheel_in(folder: Path) -> str:
    """Return the name of the wheel of the suite in an opened bundle; "" if there is none."""
    found = sorted(name for name in _names_in(folder) if name.startswith(SUITE) and name.endswith(".whl"))
    return found[0] if found else ""


def wheels(packed: Mapping[str, bytes]) -> dict[str, str]:
    """Return the digest of the wheel of the suite among the files `packed`, by its name."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in packed.items() if name.startswith(SUITE)}


def _names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def documents(folder: Path, report: dict[str, Any]) -> dict[str, bytes]:
    """Return the documents that people's statements in the report name. Those that are no longer there stay out.

    Raise EvidenceFault for another one in the place of such a document.
    """
    found = {}
    for document in _named_in(report):
        place = folder / archive.DOCUMENTS / document["name"]
        if place.parent != folder / archive.DOCUMENTS or not place.is_file():
            continue
        content = found[f"{archive.DOCUMENTS}{place.name}"] = place.read_bytes()
        if hashlib.sha256(content).hexdigest() != document["sha256"]:
            raise EvidenceFault(
                f"{place} is not the document that was attested, whose SHA-256 is {document['sha256']}.",
                remedy="Put the attested document back, or attest again with this one.",
            )
    return found


def _named_in(report: dict[str, Any]) -> list[dict[str, str]]:
    """Return the documents that attestations and replies name, each with its digest."""
    stated = (*report.get("attestations", ()), *report.get("replies", ()))
    return [each["document"] for each in stated if each["document"]]


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
        document = unique_keys.loads((folder / MANIFEST).read_bytes())
        found = {
            name: {"sha256": str(one["sha256"]), "size": int(one["size"])} for name, one in document["files"].items()
        }
    except OSError:
        raise archive.unusable(folder, f"expected the file {MANIFEST}, received none") from None
    except unique_keys.RepeatedKey as error:
        raise archive.unusable(folder, f"{MANIFEST} has {error}", Altered) from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise archive.unusable(folder, f"{MANIFEST} is no list of files with their digests and sizes") from None
    return found


def read(folder: Path) -> dict[str, bytes]:
    """Return the files of an opened bundle, by name."""
    return {name: (folder / name).read_bytes() for name in _names_in(folder)}


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
    found = _names_in(folder)
    for name in sorted(found - wanted.keys() - {*_BESIDE}):
        raise archive.unusable(folder, f"it contains {name}, which {MANIFEST} does not list", Altered)
    for name in sorted({*wanted, *_NEEDED} - found):
        raise archive.unusable(folder, f"expected the file {name}, received none", Altered)
    for name, expected in wanted.items():
        digest, size = _digest(folder / name), (folder / name).stat().st_size
        if (digest, size) != (expected["sha256"], expected["size"]):
            raise archive.unusable(
                folder,
                f"{name} was altered after it was packed: expected SHA-256 {expected['sha256']} of "
                f"{expected['size']:,} bytes, received {digest} of {size:,} bytes",
                Altered,
            )
