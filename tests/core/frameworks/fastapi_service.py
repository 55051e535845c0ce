"""The interface on FastAPI: pydantic models, dependencies, and tokens that are signed JWTs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal
from uuid import UUID

import httpx
from fastapi import Body, Depends, FastAPI, Header, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException

from . import domain
from .fastapi_models import DataRequest, DataType, Settings
from .fastapi_tokens import signed, subject
from .transports import AsgiTransport


class Problem(Exception):
    """An error of the interface."""

    def __init__(self, status: int, body: dict[str, str]) -> None:
        self.status, self.body = status, body


Types = list[Literal["account", "loans", "fines", "réservations"]]


def create_app(wrong: str = "") -> FastAPI:
    """Return the service, with the mistake `wrong` if one is named."""
    app = FastAPI()
    requests: dict[tuple[str, str], DataRequest] = {}

    problem = Problem
    if wrong == "http-exception-detail":
        problem = HTTPException

    @app.exception_handler(Problem)
    async def refused(request: Request, error: Problem) -> JSONResponse:
        return JSONResponse(error.body, error.status)

    @app.exception_handler(StarletteHTTPException)
    async def otherwise(request: Request, error: StarletteHTTPException) -> JSONResponse:
        default = wrong in ("http-bearer", "http-exception-detail")
        body = {"detail": error.detail} if default else {"error": "Refused", "message": str(error.detail)}
        return JSONResponse(body, error.status_code, error.headers)

    if wrong == "malformed-before-token":

        @app.exception_handler(RequestValidationError)
        async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
            return JSONResponse(domain.INVALID_DATA_TYPES, 400)

    if wrong == "uuid-404-message":

        @app.exception_handler(RequestValidationError)
        async def invalid_identifier(request: Request, error: RequestValidationError) -> JSONResponse:
            return JSONResponse({"error": "Not Found", "message": error.errors()[0]["msg"]}, 404)

    def user_of(token: str) -> str:
        name = subject(token, wrong)
        if name is None:
            raise Problem(401, domain.UNAUTHORIZED)
        return name

    async def by_header(authorization: Annotated[str | None, Header()] = None) -> str:
        scheme, _, token = (authorization or "").partition(" ")
        return user_of(token if scheme.lower() == "bearer" else "")

    async def by_required_header(authorization: Annotated[str, Header()]) -> str:
        return await by_header(authorization)

    async def by_bearer(credentials: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]) -> str:
        return user_of(credentials.credentials)

    current_user = {"required-header": by_required_header, "http-bearer": by_bearer}.get(wrong, by_header)
    User = Annotated[str, Depends(current_user)]

    async def admit(user: str, types: list[str]) -> DataRequest:
        if not types or not set(types) <= set(domain.NAMES):
            raise Problem(400, domain.INVALID_DATA_TYPES)
        if sum(owner == user for owner, _ in requests) >= domain.LIMIT:
            raise Problem(400, domain.LIMIT_REACHED)
        made = DataRequest(data_requested=list(dict.fromkeys(types)))
        requests[user, str(made.request_id)] = made
        return made

    async def create(request: Request, user: User) -> DataRequest:
        body = await request.body()
        try:
            types = TypeAdapter(list[str]).validate_json(body) if body else list(domain.NAMES)
        except ValidationError as error:
            if wrong == "elements-422":
                raise RequestValidationError(error.errors()) from None
            raise Problem(400, domain.INVALID_DATA_TYPES) from None
        return await admit(user, types)

    async def create_for_body(user: User, types: Annotated[list[str] | None, Body()] = None) -> DataRequest:
        return await admit(user, list(domain.NAMES) if types is None else types)

    async def create_for_enum(user: User, types: Annotated[Types | None, Body()] = None) -> DataRequest:
        return await admit(user, list(domain.NAMES) if types is None else types)

    endpoint = {"malformed-before-token": create_for_body, "enum-422": create_for_enum}.get(wrong, create)
    shown: dict[str, Any] = {
        "response_model": DataRequest | None,
        "response_model_exclude_none": True,
    }
    app.post("/requests", **shown)(endpoint)

    Identifier = UUID if wrong.startswith("uuid-4") else str

    async def find(request_id: Identifier, user: User) -> DataRequest:
        found = requests.get((user, str(request_id).lower()))
        if found is None and wrong != "null-for-404":
            raise problem(404, domain.NOT_FOUND)
        return found

    Existing = Annotated[DataRequest, Depends(find)]

    @app.get("/requests/{request_id}", **shown)
    async def read(found: Existing) -> DataRequest:
        return found

    @app.delete("/requests/{request_id}", response_model=None)
    async def delete(found: Existing, user: User) -> Any:
        if wrong != "null-for-404" or found:
            del requests[user, str(found.request_id)]
        return PlainTextResponse("OK")

    @app.get("/settings")
    async def settings() -> Settings:
        return Settings()

    def described(language: str) -> list[DataType]:
        return [
            DataType(
                type=each.type,
                description=each.descriptions[language],
                is_erasable=each.is_erasable,
                is_rectifiable=each.is_rectifiable,
            )
            for each in domain.DATA_TYPES
        ]

    async def data(accept_language: Annotated[str | None, Header()] = None) -> list[DataType]:
        asked = (accept_language or "*").split(",")[0].split(";")[0].strip().lower()
        language = domain.LANGUAGES[0] if asked == "*" else asked.split("-")[0]
        if language not in domain.LANGUAGES:
            raise Problem(400, domain.LANGUAGE_NOT_SUPPORTED)
        return described(language)

    async def data_for_required(accept_language: Annotated[str, Header()]) -> list[DataType]:
        return await data(accept_language)

    async def data_for_literal(
        accept_language: Annotated[Literal["en", "nl", "de"], Header()] = "en",
    ) -> list[DataType]:
        return described(accept_language)

    app.get("/data")({"required-language": data_for_required, "language-literal": data_for_literal}.get(wrong, data))

    @app.get("/data/me")
    async def data_me(user: User) -> dict[str, Any]:
        return {"account": {"name": user}, "types": list(domain.NAMES)}

    return app


USERS = tuple(signed({"sub": name, "scope": "requests"}) for name in ("alice", "bob"))


@contextmanager
def serve(wrong: str = "") -> Iterator[httpx.BaseTransport]:
    """Give a transport to a fresh service."""
    yield AsgiTransport(create_app(wrong))
