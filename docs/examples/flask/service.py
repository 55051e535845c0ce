"""The Data Request Service Interface on Flask, with requests in memory."""

from __future__ import annotations

from datetime import UTC, datetime
from threading import Lock
from typing import Any
from uuid import uuid4

from flask import Flask, Response, g, jsonify, request

TOKENS = {"token-of-alice": "alice", "token-of-bob": "bob"}
MAXIMUM = 5
TYPES = [
    {
        "type": name,
        "description": description,
        "context": f"https://service.example/types/{name}",
        "processingGround": "contract",
        "isErasable": True,
        "isRectifiable": True,
    }
    for name, description in (("orders", "What you ordered."), ("messages", "What you wrote to us."))
]
SETTINGS = {
    "forgotPasswordLink": "https://service.example/forgot",
    "legalEntity": "Example Ltd",
    "maxNumberOfRequests": MAXIMUM,
    "oAuthClientId": "data-requests",
    "oAuthUrl": "https://login.service.example",
    "organisationName": "Example",
    "privacyPolicy": "https://service.example/privacy",
    "privacyContactEmail": "privacy@service.example",
    "supportedLanaguages": ["en"],
    "termsOfService": "https://service.example/terms",
}
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

app = Flask(__name__)
requests: dict[str, dict[str, Any]] = {}
owners: dict[str, str] = {}
lock = Lock()


def refusal(error: str) -> tuple[Response, int]:
    """Return an error of the interface."""
    status, message = ERRORS[error]
    return jsonify(error=error, message=message), status


@app.before_request
def authenticate() -> Any:
    """Refuse calls of data requests without a valid token."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    g.user = TOKENS.get(token) if scheme.lower() == "bearer" else None
    if g.user is None and request.path.startswith("/requests"):
        return refusal("Unauthorized")
    return None


@app.get("/settings")
def settings() -> Any:
    """Return the settings."""
    return jsonify(SETTINGS)


@app.get("/data")
def data_types() -> Any:
    """Return the data types."""
    return jsonify(TYPES)


@app.get("/data/me")
def data_of_the_user() -> Any:
    """Return the account of the user."""
    return jsonify(account=g.user, types=[each["type"] for each in TYPES]) if g.user else refusal("Unauthorized")


@app.post("/requests")
def create() -> Any:
    """Create a data request for the types in the body; without a body, for all."""
    known = [each["type"] for each in TYPES]
    wanted = request.get_json(force=True, silent=True) if request.get_data() else known
    if not isinstance(wanted, list) or not wanted or any(each not in known for each in wanted):
        return refusal("InvalidDataTypes")
    with lock:
        if list(owners.values()).count(g.user) >= MAXIMUM:
            return refusal("MaximumAmountOfRequestsReached")
        created = {
            "requestId": str(uuid4()),
            "createdAt": datetime.now(UTC).isoformat(),
            "isCompleted": False,
            "dataRequested": wanted,
        }
        requests[created["requestId"]], owners[created["requestId"]] = created, g.user
    return jsonify(created)


@app.get("/requests/<request_id>")
def read(request_id: str) -> Any:
    """Return a data request of the user."""
    if owners.get(request_id) != g.user:
        return refusal("Not Found")
    return jsonify(requests[request_id])


@app.delete("/requests/<request_id>")
def cancel(request_id: str) -> Any:
    """Delete a data request of the user."""
    with lock:
        if owners.get(request_id) != g.user:
            return refusal("Not Found")
        del requests[request_id], owners[request_id]
    return Response("OK", mimetype="text/plain")
