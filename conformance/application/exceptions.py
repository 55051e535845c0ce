"""The exceptions of an application: those that it raises, and those that its framework catches and logs."""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from conformance.model.raised import Raised

_HANDLERS: Final = ("handle_user_exception", "handle_request_handler_exception")
"""Methods of applications of Flask and Quart, and of BlackSheep, that get each exception of a view as last argument."""

_LONGEST: Final = 20_000
"""Characters of a traceback; its end says most."""


@dataclass
class _Call:
    method: str
    path: str
    began: float = field(default_factory=time.time)
    known: list[BaseException] = field(default_factory=list)


_CALL: ContextVar[_Call | None] = ContextVar("drsi_call", default=None)
"""The call that is under way."""


class Watch:
    """Hands the exceptions of an application to `keep`, from whatever thread they come."""

    def __init__(self, keep: Callable[[Raised], object]) -> None:
        self._keep = keep
        self.startup = ""
        """Why an ASGI application did not start."""

    def asgi(self, app: Any) -> Any:
        """Return an ASGI application around `app`."""

        async def watched(scope: Any, receive: Any, send: Any) -> None:
            async def sent(message: Any) -> None:
                if message["type"] == "lifespan.startup.failed":
                    self.startup = message.get("message", "")
                await send(message)

            async def answered(message: Any) -> None:
                if message["type"] == "http.response.start":
                    self._note_handled(message["status"])
                await send(message)

            if scope["type"] == "http":
                with self._call(scope["method"], scope["path"]):
                    await app(scope, receive, answered)
            else:
                await app(scope, receive, sent)

        return watched

    def wsgi(self, app: Any) -> Any:
        """Return a WSGI application around `app`."""

        def watched(environ: Any, start_response: Any) -> Any:
            path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")  # PEP 3333

            def answered(status: str, *more: Any) -> Any:
                self._note_handled(int(status[:3]))
                return start_response(status, *more)

            with self._call(environ["REQUEST_METHOD"], path):
                return app(environ, answered)

        return watched

    @contextmanager
    def _call(self, method: str, path: str) -> Iterator[None]:
        token = _CALL.set(_Call(method, path))
        try:
            yield
        except Exception as error:
            self._note(error)
            raise
        finally:
            _CALL.reset(token)

    @contextmanager
    def handled(self, app: Any) -> Iterator[None]:
        """Note each exception that the framework of `app` hands to a handler of its own, for the time of the context.

        In Flask, Quart and BlackSheep the handler returns before the answer begins, so that nothing else shows it.
        """
        with ExitStack() as restoring:
            for name in _HANDLERS:
                if (handle := getattr(app, name, None)) is not None:
                    setattr(app, name, partial(self._hand_over, handle))
                    restoring.callback(delattr, app, name)
            yield

    def _hand_over(self, handle: Callable[..., Any], *given: Any) -> Any:
        error = given[-1]
        if getattr(error, "code", getattr(error, "status", 500)) in (None, 500):  # others are answers, such as a 404
            self._note(error)
        return handle(*given)

    def _note_handled(self, status: int) -> None:
        """Note the exception that is being handled while a server error is sent: frameworks answer in their handler."""
        error = sys.exc_info()[1]
        if status >= 500 and error is not None:
            self._note(error)

    @contextmanager
    def logged(self) -> Iterator[None]:
        """Note each exception that is logged as an error, for the time of the context."""
        before = logging.getLogRecordFactory()

        def made(*args: Any, **options: Any) -> logging.LogRecord:
            record = before(*args, **options)
            error = record.exc_info[1] if record.exc_info else None
            if error is not None and record.levelno >= logging.ERROR and self._note(error):
                record.exc_info = None  # the report has the traceback, and a run makes many calls
            return record

        logging.setLogRecordFactory(made)
        try:
            yield
        finally:
            logging.setLogRecordFactory(before)

    def _note(self, error: BaseException) -> bool:
        """Hand over an exception of a call, once; return whether it is one."""
        call = _CALL.get()
        if call is not None and not any(error is each for each in call.known):
            call.known.append(error)
            text = "".join(traceback.format_exception(error))[-_LONGEST:]
            self._keep(Raised(call.method, call.path, call.began, text))
        return call is not None
