"""Services as developers write them with common frameworks: none that conforms is failed, and mistakes are found.

The mistakes are decided from the specification and its interpretation in DESIGN.md, not from what the suite reports.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import ModuleType

import pytest
from whole_runs import ORIGIN, Silent, target_of

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


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Keep the frameworks from logging each refused call, and pytest from keeping what they log."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def run(service: str, wrong: str = "", *, deselect: tuple[str, ...] = (), threads: bool = False) -> Run:
    """Check a service, which has the mistake `wrong`, with what an organisation that certifies itself knows."""
    module = SERVICES[service]
    with module.serve(wrong) as transport:
        by_header = LanguageSelector("header", "Accept-Language")
        target = target_of(ORIGIN, module.USERS, account_is_empty=True, language_selector=by_header)
        session = Session(target, transport=transport, clock=SharedClock(ServiceClock(step=0.0)), in_turn=not threads)
        try:
            return check(session, Plan(deselect=deselect), Silent())
        finally:
            session.close()


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_conforms_is_not_failed(service: str) -> None:
    report = run(service, threads=True).report

    bad = {row.id: row.findings for row in report.requirements if row.verdict in (Verdict.FAIL, Verdict.WARN)}
    assert bad == {}
    assert report.outcome is Outcome.CONFORMS


@pytest.mark.parametrize(("service", "name"), ALL_MISTAKES)
def test_a_mistake_is_found(service: str, name: str) -> None:
    broken = MISTAKES[service][name]

    others = tuple(all_testable().difference(broken))

    # Few mistakes show only in the answers to other calls, such as those that fill the account.
    for further in ((), ("3-removed-in-parallel",), ("8-limit-enforced",)):
        deselect = tuple({*others}.difference(further))
        report = run(service, name, deselect=deselect).report
        verdicts = {row.id: row.verdict for row in report.requirements}
        if any(verdicts[id] is VERDICT_WHEN_BROKEN[catalogue()[id].level] for id in broken):
            return

    pytest.fail(str({id: verdicts[id] for id in broken}))
