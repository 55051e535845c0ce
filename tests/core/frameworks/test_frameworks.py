"""Services as developers write them with common frameworks: none that conforms is failed, and mistakes are found.

The mistakes are decided from the specification and its interpretation in DESIGN.md, not from what the suite reports.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import ModuleType

import pytest
from whole_runs import ORIGIN, Silent, notes_of, target_of

from conformance.http.session import Session
from conformance.model.requirements import all_testable, catalogue
from conformance.model.target import LanguageSelector
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Outcome, Verdict
from conformance.reference.clock import ServiceClock, SharedClock
from conformance.run.check import check
from conformance.run.conclusion import Run
from conformance.run.options import Plan

from . import django_service, drf_service, fastapi_service, flask_service, litestar_service, mistakes

# Litestar 2 deprecates what its own guide shows; the framework's next version is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:litestar")

SERVICES: dict[str, ModuleType] = {
    "Flask": flask_service,
    "Django": django_service,
    "Django REST framework": drf_service,
    "FastAPI": fastapi_service,
    "Litestar": litestar_service,
}
MISTAKES = {
    "Flask": mistakes.FLASK,
    "Django": mistakes.DJANGO,
    "Django REST framework": mistakes.REST_FRAMEWORK,
    "FastAPI": mistakes.FASTAPI,
    "Litestar": mistakes.LITESTAR,
}


ALL_MISTAKES = [(service, name) for service, table in MISTAKES.items() for name in table]
WITHOUT_A_USUAL_SELECTOR = ("language-names",)
"""Variants whose languages are no tags: only --language-selector tells how a client chooses one of several."""

VARIANTS = [(service, name) for service, module in SERVICES.items() for name in getattr(module, "VARIANTS", ())]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Keep the frameworks from logging each refused call, and pytest from keeping what they log."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def run(
    service: str, wrong: str = "", *, deselect: tuple[str, ...] = (), threads: bool = False, known: bool = True
) -> Run:
    """Check a service, which has the mistake or is the variant `wrong`.

    The accounts are confirmed as empty. `known`, the suite also has what an organisation that certifies itself knows:
    how a language is chosen.
    """
    module = SERVICES[service]
    options = {"language_selector": LanguageSelector("header", "Accept-Language")}
    with module.serve(wrong) as transport:
        target = target_of(ORIGIN, module.USERS, account_is_empty=True, **(options if known else {}))
        session = Session(target, transport=transport, clock=SharedClock(ServiceClock(step=0.0)), in_turn=not threads)
        try:
            return check(session, Plan(deselect=deselect), Silent())
        finally:
            session.close()


@pytest.mark.parametrize(("service", "variant"), [*((service, "") for service in SERVICES), *VARIANTS])
def test_a_service_that_conforms_is_not_failed(service: str, variant: str) -> None:
    # The suite is told nothing of the variants, and calls of the others overlap.
    made = run(service, variant, threads=not variant, known=not variant)

    report = made.report
    bad = {row.id: row.findings for row in report.requirements if row.verdict in (Verdict.FAIL, Verdict.WARN)}
    assert bad == {}
    in_part = variant in WITHOUT_A_USUAL_SELECTOR
    assert report.outcome is (Outcome.CONFORMS_IN_PART if in_part else Outcome.CONFORMS)
    assert any("--language-selector" in note.message for note in notes_of(made)) is in_part


@pytest.mark.parametrize(("service", "name"), ALL_MISTAKES)
def test_a_mistake_is_found(service: str, name: str) -> None:
    mistake = MISTAKES[service][name]

    others = tuple(all_testable().difference(mistake.requirements))

    # Few mistakes show only in the answers to other calls, such as those that fill the account.
    for further in ((), ("3-removed-in-parallel",), ("8-limit-enforced",)):
        deselect = tuple({*others}.difference(further))
        report = run(service, name, deselect=deselect).report
        verdicts = {row.id: row.verdict for row in report.requirements}
        if any(verdicts[id] is VERDICT_WHEN_BROKEN[catalogue()[id].level] for id in mistake.requirements):
            return

    pytest.fail(str({id: verdicts[id] for id in mistake.requirements}))
