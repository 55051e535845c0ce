"""The interface on Litestar: a controller, msgspec structs, and an authentication middleware."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec
from litestar import Controller, Litestar, MediaType, Request, Response, delete, get, post
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.exceptions import HTTPException, NotAuthorizedException, NotFoundException, ValidationException
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult, DefineMiddleware

from . import domain


class DataRequest(msgspec.Struct, rename="camel"):
    """A data request (2.1)."""

    request_id: str
    created_at: datetime
    is_completed: bool
    data_requested: list[str]


class Authentication(AbstractAuthenticationMiddleware):
    """Looks up bearer tokens."""

    async def authenticate_request(self, connection: ASGIConnection) -> AuthenticationResult:
        """Return the user of the token; raise NotAuthorizedException without one."""
        return AuthenticationResult(user_of(connection), auth=None)


def user_of(connection: ASGIConnection) -> str:
    """Return the user of the token; raise NotAuthorizedException without one."""
    user = domain.user_of(connection.headers.get("authorization", ""))
    if user is None:
        raise NotAuthorizedException
    return user


class Refused(HTTPException):
    """A 400 of the interface, with its error object."""

    def __init__(self, problem: dict[str, str]) -> None:
        super().__init__(status_code=400, extra=problem)


def error_handlers(wrong: str) -> dict[Any, Any]:
    """Return the exception handlers of the service."""

    def answering(problem: dict[str, str], status: int) -> Any:
        return lambda _request, _error: Response(problem, status_code=status)

    def refused(_request: Request, error: Refused) -> Response:
        return Response(error.extra, status_code=error.status_code)

    def otherwise(_request: Request, error: HTTPException) -> Response:
        return Response({"error": "Refused", "message": error.detail}, status_code=error.status_code)

    others = {
        NotAuthorizedException: answering(domain.UNAUTHORIZED, 401),
        NotFoundException: answering(domain.NOT_FOUND, 404),
        ValidationException: answering(domain.INVALID_DATA_TYPES, 400),
        HTTPException: otherwise,
    }
    return {Refused: refused} if wrong == "default-errors" else {Refused: refused, **others}


def controller(wrong: str) -> type[Controller]:
    """Return the controller of data requests, with the mistake `wrong` if one is named."""
    requests: dict[tuple[str, str], Any] = {}

    def admit(user: str, types: list[str] | None) -> Response:
        types = list(domain.NAMES) if types is None else types
        if not set(types) <= set(domain.NAMES):
            raise Refused(domain.INVALID_DATA_TYPES)
        if sum(owner == user for owner, _ in requests) >= domain.LIMIT:
            raise Refused(domain.LIMIT_REACHED)
        types = list(dict.fromkeys(types))
        made = DataRequest(str(uuid4()), datetime.now(UTC), is_completed=False, data_requested=types)
        requests[user, made.request_id] = made
        return made

    async def user(request: Request) -> str:
        return user_of(request)

    Identifier = UUID if wrong == "uuid-parameter" else str
    one = "/{request_id:uuid}" if wrong == "uuid-parameter" else "/{request_id:str}"

    class DataRequests(Controller):
        path = "/requests"
        dependencies = {"user": Provide(user)}
        if wrong != "token-dependency":
            middleware = [DefineMiddleware(Authentication)]

        @post(status_code=200)
        async def create(self, user: str, data: list[str] | None = None) -> Any:
            return admit(user, data)

        if wrong == "required-data":

            @post(status_code=200)
            async def create(self, user: str, data: list[str]) -> Any:
                return admit(user, data)

        @get(one)
        async def read(self, user: str, request_id: Identifier) -> Any:
            if (user, str(request_id)) not in requests:
                raise NotFoundException
            return requests[user, str(request_id)]

        @delete(one, status_code=200, media_type=MediaType.TEXT)
        async def remove(self, user: str, request_id: Identifier) -> str:
            if requests.pop((user, str(request_id)), None) is None:
                raise NotFoundException
            return "OK"

    return DataRequests


def create_app(wrong: str = "") -> Litestar:
    """Return the service, with the mistake `wrong` if one is named."""

    @get("/settings")
    async def settings() -> dict[str, Any]:
        return domain.SETTINGS

    @get("/data")
    async def data(request: Request) -> Any:
        language = domain.language_of(request.headers.get("accept-language", ""))
        if language is None:
            raise Refused(domain.LANGUAGE_NOT_SUPPORTED)
        return domain.described(language)

    @get("/data/me", middleware=[DefineMiddleware(Authentication)])
    async def data_me(request: Request) -> dict[str, Any]:
        return domain.account(request.user)

    return Litestar(
        [controller(wrong), settings, data, data_me],
        exception_handlers=error_handlers(wrong),
        logging_config=None,
        openapi_config=None,
    )
