"""The interface on FastAPI: a pydantic model, and dependencies."""

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from fastapi import Depends, FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from starlette.exceptions import HTTPException as StarletteHTTPException

from . import domain


class DataRequest(BaseModel):
    """A data request, as it is stored and shown."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    request_id: UUID = Field(default_factory=uuid4)
    created_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    expected_completion: datetime | None = None
    is_completed: bool = False
    completed_at: datetime | None = None
    data_requested: list[str]


class Problem(Exception):
    """An error of the interface."""

    def __init__(self, status: int, body: dict[str, str]) -> None:
        self.status, self.body = status, body


def create_app(wrong: str = "") -> FastAPI:
    """Return the service, with the mistake `wrong` if one is named."""
    app = FastAPI()
    requests: dict[tuple[str, str], DataRequest] = {}

    @app.exception_handler(Problem)
    async def refused(request: Request, error: Problem) -> JSONResponse:
        return JSONResponse(error.body, error.status)

    @app.exception_handler(StarletteHTTPException)
    async def otherwise(request: Request, error: StarletteHTTPException) -> JSONResponse:
        default = wrong == "http-bearer"
        body = {"detail": error.detail} if default else {"error": "Refused", "message": str(error.detail)}
        return JSONResponse(body, error.status_code, error.headers)

    async def by_header(authorization: Annotated[str, Header()] = "") -> str:
        name = domain.user_of(authorization)
        if name is None:
            raise Problem(401, domain.UNAUTHORIZED)
        return name

    async def by_required_header(authorization: Annotated[str, Header()]) -> str:
        return await by_header(authorization)

    async def by_bearer(credentials: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]) -> str:
        return await by_header(f"{credentials.scheme} {credentials.credentials}")

    current_user = {"required-header": by_required_header, "http-bearer": by_bearer}.get(wrong, by_header)
    User = Annotated[str, Depends(current_user)]

    shown: dict[str, Any] = {"response_model": DataRequest | None, "response_model_exclude_none": True}

    @app.post("/requests", **shown)
    async def create(request: Request, user: User) -> DataRequest:
        body = await request.body()
        try:
            types = TypeAdapter(list[str]).validate_json(body) if body else list(domain.NAMES)
        except ValidationError as error:
            if wrong == "elements-422":
                raise RequestValidationError(error.errors()) from None
            raise Problem(400, domain.INVALID_DATA_TYPES) from None
        if not types or not set(types) <= set(domain.NAMES):
            raise Problem(400, domain.INVALID_DATA_TYPES)
        if sum(owner == user for owner, _ in requests) >= domain.LIMIT:
            raise Problem(400, domain.LIMIT_REACHED)
        made = DataRequest(data_requested=list(dict.fromkeys(types)))
        requests[user, str(made.request_id)] = made
        return made

    Identifier = UUID if wrong == "uuid-422" else str

    async def find(request_id: Identifier, user: User) -> DataRequest:
        found = requests.get((user, str(request_id).lower()))
        if found is None and wrong != "null-for-404":
            raise Problem(404, domain.NOT_FOUND)
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
    async def settings() -> dict[str, Any]:
        return domain.SETTINGS

    async def data(accept_language: Annotated[str, Header()] = "") -> list[dict[str, Any]]:
        language = domain.language_of(accept_language)
        if language is None:
            raise Problem(400, domain.LANGUAGE_NOT_SUPPORTED)
        return domain.described(language)

    async def data_for_required(accept_language: Annotated[str, Header()]) -> list[dict[str, Any]]:
        return await data(accept_language)

    app.get("/data")(data_for_required if wrong == "required-language" else data)

    @app.get("/data/me")
    async def data_me(user: User) -> dict[str, Any]:
        return domain.account(user)

    return app
