"""An application is loaded by its name, served in this process, and its exceptions are kept."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from conformance.application.loading import Name, Unusable, load
from conformance.application.serving import served
from conformance.model.raised import Raised


def _wrong(_: Any = None) -> Any:
    raise LookupError("no such table")


def flask_app() -> Flask:
    app = Flask("test")
    app.add_url_rule("/fine", view_func=lambda: "fine", endpoint="fine")
    app.add_url_rule("/wr%ong é", view_func=_wrong, methods=["POST"])
    return app


def starlette_app() -> Starlette:
    async def fine(_: Request) -> PlainTextResponse:
        return PlainTextResponse("fine")

    return Starlette(routes=[Route("/fine", fine), Route("/wr%ong é", _wrong, methods=["POST"])])


def flask_app_with_a_handler() -> Flask:
    """The handler hides the exception from the log, and the answer begins after it."""
    app = flask_app()
    app.register_error_handler(Exception, lambda _: ({"error": "Internal", "message": "It failed."}, 500))
    return app


def starlette_app_with_a_handler() -> Starlette:
    app = starlette_app()
    app.add_exception_handler(LookupError, lambda *_: PlainTextResponse("It failed.", 500))
    return app


@pytest.mark.parametrize("make", [flask_app, starlette_app, flask_app_with_a_handler, starlette_app_with_a_handler])
def test_an_application_answers_and_its_exceptions_are_kept(make: Any) -> None:
    app, kept = make(), list[Raised]()
    with served(app, kept.append) as origin:
        assert httpx.get(f"{origin}/fine").text == "fine"
        assert httpx.post(f"{origin}/wr%25ong%20%C3%A9").status_code == 500
        assert httpx.get(f"{origin}/fine").text == "fine"
    (raised,) = kept
    assert (raised.method, raised.path) == ("POST", "/wr%ong é")
    assert "LookupError: no such table" in raised.traceback
    assert "in _wrong" in raised.traceback
    assert "handle_user_exception" not in vars(app)
    with pytest.raises(httpx.ConnectError):
        httpx.get(origin)


def test_the_log_keeps_the_tracebacks_that_belong_to_no_call(caplog: pytest.LogCaptureFixture) -> None:
    kept: list[Raised] = []
    with served(flask_app(), kept.append) as origin:
        httpx.post(f"{origin}/wr%25ong%20%C3%A9")
        try:
            _wrong()
        except LookupError:
            logging.getLogger("other").exception("elsewhere")
    texts = {record.message: record.exc_info is not None for record in caplog.records if record.name != "httpx"}
    assert texts == {"Exception on /wr%ong é [POST]": False, "elsewhere": True}
    assert len(kept) == 1


def test_an_application_that_does_not_start_is_refused_with_its_exception() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        if seen == ["began", "ended"]:
            raise LookupError("no database")
        seen.append("began")
        yield
        seen.append("ended")

    app = Starlette(lifespan=lifespan)
    with served(app, lambda _: None):
        assert seen == ["began"]
    with pytest.raises(Unusable, match=r"(?s)does not start.*LookupError: no database"), served(app, lambda _: None):
        pass


# ------------------------------------------------------------------ loading


@pytest.mark.parametrize(
    ("text", "place", "is_factory", "path"),
    [
        ("service:app", "service:app", False, ""),
        ("service.main:app/api/v1/", "service.main:app", False, "/api/v1"),
        ("service:create_app()/x", "service:create_app", True, "/x"),
        ("service:applications.main", "service:applications.main", False, ""),
    ],
)
def test_a_name_has_a_place_and_a_path(text: str, place: str, is_factory: bool, path: str) -> None:
    assert Name.parse(text) == Name(place, is_factory, path)


def test_an_application_and_a_factory_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "drsi_loaded.py").write_text("def app(environ, start_response): pass\ndef make(): return app\n")
    assert load(Name.parse("drsi_loaded:app")) is load(Name.parse("drsi_loaded:make()"))
