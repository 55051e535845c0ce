"""The mistake of a declaration, which every command may meet: this module loads no library."""

from __future__ import annotations


class WrongDeclaration(ValueError):
    """A row of the catalogue, a fault or a twin is declared wrongly; the message names it and the mistake."""
