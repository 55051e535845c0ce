"""The client without a token: the calls that change nothing, and the values that checks need from their responses.

A method named after an operation returns the recorded exchange, with any response. A method that returns a
value (`types`, `limit`) raises NotDecided if the service does not give it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from conformance.facts.answers import wants_a_language
from conformance.facts.assumptions import document_of, languages_of, limit_of
from conformance.facts.creation import identifier_in
from conformance.http.record import Record
from conformance.http.session import Session
from conformance.model.errors import NotDecided, answer_of, describe
from conformance.model.exchange import OPERATIONS, Exchange, Intent, Operation
from conformance.model.formats import is_uuid
from conformance.model.identity import ANONYMOUS, USER, Identity, segment
from conformance.model.language_selector import LanguageSelector
from conformance.model.target import Target
from conformance.model.text import member_in_json
from conformance.model.variation import Variation
from conformance.rules.expect import document
from conformance.rules.run import Run
from conformance.rules.run_context import types_in

_TAG: Final = re.compile(r"[A-Za-z]{2,3}(-[0-9A-Za-z]{1,8})*")

MOST_TYPES: Final = 50
"""The longest list of types that the suite sends: clause 8 states no sizes."""


class PublicClient(Run):
    """Calls that need no token and change nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def record(self) -> Record:
        """The exchanges of the run so far."""
        return self.session.record

    @property
    def target(self) -> Target:
        """The target, with the options of the run."""
        return self.session.target

    @property
    def users(self) -> Collection[str]:
        """The labels of the users whose tokens the run has."""
        return self.session.credentials.keys()

    @property
    def ever_listed(self) -> frozenset[str] | None:
        """Every identifier of a data type that the service listed so far; None if it listed none."""
        return self.session.results.every_type

    @property
    def clock_was_set(self) -> float:
        """The seconds by which the wall clock of this machine was set during the run; negative if it was set back."""
        return self.session.clock.was_set

    @property
    def repeats(self) -> int:
        """Repetitions of a call, so that faults in a few of its responses are found."""
        return self.session.target.budget.repeats

    def settings(
        self,
        caller: Identity = ANONYMOUS,
        *,
        language: str | None = None,
        selector: LanguageSelector | None = None,
        **meant: Any,
    ) -> Exchange:
        """GET /settings (4.4), in `language` by `selector` if both are given."""
        how: dict[str, Any] = {}
        if language is not None and selector is not None:
            how, meant = selector.asking(language), {"language": "supported", **meant}
        return self._send("GET", "/settings", caller, intent=Intent(**meant), **how)

    def data(
        self,
        caller: Identity = ANONYMOUS,
        *,
        language: str | None = None,
        selector: LanguageSelector | None = None,
        supported: bool | None = True,
        **meant: Any,
    ) -> Exchange:
        """GET /data (4.5), in `language` by `selector` if both are given; `supported` is None for a malformed tag."""
        if language is None or selector is None:
            how = self.session.results.selected_language
            meant = {"selected": bool(how), **meant}
        else:
            how = selector.asking(language)
            meant = {"language": {None: "malformed", True: "supported", False: "unsupported"}[supported], **meant}
        return self._send("GET", "/data", caller, intent=Intent(**meant), **how)

    def data_me(self, caller: Identity = ANONYMOUS) -> Exchange:
        """GET /data/me (4.6)."""
        return self._send("GET", "/data/me", caller)

    def beside_data_me(self, word: str, caller: Identity = ANONYMOUS) -> Exchange:
        """GET a path beside /data/me that the interface does not name: a control for its answer."""
        return self._send("GET", f"/data/{word}", caller)

    def read(self, request_id: str, caller: Identity = ANONYMOUS, **meant: Any) -> Exchange:
        """GET /requests/{requestId} (4.2)."""
        return self._on_request("GET", request_id, caller, meant)

    def asks_for_a_token(self, exchange: Exchange) -> bool:
        """Tell the same after a call with a token, where only that shows it."""
        operation = exchange.operation
        if operation is not None and 300 <= answer_of(exchange).status < 400 and USER.label in self.users:
            open_to_all = (each.request.credential == ANONYMOUS.label for each in self.record.answered(operation, 200))
            if not any(open_to_all):
                self.settings(USER) if operation is Operation.SETTINGS else self.data(USER)
        return self.was_refused_without_a_token(exchange)

    def some_uuid(self) -> str:
        """Return a version 4 UUID that no request has, similar to an existing one as in `unknown_id`."""
        live = self.session.journal.live
        made = (each for each in reversed(self.record.in_order()) if each.operation is Operation.CREATE)
        ids = (identifier_in(each.response.document.value) for each in made if each.response is not None)
        return self.unknown_id(near=next((one for one in ids if one in live and is_uuid(one)), ""))

    def unknown_id(self, *, near: str) -> str:
        """Return a version 4 UUID that no request has, but that begins and ends as the UUID `near` does.

        A service that compares only parts of identifiers confuses the two.
        """
        drawn = str(UUID(int=self.session.chance.getrandbits(128), version=4))
        near = near.lower() if is_uuid(near) else drawn
        return f"{near[:8]}{drawn[8:24]}{near[24:]}"

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

    def data_types(self) -> list[Any]:
        """Return the data type list as received; raise NotDecided if the service gives none."""
        results = self.session.results
        if results.data_types is None:
            results.data_types = self._document("data types", self.data(), list)
        return results.data_types

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

    def _with_token(self, refused: Exchange) -> Exchange:
        token = USER.label in self.session.credentials
        if refused.operation is None or not refused.counts or not token or not self.asks_for_a_token(refused):
            return refused
        ask = self.settings if refused.operation is Operation.SETTINGS else self.data
        again = ask()  # one process of several may refuse the call
        if again.counts and not self.asks_for_a_token(again):
            return again
        accepted = ask(USER, offered=True)
        if accepted.response is None or (accepted.response.status != 200 and not wants_a_language(accepted)):
            return refused
        self.session.results.behind_token.add(OPERATIONS[refused.operation][1])
        self.session.notes.append(f"{refused.operation.call} requires a token, so later calls send it.")
        return accepted

    def types(self) -> list[str]:
        """Return the identifiers of the available data types, without repetition."""
        known = self.session.results.types
        return list(known if known is not None else self._remember(types_in(self.data_types())))

    def first_types(self, number: int) -> list[str] | None:
        """Return the first `number` data types; None, which requests all, if none are known."""
        return self._types_if_known()[:number] or None

    def last_type(self) -> list[str] | None:
        """Return the last data type, or None as `first_types` does."""
        return self._types_if_known()[-1:] or None

    def _types_if_known(self) -> list[str]:
        with suppress(NotDecided):
            return self.types()
        return []

    def types_now(self) -> list[str]:
        """Request the data types again, and return their identifiers as `types` does."""
        listed = self._document("data types", self.data(), list)
        self.session.results.data_types = listed
        return list(self._remember(types_in(listed)))

    def some_types(self) -> list[str]:
        """Return at most `MOST_TYPES` types, spread over the list."""
        types = self.types()
        step = max(1, -(-len(types) // MOST_TYPES))
        return types[::-step][::-1]

    def tags(self) -> list[str]:
        """Return the language tags in supportedLanaguages, the last first; none without a list."""
        listed: list[str] | None = None
        with suppress(NotDecided):
            listed, _ = languages_of(self.settings_document())
        return [each for each in reversed(listed or []) if _TAG.fullmatch(each)]

    def unknown_type(self) -> str:
        """Return a string that is not a data type of the service."""
        types = self._types_if_known()
        while (name := self.session.made_up("type")) in types:
            pass
        return name

    def limit(self) -> int:
        """Return maxNumberOfRequests; raise NotDecided if it is not an integer."""
        settings = self.settings_document()
        limit, assumption = limit_of(settings)
        if limit is None:
            given = member_in_json(settings, "maxNumberOfRequests", 60)
            raise NotDecided(
                f"The settings do not contain maxNumberOfRequests as an integer ({given}).",
            )
        self.session.assume(assumption)
        return limit

    def _remember(self, types: list[str]) -> list[str]:
        results = self.session.results
        results.every_type = (results.every_type or frozenset()).union(types)
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

    def known_as(self, request_id: str) -> str:
        """Return what the run knows of a request: "existing", "deleted", "lost" or "unknown", as in `Intent`."""
        journal = self.session.journal
        places = (("existing", journal.live), ("deleted", journal.gone), ("lost", journal.lost))
        return next((word for word, ids in places if request_id in ids), "unknown")

    def _on_request(self, method: str, request_id: str, caller: Identity, meant: dict[str, Any]) -> Exchange:
        if "request" not in meant:
            meant["request"] = self.known_as(request_id)
        return self._send(method, f"/requests/{segment(request_id)}", caller, intent=Intent(**meant))

    def _send(self, method: str, path: str, caller: Identity, **how: Any) -> Exchange:
        if caller.label == ANONYMOUS.label and path in self.session.results.behind_token:
            caller = replace(caller, label=USER.label)
            how["intent"] = replace(how["intent"], offered=True)
        how = {"query": caller.query, "authorization": caller.authorization} | how
        connection = "close" if caller.closes else ""
        own = {
            "Accept-Language": caller.language,
            "Accept": caller.accept,
            "Cookie": caller.cookie,
            "Connection": connection,
        }
        how["headers"] = {name: value for name, value in own.items() if value} | how.get("headers", {})
        return self.session.send(method, path, credential=caller.label, variation=caller.variation, **how)

    def callers(self, caller: Identity, variations: Sequence[Variation], number: int) -> list[Identity]:
        """Return `caller` this number of times, in the given variations by turns; the seed decides which is first."""
        first = self.session.seed % len(variations)
        return [replace(caller, variation=variations[(first + index) % len(variations)]) for index in range(number)]
