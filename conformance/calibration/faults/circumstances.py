"""Faults that show under one circumstance only, and faults that must not hide another fault."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from conformance.calibration.sources import DOCKER_SHORT_IDS, EXPRESS_404, JAVA_DATE_FORMAT
from conformance.calibration.variant import fault
from conformance.model.target import LanguageSelector
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("5.3-create-without-token", source="4.1, item 2")
class _CreateWithoutABodyNeedsNoToken(Service):
    """The filter for tokens is bound to the type of the body: a call without a body passes it."""

    def authenticate(self, call: Call) -> User | None:
        free = call.operation is Action.CREATE and not call.body and not call.authorization
        return self.config.users[0] if free else super().authenticate(call)


@fault("7-not-found", source=DOCKER_SHORT_IDS)
class _FoundByItsBeginning(Service):
    """The store looks for keys that begin with the given text, as for the short names of commits."""

    def find(self, call: Call) -> DataRequest:
        mine = self.store.of(call.owner)
        return next((each for each in mine if each.id.startswith(call.request_id)), None) or super().find(call)


@fault("2.1-createdAt-value", source=JAVA_DATE_FORMAT)
class _CreatedAtIsLocalTimeWithZ(Service):
    """The local time, two hours ahead of UTC, with the suffix Z."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        wall = self.timestamp(request.created_at + timedelta(hours=2))
        return super().document(request, call) | {"createdAt": wall}


@fault("4.3-answers-ok", "7-not-found-message", "3-deletes-completed", source=EXPRESS_404)
class _NoDeletionIsRouted(Service):
    """The route for DELETE is missing, and the framework answers 404 with its own message."""

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        raise RefusedError(ErrorCondition.NO_PATH)


@fault(
    "7-language-not-supported-error",
    "2.3-supportedLanaguages",
    "1.4-every-parameter",
    run={"language_selector": LanguageSelector("header", "Accept-Language")},
    source="2.3, table, row 9, Meaning, sentence 1",
)
class _LanguagesMissingAndRefusedAsUnsupported(Service):
    """The settings list no languages, and the error for an unsupported language has its own name."""

    def settings(self, call: Call) -> Any:
        document = super().settings(call)
        del document["supportedLanaguages"]
        return document

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        document = super().error(condition, call)
        return document | {"error": "UnsupportedLanguage"} if condition is ErrorCondition.LANGUAGE else document
