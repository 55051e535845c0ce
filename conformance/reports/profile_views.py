"""The profile of a service, and the difference between two, as text, as JSON and as a page.

All texts of the runs are untrusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Final

from conformance.model.printable import as_json
from conformance.model.text import count
from conformance.reports.pages import shown, styled
from conformance.reports.profile import Choice, Difference, Matter, Profile

EXHIBIT: Final = "After a choice: how many answers show it, and the exchange of one in evidence.har, such as e7."
"""What a reader of a text or page has to know first."""


def text(found: Profile) -> str:
    """Return the choices of a service for a terminal."""
    lines = [f"Choices of {_named(found)}. {EXHIBIT}"]
    for matter in found.matters:
        lines += ["", shown(matter.id), *_choices(matter)]
    return "\n".join(lines)


def text_of_differences(first: Profile, second: Profile, found: Iterable[Difference]) -> str:
    """Return for a terminal what two services did not choose alike."""
    lines = [f"First: {_named(first)}", f"Second: {_named(second)}", EXHIBIT]
    for each in found:
        lines += ["", shown(each.first.id), "first:", *_choices(each.first), "second:", *_choices(each.second)]
    return "\n".join(lines)


def _named(found: Profile) -> str:
    return shown(f"{found.base_url}, {found.moment}")


def _choices(matter: Matter) -> Iterator[str]:
    """Yield a line for each choice in a matter, and below it the known clients that it breaks."""
    if not matter.choices:
        yield f"  not seen: {shown(matter.not_seen)}" if matter.not_seen else "  nothing else"
    for each in matter.choices:
        yield " ".join(filter(None, ["  alert:" if each.alert else " ", shown(each.words), exhibit(each)]))
        yield from (f"    breaks {one.client}: {one.effect} ({one.source})" for one in each.breaks)


def exhibit(choice: Choice) -> str:
    """Return how many answers show a choice, and the exchange of one of them; "" where none does by itself."""
    number = count(choice.answers, "answer") if choice.answers else ""
    said = ", ".join(filter(None, [number, choice.exchange]))
    return f"({said})" if said else ""


def json(found: Profile) -> str:
    """Return the data of a profile."""
    return as_json(asdict(found), indent=2)


def json_of_differences(first: Profile, second: Profile, found: Iterable[Difference]) -> str:
    """Return the data of two profiles and of their differences."""
    differing = [asdict(each) for each in found]
    return as_json({"first": asdict(first), "second": asdict(second), "differences": differing}, indent=2)


def html(found: Profile, other: Profile | None = None, differing: Iterable[Difference] = ()) -> str:
    """Return the page of a service, or of the differences between two: without scripts and without network access."""
    breaks = [(each, choice) for each in found.matters for choice in each.choices if choice.breaks]
    return styled(
        "profile.html",
        "style.css",
        "print.css",
        "profile.css",
        target=found.base_url,
        run=found.started,
        found=found,
        other=other,
        differing=list(differing),
        breaks=breaks,
        exhibit=exhibit,
        about_exhibits=EXHIBIT,
    )
