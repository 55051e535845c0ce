"""The interface on FastAPI: pydantic models, dependencies, and tokens that are signed JWTs."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Annotated, Any, Literal
from uuid import UUID, uuid1

import httpx
from fastapi import Body, Depends, FastAPI, Header, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException

from . import domain, mistakes
from .fastapi_models import DataRequest, DataType, ProperSettings, Settings, WithOneId
from .fastapi_tokens import signed, subject
from .transports import AsgiTransport, Balancer

VARIANTS = {
    "detail-elsewhere": "{'detail': …} answers paths and methods that are none of the interface's",
    "uuid-404": "what is no UUID is found not to be one by the model, and answered like any unknown identifier",
}
"""What conforms as well."""


class Store:
    """The requests of one process, by owner and identifier, and how many each owner has made."""

    def __init__(self) -> None:
        self.requests: dict[tuple[str, str], DataRequest] = {}
        self.counted: Counter[str] = Counter()


class Problem(Exception):
    """An error of the interface."""

    def __init__(self, status: int, body: dict[str, str]) -> None:
        self.status, self.body = status, body


Types = list[Literal["account", "loans", "fines", "réservations"]]


def create_app(wrong: str = "", database: dict[tuple[str, str], DataRequest] | None = None) -> FastAPI:
    """Return the service, with the mistake `wrong` if one is named; `database` is shared by several processes."""
    app = FastAPI()
    process = Store()
    if database is not None:
        process.requests = database

    async def get_store() -> Store:
        return Store() if wrong == "store-per-call" else process

    problem = Problem
    if wrong == "http-exception-detail":
        problem = HTTPException

    @app.exception_handler(Problem)
    async def refused(request: Request, error: Problem) -> JSONResponse:
        return JSONResponse(error.body, error.status)

    @app.exception_handler(StarletteHTTPException)
    async def otherwise(request: Request, error: StarletteHTTPException) -> JSONResponse:
        default = wrong in ("http-bearer", "http-exception-detail", "detail-elsewhere")
        body = {"detail": error.detail} if default else {"error": "Refused", "message": str(error.detail)}
        return JSONResponse(body, error.status_code, error.headers)

    if wrong == "malformed-before-token":

        @app.exception_handler(RequestValidationError)
        async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
            return JSONResponse(domain.INVALID_DATA_TYPES, 400)

    if wrong in ("uuid-404", "uuid-404-message"):

        @app.exception_handler(RequestValidationError)
        async def invalid_identifier(request: Request, error: RequestValidationError) -> JSONResponse:
            own = {"error": "Not Found", "message": error.errors()[0]["msg"]}
            return JSONResponse(domain.NOT_FOUND if wrong == "uuid-404" else own, 404)

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
    OfProcess = Annotated[Store, Depends(get_store)]

    async def admit(user: str, types: list[str], store: Store) -> DataRequest:
        if wrong == "unanchored-pattern":
            known = all(re.search("|".join(domain.NAMES), each) for each in types)
        else:
            known = set(types) <= set(domain.NAMES)
        if not types or not known:
            raise Problem(400, domain.INVALID_DATA_TYPES)
        held = sum(owner == user for owner, _ in store.requests)
        if wrong == "limit-per-process":
            held = store.counted[user]
        if wrong == "await-between":
            await asyncio.sleep(0.05)  # as long as a busy database takes
        if held >= domain.LIMIT:
            raise Problem(429 if wrong == "limit-429" else 400, domain.LIMIT_REACHED)
        model = WithOneId if wrong == "default-called-once" else DataRequest
        made = model(data_requested=list(dict.fromkeys(types)))
        if wrong == "uuid1":
            made.request_id = uuid1()
        if wrong == "timedelta":
            made.expected_completion = timedelta(days=30)
        store.requests[user, str(made.request_id)] = made
        store.counted[user] += 1
        return made

    async def create(request: Request, user: User, store: OfProcess) -> DataRequest:
        body = await request.body()
        try:
            types = TypeAdapter(list[str]).validate_json(body) if body else list(domain.NAMES)
        except ValidationError as error:
            if wrong == "elements-422":
                raise RequestValidationError(error.errors()) from None
            raise Problem(400, domain.INVALID_DATA_TYPES) from None
        return await admit(user, types, store)

    async def create_for_body(
        user: User, store: OfProcess, types: Annotated[list[str] | None, Body()] = None
    ) -> DataRequest:
        return await admit(user, list(domain.NAMES) if types is None else types, store)

    async def create_for_enum(
        user: User, store: OfProcess, types: Annotated[Types | None, Body()] = None
    ) -> DataRequest:
        return await admit(user, list(domain.NAMES) if types is None else types, store)

    endpoint = {"malformed-before-token": create_for_body, "enum-422": create_for_enum}.get(wrong, create)
    shown: dict[str, Any] = {
        "response_model": DataRequest | None,
        "response_model_exclude_none": wrong != "nulls",
    }
    app.post("/requests", **shown)(endpoint)

    Identifier = UUID if wrong.startswith("uuid-4") else str

    def lookup(request_id: Identifier, user: str, store: Store) -> DataRequest:
        found = store.requests.get((user, str(request_id).lower()))
        if found is None and wrong != "null-for-404":
            raise problem(404, domain.NOT_FOUND)
        return found

    async def find(request_id: Identifier, user: User, store: OfProcess) -> DataRequest:
        return lookup(request_id, user, store)

    def find_in_a_thread(request_id: Identifier, user: User, store: OfProcess) -> DataRequest:
        found = lookup(request_id, user, store)
        time.sleep(0.05)  # as long as a busy database takes
        return found

    Existing = Annotated[DataRequest, Depends(find_in_a_thread if wrong == "found-in-a-thread" else find)]

    @app.get("/requests/{request_id}", **shown)
    async def read(found: Existing) -> DataRequest:
        return found

    @app.delete("/requests/{request_id}", response_model=None)
    async def delete(found: Existing, user: User, store: OfProcess) -> Any:
        if wrong != "null-for-404" or found:
            del store.requests[user, str(found.request_id)]
        store.counted[user] -= 1
        return JSONResponse("OK") if wrong == "ok-as-json" else PlainTextResponse("OK")

    @app.get("/settings", response_model=Settings if wrong == "alias-generator" else ProperSettings)
    async def settings() -> Settings:
        return ProperSettings()

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
    database: dict[tuple[str, str], DataRequest] = {}
    workers = mistakes.FASTAPI[wrong].workers if wrong in mistakes.FASTAPI else 1
    yield Balancer([AsgiTransport(create_app(wrong, database)) for _ in range(workers)])
