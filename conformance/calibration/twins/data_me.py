"""Twins of GET /data/me, of which clause 4.6 shows only two names."""

from __future__ import annotations

from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import on_data_me, on_success, put
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.config import User
from conformance.reference.service import Service

_OTHER = {"error": "Other", "message": "There is more to this."}
_NO_DATA_ME = dict.fromkeys(("4.6-account", "4.6-types"), ("inconclusive", "not-applicable"))
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


@twin("4.6", _NO_RECORD, source="4.6, paragraph 1, sentence 2")
class _DataMeHasNoRecordYet(Service):
    """The accounts have no record yet: GET /data/me answers 404 with a page to them, and 401 without a token."""

    def data_me(self, call: Call) -> Any:  # noqa: ARG002 the same for all
        raise RefusedError(ErrorCondition.NO_PATH)

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        page = condition is ErrorCondition.NO_PATH and call.operation is Action.DATA_ME
        return Reply(404, b"<p>Nothing here yet</p>", {"content-type": "text/html"}) if page else reply


@twin("4.6", _NO_DATA_ME, source=sources.LARAVEL_LOGIN)
def data_me_sends_to_a_login_page(_service: Service, call: Call) -> Reply | None:
    """GET /data/me redirects to itself with a query, and then shows the page of a login."""
    if "login" in call.query:
        return Reply(200, b"<html>Log in</html>", {"content-type": "text/html"})
    if call.operation is Action.DATA_ME:
        return Reply(302, b"", {"location": "?login=1"})
    return None


@twin("4.6", _NO_DATA_ME, source=sources.LARAVEL_LOGIN)
def data_me_shows_a_login(_service: Service, call: Call) -> Reply | None:
    """GET /data/me shows the page of a login."""
    if call.operation is Action.DATA_ME:
        return Reply(200, b"<html>Log in</html>", {"content-type": "text/html"})
    return None
