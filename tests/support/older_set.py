"""An older set of requirements beside the present one, and a service that violates what it does not list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.model import sets
from conformance.reference.call import Call
from conformance.reference.service import Service

ID = "2.3-supportedLanaguages"
"""The requirement that `Misspelt` violates."""


class Misspelt(Service):
    """Spells the languages as they are spelt everywhere else, until it is mended."""

    mended = False

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        if not self.mended:
            settings["supportedLanguages"] = settings.pop("supportedLanaguages")
        return settings


def add_older_set(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    """Let the suite have a set 2025-1, which lists all but the requirements `missing`."""
    present = sets.set_named("2026-1")
    rows = {id: digest for id, digest in present.rows.items() if id not in missing}
    older = replace(present, name="2025-1", rows=rows)
    monkeypatch.setattr(sets, "sets", lambda: {"2025-1": older, "2026-1": present})
