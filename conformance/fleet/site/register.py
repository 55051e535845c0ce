"""The pages of a public register: one row and one page for each published service, with its status and its badge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from conformance.fleet.register.entries import Entry, Terms, entries
from conformance.fleet.register.status import (
    FOLDER,
    MOST_NUMBER,
    SIGNED,
    State,
    Status,
    document,
    file_of,
    later,
    statement,
)
from conformance.fleet.site import names
from conformance.fleet.site.pages import CARDS, STYLE, file
from conformance.fleet.site.writing import MARK, Pages, in_parts, replacing
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store
from conformance.model.specification import Specification
from conformance.reports import badge
from conformance.reports.language import ENGLISH, day, gettext, ngettext
from conformance.reports.outcome import OUTCOME_WORDS

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
    """Fingerprint of the key that signed them."""
    number: int
    next_update: str
    """Before this moment it has to be built again (RFC 3339, UTC)."""


@dataclass(frozen=True, kw_only=True)
class _Register(Pages):
    terms: Terms
    signer: CryptoSigner

    @property
    def key(self) -> str:
        return str(self.signer.public_key.keyid)

    def write(self, name: str, template: str, **values: object) -> None:
        values |= {"next_update": later(self.built, self.terms.next_update), "key": self.key}
        super().write(name, template, terms=self.terms, **values)


def build_register(
    store: Store,
    output: Path,
    built: str,
    *,
    terms: Terms,
    signer: CryptoSigner,
    languages: Sequence[str] = (ENGLISH,),
    copy: Specification | None = None,
) -> Registered:
    """Build the register of a store in a folder, of the moment `built` (RFC 3339, UTC), and return what it shows.

    It quotes `copy`, a reader's copy of the specification, or else the words that runs in the store keep.
    Raise StoreFault and OSError as `build`. Nothing of a service that may not be published is in it.
    """
    with replacing(output, KIND) as folder:
        register = _Register(
            folder=folder,
            built=built,
            languages=languages,
            quoted=store.words() if copy is None else copy.words,
            terms=terms,
            signer=signer,
        )
        for name in (STYLE, CARDS, _OWN_STYLE):
            register.put(name, file(name))
        register.put(SCHEMA, (files("conformance.schemas") / SCHEMA).read_bytes())
        number = _number(output, built)
        listed: list[dict[str, Any]] = []
        documents = 0
        for page, some, place in in_parts("index", entries(store, terms, built, number), _ON_A_PAGE):
            documents += sum(_service(register, each) for each in some)
            listed += map(_listed, some)
            register.write(page, "register.html", entries=some, **place)
        _demand_what_was_final(output, folder)
        found = Registered(len(listed), documents, register.key, number, later(built, terms.next_update))
        register.data("register.json", {"services": listed})
        mark = {"kind": KIND, "built": built, "operator": terms.operator}
        register.put(MARK, msgspec.json.encode(mark | msgspec.to_builtins(found)))
    return found


def _service(register: _Register, entry: Entry) -> int:
    """Write the page, the badge and the documents of a service; return the number of documents."""
    from conformance.trust import signature

    name = names.of_service(entry.publication.target)
    for status in entry.statuses:
        register.put(file_of(status.bundle), document(status))
        register.put(file_of(status.bundle, SIGNED), signature.signed(statement(status), register.signer))
    for home in register.each_language():
        register.put(f"{home}badges/{name}.svg", badge_of(entry.latest).encode())
    register.write(
        f"services/{name}.html",
        "register_service.html",
        entry=entry,
        status=entry.latest,
        badge=f"badges/{name}.svg",
        badge_title=_badge_title,
        file_of=file_of,
        signed=SIGNED,
    )
    return len(entry.statuses)


def _number(output: Path, built: str) -> int:
    """Return the number of a register: its moment as digits, as serials of DNS zones have it (RFC 1912, section 2.2).

    So no store keeps it, and none that was restored from a backup sets it back. A register that takes the place of
    another has a larger one in any case, also where a clock went back.
    """
    moment = int(re.sub(r"\D", "", built)[:14])
    before = _data(output / MARK).get("number")
    return max(moment, before + 1 if isinstance(before, int) and before < MOST_NUMBER else 1)


def _demand_what_was_final(before: Path, after: Path) -> None:
    """Raise StoreFault if a status that was withdrawn or superseded in a register would not be so in the next one."""
    for place in sorted((before / FOLDER).glob("*.json")):
        state, new = _data(place).get("state"), _data(after / place.relative_to(before)).get("state")
        if state in (State.WITHDRAWN, State.SUPERSEDED) and new not in (None, State.WITHDRAWN, State.SUPERSEDED):
            raise StoreFault(
                f"The status of the bundle {place.stem} is {state} in the register in {before}, and would be {new} "
                "again: the store is older than that register, perhaps restored from a backup, or the clock of this "
                "machine is wrong.",
                remedy="Set the clock, add the later runs to the store, and withdraw again what was withdrawn.",
            )


def _data(path: Path) -> dict[str, Any]:
    """Return a JSON object of a register; an empty one for what is none, or is absent."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return {}


def badge_words(status: Status) -> str:
    """Return the words of the badge of a service, which stay true when time passes: its outcome, and the dates."""
    if status.withdrawn:
        return gettext("status withdrawn %(day)s", day=day(status.withdrawn.date))
    outcome = gettext(OUTCOME_WORDS[status.outcome])
    outcome = outcome[:1].lower() + outcome[1:]
    if status.alerts:
        outcome += ", " + ngettext("%(num)s alert", "%(num)s alerts", len(status.alerts))
    dates = {"checked": day(status.started), "until": day(status.valid_until)}
    if status.state == "expired":
        return gettext("%(outcome)s, checked %(checked)s, expired %(until)s", outcome=outcome, **dates)
    return gettext("%(outcome)s, checked %(checked)s, valid until %(until)s", outcome=outcome, **dates)


def _badge_title(status: Status) -> str:
    return gettext("Data Request Service Interface: %(words)s", words=badge_words(status))


def badge_of(status: Status) -> str:
    """Return the badge of a service: an SVG image that loads nothing, with colours of its own for any background."""
    words = badge_words(status)
    outcome = status.outcome.value if status.state == "valid" else ""
    colour = badge.colour_of(outcome, alerts=bool(status.alerts))
    return badge.drawn(_badge_title(status), words, colour)


def _listed(entry: Entry) -> dict[str, Any]:
    """Return the row of a service as data: its latest status document, and where its files are."""
    name = names.of_service(entry.publication.target)
    places = {"document": file_of(entry.latest.bundle), "page": f"services/{name}.html", "badge": f"badges/{name}.svg"}
    return asdict(entry.latest) | places
