"""Faults of clauses 4.4 to 4.6: settings, data type list and the user's own data."""

from __future__ import annotations

import json
from typing import Any

from conformance.calibration.operators import (
    Change,
    beside,
    body,
    on_data_list,
    on_settings,
    on_success,
    one_in_ten,
    renamed,
    status,
    without,
)
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation, Reply
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
    fault_table(
        "4.4-answers-200",
        (f"settings-answer-{_code}", _summary, on_success(status(_code), Operation.SETTINGS)),
        consequences=(*_SETTINGS_TOO, *beside(_code)),
    )
    fault_table(
        "4.5-answers-200",
        (
            f"data-types-answer-{_code}",
            _summary.replace("settings", "data types"),
            on_success(status(_code), Operation.DATA),
        ),
        consequences=(
            "4.5-array",
            "2.1-dataRequested-known",
            "4.1-body-omitted",
            "4.5-supported-languages",
            *beside(_code),
        ),
    )
fault_table(
    "4.4-answers-200",
    (
        "settings-answer-500-in-one-of-ten",
        "The database runs out of connections now and then.",
        on_success(status(500), Operation.SETTINGS, when=one_in_ten),
    ),
    consequences=("0-server-errors",),
)
fault_table(
    "4.5-answers-200",
    ("data-types-answer-206", "The list comes in pages.", on_success(status(206), Operation.DATA)),
    consequences=("4.5-array", "4.5-supported-languages"),
)
fault_table(
    "4.5-answers-200",
    (
        "data-types-answer-500-in-one-of-ten",
        "The database runs out of connections now and then.",
        on_success(status(500), Operation.DATA, when=one_in_ten),
    ),
    consequences=("0-server-errors", "4.5-supported-languages"),
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
    fault_table("4.4-object", (f"settings-{_name}", _summary, on_settings(_change)), consequences=_FIELDS)
fault_table(
    "4.4-object",
    (
        "settings-in-array-in-one-of-ten",
        "A cache keeps the rows, not the object.",
        on_settings(lambda document: [document], one_in_ten),
    ),
    consequences=_FIELDS,
)


fault_table(
    "4.5-array",
    (
        f"data-types-{'in-envelope'}",
        "Under types, as the house style asks.",
        on_data_list(lambda listing: {"types": listing}),
    ),
    (
        f"data-types-{'in-pages'}",
        "A page, and the address of the next.",
        on_data_list(lambda listing: {"items": listing, "next": None}),
    ),
    (
        f"data-types-{'by-name'}",
        "An object by identifier.",
        on_data_list(lambda listing: {each["type"]: each for each in listing}),
    ),
    (
        f"data-types-{'as-text'}",
        "Identifiers without the objects.",
        on_data_list(lambda listing: [each["type"] for each in listing]),
    ),
    (f"data-types-{'null'}", "The handler returns nothing.", on_data_list(lambda _listing: None)),
    (
        f"data-types-{'in-arrays'}",
        "One array for each category.",
        on_data_list(lambda listing: [[each] for each in listing]),
    ),
    (
        f"data-types-{'with-null'}",
        "A row that was removed leaves a hole.",
        on_data_list(lambda listing: [*listing, None]),
    ),
    consequences=_TYPES_TOO,
)
fault_table(
    "4.5-array",
    (
        "data-types-in-envelope-in-one-of-ten",
        "One of the nodes runs the next edition.",
        on_data_list(lambda listing: {"types": listing}, one_in_ten),
    ),
    (
        "data-types-encoded-twice",
        "The text of the list, as a JSON string.",
        on_success(body(lambda content: json.dumps(content.decode()).encode()), Operation.DATA),
    ),
    consequences=_TYPES_TOO,
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
    fault_table(
        "4.6-exists",
        (f"data-me-answers-{_code}", _summary, on_success(status(_code), Operation.DATA_ME)),
        consequences=(beside(404) if _code == 404 else ()),
    )


def _on_data_me(change: Change) -> type[Service]:
    class Bent(Service):
        def data_me(self, call: Call) -> Any:
            return change(super().data_me(call))

    return Bent


fault_table(
    "4.6-account",
    ("data-me-without-account", "The edition before account.", _on_data_me(without("account"))),
    ("data-me-account-called-user", "Another name.", _on_data_me(renamed("account", "user"))),
    (
        "data-me-account-not-nested",
        "The account's fields at the top.",
        _on_data_me(lambda me: me["account"] | {"types": me["types"]}),
    ),
)
fault_table(
    "4.6-types",
    ("data-me-without-types", "The edition before types.", _on_data_me(without("types"))),
    ("data-me-types-called-data", "Another name.", _on_data_me(renamed("types", "data"))),
    (
        "data-me-types-inside-account",
        "One level too deep.",
        _on_data_me(lambda me: {"account": me["account"] | {"types": me["types"]}}),
    ),
)
fault_table(
    "4.6-types",
    ("data-me-empty-object", "Nothing is known of the user.", _on_data_me(lambda _me: {})),
    consequences=("4.6-account",),
)
fault_table(
    "4.6-account",
    (
        "data-me-array-without-account",
        "An array of records without the account.",
        _on_data_me(lambda me: [{"types": me["types"]}]),
    ),
)
fault_table(
    "4.6-account",
    (
        "data-me-spelt-in-upper-case",
        "The serialiser's naming policy is PascalCase.",
        _on_data_me(lambda me: {"Account": me["account"], "Types": me["types"]}),
    ),
    consequences=("4.6-types",),
)
