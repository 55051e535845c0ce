"""A language that shows which texts of a page are no messages: they alone have letters of the Latin script."""

from __future__ import annotations

import re
from datetime import date

STAYS = re.compile(
    r"%\(\w+\)s|<[^>]+>|[\w.]+\.(?:json|html|har)|drsi-conformance|--[a-z-]+|Data Request Service Interface|[A-Za-z]"
)
"""What stays in a message, or one letter."""


class Pseudo:
    """A language in which each letter of a message is "ж", but for what stays in each language."""

    code = "nl"
    name = "ж"

    def message(self, message: str) -> str:
        return STAYS.sub(lambda found: found[0] if len(found[0]) > 1 else "ж", message)

    def plural(self, one: str, many: str, number: int) -> str:
        return self.message(one if number == 1 else many)

    def sentence(self, text: str) -> str | None:
        return self.message(text)

    def number(self, number: int) -> str:
        return str(number)

    def day(self, day: date) -> str:
        return day.isoformat()


def words_of(text: str) -> set[str]:
    """Return the words of the Latin script in a text."""
    return set(re.findall(r"[A-Za-z]{2,}", text))
