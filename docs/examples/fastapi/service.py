"""The Data Request Service Interface on FastAPI, with requests in memory, below /api."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Depends, FastAPI, Header, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

TOKENS = {"token-of-alice": "alice", "token-of-bob": "bob"}
MAXIMUM = 5
TYPES = {"orders": "What you ordered.", "messages": "What you wrote to us."}
ERRORS = {
    "MaximumAmountOfRequestsReached": (400, "The maximum amount of requests has been reached."),
    "InvalidDataTypes": (
        400,
        "The data types that were specified do not match the available datatypes for this organisation.",
    ),
    "Unauthorized": (
        401,
        "You are not authorized. Generate authentication tokens via OAuth to access this resource.",
    ),
    "Not Found": (404, "Could not find a data request with this id."),
}


class Refused(Exception):
    """A call that the interface refuses."""


class DataType(BaseModel):
    """A kind of data."""

    type: str
    description: str
    context: str
    processingGround: str = "contract"
    isErasable: bool = True
    isRectifiable: bool = True


class Settings(BaseModel):
    """The settings of the service."""

    forgotPasswordLink: str = "https://service.example/forgot"
    legalEntity: str = "Example Ltd"
    maxNumberOfRequests: int = MAXIMUM
    oAuthClientId: str = "data-requests"
    oAuthUrl: str = "https://login.service.example"
    organisationName: str = "Example"
    privacyPolicy: str = "https://service.example/privacy"
    privacyContactEmail: str = "privacy@service.example"
    supportedLanaguages: list[str] = ["en"]
    termsOfService: str = "https://service.example/terms"


class DataRequest(BaseModel):
    """A data request."""

    requestId: str = Field(default_factory=lambda: str(uuid4()))
    createdAt: datetime = Field(default_factory=lambda: datetime.now(UTC))
    isCompleted: bool = False
    dataRequested: list[str]


app = FastAPI()
router = APIRouter(prefix="/api")
requests: dict[str, tuple[str, DataRequest]] = {}


@app.exception_handler(Refused)
async def refused(_: Request, error: Refused) -> JSONResponse:
    """Answer with an error of the interface."""
    status, message = ERRORS[str(error)]
    return JSONResponse({"error": str(error), "message": message}, status)


async def user_of(authorization: Annotated[str, Header()] = "") -> str:
    """Return the user of a call with a valid token."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or token not in TOKENS:
        raise Refused("Unauthorized")
    return TOKENS[token]


User = Annotated[str, Depends(user_of)]


async def request_of(request_id: str, user: User) -> DataRequest:
    """Return a data request of the user."""
    owner, found = requests.get(request_id, ("", None))
    if found is None or owner != user:
        raise Refused("Not Found")
    return found


async def types_of(request: Request, _: User) -> list[str]:
    """Return the types in the body, which FastAPI itself would read before it looks at the token."""
    body = await request.body()
    try:
        types = TypeAdapter(list[str]).validate_json(body) if body else list(TYPES)
    except ValidationError:
        raise Refused("InvalidDataTypes") from None
    if not types or not TYPES.keys() >= set(types):
        raise Refused("InvalidDataTypes")
    return types


@router.get("/settings")
async def settings() -> Settings:
    """Return the settings."""
    return Settings()


@router.get("/data")
async def data_types() -> list[DataType]:
    """Return the data types."""
    base = "https://service.example/types/"
    return [DataType(type=name, description=text, context=base + name) for name, text in TYPES.items()]


@router.get("/data/me")
async def data_of_the_user(user: User) -> dict[str, Any]:
    """Return the account of the user."""
    return {"account": user, "types": list(TYPES)}


@router.post("/requests")
async def create(user: User, types: Annotated[list[str], Depends(types_of)]) -> DataRequest:
    """Create a data request for the types in the body; without a body, for all."""
    if [owner for owner, _ in requests.values()].count(user) >= MAXIMUM:
        raise Refused("MaximumAmountOfRequestsReached")
    created = DataRequest(dataRequested=types)
    requests[created.requestId] = user, created
    return created


@router.get("/requests/{request_id}")
async def read(found: Annotated[DataRequest, Depends(request_of)]) -> DataRequest:
    """Return a data request of the user."""
    return found


@router.delete("/requests/{request_id}")
async def cancel(found: Annotated[DataRequest, Depends(request_of)]) -> PlainTextResponse:
    """Delete a data request of the user."""
    del requests[found.requestId]
    return PlainTextResponse("OK")


app.include_router(router)
