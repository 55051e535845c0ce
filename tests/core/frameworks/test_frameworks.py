"""Services as developers write them with common frameworks: none that conforms is failed, and mistakes are found.

The mistakes are decided from the specification, not from what the suite reports.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any

import pytest
from whole_runs import Silent, only, row_of, target_of

from conformance.application.serving import served
from conformance.http.session import Session
from conformance.http.wire.exchange_limits import Limits
from conformance.http.wire.transport import BoundedTransport
from conformance.model.requirements import catalogue
from conformance.model.target import LanguageSelector
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Outcome, Verdict
from conformance.run.check import check
from conformance.run.conclusion import FinishedRun
from conformance.run.plan import Plan

from . import domain, examples

# Litestar 2 deprecates what its own guide shows; the framework's next version is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:litestar")


def module(name: str) -> Any:
    """Load the module of a service, and its framework: not where tests are only collected, as each worker does."""
    return import_module(f".{name}_service", __package__)


SERVICES: dict[str, Callable[[str], AbstractContextManager[Any]]] = {
    "Flask": lambda wrong: nullcontext(examples.application("flask", wrong)),
    "Django": lambda wrong: module("django").application(wrong),
    "Django REST framework": lambda wrong: module("drf").application(wrong),
    "FastAPI": lambda wrong: nullcontext(examples.application("fastapi", wrong)),
    "Litestar": lambda wrong: nullcontext(module("litestar").create_app(wrong)),
}
"""What gives a fresh service, a WSGI or ASGI application, with a mistake if one is named."""


PATHS = {"Flask": "", "FastAPI": "/api"}
"""Where the examples of the documentation serve the interface; they have one language, and users of their own."""

MISTAKES: dict[tuple[str, str], str] = {
    # abort(404) answers an unknown request with the HTML page.
    ("Flask", "html-404-page"): "0-bodies-are-json",
    # <uuid:…> answers 404 to what is no UUID before the token is looked at, where a rule matched.
    ("Flask", "uuid-converter-before-token"): "5.3-read-without-token",
    # get_json() answers an omitted body with 415.
    ("Flask", "get-json-415"): "4.1-body-omitted",
    # No csrf_exempt: a creation is answered with the 403 page.
    ("Django", "csrf"): "0-bodies-are-json",
    # <uuid:…> leaves what is no UUID to handler404, which knows no data requests.
    ("Django", "uuid-converter-generic"): "7-not-found-message",
    # The limit is looked at after the row is saved, without a transaction.
    ("Django", "insert-then-check"): "4.1-refused-creates-nothing",
    # The default exception handler answers {'detail': …}.
    ("Django REST framework", "detail-everywhere"): "7-not-found-error",
    # Without authenticate_header() 401 becomes 403.
    ("Django REST framework", "no-authenticate-header"): "5.3-create-without-token",
    # AllowAny, and the user is looked at after is_valid().
    ("Django REST framework", "validated-before-token"): "5.3-create-without-token",
    # is_valid(raise_exception=True) answers lists of messages.
    ("Django REST framework", "serializer-errors"): "7-invalid-data-types-error",
    # HTTPBearer answers a missing token {'detail': …}.
    ("FastAPI", "http-bearer"): "7-unauthorized-error",
    # A required Header answers a missing token with 422.
    ("FastAPI", "required-header"): "5.3-create-without-token",
    # What is no list of strings is answered 422 with detail.
    ("FastAPI", "elements-422"): "2.4-error",
    # An identifier that is no UUID is answered 422 with detail.
    ("FastAPI", "uuid-422"): "2.4-error",
    # store.get(…) returns None, shown as null with 200.
    ("FastAPI", "null-for-404"): "7-not-found",
    # A required Header answers GET /data with 422.
    ("FastAPI", "required-language"): "4.5-answers-200",
    # Every error is {'status_code': …, 'detail': …}.
    ("Litestar", "default-errors"): "7-not-found-error",
    # A dependency looks at the token, after the body was parsed.
    ("Litestar", "token-dependency"): "5.3-create-without-token",
    # {request_id:uuid} leaves what is no UUID to the 404 of the router, which needs no token.
    ("Litestar", "uuid-parameter"): "5.3-read-without-token",
    # data: list[str] refuses an omitted body.
    ("Litestar", "required-data"): "4.1-body-omitted",
}
"""The mistakes that a framework itself invites, and what each breaks; others are faults of `calibration/`."""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Keep the frameworks from logging each refused call, and pytest from keeping what they log."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def run(service: str, wrong: str = "", *, plan: Plan | None = None, threads: bool = False) -> FinishedRun:
    """Check a service, which has the mistake `wrong`, with what an organisation that certifies itself knows."""
    is_example = service in PATHS
    tokens = examples.TOKENS if is_example else tuple(domain.TOKENS)
    language = LanguageSelector("none", "") if is_example else LanguageSelector("header", "Accept-Language")
    with SERVICES[service](wrong) as app, served(app, lambda _: None) as origin:
        target = target_of(
            f"{origin}{PATHS.get(service, '')}", tokens, account_is_empty=True, language_selector=language
        )
        session = Session(target, transport=BoundedTransport(bounds=Limits()), in_turn=not threads)
        try:
            return check(session, plan or Plan(), Silent())
        finally:
            session.close()


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_that_conforms_is_not_failed(service: str) -> None:
    report = run(service, threads=True).report

    bad = {row.id: row.findings for row in report.requirements if row.verdict in (Verdict.FAIL, Verdict.WARN)}
    assert bad == {}
    assert report.outcome is Outcome.CONFORMS


@pytest.mark.parametrize(("service", "name"), MISTAKES)
def test_a_mistake_is_found(service: str, name: str) -> None:
    broken = MISTAKES[service, name]

    # Some show in the answers to creations alone.
    row = row_of(run(service, name, plan=only(broken, "4.1-answers-200")).report, broken)

    assert row.verdict is VERDICT_WHEN_BROKEN[catalogue()[broken].level]
