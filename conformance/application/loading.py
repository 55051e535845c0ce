"""The name of an application, and its code."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import traceback
import zlib
from dataclasses import dataclass
from typing import Any

from conformance.model.errors import ConfigurationFault

_NAME = re.compile(r"(?P<place>[\w.]+:[\w.]+)(?P<call>\(\))?(?P<path>(/[^/?#]+)*)/?")


class Unusable(Exception):
    """An application that cannot be loaded or started."""


@dataclass(frozen=True)
class Name:
    """The name of an application, such as "service.main:app", "service:create_app()" or "service:app/api/v1"."""

    place: str
    is_factory: bool
    path: str
    """The path below which the application has the paths of the interface; empty or with a slash in front."""

    @classmethod
    def parse(cls, text: str) -> Name:
        """Return the name that `text` is; raise ConfigurationFault for another text."""
        found = _NAME.fullmatch(text)
        if found is None:
            raise ConfigurationFault(
                f"{text!r} names no application. Expected MODULE:NAME, such as service.main:app, or MODULE:FACTORY(), "
                "and perhaps the path of the interface behind it, such as service.main:app/api/v1."
            )
        return cls(found["place"], bool(found["call"]), found["path"])


def port_of(name: str) -> int:
    """Return a port that is always the same for a name, so that runs of the same application have one address."""
    return 20_000 + zlib.crc32(name.encode()) % 10_000


def load(name: Name) -> Any:
    """Return the application; raise Unusable if its code does not give one."""
    try:
        app = pkgutil.resolve_name(name.place)
        app = app() if name.is_factory else app
    except Exception as error:
        raise Unusable(f"{name.place} cannot be loaded.\n{_in_words(error)}") from None
    if not callable(app):
        raise Unusable(
            f"{name.place} is no application: it is of the type {type(app).__name__}, which is not callable."
        )
    return app


def _in_words(error: Exception) -> str:
    """Return an exception, with a traceback where code of the application raised it."""
    of_python = (__file__, pkgutil.__file__, importlib.__file__)
    files = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
    is_ours = all(file in of_python or file.startswith("<frozen importlib") for file in files)
    return str(error) if is_ours else "".join(traceback.format_exception(error)).rstrip()


def is_asgi(app: Any) -> bool:
    """Tell an ASGI application from a WSGI application."""
    call = app if inspect.isfunction(app) or inspect.ismethod(app) else type(app).__call__
    if inspect.iscoroutinefunction(call):
        return True
    try:
        inspect.signature(app).bind("scope", "receive", "send")
    except (TypeError, ValueError):
        return False
    return True
