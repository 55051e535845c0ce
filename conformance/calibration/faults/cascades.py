"""Faults that stand behind another one: the first must not hide the second."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.calibration.operators import renamed
from conformance.calibration.variant import fault
from conformance.model.target import LanguageSelector
from conformance.reference.call import Call, Reply
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault(
    "7-language-not-supported-message",
    "2.3-supportedLanaguages",
    "1.4-every-parameter",
    run={"language_selector": LanguageSelector("header", "Accept-Language")},
)
class _LanguagesMisspeltAndRefusedWithAFullStop(Service):
    """The name of the setting is corrected, and the message of a refused language gets a full stop."""

    def settings(self, call: Call) -> Any:
        return renamed("supportedLanaguages", "supportedLanguages")(super().settings(call))

    def error(self, condition: Condition, call: Call) -> Any:
        document = super().error(condition, call)
        return document | {"message": document["message"] + "."} if condition is Condition.LANGUAGE else document


@fault(
    "7-language-not-supported-error",
    "2.3-supportedLanaguages",
    "1.4-every-parameter",
    run={"language_selector": LanguageSelector("header", "Accept-Language")},
)
class _LanguagesMissingAndRefusedAsUnsupported(Service):
    """The settings list no languages, and a refused language has an error of its own."""

    def settings(self, call: Call) -> Any:
        document = super().settings(call)
        del document["supportedLanaguages"]
        return document

    def error(self, condition: Condition, call: Call) -> Any:
        document = super().error(condition, call)
        return document | {"error": "UnsupportedLanguage"} if condition is Condition.LANGUAGE else document


@fault("8-limit-enforced", "2.3-maxNumberOfRequests", "8-limit-enforced-in-parallel", "7-limit-reached")
class _LimitIsTextAndNotEnforced(Service):
    """The limit is published as text, and compared with nothing."""

    def settings(self, call: Call) -> Any:
        document = super().settings(call)
        return document | {"maxNumberOfRequests": str(document["maxNumberOfRequests"])}

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002 always
        return True


@fault("7-invalid-data-types-error", "7-invalid-data-types-message", "2.4-error")
class _UnknownTypesCountAsTooMany(Service):
    """Every refused creation goes through one handler, which knows the error of the limit only."""

    def error(self, condition: Condition, call: Call) -> Any:
        return super().error(Condition.LIMIT if condition is Condition.DATA_TYPES else condition, call)


@fault("7-invalid-data-types")
class _EmptyTypeIsAccepted(Service):
    """Empty strings are dropped before the types are compared: a form sends them for boxes without a tick."""

    def types_match(self, wanted: list[Any]) -> bool:
        return super().types_match([each for each in wanted if each != ""])


@fault("4.3-answers-ok", "2.1-requestId-unique", "3-removed", "4.3-media-type")
class _OneIdentifierForAllAndAnEmptyDeletion(Service):
    """Every request has the identifier of the first, and a deletion answers with nothing."""

    first = ""

    def new_id(self, call: Call) -> str:
        self.first = self.first or super().new_id(call)
        return self.first

    async def delete(self, call: Call) -> Reply:
        reply = await super().delete(call)
        return Reply(reply.status, b"", reply.headers)


@fault("4.3-answers-ok", "7-not-found-message")
class _NoDeletionIsRouted(Service):
    """The route of DELETE is missing, and the framework answers 404 with its own message."""

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        raise RefusedError(Condition.NO_PATH)
