"""Faults that show under one circumstance only, and faults that must not hide another fault."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from conformance.calibration.variant import fault
from conformance.model.language_selector import LanguageSelector
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@fault("7-limit-reached")
class _LimitReachedConflictsWithoutABody(Service):
    """A creation without a body uses other code, which reports the limit as a conflict."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        if condition is ErrorCondition.LIMIT and not call.body:
            reply.status = 409
        return reply


@fault("5.3-create-without-token")
class _CreateWithoutABodyNeedsNoToken(Service):
    """The filter for tokens is bound to the type of the body: a call without a body passes it."""

    def authenticate(self, call: Call) -> User | None:
        free = call.operation is Action.CREATE and not call.body and not call.authorization
        return self.config.users[0] if free else super().authenticate(call)


@fault("2.3-legalEntity", "1.4-every-parameter")
class _SettingsForUsersLackTheLegalEntity(Service):
    """A call with a token receives the settings of the app, which has no field for the legal entity."""

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        if call.user is not None:
            del settings["legalEntity"]
        return settings


@fault("4.5-answers-200")
class _DataTypesFailForUsers(Service):
    """With a token, the service looks for the list among the pages of the account, where no list exists."""

    def data(self, call: Call) -> Any:
        if call.user is not None:
            raise RefusedError(ErrorCondition.NO_PATH)
        return super().data(call)


@fault("4.1-answers-200", data_types=300)
class _TypesBeyondTheFirstHundredRefused(Service):
    """The service compares types with the first page of a query, which has a hundred rows."""

    def types_match(self, wanted: list[Any]) -> bool:
        page = {each.type for each in self.types[:100]}
        return super().types_match(wanted) and page.issuperset(wanted)


@fault(
    "7-not-found", "3-deletes-no-other", "4.3-answers-ok", "3-removed", "4.2-agrees-with-creation", "8-limit-enforced"
)
class _FoundByTheFirstGroup(Service):
    """The key is shortened to the first eight digits: identifiers with the same beginning find the request."""

    def find(self, call: Call) -> DataRequest:
        mine = self.store.of(call.owner)
        return next((each for each in mine if each.id[:8] == call.request_id[:8].lower()), None) or super().find(call)


@fault("7-not-found")
class _FoundByItsBeginning(Service):
    """The store looks for keys that begin with the given text, as for the short names of commits."""

    def find(self, call: Call) -> DataRequest:
        mine = self.store.of(call.owner)
        return next((each for each in mine if each.id.startswith(call.request_id)), None) or super().find(call)


@fault("7-not-found")
class _FoundByALongerIdentifier(Service):
    """The column has 36 characters, and the database cuts a longer identifier before it compares."""

    def find(self, call: Call) -> DataRequest:
        mine = self.store.of(call.owner)
        return next((each for each in mine if each.id == call.request_id[:36]), None) or super().find(call)


@fault("2.1-createdAt-value")
class _CreatedAtIsLocalTimeWithZ(Service):
    """The local time, two hours ahead of UTC, with the suffix Z."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        wall = self.timestamp(request.created_at + timedelta(hours=2))
        return super().document(request, call) | {"createdAt": wall}


@fault("7-invalid-data-types-error", "7-invalid-data-types-message", "2.4-error")
class _UnknownTypesCountAsTooMany(Service):
    """One handler answers all refused creations, and it knows only the error of the limit."""

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        return super().error(ErrorCondition.LIMIT if condition is ErrorCondition.DATA_TYPES else condition, call)


@fault("7-invalid-data-types")
class _EmptyTypeIsAccepted(Service):
    """The service drops empty strings before it compares the types, because forms send them for empty boxes."""

    def types_match(self, wanted: list[Any]) -> bool:
        return super().types_match([each for each in wanted if each != ""])


@fault("4.3-answers-ok", "2.1-requestId-unique", "3-removed", "4.3-media-type")
class _OneIdentifierForAllAndAnEmptyDeletion(Service):
    """Every request gets the identifier of the first one, and a deletion answers with an empty body."""

    first = ""

    def new_id(self, call: Call) -> str:
        self.first = self.first or super().new_id(call)
        return self.first

    async def delete(self, call: Call) -> Reply:
        reply = await super().delete(call)
        return Reply(reply.status, b"", reply.headers)


@fault("4.3-answers-ok", "7-not-found-message", "3-deletes-completed")
class _NoDeletionIsRouted(Service):
    """The route for DELETE is missing, and the framework answers 404 with its own message."""

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        raise RefusedError(ErrorCondition.NO_PATH)


@fault(
    "7-language-not-supported-error",
    "2.3-supportedLanaguages",
    "1.4-every-parameter",
    run={"language_selector": LanguageSelector("header", "Accept-Language")},
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
