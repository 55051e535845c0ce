"""Recorded runs to pack, keys to sign with, and archives that were tampered with."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import report_samples as samples
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from stored_runs import sealed

from conformance.reports import files
from conformance.trust import archive, bundle, signature, statement

PASSPHRASE = "correct horse"
KINDS: dict[str, Callable[[], Any]] = {
    "ed25519": ed25519.Ed25519PrivateKey.generate,
    "ecdsa": lambda: ec.generate_private_key(ec.SECP256R1()),
}


def recorded(folder: Path, report: dict[str, Any] | None = None) -> Path:
    """Write a run with failures into `folder`, and return it."""
    if report is None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in _eventful().items():
            (folder / name).write_bytes(content)
    else:
        _write(folder, report)
    return folder


@cache
def _eventful() -> dict[str, bytes]:
    """Return the files of the usual run: its pages take a third of a second, and hundreds of tests need them."""
    with TemporaryDirectory() as made:
        _write(Path(made), samples.eventful())
        return {path.name: path.read_bytes() for path in Path(made).iterdir()}


def _write(folder: Path, report: dict[str, Any]) -> None:
    files.write(folder, *sealed(report, samples.evidence()))


def key(folder: Path, kind: str = "ed25519", name: str = "auditor", passphrase: str = "") -> Path:
    """Write a new private key, and beside it its public key with the ending .pub; return the private one."""
    made = KINDS[kind]()
    path = folder / f"{name}.pem"
    encryption = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    path.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    public = made.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    path.with_suffix(".pub").write_bytes(public)
    return path


def packed(run: Path, key: Path | None = None) -> dict[str, bytes]:
    """Return the files of the bundle of `run`, signed with `key`."""
    report = json.loads((run / files.DATA).read_bytes())
    content = bundle.contents(run, report, json.loads((run / files.EVIDENCE).read_bytes()))
    content[bundle.MANIFEST] = bundle.manifest(content)
    if key is not None:
        signer = signature.signer(key, lambda: PASSPHRASE)
        content[bundle.STATEMENT] = signature.signed(statement.statement(report, content[bundle.MANIFEST]), signer)
    return content


def listed_again(content: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files with a manifest that fits them, as who alters a bundle would make it."""
    beside = (bundle.MANIFEST, bundle.STATEMENT, bundle.TIME_STAMP)
    return content | {bundle.MANIFEST: bundle.manifest({k: v for k, v in content.items() if k not in beside})}


def written(path: Path, content: dict[str, bytes]) -> Path:
    """Write the archive of `content` to `path`, and return it."""
    archive.write(path, content)
    return path
