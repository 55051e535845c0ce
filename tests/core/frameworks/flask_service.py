"""The interface on Flask: an application factory with view functions, and requests in memory."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import wraps
from threading import Lock
from typing import Any

from flask import Flask, Response, abort, g, jsonify, request
from werkzeug.exceptions import HTTPException

from . import domain


@dataclass
class DataRequest:
    """A data request as it is stored."""

    owner: str
    data_requested: list[str]
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


def create_app(wrong: str = "") -> Flask:
    """Return the service, with the mistake `wrong` if one is named."""
    app = Flask("libraries")
    requests: dict[str, DataRequest] = {}
    lock = Lock()

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Any:
        if error.code == 404 and wrong == "html-404-page":
            return error  # as without this handler
        if error.code == 401:
            return domain.UNAUTHORIZED, 401
        if error.code == 404 and (request.url_rule or wrong == "uuid-converter-before-token"):
            return domain.NOT_FOUND, 404
        return jsonify(error=error.name, message=error.description), error.code

    def login_required(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def checked(**arguments: str) -> Any:
            credentials = request.authorization
            token = credentials.token if credentials and credentials.type == "bearer" else None
            if token not in domain.TOKENS:
                abort(401)
            g.user = domain.TOKENS[token]
            return view(**arguments)

        return checked

    def document(each: DataRequest) -> Any:
        return {
            "requestId": each.request_id,
            "createdAt": each.created_at.isoformat(),
            "isCompleted": False,
            "dataRequested": each.data_requested,
        }

    def wanted() -> Any:
        if wrong == "get-json-415":
            return request.get_json()
        return request.get_json(force=True) if request.get_data() else list(domain.NAMES)

    @app.post("/requests")
    @login_required
    def create() -> Any:
        types = wanted()
        if not isinstance(types, list) or not types or not all(each in domain.NAMES for each in types):
            return domain.INVALID_DATA_TYPES, 400
        with lock:
            if sum(each.owner == g.user for each in requests.values()) >= domain.LIMIT:
                return domain.LIMIT_REACHED, 400
            made = DataRequest(g.user, list(dict.fromkeys(types)))
            requests[made.request_id] = made
        return jsonify(document(made))

    def find(request_id: str) -> DataRequest:
        found = requests.get(str(request_id))
        if found is None or found.owner != g.user:
            abort(404)
        return found

    one = "/requests/<uuid:request_id>" if wrong == "uuid-converter-before-token" else "/requests/<request_id>"

    @app.get(one)
    @login_required
    def read(request_id: str) -> Any:
        return jsonify(document(find(request_id)))

    @app.delete(one)
    @login_required
    def delete(request_id: str) -> Any:
        with lock:
            del requests[find(request_id).request_id]
        return Response("OK", mimetype="text/plain")

    @app.get("/settings")
    def settings() -> Any:
        return domain.SETTINGS

    @app.get("/data")
    def data() -> Any:
        default = domain.LANGUAGES[0]
        language = request.accept_languages.best_match(domain.LANGUAGES) if request.accept_languages else default
        if language is None:
            return domain.LANGUAGE_NOT_SUPPORTED, 400
        return domain.described(language)

    @app.get("/data/me")
    @login_required
    def data_me() -> Any:
        return domain.account(g.user)

    return app
