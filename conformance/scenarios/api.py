"""The six operations of the interface as a scenario calls them, and the values that it needs from the responses.

A method named after an operation returns the recorded exchange, with any response. A method that returns a value
(`types`, `limit`, `create`) raises NotDecided if the service does not give it. A run without a token has the calls that
need none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from conformance.facts.answers import accepted, form_of, is_limit_refusal, refuses_form, says, wants_a_language
from conformance.facts.assumptions import document_of, languages_of, limit_of
from conformance.facts.world import types_in
from conformance.http.record import Record
from conformance.http.session import Session
from conformance.judge.expect import document
from conformance.judge.run import Run
from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.errors import NotDecided, answer_of, describe
from conformance.model.exchange import Exchange, Intent, Operation
from conformance.model.formats import is_uuid
from conformance.model.identity import ANONYMOUS, OF_BODIES, PLAIN, USER, Created, Identity, segment
from conformance.model.text import member_in_json

_TAG: Final = re.compile(r"[A-Za-z]{2,3}(-[0-9A-Za-z]{1,8})*")

Asked = dict[str, Any]
"""The arguments of `Session.send` by which a selector asks for a language."""

MOST_TYPES: Final = 50
"""The longest list of types that the suite sends: clause 8 states no sizes."""


class Api(Run):
    """The calls of a run, and what it knows of the service so far."""

    record: Record

    def __init__(self, session: Session) -> None:
        self.session = session
        self.record = session.record
        self.target = session.target
        self.users = session.credentials.keys()

    @property
    def known_types(self) -> frozenset[str]:
        """Every identifier of a data type that the service listed so far."""
        return self.session.results.every_type or frozenset()

    # The operations.

    def settings(self, caller: Identity = ANONYMOUS, how: Asked | None = None, **meant: Any) -> Exchange:
        """GET /settings (4.4), perhaps in a language, as a selector asks for it."""
        return self._send("GET", "/settings", caller, intent=Intent(**meant), **(how or {}))

    def data(self, caller: Identity = ANONYMOUS, how: Asked | None = None, **meant: Any) -> Exchange:
        """GET /data (4.5), perhaps in a language, as a selector asks for it."""
        if how is None:
            how = self.session.results.selected_language
            meant = {"selected": bool(how), **meant}
        return self._send("GET", "/data", caller, intent=Intent(**meant), **how)

    def data_me(self, caller: Identity = ANONYMOUS, *, in_place_of_me: str = "me") -> Exchange:
        """GET /data/me (4.6), or a path beside it that the interface does not name: a control for its answer."""
        return self._send("GET", f"/data/{in_place_of_me}", caller)

    def post(self, types: Sequence[str] | None = None, caller: Identity = USER, **meant: Any) -> Exchange:
        """POST /requests (4.1) for `types`, or without a body."""
        if types is None:
            meant = {"body": "omitted", **meant}
            return self._send("POST", "/requests", caller, intent=Intent(**meant))
        body = "known types" if self.known_types.issuperset(types) else "unknown type"
        return self.post_raw(json.dumps(list(types)).encode(), caller, **{"body": body, "types": list(types), **meant})

    def post_raw(
        self,
        content: bytes,
        caller: Identity = USER,
        *,
        media_type: str = "application/json",
        how: Asked | None = None,
        **meant: Any,
    ) -> Exchange:
        """POST /requests with `content` as its body, and with the header or query of a language selector in `how`."""
        intent, how = Intent(**{"body": "odd", **meant}), {"content": content, **(how or {})}
        how["headers"] = {"Content-Type": media_type} | how.get("headers", {})
        exchange = self._send("POST", "/requests", caller, intent=intent, **how)
        if not form_of(exchange.request) or not refuses_form(exchange):
            return exchange
        # The service need not know this form of transfer (4.1-transfer-forms), whether it was sent once or twice.
        for each in self.record.exchanges:
            if each.id in (exchange.id, exchange.repeats) and refuses_form(each):
                each.intent = replace(intent, open=True, unusual=True)
        return self._send("POST", "/requests", replace(caller, variation=PLAIN), intent=intent, **how)

    def read(self, request_id: str, caller: Identity = USER, **meant: Any) -> Exchange:
        """GET /requests/{requestId} (4.2)."""
        return self._on_request("GET", request_id, caller, meant)

    def delete(self, request_id: str, caller: Identity = USER, **meant: Any) -> Exchange:
        """DELETE /requests/{requestId} (4.3)."""
        return self._on_request("DELETE", request_id, caller, meant)

    def create(self, form: int | None = None) -> Created:
        """Create a request for one type; raise NotDecided if the service makes none.

        Each `form` is another variation of the body, and the seed decides which; without one the body is plain. Where
        the service refuses a variation, which counts against it, a plain body lets it show the rest. Where it refuses a
        type, the list may have lost it.
        """
        variation = PLAIN if form is None else OF_BODIES[(self.session.seed + form) % len(OF_BODIES)]
        exchange = self.post(self.first_types(1), replace(USER, variation=variation))
        withdrawn = says(exchange.response, INVALID_DATA_TYPES) and self.types() != self.types_now()
        refused = exchange.response is not None and not (
            accepted(exchange.response) or is_limit_refusal(exchange.response)
        )
        if withdrawn or (refused and variation != PLAIN):
            exchange = self.post(self.first_types(1))
        return self.created(exchange)

    # What the service says of itself.

    def settings_document(self) -> dict[str, Any]:
        """Return the settings; raise NotDecided if the service gives none."""
        results = self.session.results
        return self.settings_now() if results.settings is None else results.settings

    def settings_now(self) -> dict[str, Any]:
        """Request the settings again, and return them; raise NotDecided if the service gives none."""
        # The known settings are replaced, never absent: another thread would request them as well.
        settings: dict[str, Any] = self._document("settings", self.settings(), dict)
        self.session.results.settings = settings
        return settings

    def limit(self) -> int:
        """Return maxNumberOfRequests; raise NotDecided if it is not an integer."""
        settings = self.settings_document()
        limit, assumption = limit_of(settings)
        if limit is None:
            given = member_in_json(settings, "maxNumberOfRequests", 60)
            raise NotDecided(f"The settings do not contain maxNumberOfRequests as an integer ({given}).")
        self.session.assume(assumption)
        return limit

    def taken(self) -> int:
        """Return how many places an earlier run left taken in the account of the user."""
        journal = self.session.journal
        return int(journal.left is not None and journal.live[journal.left] == USER.label)

    def languages(self) -> list[str]:
        """Return supportedLanaguages without empty entries; raise NotDecided if the settings lack them."""
        listed, assumption = languages_of(self.settings_document())
        if listed is None:
            raise NotDecided("The settings name no supportedLanaguages.")
        self.session.assume(assumption)
        return [language for language in listed if language]

    def tags(self) -> list[str]:
        """Return the language tags in supportedLanaguages, the last first; none without a list."""
        with suppress(NotDecided):
            return [each for each in reversed(self.languages()) if _TAG.fullmatch(each)]
        return []

    def data_types(self) -> list[Any]:
        """Return the data type list as received; raise NotDecided if the service gives none."""
        results = self.session.results
        if results.data_types is None:
            results.data_types = self._document("data types", self.data(), list)
        return results.data_types

    def types(self) -> list[str]:
        """Return the identifiers of the available data types, without repetition."""
        known = self.session.results.types
        return list(known if known is not None else self._remember(self.data_types()))

    def types_now(self) -> list[str]:
        """Request the data types again, and return their identifiers as `types` does."""
        self.session.results.data_types = self._document("data types", self.data(), list)
        return list(self._remember(self.session.results.data_types))

    def some_types(self) -> list[str]:
        """Return at most `MOST_TYPES` types, spread over the list."""
        types = self.types()
        step = max(1, -(-len(types) // MOST_TYPES))
        return types[::-step][::-1]

    def first_types(self, number: int) -> list[str] | None:
        """Return the first `number` data types; None, which requests all, if none are known."""
        return self._types_if_known()[:number] or None

    def last_type(self) -> list[str] | None:
        """Return the last data type, or None as `first_types` does."""
        return self._types_if_known()[-1:] or None

    def unknown_type(self, sign: str = "") -> str:
        """Return a string that is no data type of the service; a `sign` divides what it begins with, which is one."""
        types = self._types_if_known()
        known = types[0] + sign if types and sign else ""
        return known + self.session.made_up("type")

    def unknown_id(self, near: str = "") -> str:
        """Return a version 4 UUID that no request has, but that begins and ends as the UUID `near`, or the newest one.

        A service that compares only parts of identifiers confuses the two.
        """
        drawn = str(UUID(int=self.session.chance.getrandbits(128), version=4))
        known = (each.lower() for each in (near, *reversed(self.session.journal.live)) if is_uuid(each))
        like = next(known, drawn)
        return f"{like[:8]}{drawn[8:24]}{like[24:]}"

    def known_as(self, request_id: str) -> str:
        """Return what the run knows of a request: "existing", "deleted", "lost" or "unknown", as in `Intent`."""
        journal = self.session.journal
        places = (("existing", journal.live), ("deleted", journal.gone), ("lost", journal.lost))
        return next((word for word, ids in places if request_id in ids), "unknown")

    # The first calls of a run.

    def heard(self, settings: Exchange, data: Exchange) -> tuple[Exchange, Exchange]:
        """Keep the settings and the data types of two responses, so that no call is repeated for them.

        If one requires a token (5.4), it is called again with that of the user, and so are all later calls; if GET
        /data requires a language and a selector is configured, they ask for the first one. Return the last responses.
        """
        results = self.session.results
        with suppress(NotDecided):
            settings = self._with_token(settings)
        with suppress(NotDecided):
            data = self._with_token(data)
        with suppress(NotDecided):
            results.settings = self._document("settings", settings, dict)
        selector, tags = self.session.target.selector, self.tags()
        if wants_a_language(data) and selector is not None and tags:
            results.selected_language = selector.asking(tags[-1])
            data = self.data()
        with suppress(NotDecided):
            results.data_types = self._document("data types", data, list)
        return settings, data

    def asks_for_a_token(self, exchange: Exchange) -> bool:
        """Tell whether a call was refused for lack of a token, after one with a token where only that shows it."""
        operation, status = exchange.operation, answer_of(exchange).status
        if operation is None or not 300 <= status < 400:
            return status in (401, 403)
        if USER.label in self.users and not self._answers(operation, ANONYMOUS):
            self.settings(USER) if operation is Operation.SETTINGS else self.data(USER)
        # Only a token avoids such a redirect.
        return self._answers(operation, USER) and not self._answers(operation, ANONYMOUS)

    def _answers(self, operation: Operation, caller: Identity) -> bool:
        return any(each.request.credential == caller.label for each in self.record.answered(operation, 200))

    def _with_token(self, refused: Exchange) -> Exchange:
        token = USER.label in self.session.credentials
        if refused.operation is None or not refused.counts or not token or not self.asks_for_a_token(refused):
            return refused
        ask = self.settings if refused.operation is Operation.SETTINGS else self.data
        again = ask()  # one process of several may refuse the call
        if again.counts and not self.asks_for_a_token(again):
            return again
        answer = ask(USER, offered=True)
        if answer.response is None or (answer.response.status != 200 and not wants_a_language(answer)):
            return refused
        self.session.results.behind_token.add(refused.operation.path)
        self.session.notes.append(f"{refused.operation.call} requires a token, so later calls send it.")
        return answer

    def _types_if_known(self) -> list[str]:
        with suppress(NotDecided):
            return self.types()
        return []

    def _remember(self, listed: list[Any]) -> list[str]:
        results, types = self.session.results, types_in(listed)
        results.every_type = self.known_types.union(types)
        results.types = list(dict.fromkeys(types))
        return results.types

    def _document(self, name: str, exchange: Exchange, kind: type) -> Any:
        """Return the document of a response, also of a wrong response that evidently contains it."""
        try:
            return document(name, exchange, kind)
        except NotDecided:
            value = None if exchange.response is None else exchange.response.document.value
            meant, where = document_of(value, kind)
            if meant is None:
                raise
        status = answer_of(exchange).status
        self.session.assume(
            f"The {name} come from a response that violates the specification: {describe(exchange)} answered {status}"
            f"{f', with the document {where}' if where else ''}."
        )
        return meant

    def _on_request(self, method: str, request_id: str, caller: Identity, meant: dict[str, Any]) -> Exchange:
        intent = Intent(**{"request": self.known_as(request_id), **meant})
        return self._send(method, f"/requests/{segment(request_id)}", caller, intent=intent)

    def _send(self, method: str, path: str, caller: Identity, **how: Any) -> Exchange:
        if caller.label == ANONYMOUS.label and path in self.session.results.behind_token:
            caller = replace(caller, label=USER.label)
            how["intent"] = replace(how["intent"], offered=True)
        how = {"query": caller.query, "authorization": caller.authorization} | how
        own = {
            "Accept-Language": caller.language,
            "Accept": caller.accept,
            "Cookie": caller.cookie,
            "Connection": "close" if caller.closes else "",
        }
        how["headers"] = {name: value for name, value in own.items() if value} | how.get("headers", {})
        return self.session.send(method, path, credential=caller.label, variation=caller.variation, **how)
