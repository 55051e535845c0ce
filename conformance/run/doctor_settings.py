"""What the doctor shows beside the look before a run: the settings that calls depend on."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Operation
from conformance.model.findings import Note
from conformance.model.requirements import catalogue
from conformance.model.text import in_json, shorten
from conformance.model.verdict import Blame
from conformance.run.doctor import Fact
from conformance.scenarios.api import Api
from conformance.schema.violations import violations


def settings(service: Api, *, needs_token: bool) -> Iterator[Note | Fact]:
    """Yield the limit and the languages, or why they cannot be used; nothing if there are no settings."""
    if not service.record.answered(Operation.SETTINGS, 200):
        return
    try:
        published = service.settings_document()
    except NotDecided:  # the look at the documents says why
        return
    found = {each.requirement: each for each in violations("settings", published)}
    if wrong := found.get("2.3-maxNumberOfRequests"):
        yield _unusable(wrong, "The requirements on the limit rest on it.")
    else:
        limit = published["maxNumberOfRequests"]
        budget = service.session.target.budget
        needed = budget.creations_for(limit)
        # Without a token nothing is created.
        is_high = needs_token and needed > budget.max_created
        advice = f"; --max-created {needed} is enough for every requirement" if is_high else ""
        yield "limit", f"maxNumberOfRequests {in_json(limit, 60)}{advice}"
    if wrong := found.get("2.3-supportedLanaguages"):
        yield _unusable(wrong, "The requirements on languages rest on it.")
    else:
        named = [each.strip() or "an empty text" for each in published["supportedLanaguages"]]
        yield "languages", shorten(", ".join(named) or "none", 100)


def _unusable(wrong: RequirementViolated, why: str) -> Note:
    remedy = wrong.remedy or catalogue()[wrong.requirement].remedy
    return Note(Blame.TARGET, f"GET /settings: {wrong.message}", f"{remedy} {why}")
