"""The pages of a public register: one row and one page for each published service, with its status and its badge."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec

from conformance.register.entries import Entry, Terms, entries
from conformance.register.status import Status, document, file_of, statement
from conformance.reports import badge
from conformance.reports.outcome import OUTCOME_WORDS
from conformance.site import names
from conformance.site.pages import STYLE, page, style
from conformance.site.writing import MARK, replacing
from conformance.store import Store

if TYPE_CHECKING:
    from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]  # exported, not marked so

KIND: Final = "register"
SCHEMA: Final = "register-status.schema.json"
_OWN_STYLE: Final = "register.css"
_ON_A_PAGE: Final = 250


@dataclass(frozen=True)
class Registered:
    """What a register shows."""

    services: int
    documents: int
    """Status documents: one for each published bundle."""
    key: str
    """Fingerprint of the key that signed them; empty if none did."""


@dataclass(frozen=True, kw_only=True)
class _Register:
    folder: Path
    built: str
    terms: Terms
    address: str
    signer: CryptoSigner | None

    @property
    def key(self) -> str:
        return self.signer.public_key.keyid if self.signer else ""

    def put(self, name: str, content: bytes) -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def page(self, name: str, template: str, **values: object) -> None:
        root = "../" * name.count("/")
        text = page(template, root=root, built=self.built, terms=self.terms, key=self.key, **values)
        self.put(name, text.encode())


def build_register(
    store: Store, output: Path, built: str, *, terms: Terms, address: str = "", signer: CryptoSigner | None = None
) -> Registered:
    """Build the register of a store in a folder, of the moment `built` (RFC 3339, UTC), and return what it shows.

    `address` is where it will be published. Without a signer it is not signed, and says so. Raise StoreFault and
    OSError as `build`. Nothing of a service that may not be published is in it.
    """
    with replacing(output, KIND) as folder:
        register = _Register(folder=folder, built=built, terms=terms, address=address.rstrip("/"), signer=signer)
        register.put(STYLE, style().encode())
        register.put(_OWN_STYLE, (files("conformance.site") / "templates" / _OWN_STYLE).read_bytes())
        register.put(SCHEMA, (files("conformance.schemas") / SCHEMA).read_bytes())
        every = entries(store, terms, built)
        listed: list[dict[str, str]] = []
        documents = 0
        part = list(islice(every, _ON_A_PAGE))
        number = 1
        while part or number == 1:
            after = list(islice(every, _ON_A_PAGE))
            documents += sum(_service(register, each) for each in part)
            listed += map(_listed, part)
            register.page(
                names.of_part("index", number),
                "register.html",
                entries=part,
                number=number,
                before=names.of_part("index", number - 1) if number > 1 else "",
                after=names.of_part("index", number + 1) if after else "",
            )
            part, number = after, number + 1
        found = Registered(len(listed), documents, register.key)
        register.put("register.json", msgspec.json.encode({"services": listed}))
        mark = {"kind": KIND, "built": built, "signed": bool(signer), "operator": terms.operator}
        register.put(MARK, msgspec.json.encode(mark | msgspec.to_builtins(found)))
    return found


def _service(register: _Register, entry: Entry) -> int:
    """Write the page, the badge and the documents of a service; return the number of documents."""
    name = names.of_service(entry.publication.target)
    for status in entry.statuses:
        register.put(file_of(status.bundle, signed=False), document(status))
        if register.signer:
            from conformance.evidence import signature

            envelope = signature.signed(statement(status, register.built), register.signer)
            register.put(file_of(status.bundle, signed=True), envelope)
    words = badge_words(entry.latest)
    register.put(f"badges/{name}.svg", badge_of(entry.latest).encode())
    register.page(
        f"services/{name}.html",
        "register_service.html",
        entry=entry,
        status=entry.latest,
        badge=f"badges/{name}.svg",
        badge_title=f"Data Request Service Interface: {words}",
        markdown=_markdown(register.address or "REGISTER", name, words),
        address=register.address,
        signed=bool(register.signer),
        file_of=file_of,
    )
    return len(entry.statuses)


def badge_words(status: Status) -> str:
    """Return the words of the badge of a service, which stay true when time passes: its outcome, and the dates."""
    if status.withdrawn:
        return f"status withdrawn {status.withdrawn.date}"
    outcome = OUTCOME_WORDS[status.outcome].lower()
    alerts = f", {len(status.alerts)} alert{'s' if len(status.alerts) > 1 else ''}" if status.alerts else ""
    limit = "expired" if status.state == "expired" else "valid until"
    return f"{outcome}{alerts}, checked {status.started[:10]}, {limit} {status.valid_until[:10]}"


def badge_of(status: Status) -> str:
    """Return the badge of a service: an SVG image that loads nothing, with colours of its own for any background."""
    words = badge_words(status)
    outcome = status.outcome.value if status.state == "valid" else ""
    colour = badge.colour_of(outcome, alerts=bool(status.alerts))
    return badge.drawn(f"Data Request Service Interface: {words}", words, colour)


def _markdown(address: str, name: str, words: str) -> str:
    """Return the Markdown that shows the badge of a service, with a link to its page."""
    place = quote(address, safe=":/?#[]@!$&'*+,;=%~-._")
    return f"[![DRSI: {words}]({place}/badges/{name}.svg)]({place}/services/{name}.html)"


def _listed(entry: Entry) -> dict[str, str]:
    latest = entry.latest
    return {
        "service": latest.service.name,
        "base_url": latest.service.base_url,
        "outcome": latest.outcome,
        "state": latest.state,
        "started": latest.started,
        "valid_until": latest.valid_until,
        "independence": latest.independence.value,
        "bundle": latest.bundle,
        "status": file_of(latest.bundle, signed=False),
        "page": f"services/{names.of_service(latest.service.name)}.html",
        "badge": f"badges/{names.of_service(latest.service.name)}.svg",
    }
