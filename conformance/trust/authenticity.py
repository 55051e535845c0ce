"""Who vouches for an opened bundle, and since when: signature, statement and time stamp, checked without network."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from conformance.model import unique_keys
from conformance.model.specification import Specification
from conformance.reports import basis, files, language
from conformance.trust import bundle, statement, wheel
from conformance.trust.archive import EvidenceFault
from conformance.trust.builds import is_this_build

if TYPE_CHECKING:
    from conformance.trust.signature import Signature
    from conformance.trust.timestamp import TimeStamp


@dataclass(frozen=True)
class Result:
    """What one part of the bundle shows; `valid` is None where nothing was given to check it with."""

    part: str
    """Such as "signature", "time stamp" or "pages"."""
    valid: bool | None
    message: str
    is_absent: bool = False
    needs_more: bool = False
    """Whether what was not given could decide it: the reader's copy of the specification or a version of Babel for a
    page, a newer statement of the register."""


def check(
    folder: Path,
    public_key: Path | None,
    tsa_ca: Path | None,
    copy: Specification | None = None,
    *,
    ca: Path | None = None,
) -> list[Result]:
    """Check the bundle that `bundle.opened` unpacked into `folder`.

    A key or an authority that is given has to be used: a bundle without signature or time stamp is then not valid.
    With `ca`, `public_key` holds the certificate chain of the signer, which has to lead to one of the certificates in
    `ca` at the time of the checked time stamp, or now. Raise EvidenceFault if one of these files cannot be used.
    """
    envelope, stamp = (_content(folder / name) for name in (bundle.STATEMENT, bundle.TIME_STAMP))
    manifest = (folder / bundle.MANIFEST).read_bytes()
    report = _report(folder)
    results = []
    if envelope is None:
        results.append(_absent("signature", "--key", public_key, "--sign KEY"))
    else:
        from conformance.trust import signature  # an extra: an unsigned bundle needs none of its packages

        found = signature.check(envelope, public_key)
        results += [_of_the_signature(found), _of_the_statement(found, report, manifest)]
    moment = None
    if stamp is None:
        results.append(_absent("time stamp", "--tsa-ca", tsa_ca, "--timestamp URL"))
    else:
        from conformance.trust import timestamp

        about = timestamp.check(stamp, envelope or manifest, tsa_ca)
        results.append(_of_the_time(about))
        moment = about.time if about.valid else None
    if envelope is not None and public_key is not None and ca is not None:
        results.append(_of_the_signer(public_key, ca, moment))
    return [
        *results,
        _of_the_members(folder, report),
        *_of_the_suite(folder, report),
        _of_the_catalogue(folder, report),
        pages(folder, copy),
    ]


def _report(folder: Path) -> dict[str, Any]:
    """Return the report of an opened bundle; an empty one if it is no JSON object."""
    with suppress(ValueError, RecursionError):
        if isinstance(found := unique_keys.loads((folder / files.DATA).read_bytes()), dict):
            return found
    return {}


def _recorded(report: dict[str, Any], name: str) -> object:
    """Return what a report says of the suite that made the run."""
    suite = report.get("suite")
    return suite.get(name, "none") if isinstance(suite, dict) else "none"


def pages(folder: Path, copy: Specification | None = None) -> Result:
    """Check that the pages of the run in `folder` say what its data say: people read pages, and rules decide data.

    Pages that quote the specification can be compared only with `copy`, the reader's copy of the same edition, and
    pages that another library makes, or a part of, only with the version of it that they name.
    """
    foreign = _of_another_library(folder)
    kinds = [kind for kind in files.kinds_in(folder) if kind not in foreign]
    try:
        report = unique_keys.loads((folder / files.DATA).read_bytes())
        evidence = files.evidence_in(folder / files.EVIDENCE)
        same_build = is_this_build(report["suite"].get("build"))
        kinds = kinds if same_build else []
        made = files.rendered(report, evidence, kinds)
        quoting = files.rendered(report, evidence, kinds, copy) if copy else made
    except (ValueError, TypeError, KeyError, RecursionError, files.ViewCrashed):
        return Result("pages", False, f"{files.DATA} and {files.EVIDENCE} are no run that pages can be made of.")
    if not same_build:
        return Result("pages", None, "The pages were not compared: another build of the suite made them.")
    names = [*made, *(name for view in files.ANNOTATED.values() for name in view)]
    there = {name: content for name in names if (content := _content(folder / name)) is not None}
    wrong = [
        name
        for name, content in there.items()
        if content not in (texts[name].encode() for texts in (made, quoting) if name in texts)
    ]
    if wrong and quoting == made and all(basis.WORDS.encode() in there[name] for name in wrong):
        message = f"{', '.join(wrong)}: not compared, because they quote the specification. {_GIVE_A_COPY}"
        return Result("pages", None, message, needs_more=True)
    if wrong:
        return Result("pages", False, f"{', '.join(wrong)}: not what this version makes of {files.DATA}.")
    if foreign:
        return Result("pages", None, next(iter(foreign.values())), needs_more=True)
    return Result("pages", True, f"The pages say what {files.DATA} says.")


def documents(folder: Path, report: dict[str, Any]) -> Result:
    """Check that each document beside the run in `folder` is the one that a statement in its report names."""
    try:
        bundle.documents(folder, report)
    except EvidenceFault as fault:
        return Result("documents", False, str(fault))
    return Result("documents", True, "The documents are those that the statements name.")


def _of_another_library(folder: Path) -> dict[str, str]:
    """Return the pages of which a library made a part in another version than the one here: why, by kind."""
    found = {}
    for kind, names in (files.TRANSLATED | files.OF_PYTEST_HTML).items():
        for name in names:
            if (page := _content(folder / name)) is None:
                continue
            if kind in files.OF_PYTEST_HTML:
                from conformance.reports import pytest_page  # it imports pytest

                library, version, here = "pytest-html", pytest_page.made_with(page), pytest_page.version()
            else:
                library, version, here = "Babel", language.made_with(page), language.babel()
            if not here or version not in ("", here):  # a page that names none is compared, and differs
                found[kind] = (
                    f"{name}: not compared, because {library} {version} made a part of it, and here is "
                    f"{here or 'none'}. Install that version: pip install '{library.lower()}=={version}'"
                )
    return found


_GIVE_A_COPY: Final = (
    "Give your copy of the edition of the run with --specification, or render the pages again without it."
)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _absent(part: str, option: str, given: Path | None, needed: str) -> Result:
    if given is None:
        return Result(part, None, f"The bundle has no {part}.", is_absent=True)
    return Result(
        part,
        False,
        f"Expected a {part}, because of {option}; the bundle has none. "
        f"Ask for a bundle that was packed with {needed}, or leave out {option}.",
        is_absent=True,
    )


def _of_the_signature(found: Signature) -> Result:
    if found.valid is None:
        return Result(
            "signature", None, f"The signature was not checked; it names the key {found.key}. Give the key with --key."
        )
    if found.valid:
        return Result("signature", True, f"The signature of {found.key_file} ({found.key}) is valid.")
    expected = f"{found.key_file} {found.key}" if found.key_file else "a key"
    if found.named and found.key not in found.named:
        return Result(
            "signature",
            False,
            f"The signature is by another key: expected {expected}, received {', '.join(found.named)}. Ask the signer "
            "for the public key, and compare its fingerprint by another way.",
        )
    problem = found.problem or f"expected one by {expected}"
    return Result("signature", False, f"The signature is not valid: {problem}. It, or what it covers, was altered.")


def _of_the_signer(key: Path, ca: Path, stamped: datetime | None) -> Result:
    """Check that a certificate authority names the signer, at the time of the time stamp if there is a valid one."""
    from conformance.trust import certificates

    chain = certificates.read(key, "the certificate of the signer, and then those that lead to the authority")
    roots = certificates.read(ca, "the certificate of the authority")
    problem = certificates.problem(chain, roots, stamped or datetime.now(UTC))
    if problem:
        return Result("certificate", False, f"The certificate of the signer is not valid: {problem}.")
    when = f"at the time of the time stamp, {stamped}" if stamped else "now, for lack of a checked time stamp"
    return Result(
        "certificate",
        True,
        f"The signer is {certificates.name_of(chain[0])}, by a certificate that leads to {ca.name} and is valid "
        f"{when}. Whether it was revoked was not asked.",
    )


def _of_the_statement(found: Signature, report: dict[str, Any], manifest: bytes) -> Result:
    try:
        expected = statement.statement(report, manifest)
        differing = statement.differences(found.statement, expected)
    except (KeyError, TypeError, ValueError, RecursionError):
        return Result("statement", False, f"{files.DATA} is no report that a statement could be about.")
    if differing:
        return Result(
            "statement",
            False,
            f"The statement does not match {files.DATA} and {bundle.MANIFEST}: {', '.join(differing)}.",
        )
    more = statement.differences(expected, found.statement)
    also = f" It also states {', '.join(more)}, which this build does not write." if more else ""
    return Result("statement", True, f"The statement matches {files.DATA} and {bundle.MANIFEST}.{also}")


def _of_the_members(folder: Path, report: dict[str, Any]) -> Result:
    """Check that `bundle` packs each file: a foreign page would be read as if the suite had written it."""
    try:
        same_build = is_this_build(report["suite"].get("build"))
        foreign = bundle.foreign(folder, report, same_build=same_build)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Result("members", False, f"{files.DATA} is no report that a bundle could be of.")
    if not foreign:
        return Result("members", True, "The bundle holds the files of a run, and no others.")
    named = ", ".join(foreign)
    if same_build:
        return Result("members", False, f"{named}: not packed by the suite, or with another content.")
    return Result("members", None, f"{named}: no file that this build packs; another build of the suite made the run.")


def _of_the_suite(folder: Path, report: dict[str, Any]) -> Iterator[Result]:
    """Check that the wheel in the bundle, if there is one, has the code of the build that the report names."""
    if not (name := bundle.wheel_in(folder)):
        return
    if wrong := wheel.fault(folder / name, _recorded(report, "build")):
        yield Result("suite", False, f"{name} is not the suite that made the run: {wrong}.")
    else:
        yield Result("suite", True, f"{name} has the code that the report names as the build of the run.")


def _of_the_catalogue(folder: Path, report: dict[str, Any]) -> Result:
    """Check that the catalogue in the bundle is the one that the report names."""
    digest = hashlib.sha256((_content(folder / bundle.CATALOGUE)) or b"").hexdigest()
    named = _recorded(report, "catalogue")
    if named == f"sha256:{digest}":
        return Result("catalogue", True, "The catalogue is the one that the run used.")
    message = f"{bundle.CATALOGUE} is not the catalogue of the run: expected {named}, received sha256:{digest}."
    return Result("catalogue", False, message)


def _of_the_time(found: TimeStamp) -> Result:
    by = f"{found.time or 'no time'} by {found.authority or 'an authority without a name'}"
    if found.valid is None:
        return Result(
            "time stamp", None, f"The time stamp says {by}; its authority was not checked. Give it with --tsa-ca."
        )
    if found.valid:
        return Result("time stamp", True, f"The bundle existed at {by}.")
    return Result("time stamp", False, f"The time stamp is not valid: {found.problem}.")
