"""Faults of clauses 4.4 to 4.6: settings, data type list and the user's own data."""

from __future__ import annotations

import json
from typing import Any

from conformance.reference.bend import fault
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.changes import (
    Change,
    beside,
    body,
    declare,
    on_data_list,
    on_settings,
    on_success,
    one_in_ten,
    renamed,
    status,
    without,
)
from conformance.reference.errors import Condition, RefusedError
from conformance.reference.service import Service

_SETTINGS_TOO = ("4.4-object", "1.4-every-parameter", "8-accepts-up-to-limit")
_FIELDS = (
    "1.4-every-parameter",
    *(
        f"2.3-{each}"
        for each in (
            "forgotPasswordLink",
            "legalEntity",
            "maxNumberOfRequests",
            "oAuthClientId",
            "oAuthUrl",
            "organisationName",
            "privacyPolicy",
            "privacyContactEmail",
            "privacyContactEmail-form",
            "supportedLanaguages",
            "termsOfService",
        )
    ),
)
_TYPES_TOO = ("2.2-type", "2.1-dataRequested-known", "4.1-body-omitted", "4.1-requested-types")

for _code, _summary in (
    (404, "The settings are served under another path."),
    (500, "The settings are read from a file that is not there."),
    (204, "The settings are empty."),
    (201, "Every answer of the framework's controller is Created."),
    (203, "A proxy has changed the body and says so."),
):
    declare(
        "4.4-answers-200",
        f"settings-answer-{_code}",
        _summary,
        on_success(status(_code), Operation.SETTINGS),
        *_SETTINGS_TOO,
        *beside(_code),
    )
    declare(
        "4.5-answers-200",
        f"data-types-answer-{_code}",
        _summary.replace("settings", "data types"),
        on_success(status(_code), Operation.DATA),
        "4.5-array",
        "2.1-dataRequested-known",
        "4.1-body-omitted",
        "4.5-supported-languages",
        *beside(_code),
    )
declare(
    "4.4-answers-200",
    "settings-answer-500-in-one-of-ten",
    "The database runs out of connections now and then.",
    on_success(status(500), Operation.SETTINGS, when=one_in_ten),
    "0-server-errors",
)
declare(
    "4.5-answers-200",
    "data-types-answer-206",
    "The list comes in pages.",
    on_success(status(206), Operation.DATA),
    "4.5-array",
    "4.5-supported-languages",
)
declare(
    "4.5-answers-200",
    "data-types-answer-500-in-one-of-ten",
    "The database runs out of connections now and then.",
    on_success(status(500), Operation.DATA, when=one_in_ten),
    "0-server-errors",
    "4.5-supported-languages",
)


for _name, _summary, _change in (
    ("in-array", "A list of one.", lambda document: [document]),
    ("in-envelope", "Under settings, as the house style asks.", lambda document: {"settings": document}),
    (
        "as-list-of-pairs",
        "The rows of a table of keys and values.",
        lambda document: [{"key": name, "value": value} for name, value in document.items()],
    ),
    ("null", "Nothing is configured.", lambda _document: None),
    ("encoded-twice", "The text of the object, as a JSON string.", json.dumps),
):
    # In an envelope it still is an object, and without a single one of its fields.
    declare("4.4-object", f"settings-{_name}", _summary, on_settings(_change), *_FIELDS)
declare(
    "4.4-object",
    "settings-in-array-in-one-of-ten",
    "A cache keeps the rows, not the object.",
    on_settings(lambda document: [document], one_in_ten),
    *_FIELDS,
)


def _list(name: str, summary: str, change: Change) -> None:
    declare("4.5-array", f"data-types-{name}", summary, on_data_list(change), *_TYPES_TOO)


_list("in-envelope", "Under types, as the house style asks.", lambda listing: {"types": listing})
_list("in-pages", "A page, and the address of the next.", lambda listing: {"items": listing, "next": None})
_list("by-name", "An object by identifier.", lambda listing: {each["type"]: each for each in listing})
_list("as-text", "Identifiers without the objects.", lambda listing: [each["type"] for each in listing])
_list("null", "The handler returns nothing.", lambda _listing: None)
_list("in-arrays", "One array for each category.", lambda listing: [[each] for each in listing])
_list("with-null", "A row that was removed leaves a hole.", lambda listing: [*listing, None])
declare(
    "4.5-array",
    "data-types-in-envelope-in-one-of-ten",
    "One of the nodes runs the next edition.",
    on_data_list(lambda listing: {"types": listing}, one_in_ten),
    *_TYPES_TOO,
)
declare(
    "4.5-array",
    "data-types-encoded-twice",
    "The text of the list, as a JSON string.",
    on_success(body(lambda content: json.dumps(content.decode()).encode()), Operation.DATA),
    *_TYPES_TOO,
)

_LANGUAGES = "4.5-supported-languages"


@fault(_LANGUAGES)
class _LastLanguageIsRefused(Service):
    """A language is listed whose translation has not been delivered yet."""

    def language(self, call: Call) -> str:
        language = super().language(call)
        if language == self.config.languages[-1]:
            raise RefusedError(Condition.LANGUAGE)
        return language


@fault(_LANGUAGES)
class _OtherLanguagesAreMissing(Service):
    """The texts of a language are looked up as a file, and the file is not there."""

    async def perform(self, call: Call) -> Reply:
        reply = await super().perform(call)
        if call.operation is Operation.DATA and self.language(call) != self.config.languages[0]:
            return Reply.json({"error": "Not Found", "message": "No such file."}, 404)
        return reply


@fault(_LANGUAGES)
class _OtherLanguagesAreForUsers(Service):
    """The gateway lets the list pass as it is known to it: any language but the first wants a token."""

    async def perform(self, call: Call) -> Reply:
        if call.operation is Operation.DATA and not call.user and self.language(call) != self.config.languages[0]:
            raise RefusedError(Condition.UNAUTHORIZED)
        return await super().perform(call)


@fault(_LANGUAGES)
class _AnExtraLanguageListed(Service):
    """A language was taken off the service and left on the list."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"supportedLanaguages": [*self.config.languages, "fr"]}


for _code, _summary in (
    (404, "The path is not served."),
    (405, "The path is served for another method."),
    (501, "The path is left for later."),
):
    declare(
        "4.6-exists",
        f"data-me-answers-{_code}",
        _summary,
        on_success(status(_code), Operation.DATA_ME),
        *(beside(404) if _code == 404 else ()),
    )


def _on_data_me(change: Change) -> type[Service]:
    class Bent(Service):
        def data_me(self, call: Call) -> Any:
            return change(super().data_me(call))

    return Bent


declare("4.6-account", "data-me-without-account", "The edition before account.", _on_data_me(without("account")))
declare("4.6-account", "data-me-account-called-user", "Another name.", _on_data_me(renamed("account", "user")))
declare(
    "4.6-account",
    "data-me-account-not-nested",
    "The account's fields at the top.",
    _on_data_me(lambda me: me["account"] | {"types": me["types"]}),
)
declare("4.6-types", "data-me-without-types", "The edition before types.", _on_data_me(without("types")))
declare("4.6-types", "data-me-types-called-data", "Another name.", _on_data_me(renamed("types", "data")))
declare(
    "4.6-types",
    "data-me-types-inside-account",
    "One level too deep.",
    _on_data_me(lambda me: {"account": me["account"] | {"types": me["types"]}}),
)
declare(
    "4.6-types",
    "data-me-empty-object",
    "Nothing is known of the user.",
    _on_data_me(lambda _me: {}),
    "4.6-account",
)
declare(
    "4.6-account",
    "data-me-array-without-account",
    "An array of records without the account.",
    _on_data_me(lambda me: [{"types": me["types"]}]),
)
declare(
    "4.6-account",
    "data-me-spelt-in-upper-case",
    "The serialiser's naming policy is PascalCase.",
    _on_data_me(lambda me: {"Account": me["account"], "Types": me["types"]}),
    "4.6-types",
)
