"""The newest statement that this user has seen of each register, by its key: an older one is a copy from before."""

from __future__ import annotations

import hashlib

import msgspec

from conformance.http.own_folder import alone, own_folder, read, write
from conformance.model.errors import ConfigurationFault
from conformance.trust.archive import EvidenceFault


class Seen(msgspec.Struct, frozen=True, order=True):
    """A statement of a register: its number, and when it was issued (RFC 3339, UTC)."""

    number: int
    issued: str


def newer(key: str, number: int, issued: str) -> Seen | None:
    """Return what was seen before with the key of this fingerprint, if it is newer; otherwise remember this statement.

    Raise EvidenceFault if it cannot be remembered.
    """
    this = Seen(number, issued)
    try:
        path = own_folder("registers") / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
        with alone(path):
            content = read(path)
            before = this if content is None else msgspec.json.decode(content, type=Seen)
            if before > this:
                return before
            write(path, {"key": key, "number": number, "issued": issued})
    except msgspec.DecodeError:
        raise EvidenceFault(
            f"{path} is not what 'verify --register' wrote.",
            remedy="Remove it. Then nothing is known of what the register said before.",
        ) from None
    except ConfigurationFault as fault:
        raise EvidenceFault(str(fault), remedy=fault.remedy) from None
    except OSError as error:
        raise EvidenceFault(
            f"What the register said cannot be kept in {error.filename}: {error.strerror or error}.",
            remedy="Name a folder that this user can write to with XDG_STATE_HOME.",
        ) from None
    return None
