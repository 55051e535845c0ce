from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from conformance.application.loading import Name, is_asgi, load
from conformance.model.errors import ConfigurationFault


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


@pytest.mark.parametrize("text", ["", "service", "service:", ":app", "service:app?x", "service:app(1)", "a b:c"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigurationFault, match=r"Expected MODULE:NAME, such as service\.main:app"):
        Name.parse(text)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    monkeypatch.syspath_prepend(tmp_path)
    return lambda name, text: (tmp_path / f"{name}.py").write_text(text, "utf-8") and None


def test_an_application_and_a_factory_are_loaded(written: Callable[[str, str], None]) -> None:
    written("drsi_loaded", "def app(environ, start_response): pass\ndef make(): return app\n")
    assert load(Name.parse("drsi_loaded:app")) is load(Name.parse("drsi_loaded:make()"))


async def _coroutine(scope: Any, receive: Any, send: Any) -> None: ...


def _wsgi(environ: Any, start_response: Any) -> Any: ...


class _Wsgi:
    def __call__(self, environ: Any, start_response: Any) -> Any: ...


@pytest.mark.parametrize(
    ("app", "asgi"),
    [
        (_coroutine, True),
        (Starlette(), True),
        (lambda scope, receive, send: _coroutine(scope, receive, send), True),
        (_wsgi, False),
        (_Wsgi(), False),
        (_Wsgi().__call__, False),
    ],
)
def test_both_kinds_of_applications_are_told_apart(app: Any, asgi: bool) -> None:
    assert is_asgi(app) is asgi
