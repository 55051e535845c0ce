"""The reference service as an ASGI application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service

MAX_BODY = 8 * 1024 * 1024
"""Bytes of a request body that are read: the interface states no limit."""

Endpoint = Callable[[Request], Awaitable[Response]]


class _Anything(Convertor[str]):
    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("anything", _Anything())


OnError = Callable[[Exception], object]


def build_app(
    config: ReferenceConfig | None = None,
    service_class: type[Service] = Service,
    *,
    on_error: OnError = lambda _: None,
) -> Starlette:
    """Return an application over a fresh service of `service_class`, without any request in it.

    `on_error` gets each exception that escapes from the service's code; the client gets 500.
    """
    config = config or ReferenceConfig()
    service = service_class(config)
    paths: dict[str, Mapping[str, Action]] = {
        "/settings": {"GET": Action.SETTINGS},
        "/data": {"GET": Action.DATA},
        "/data/me": {"GET": Action.DATA_ME},
        "/requests": {"POST": Action.CREATE},
        # Percent-encoding is undone before routing, so an odd identifier may hold slashes and line feeds.
        "/requests/{request_id:anything}": {"GET": Action.READ, "DELETE": Action.DELETE},
    }
    # The first path that fits gets the call.
    paths = {**service.further_paths, **{path: paths[path] for path in paths if path not in service.further_paths}}
    app = Starlette(
        routes=[
            Route(config.path_prefix + path, _endpoint(service, methods), methods=list(methods))
            for path, methods in paths.items()
        ],
        exception_handlers={HTTPException: _outside(service), Exception: _failed(on_error)},
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


def _endpoint(service: Service, methods: Mapping[str, Action]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        operation = methods["GET" if request.method == "HEAD" else request.method]
        call = _call(operation, request)
        if call.authorization:
            # Public calls may run in parallel with others; the machine decides when.
            service.clock.count_a_call()
        try:
            if not await _read_body(request, call):
                return _response(service.conclude(service.refuse(ErrorCondition.TOO_LARGE, call), call))
        except ClientDisconnect:
            return Response(status_code=400)
        return _response(await service.answer(call))

    return endpoint


def _outside(service: Service) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def outside(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        condition = ErrorCondition.METHOD if error.status_code == 405 else ErrorCondition.NO_PATH
        call = _call(Action.OTHER, request)
        reply = service.refuse(condition, call)
        reply.headers |= {name.lower(): value for name, value in (error.headers or {}).items()}
        return _response(service.conclude(reply, call))

    return outside


def _failed(on_error: OnError) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def failed(_: Request, error: Exception) -> Response:
        on_error(error)
        return PlainTextResponse("Internal Server Error", 500)

    return failed


def _call(operation: Action, request: Request) -> Call:
    return Call(
        operation,
        authorization=tuple(request.headers.getlist("authorization")),
        headers=request.headers,
        query=request.query_params,
        path=request.url.path,
        request_id=request.path_params.get("request_id", ""),
    )


async def _read_body(request: Request, call: Call) -> bool:
    chunks = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY:
            return False
        chunks.append(chunk)
    call.body, call.first_piece = b"".join(chunks), next(filter(None, chunks), b"")
    return True


def _response(reply: Reply) -> Response:
    response = Response(reply.body, reply.status, reply.headers)
    if "transfer-encoding" in reply.headers:
        del response.headers["content-length"]
    return response
