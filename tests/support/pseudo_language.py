"""A language that shows which texts of a page are no messages: they alone have letters of the Latin script."""

from __future__ import annotations

import re
from gettext import NullTranslations

from conformance.reports.language import Language

STAYS = re.compile(
    r"%\(\w+\)s|<[^>]+>|[\w.]+\.(?:json|html|har)|drsi-conformance|--[a-z-]+|Data Request Service Interface|[A-Za-z]"
)
"""What stays in a message, or one letter."""


class _Pseudo(NullTranslations):
    """Writes each letter of a message as "ж", but for what stays in each language."""

    def gettext(self, message: str) -> str:
        return STAYS.sub(lambda found: found[0] if len(found[0]) > 1 else "ж", message)

    def ngettext(self, one: str, many: str, number: int) -> str:
        return self.gettext(one if number == 1 else many)

    def pgettext(self, _context: str, message: str) -> str:
        return self.gettext(message)


PSEUDO = Language("nl", "ж", _Pseudo())


def words_of(text: str) -> set[str]:
    """Return the words of the Latin script in a text."""
    return set(re.findall(r"[A-Za-z]{2,}", text))
