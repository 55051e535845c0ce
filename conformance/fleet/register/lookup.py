"""How a bundle is looked up in a register: at its address, in its folder, or in a file with one status document.

An address is called by https, or by http on this machine, with a limit of bytes and of time. No redirect is followed.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from conformance.fleet.register import seen
from conformance.fleet.register.status import CLOCKS_DIFFER, SIGNED, State, Status, file_of, later, stated
from conformance.http.appearance import NAMED
from conformance.http.other_servers import answer_to, is_private
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import TransportError
from conformance.model.printable import one_line, printable
from conformance.model.report import Report
from conformance.model.text import shorten
from conformance.trust.archive import EvidenceFault
from conformance.trust.authenticity import Result

if TYPE_CHECKING:
    from conformance.trust.signature import Signature

_MOST: Final = 1 << 20
"""Most bytes of a document."""
_MARK: Final = "site.json"
_REMEDY: Final = "Name the address of a register, the folder of one, or a status document."


def results(place: str, bundle: str, report: Report, key: Path | None, moment: str) -> list[Result]:
    """Return what the register at `place` says of the bundle with this SHA-256 at a moment, and of its signature.

    `place` is an address, a folder or a file. Raise EvidenceFault if it cannot be read, and for a file that holds no
    public key.
    """
    shown = one_line(place, 200)
    found = find(place, bundle, key)
    if found is None:
        return [_bad(f"{shown} does not list this bundle, sha256:{bundle}. {_ANOTHER}")]
    status, signature = found
    if status.bundle != bundle:
        return [_bad(f"Expected the status of sha256:{bundle}, received that of sha256:{status.bundle}. {_ANOTHER}")]
    state, age = _of_the_state(status, report, moment), _of_its_age(status, signature, moment)
    return [age if age and state.valid else state, _of_the_signature(signature)]


def find(place: str, bundle: str, key: Path | None) -> tuple[Status, Signature] | None:
    """Return the status of a bundle in a register and its signature, None if it is not listed. Raise as above."""
    if "://" in place:
        read_file = partial(_at_address, _address(place))
    elif (path := Path(place)).is_dir():
        read_file = partial(_in_folder, path)
    elif (content := _in_folder(path, "")) is None:
        raise EvidenceFault(f"{one_line(place, 200)} does not exist.", remedy=_REMEDY)
    else:
        return _found(content, key, place)
    if (content := read_file(file_of(bundle, SIGNED))) is not None:
        return _found(content, key, place)
    if read_file(_MARK) is None:
        raise EvidenceFault(f"Expected a register at {one_line(place, 200)}, with its {_MARK}.", remedy=_REMEDY)
    return None


def _found(content: bytes, key: Path | None, place: str) -> tuple[Status, Signature]:
    from conformance.trust import signature

    try:
        checked = signature.check(content, key)
        if checked.statement is None:
            raise ValueError(f"its signature cannot be read{checked.problem and ': ' + checked.problem}")
        return stated(checked.statement), checked
    except (ValueError, RecursionError) as error:
        raise EvidenceFault(
            f"Expected a signed status document at {one_line(place, 200)}, received another document: "
            f"{shorten(printable(str(error)), 200)}.",
            remedy=_REMEDY,
        ) from None


def _bad(message: str) -> Result:
    return Result("register", False, message)


_ANOTHER: Final = "A run that was packed again has another digest: ask for the bundle that was published."


def _of_its_age(status: Status, signature: Signature, moment: str) -> Result | None:
    """Return why a document is not what its register says now, None if it is; remember a newer one than before."""
    said = f"The status is number {status.number} of the register, stated {status.issued}"
    if status.issued > later(moment, CLOCKS_DIFFER):
        message = f"{said}; this machine has {moment}. Set its clock, or ask the register again."
        return Result("register", None, message, needs_more=True)
    # Without a valid signature anybody could have written the number.
    if signature.valid and (newer := seen.newer(signature.key, status.number, status.issued)):
        return _bad(
            f"{said}. It is older than number {newer.number}, stated {newer.issued}, which you have seen with this "
            "key: a copy from before, or another register with the same key. Ask the register itself again."
        )
    if moment >= status.next_update:
        message = (
            f"{said}, and to be stated again before {status.next_update}: it may have been withdrawn since. Ask the "
            "register again; if it says the same, its keeper has to build it again."
        )
        return Result("register", None, message, needs_more=True)
    return None


def _of_the_state(status: Status, report: Report, moment: str) -> Result:
    state = status.state_at(moment)
    if wrong := _differences(status, report):
        return _bad(f"The status document is not about the run in this bundle: it has another {', '.join(wrong)}.")
    said = f"{one_line(status.service.name, 100)!r} is listed as {status.outcome}, independence {_standing(status)}"
    said += f", stated {status.issued}"
    until = status.valid_until
    match state:
        case State.VALID:
            return Result("register", True, f"The status is valid until {until}: {said}.")
        case State.EXPIRED:
            return _bad(f"The status expired at {until}: {said}. Ask for a newer run.")
        case State.SUPERSEDED:
            return _bad(f"The status is superseded by that of sha256:{status.superseded_by}: {said}.")
        case State.WITHDRAWN:
            assert status.withdrawn is not None
            reason = one_line(status.withdrawn.reason, 300).rstrip(".")
            return _bad(f"The status was withdrawn on {one_line(status.withdrawn.date, 20)}: {reason}. {said}.")


def _standing(status: Status) -> str:
    standing = status.independence
    by = f" by {one_line(standing.name, 100)}" if standing.name else ""
    return f"{standing.value}{by}"


def _differences(status: Status, report: Report) -> list[str]:
    """Return what a status document says otherwise than the run in the bundle: the digest alone names the run."""
    pairs = {
        "outcome": (status.outcome, report.outcome),
        "address": (status.service.base_url, printable(report.target.base_url, keep="\n\t")),
        "suite build": (status.suite.build, report.suite.build),
        "edition": (status.edition, report.suite.edition),
    }
    return [name for name, (listed, recorded) in pairs.items() if listed != recorded]


def _of_the_signature(found: Signature) -> Result:
    part = "register signature"
    if found.valid is None:
        return Result(
            part,
            None,
            f"The signature was not checked; it names the key {one_line(found.key, 100)}. Give the key with "
            "--register-key.",
        )
    if found.valid:
        return Result(part, True, f"The status document is signed with {found.key}.")
    return Result(part, False, f"The status document is not signed with {found.key}. Ask the register for its key.")


def _in_folder(path: Path, name: str) -> bytes | None:
    """Return a file of a register on the disk, None if there is none; raise EvidenceFault if it cannot be read."""
    path /= name
    try:
        with path.open("rb") as file:
            content = file.read(_MOST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise EvidenceFault(f"{path} cannot be read: {reason}.", remedy=_REMEDY) from None
    if len(content) > _MOST:
        raise EvidenceFault(f"{path}: expected a status document, received more than {_MOST:,} bytes.", remedy=_REMEDY)
    return content


def _address(text: str) -> httpx.URL:
    """Return the address of a register; raise EvidenceFault for an unsafe one."""
    try:
        url = httpx.URL(text)
        reason = "" if is_private(url) else "expected an https address"
        reason = reason or ("expected an address without a user" if url.userinfo else "")
    except (httpx.InvalidURL, ValueError) as error:
        reason = str(error)
    if reason or not url.raw_host:
        raise EvidenceFault(
            f"{one_line(text, 200)} is not the address of a register: {reason or 'it has no host'}.",
            remedy="Name an https address; http is possible on this machine only.",
        )
    return url.copy_with(path=f"{url.path.removesuffix('/')}/", query=None, fragment=None)


def _at_address(url: httpx.URL, name: str) -> bytes | None:
    """Return a file of a register at an address, None if there is none; raise EvidenceFault if it cannot be fetched."""
    url = url.copy_with(path=url.path + name)
    try:
        response = answer_to(httpx.Request("GET", url, headers={**NAMED, "Accept": "application/json"}))
    except (TransportError, ConfigurationFault) as error:
        raise _unreachable(url, str(error)) from None
    if response.status_code in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
        return None
    if response.status_code != httpx.codes.OK:
        raise _unreachable(url, f"expected status 200, received {response.status_code}")
    return response.content


def _unreachable(url: httpx.URL, reason: str) -> EvidenceFault:
    return EvidenceFault(
        f"The register at {one_line(str(url), 200)} cannot be read: {shorten(printable(reason), 200)}.",
        remedy="Check the address, or give the folder or the status document as a file.",
    )
