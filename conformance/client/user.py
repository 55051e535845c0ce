"""The target for a user with a token: what a visitor may do, and data requests.

Methods named after an operation return the recorded exchange, whatever was answered. What a check merely needs
(`create`) raises `NotDecided` when the target does not give it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from conformance.client.account import jwt_claims, scalars
from conformance.client.encodings import Written, plain
from conformance.client.expect import shorten
from conformance.client.public import MOST_TYPES, PublicClient
from conformance.http.cleanup import explain_leftover
from conformance.model.error_table import LIMIT_REACHED
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import USER, Created, Identity
from conformance.model.target import LanguageSelector
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.rules.assumptions import limit_of
from conformance.rules.run_context import refusals_when_full

MOST_VALUES: Final = 2_000
"""So many values of an account are looked for in identifiers."""


class UserClient(PublicClient):
    """The target for a user with a token."""

    def post(
        self,
        types: Sequence[str] | None = None,
        caller: Identity = USER,
        *,
        written: Written = plain,
        **facts: Any,
    ) -> Exchange:
        """POST /requests (4.1) for `types`, `written` in some way, or without a body for all."""
        if types is None:
            facts = {"body": "omitted", **self.room(caller), **facts}
            return self._send("POST", "/requests", caller, facts=facts)
        listed = self.session.results.every_type or frozenset()
        facts = {"body": "known types" if listed.issuperset(types) else "unknown type", "types": list(types), **facts}
        return self.post_raw(written(types), caller, **facts)

    def post_raw(
        self,
        content: bytes,
        caller: Identity = USER,
        *,
        content_type: str = "application/json",
        **facts: Any,
    ) -> Exchange:
        """POST /requests with any bytes as its body."""
        return self._send(
            "POST",
            "/requests",
            caller,
            content=content,
            headers={"Content-Type": content_type},
            facts={"body": "odd", **self.room(caller), **facts},
        )

    def post_in(self, language: str, selector: LanguageSelector, types: Sequence[str]) -> Exchange:
        """POST /requests for `types`, asking for a language as GET /data is asked: whether that counts is open."""
        how = selector.asking(language)
        how["headers"] = {"Content-Type": "application/json"} | how.get("headers", {})
        body, facts = plain(types), {"body": "odd", "open": True}
        return self._send("POST", "/requests", USER, content=body, facts=facts, **how)

    def read(self, request_id: str, caller: Identity = USER, **facts: Any) -> Exchange:
        """GET /requests/{requestId} (4.2)."""
        return super().read(request_id, caller, **facts)

    def delete(self, request_id: str, caller: Identity = USER, **facts: Any) -> Exchange:
        """DELETE /requests/{requestId} (4.3)."""
        return self._on_request("DELETE", request_id, caller, facts)

    def create(self, types: Sequence[str] | None = None, caller: Identity = USER) -> Created:
        """Create a request that the check needs, for one type unless told otherwise; raise NotDecided without one."""
        if types is None:
            types = self.first_types(1)
        return self.created(self.post(types, caller))

    def create_for_all(self, caller: Identity = USER) -> Created:
        """Create a request without a body that the check needs."""
        return self.created(self.post(None, caller))

    def created(self, exchange: Exchange) -> Created:
        """Return the request that a creation made; raise NotDecided, saying why, when it made none."""
        answer = answer_of(exchange)
        body = answer.document.value
        if 200 <= answer.status < 300 and isinstance(body, dict) and isinstance(body.get("requestId"), str):
            return Created(body["requestId"], body, exchange)
        raise self.why_not_created(exchange)

    def why_not_created(self, exchange: Exchange) -> NotDecided:
        """Return why a creation made no request."""
        return self._without_room(exchange) if is_limit_refusal(exchange) else self._unmade(exchange)

    def demand(self, exchange: Exchange, requirement_id: str) -> None:
        """Assert as PublicClient does; raise NotDecided with the reason where a creation made nothing to judge."""
        if exchange.operation is Operation.CREATE and answer_of(exchange).status != 200:
            self.created(exchange)
        super().demand(exchange, requirement_id)

    def _unmade(self, exchange: Exchange) -> NotDecided:
        answer = answer_of(exchange)
        blame, remedy = Blame.TARGET, "See 4.1-answers-200."
        if answer.status == 401:
            blame, remedy = Blame.CREDENTIAL, "See 5.1-accepts-bearer, and whether the token has expired."
        elif 200 <= answer.status < 300:
            remedy = "See 4.1-object and 2.1-requestId."
        elif answer.status < 500 and self.may_be_limit_refusal(exchange):
            remedy = (
                "Requests of the run may take every place: see 7-limit-reached-error, 2.1-requestId, 4.3-answers-ok "
                "and 3-frees-the-limit."
            )
        return NotDecided(
            f"This needs a request, but creating one answered {answer.status} with "
            f"{shorten(answer.text, 80) or 'an empty body'}.",
            blame=blame,
            remedy=remedy,
            exchanges=[exchange],
        )

    def _without_room(self, exchange: Exchange) -> NotDecided:
        limit = self._limit_if_known()
        if limit == 0:
            return NotDecided(
                "maxNumberOfRequests is 0, and a creation was refused for it: this needs a request.",
                blame=Blame.CONFIGURATION,
                remedy="Let the account have one request at least, and run again.",
                exchanges=[exchange],
            )
        label = exchange.request.credential
        own = [one for one, owner in self.session.journal.live.items() if owner == label]
        if own and limit is not None and len(own) >= limit:
            blame, why = explain_leftover(self.session, own[0])
            return NotDecided(
                "The target refused a creation because the limit is reached: the run itself holds "
                f"{count(len(own), 'request')} that could not be deleted. Of the first, {why}.",
                blame=blame,
                remedy="See 4.3-answers-ok.",
                exchanges=[exchange],
            )
        if self.session.target.account_is_empty:
            return NotDecided(
                "The target refused a creation because the limit is reached, though the run holds "
                f"{count(len(own), 'request')} and the account held none before: requests that the run cannot name or "
                "that were deleted take places.",
                remedy="See 3-frees-the-limit, 4.1-refused-creates-nothing and 8-accepts-up-to-limit.",
                exchanges=[exchange],
            )
        why = "the account seems to hold requests already"
        remedy = "Delete the account's open requests, or use an account without any, and run again."
        if self.session.journal.unnamed:
            why += ", or to hold some that this run made without being told of it"
            remedy = "Look into the account: open requests may be this run's own. Delete them, and run again."
        return NotDecided(
            "The target refused a creation because the limit is reached, though the run holds "
            f"{len(own)} of its own requests: {why}.",
            blame=Blame.CONFIGURATION,
            remedy=remedy,
            exchanges=[exchange],
        )

    def _limit_if_known(self) -> int | None:
        try:
            return self.limit()
        except NotDecided:
            return None

    def room(self, caller: Identity) -> dict[str, str]:
        """Return the fact that requests of the run, unnamed ones among them, may take every place; else nothing."""
        limit, assumption = limit_of(self.session.results.settings or {})
        if caller.label not in self.session.credentials or not isinstance(limit, int) or assumption:
            return {}
        unnamed = self.session.journal.unnamed
        return {"limit": "perhaps"} if self.held(caller.label) + unnamed >= limit else {}

    def may_be_limit_refusal(self, exchange: Exchange) -> bool:
        """Tell whether the limit is or may be why a creation was refused, also where the stated error is missing."""
        answer = answer_of(exchange)
        if answer.status < 400:
            return is_limit_refusal(exchange)
        full = refusals_when_full(self.record.answered(Operation.CREATE))
        perhaps = exchange.facts.get("limit") == "perhaps"
        return perhaps or LIMIT_REACHED.error in answer.text or (answer.status, answer.body) in full

    def creations(self) -> list[Exchange]:
        """Return every creation of the run that was answered 200; raise NotDecided when not even one more is."""
        if not self.record.answered(Operation.CREATE, 200):
            self.create()
        return self.record.answered(Operation.CREATE, 200)

    def created_if_possible(self, exchange: Exchange) -> Created | None:
        """Return the request that a creation made, or None."""
        try:
            return self.created(exchange)
        except NotDecided:
            return None

    def held(self, label: str = "user") -> int:
        """Return how many requests of the run exist, as far as is known."""
        return sum(owner == label for owner in self.session.journal.live.values())

    def known_of_account(self, me: Exchange) -> dict[str, str]:
        """Return what is known of the requester, each value under a name that may be shown.

        `me` is the answer to GET /data/me with the token.
        """
        known: dict[str, str] = {}
        journal = self.session.journal
        token = self.session.credentials["user"].token.current()
        known["the access token"] = token
        for claim, value in jwt_claims(token).items():
            known[f"the token's claim {claim}"] = value
        if me.error is None and answer_of(me).status == 200 and not answer_of(me).document.problem:
            for path, value in islice(scalars(answer_of(me).document.value), MOST_VALUES):
                known[f"{path} of GET /data/me"] = value
        known["the User-Agent of its calls"] = self.session.user_agent
        known |= {f"the data type {shorten(name, 40)}": name for name in self.types()[:MOST_TYPES]}
        # An account record may list the requests themselves: an identifier is not derived from itself.
        own = {request_id.lower() for ids in (journal.live, journal.gone, journal.lost) for request_id in ids}
        return {name: value for name, value in known.items() if len(value) >= 3 and value.lower() not in own}


def is_limit_refusal(exchange: Exchange) -> bool:
    """Tell whether a creation was refused with the error of the limit (7)."""
    answer = exchange.response
    body = answer.document.value if answer and exchange.operation is Operation.CREATE else None
    return isinstance(body, dict) and body.get("error") == LIMIT_REACHED.error


def accepted(exchange: Exchange) -> bool:
    """Tell whether a creation or deletion was accepted."""
    answer = exchange.response
    return answer is not None and 200 <= answer.status < 300 and not is_limit_refusal(exchange)
