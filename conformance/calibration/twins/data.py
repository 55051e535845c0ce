"""Twins of GET /data and GET /data/me with other types, lists, translations or records: clauses 2.2, 4.5 and 4.6."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from conformance.calibration import sources
from conformance.calibration.operators import (
    changing,
    on_data_me,
    on_data_types,
    on_success,
    page,
    problem,
    put,
    together,
)
from conformance.calibration.twins.common import leaving_json
from conformance.calibration.variant import add_twin, twin, undecided
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.config import REALISTIC, DataType, User, numbered
from conformance.reference.service import Service


def _named(*names: str) -> tuple[DataType, ...]:
    return tuple(DataType(name, {"en": f"Data {n}", "nl": f"Gegevens {n}"}) for n, name in enumerate(names))


_WITHOUT_TYPES: Final = undecided(
    "2.1-dataRequested-known",
    "2.2-context*",
    "2.2-description*",
    "2.2-is*",
    "2.2-not-empty",
    "2.2-processingGround*",
    "2.2-type",
    "2.2-type-listed-once",
    "2.2-type-unique",
    "4.1-requested-types",
    "4.1-empty-body-labelled",
    "4.1-similar-type",
    "4.5-supported-languages",
    "7-language-not-supported*",
    "9-*",
)

for _name, _types, _text, _acceptable in (
    (
        "odd-type-identifiers",
        _named("a b", "a/b/../c", "\"quoted\" 'twice'", "naïve ☂ 🧾", "%2F?x=1#y", "<i>", " lead", "", "a\nb", "07"),
        "Identifiers with spaces, slashes, quotes, other scripts, emoji and line ends, and an empty one.",
        {"2.2-not-empty": ("warn",)},
    ),
    (
        "similar-type-identifiers",
        _named("mail", "Mail", "MAIL", "mail ", "é", "e\u0301"),
        "Identifiers that differ only in case, a space or Unicode composition.",
        {},
    ),
    ("one-data-type", REALISTIC[:1], "A single data type.", {}),
    ("a-thousand-data-types", numbered(1000), "A thousand data types.", {}),
    (
        "no-data-types",
        (),
        "No data types: the specification does not require one.",
        _WITHOUT_TYPES,
    ),
):
    add_twin("2.2", _name, _text, _acceptable, data_types=_types)


@twin(
    "2.2",
    data_types=tuple(DataType(name, {"en": "Data"}) for name in ("\ud83d", "\ud83dx", "\U0001f600")),
    by=leaving_json,
)
def types_cut_in_an_emoji(body: bytes) -> bytes:
    """One type is half of a surrogate pair, one begins with it, and one is the whole pair."""
    # Escapes are the only way to write half of a pair.
    return json.dumps(json.loads(body.decode("utf-8", "surrogatepass"))).encode()


@twin("2.2", {"2.2-not-empty": ("warn",)}, by=on_data_types)
def data_types_described_empty(document: Any) -> Any:
    """Description, context and ground are empty strings."""
    # With one text only, no difference shows how the language is chosen.
    return document | {"description": "", "context": "", "processingGround": ""}


@twin("2.2", source="2.2, table, row 5, Meaning", of="data_type")
def all_combinations_of_flags(service: Service, document: Any, data_type: DataType, *_: object) -> Any:
    """Some data types are erasable and not rectifiable, some the other way round, and each has its own ground."""
    number = [each.type for each in service.types].index(data_type.type)
    flags = {"isErasable": number % 2 == 0, "isRectifiable": number // 2 % 2 == 0}
    return document | flags | {"processingGround": f"GDPR-6-1-{number}"}


@twin("4.5", source="4.5, paragraph 1", of="data")
def list_in_another_order_each_time(service: Service, listing: Any, _call: Call) -> Any:
    """GET /data lists the data types in another order in every answer: the specification states no order."""
    start = service.turn("data") % max(1, len(listing))
    return listing[start:] + listing[:start]


@twin("4.5", {"2.2-type-listed-once": ("warn",)}, source="4.5, paragraph 1", of="data")
def list_repeats_itself(_service: Service, listing: Any, _call: Call) -> Any:
    """The list contains the first data type twice, in the same words."""
    return listing[:1] + listing


def _everywhere(change: Callable[..., Any]) -> type[Service]:
    return together(*(changing(method, change) for method in ("data_type", "settings", "error")))


@twin("2.2", source=sources.JSON_ORDER, by=_everywhere)
def members_in_another_order(service: Service, document: dict[str, Any], *_: object) -> dict[str, Any]:
    """The members of objects have another order in every answer: JSON objects have no order."""
    names = list(document)
    start = service.turn("members") % len(names)
    return {name: document[name] for name in names[start:] + names[:start]}


add_twin(
    "4.5", "sixty-data-types", "Sixty data types, more than one creation of the run names.", data_types=numbered(60)
)


@twin("4.5", data_types=REALISTIC[:2], source="4.5, paragraph 1", at="data")
def more_types_in_the_course_of_the_run(service: Service, _call: Call) -> None:
    """The organisation adds a data type during the run; each list is complete at its moment."""
    if len(service.types) == 2 and service.turn("lists") >= 12:
        service.types = REALISTIC[:3]
        service.type_names = frozenset(each.type for each in service.types)


@twin("7", source="7, paragraph 2", at="perform")
def malformed_languages_refused_otherwise(service: Service, call: Call) -> Reply | None:
    """The service answers 400 with its own message to values that are no language tags, which no table covers."""
    asked = service.language_asked(call)
    if call.operation is Action.DATA and asked and not asked.replace("-", "").isalpha():
        return problem(400, "MalformedTag", "This is no language tag.")
    if len(asked) > 100:
        return service.refuse(ErrorCondition.TOO_LARGE, call)
    return None


_OTHER = {"error": "Other", "message": "There is more to this."}
_NO_DATA_ME = undecided("4.6-account", "4.6-types")
_MEMBERS = {f"field{n}": n for n in range(20_000)}
_NO_RECORD = dict.fromkeys(("4.6-account", "4.6-types"), ("not-applicable",))

for _name, _text, _acceptable, _service in (
    (
        "as-array",
        "An array of records, each with account and types: the specification does not show the shape.",
        {},
        on_data_me(lambda record: [record, {"account": None, "types": {}}]),
    ),
    (
        "empty-array",
        "GET /data/me answers with an empty array, because the service holds nothing about the user.",
        _NO_RECORD,
        on_data_me(lambda _record: []),
    ),
    (
        "forbidden",
        "GET /data/me answers 403 to these tokens: the specification does not show its authentication.",
        _NO_DATA_ME,
        on_success(lambda _reply: Reply.json(_OTHER, 403), Action.DATA_ME),
    ),
    (
        "wants-another-token",
        "GET /data/me answers 401 to these tokens: the specification does not show its authentication.",
        _NO_DATA_ME,
        on_success(lambda _reply: Reply.json(_OTHER, 401), Action.DATA_ME),
    ),
    (
        "refuses-without-parameters",
        "GET /data/me answers 400 without an undocumented parameter: the specification does not show its parameters.",
        _NO_DATA_ME,
        on_success(lambda _reply: Reply.json(_OTHER, 400), Action.DATA_ME),
    ),
    (
        "names-the-contact-of-the-organisation",
        "account has the state of the account and the address of the settings, the same for every user.",
        {},
        on_data_me(lambda record: record | {"account": {"state": "active", "contact": "privacy@shop.example"}}),
    ),
    ("of-nulls", "account and types are null.", {}, on_data_me(put(account=None, types=None))),
    (
        "of-scalars",
        "account is a number and types a string.",
        {},
        # A number of its own for each user: one that both are shown raises an alert.
        on_data_me(lambda record: {"account": len(record["account"]), "types": ""}),
    ),
    (
        "large",
        "account has twenty thousand members.",
        {},
        on_data_me(lambda record: {"account": _MEMBERS | {"of": record["account"]}, "types": {}}),
    ),
):
    add_twin("4.6", f"data-me-{_name}", _text, _acceptable, _service, source="4.6, paragraph 1, sentence 2")


@twin("4.6", source="4.6, paragraph 1, sentence 2", of="authenticate")
def data_me_open(service: Service, user: User | None, call: Call) -> User | None:
    """GET /data/me answers without a token too."""
    return service.config.users[0] if user is None and call.operation is Action.DATA_ME else user


@twin("4.6", _NO_RECORD, source="4.6, paragraph 1, sentence 2", at="perform")
def data_me_has_no_record_yet(service: Service, call: Call) -> Reply | None:
    """The accounts have no record yet: GET /data/me answers 404 with a page to them, and 401 without a token."""
    is_asked = call.operation is Action.DATA_ME and service.authenticate(call) is not None
    return page(404, "<p>Nothing here yet</p>") if is_asked else None


@twin("4.6", _NO_DATA_ME, source=sources.LARAVEL_LOGIN)
def data_me_sends_to_a_login_page(_service: Service, call: Call) -> Reply | None:
    """GET /data/me redirects to itself with a query, and then shows the page of a login."""
    if "login" in call.query:
        return page(200, "<html>Log in</html>")
    return Reply(302, b"", {"location": "?login=1"}) if call.operation is Action.DATA_ME else None


@twin("4.6", _NO_DATA_ME, source=sources.LARAVEL_LOGIN)
def data_me_shows_a_login(_service: Service, call: Call) -> Reply | None:
    """GET /data/me shows the page of a login."""
    return page(200, "<html>Log in</html>") if call.operation is Action.DATA_ME else None
