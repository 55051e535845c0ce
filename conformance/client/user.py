"""The client with the user's token: the calls of the public client, and those on data requests.

A method named after an operation returns the recorded exchange, with any response. A method that returns a
value (`create`) raises NotDecided if the service does not give it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from conformance.client.encodings import Written, plain
from conformance.client.public import MOST_TYPES, PublicClient
from conformance.facts.answers import accepted as accepted
from conformance.facts.answers import is_limit_refusal as is_limit_refusal
from conformance.facts.answers import refuses_form as refuses_form
from conformance.facts.answers import says
from conformance.facts.answers import succeeded as succeeded
from conformance.model.account import jwt_claims, scalars
from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, Intent
from conformance.model.identity import USER, Created, Identity
from conformance.model.language_selector import LanguageSelector
from conformance.model.text import shorten
from conformance.model.variation import OF_BODIES, PLAIN, Variation

MOST_VALUES: Final = 2_000
"""Most values of an account that are searched in identifiers."""


class UserClient(PublicClient):
    """The calls with the user's token."""

    def post(
        self,
        types: Sequence[str] | None = None,
        caller: Identity = USER,
        *,
        written: Written = plain,
        **meant: Any,
    ) -> Exchange:
        """POST /requests (4.1) for `types`, encoded by `written`, or without a body."""
        if types is None:
            meant = {"body": "omitted", **meant}
            return self._send("POST", "/requests", caller, intent=Intent(**meant))
        listed = self.session.results.every_type or frozenset()
        meant = {"body": "known types" if listed.issuperset(types) else "unknown type", "types": list(types), **meant}
        return self.post_raw(written(types), caller, **meant)

    def post_raw(
        self, content: bytes, caller: Identity = USER, *, media_type: str = "application/json", **meant: Any
    ) -> Exchange:
        """POST /requests with `content` as its body."""
        intent = Intent(**{"body": "odd", **meant})
        how: dict[str, Any] = {"content": content, "headers": {"Content-Type": media_type}, "intent": intent}
        exchange = self._send("POST", "/requests", caller, **how)
        if not refuses_form(exchange):
            return exchange
        # The service need not know this form of transfer (4.1-transfer-forms), whether it was sent once or twice.
        for each in self.record.exchanges:
            if each.id in (exchange.id, exchange.repeats) and refuses_form(each):
                each.intent = replace(intent, open=True, unusual=True)
        return self._send("POST", "/requests", replace(caller, variation=PLAIN), **how)

    def post_in(self, language: str, selector: LanguageSelector, types: Sequence[str]) -> Exchange:
        """POST /requests for `types` with a language selector; whether it has an effect is open."""
        how = selector.asking(language)
        how["headers"] = {"Content-Type": "application/json"} | how.get("headers", {})
        body, intent = plain(types), Intent(body="odd", open=True)
        return self._send("POST", "/requests", USER, content=body, intent=intent, **how)

    def read(self, request_id: str, caller: Identity = USER, **meant: Any) -> Exchange:
        """GET /requests/{requestId} (4.2)."""
        return super().read(request_id, caller, **meant)

    def delete(self, request_id: str, caller: Identity = USER, **meant: Any) -> Exchange:
        """DELETE /requests/{requestId} (4.3)."""
        return self._on_request("DELETE", request_id, caller, meant)

    def create(self, variation: Variation = PLAIN) -> Created:
        """Create a request for one type; raise NotDecided if the service makes none.

        Where it refuses a body in a variation, which counts against it, a plain one lets it show the rest. Where it
        refuses a type, the list may have lost it.
        """
        exchange = self.post(self.first_types(1), replace(USER, variation=variation))
        withdrawn = says(exchange, INVALID_DATA_TYPES) and self.types() != self.types_now()
        refused = exchange.response is not None and not (accepted(exchange) or is_limit_refusal(exchange))
        if withdrawn or (refused and variation != PLAIN):
            exchange = self.post(self.first_types(1))
        return self.created(exchange)

    def of_bodies(self, place: int) -> Variation:
        """Return the variation of a creation at one place of the run; the seed decides which one."""
        return OF_BODIES[(self.session.seed + place) % len(OF_BODIES)]

    def known_of_account(self, me: Exchange, caller: Identity = USER) -> dict[str, str]:
        """Return what the account of a user tells, each value under a name that may be shown: the token, its claims.

        `me` is the answer to GET /data/me with the token.
        """
        token = self.session.credentials[caller.label].token.current()
        known = {"the access token": token}
        known |= {f"the token's claim {claim}": value for claim, value in jwt_claims(token).items()}
        if me.counts and answer_of(me).status == 200 and not answer_of(me).document.problem:
            for path, value in islice(scalars(self.session.personal.received(me)), MOST_VALUES):
                known[f"{self.session.personal.path_shown(path)} of GET /data/me"] = value
        # An account record may list the requests; an identifier is not derived from itself.
        journal = self.session.journal
        own = {request_id.lower() for ids in (journal.live, journal.gone, journal.lost) for request_id in ids}
        return {name: value for name, value in known.items() if len(value) >= 3 and value.lower() not in own}

    def known_of_calls(self) -> dict[str, str]:
        """Return what the calls tell of the requester, as `known_of_account` does."""
        known = {"the access token": self.session.credentials[USER.label].token.current()}
        known["the User-Agent of its calls"] = self.session.user_agent
        known |= {f"the data type {shorten(name, 40)}": name for name in self.types()[:MOST_TYPES]}
        return {name: value for name, value in known.items() if len(value) >= 3}
