"""The example projects of the documentation, on Flask and FastAPI, perhaps with a mistake: a change of their text."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[3] / "docs" / "examples"
TOKENS = ("token-of-alice", "token-of-bob")

MISTAKES: dict[str, dict[str, str]] = {
    "html-404-page": {
        "from flask import Flask": "from flask import abort, Flask",
        'return refusal("Not Found")': "abort(404)",
    },
    "uuid-converter-before-token": {
        "/requests/<request_id>": "/requests/<uuid:request_id>",
        "(request_id: str) -> Any:": "(request_id: Any) -> Any:\n    request_id = str(request_id)",
        "if g.user is None and": "if g.user is None and request.url_rule and",
    },
    "get-json-415": {
        "request.get_json(force=True, silent=True) if request.get_data() else known": "request.get_json()"
    },
    "http-bearer": {
        "from fastapi.responses": "from fastapi.security import HTTPBearer\nfrom fastapi.responses",
        'authorization: Annotated[str, Header()] = ""': "given: Annotated[Any, Depends(HTTPBearer())]",
        'scheme, _, token = authorization.partition(" ")': "scheme, token = given.scheme, given.credentials",
    },
    "required-header": {'authorization: Annotated[str, Header()] = ""': "authorization: Annotated[str, Header()]"},
    "elements-422": {
        "from fastapi.responses": "from fastapi.exceptions import RequestValidationError\nfrom fastapi.responses",
        "except ValidationError:": "except ValidationError as error:",
        'raise Refused("InvalidDataTypes") from None': "raise RequestValidationError(error.errors()) from None",
    },
    "uuid-422": {
        "from uuid import uuid4": "from uuid import UUID, uuid4",
        "request_of(request_id: str": "request_of(request_id: UUID",
        "requests.get(request_id": "requests.get(str(request_id)",
    },
    "null-for-404": {
        'raise Refused("Not Found")': "return None",
        "Depends(request_of)]) -> DataRequest:": "Depends(request_of)]) -> Any:",
        "del requests[found.requestId]": "requests.pop(found and found.requestId, None)",
    },
    "required-language": {"data_types()": "data_types(accept_language: Annotated[str, Header()])"},
}
"""By the name of a mistake, what stands in place of which text."""


def application(name: str, wrong: str) -> Any:
    """Return a fresh application of an example, which has the mistake `wrong` if one is named."""
    text = (FOLDER / name / "service.py").read_text("utf-8")
    for right, other in MISTAKES[wrong].items() if wrong else ():
        assert right in text
        text = text.replace(right, other)
    module = ModuleType(f"example_on_{name}")
    sys.modules[module.__name__] = module  # where pydantic looks for the types of a model
    exec(text, vars(module))
    return module.app
