"""The target as a check sees it: as a visitor without a token, or as a user with one.

Methods named after an operation return the recorded exchange, whatever was answered. What a check merely needs
(`create`, `types`, `limit`) raises `Undecided` when the target does not give it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar
from urllib.parse import quote
from uuid import UUID

from conformance.account import jwt_claims, scalars
from conformance.exchange import Exchange, Operation
from conformance.expect import Undecided, answer_of, describe, json_body, keeps, not_applicable, shorten
from conformance.formats import is_uuid
from conformance.judge import ROOTS, judge
from conformance.knowledge import Knowledge, types_in
from conformance.session import Session, segment
from conformance.target import LanguageSelector
from conformance.verdict import Blame

_T = TypeVar("_T")

MOST_TYPES: Final = 50
"""The longest list of types that is sent: sizes are not shown (8), so nothing large is asked for."""


LOOKS: Final = 6
"""How often a request is read after its deletion, besides all the readings that others come to."""

DELETIONS: Final = 3
"""How often it is deleted again."""


MOST_VALUES: Final = 2_000
"""So many values of an account are looked for in identifiers."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the label of a known credential, or raw Authorization headers or a query under a description."""

    label: str
    authorization: str | tuple[str, ...] = ()
    query: str = ""


NOBODY: Final = Caller("no token")
USER: Final = Caller("user")
OTHER_USER: Final = Caller("other user")


@dataclass(frozen=True, slots=True)
class Created:
    """A request that the run made: its identifier, what creation returned, and the exchange."""

    request_id: str
    document: dict[str, Any]
    exchange: Exchange

    @property
    def owner(self) -> Caller:
        """Whose request it is."""
        return Caller(self.exchange.question.credential)

    @property
    def completed(self) -> bool:
        """Whether creation already returned it as completed."""
        return self.document.get("isCompleted") is True


class Visitor:
    """Calls that need no token and change nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.record = session.record

    @property
    def repeats(self) -> int:
        """How often a question is put whose answer must not depend on chance: meets a fault in one answer of twenty."""
        return self.session.target.budget.repeats

    def settings(self, caller: Caller = NOBODY, **facts: Any) -> Exchange:
        """GET /settings (4.4)."""
        return self._send("GET", "/settings", caller, facts=facts)

    def data(
        self,
        caller: Caller = NOBODY,
        *,
        language: str | None = None,
        selector: LanguageSelector | None = None,
        supported: bool | None = True,
        **facts: Any,
    ) -> Exchange:
        """GET /data (4.5), in `language` by `selector` where both are given; `supported` is None for no language."""
        if language is None or selector is None:
            return self._send("GET", "/data", caller, facts=facts)
        meant = "malformed" if supported is None else "supported" if supported else "unsupported"
        return self._send("GET", "/data", caller, facts={"language": meant, **facts}, **_in(language, selector))

    def data_me(self, caller: Caller = NOBODY) -> Exchange:
        """GET /data/me (4.6)."""
        return self._send("GET", "/data/me", caller)

    def data_me_answers(self) -> tuple[Exchange, Exchange]:
        """Return the answers to GET /data/me with the best token there is and without one; asked once for the run."""
        best = USER if USER.label in self.session.credentials else NOBODY

        def ask() -> tuple[Exchange, Exchange]:
            with_best, without = self.session.side_by_side([partial(self.data_me, one) for one in (best, NOBODY)])
            return with_best, without

        return self.once("data/me", ask)

    def read(self, request_id: str, caller: Caller = NOBODY, **facts: Any) -> Exchange:
        """GET /requests/{requestId} (4.2)."""
        return self._on_request("GET", request_id, caller, facts)

    def asks_for_a_token(self, exchange: Exchange) -> bool:
        """Tell whether a call was turned away for want of a token: 401, 403, or a redirect that a token spares."""
        status = answer_of(exchange).status
        if not 300 <= status < 400 or USER.label not in self.session.credentials:
            return status in (401, 403)
        with_token = self.settings(USER) if exchange.operation is Operation.SETTINGS else self.data(USER)
        return answer_of(with_token).status == 200

    def some_uuid(self) -> str:
        """Return a version 4 UUID that no request has, the same for the same seed and check.

        Where there are requests it begins and ends as one of them does: who compares a part only takes it for that one.
        """
        drawn = str(UUID(int=self.session.chance.getrandbits(128), version=4))
        near = next((each.lower() for each in reversed(self.session.journal.live) if is_uuid(each)), drawn)
        return f"{near[:8]}{drawn[8:24]}{near[24:]}"

    def settings_document(self) -> dict[str, Any]:
        """Return the settings; raise Undecided when the target gives none."""
        document: dict[str, Any] = self._once("settings", self.settings, dict)
        return document

    def data_types(self) -> list[Any]:
        """Return the data type list as it came; raise Undecided when the target gives none."""
        listed: list[Any] = self._once("data types", self.data, list)
        return listed

    def heard(self, settings: Exchange, data: Exchange) -> None:
        """Remember what two answers say, so that it need not be asked for again."""
        with suppress(Undecided):
            self._once("settings", lambda: settings, dict)
        with suppress(Undecided):
            self._once("data types", lambda: data, list)

    def types(self) -> list[str]:
        """Return the identifiers of the data types on offer, each once."""
        memory = self.session.memory
        if "types" not in memory:
            memory["types"] = list(dict.fromkeys(types_in(self.data_types())))
            memory["set of types"] = frozenset(memory["types"])
        return list(memory["types"])

    def types_now(self) -> list[str]:
        """Ask for the data types anew, and return their identifiers, each once."""
        for name in ("data types", "types"):
            self.session.memory.pop(name, None)
        return self.types()

    def some_types(self, at_least: int = 1) -> list[str]:
        """Return the types, at most 50 from all over the list; raise Undecided when there are fewer than `at_least`."""
        types = self.types()
        if len(types) < at_least:
            raise not_applicable(f"GET /data lists {len(types)} data types; this needs {at_least}.")
        step = max(1, -(-len(types) // MOST_TYPES))
        return types[::-step][::-1]

    def unknown_type(self) -> str:
        """Return a string that is no data type of this target."""
        types = self.types()
        while (name := f"no-such-type-{self.session.chance.getrandbits(48):012x}") in types:
            pass
        return name

    def limit_now(self) -> int:
        """Ask for the settings anew, and return maxNumberOfRequests; raise Undecided as `limit` does."""
        self.session.memory.pop("settings", None)
        return self.limit()

    def limit(self) -> int:
        """Return maxNumberOfRequests; raise Undecided when the settings do not give it as an integer."""
        given = self.settings_document().get("maxNumberOfRequests")
        if isinstance(given, Decimal):
            return sys.maxsize  # a number too long to be anything but beyond every budget
        if isinstance(given, bool) or not isinstance(given, int | float) or given != int(given):
            raise Undecided(
                f"The settings do not give maxNumberOfRequests as an integer ({shorten(repr(given), 60)}).",
                remedy="See 2.3-maxNumberOfRequests.",
            )
        return int(given)

    def demand(self, exchange: Exchange, requirement_id: str) -> None:
        """Assert that a 200 keeps one requirement on its document; raise Undecided where there is no document."""
        if answer_of(exchange).status != 200:
            raise Undecided(
                f"This looks at a 200, but {describe(exchange)} answered {answer_of(exchange).status}.",
                exchanges=[exchange],
            )
        json_body(exchange)
        found = judge(exchange, Knowledge(self.session.memory.get("set of types")))
        kind_of_thing = requirement_id.endswith(("-object", "-array"))
        if not kind_of_thing and any(each.path == "" and each.requirement in ROOTS for each in found):
            raise Undecided(f"{describe(exchange)} answered with another kind of document.", exchanges=[exchange])
        keeps(exchange, requirement_id, found)

    def demand_of_all(self, exchanges: Sequence[Exchange], requirement_id: str) -> None:
        """Assert that every 200 keeps one requirement on its document; raise Undecided where none has a document."""
        undecided: Undecided | None = None
        decided = False
        # Most answers are the same: each is looked at once.
        for exchange in {one.answer and (one.answer.status, one.answer.body): one for one in exchanges}.values():
            try:
                self.demand(exchange, requirement_id)
                decided = True
            except Undecided as error:
                undecided = error
        if undecided is not None and not decided:
            raise undecided

    def once(self, name: str, make: Callable[[], _T]) -> _T:
        """Return what `make` gives, made once for the run; an Undecided that it raised is raised every time."""
        memory = self.session.memory
        if name not in memory:
            try:
                memory[name] = make()
            except Undecided as error:
                memory[name] = error
        made: _T | Undecided = memory[name]
        if isinstance(made, Undecided):
            raise made
        return made

    def tried_once(self, name: str, run: Callable[[], _T]) -> _T:
        """Return what a trial comes to, made once for the run; what it leaves is deleted before anybody looks."""

        def cleaned_up() -> _T:
            try:
                made = run()
            except Exception:
                self.session.clean_up()
                raise
            # An interrupt leaves it to the end of the run, which first waits for the creations under way.
            self.session.clean_up()
            return made

        return self.once(name, cleaned_up)

    def _once(self, name: str, ask: Any, kind: type) -> Any:
        memory = self.session.memory
        if name not in memory:
            exchange = ask()
            if answer_of(exchange).status != 200 or not isinstance(json_body(exchange), kind):
                raise Undecided(
                    f"This needs the {name}, but {describe(exchange)} answered {answer_of(exchange).status} "
                    f"with {shorten(answer_of(exchange).text, 80) or 'an empty body'}.",
                    exchanges=[exchange],
                )
            memory[name] = json_body(exchange)
        return memory[name]

    def _on_request(self, method: str, request_id: str, caller: Caller, facts: dict[str, Any]) -> Exchange:
        if "request" not in facts:
            journal = self.session.journal
            places = (("existing", journal.live), ("deleted", journal.gone), ("lost", journal.lost))
            known = next((word for word, ids in places if request_id in ids), "unknown")
            facts = {"request": known, **facts}
        return self._send(method, f"/requests/{segment(request_id)}", caller, facts=facts)

    def _send(self, method: str, path: str, caller: Caller, **how: Any) -> Exchange:
        how = {"query": caller.query, "authorization": caller.authorization} | how
        return self.session.send(method, path, credential=caller.label, **how)


class Service(Visitor):
    """The target for a user with a token."""

    def post(
        self, types: Sequence[str] | None = None, caller: Caller = USER, *, escaped: bool = True, **facts: Any
    ) -> Exchange:
        """POST /requests (4.1) for `types`, or without a body for all; not `escaped`, letters are sent as they are."""
        if types is None:
            return self._send("POST", "/requests", caller, facts={"body": "omitted", **facts})
        listed = self.session.memory.get("set of types", frozenset())
        facts = {"body": "known types" if listed.issuperset(types) else "unknown type", "types": list(types), **facts}
        content = json.dumps(list(types), ensure_ascii=escaped)
        if not _is_text(content):
            content = json.dumps(list(types))
        return self.post_raw(content.encode(), caller, **facts)

    def post_raw(
        self,
        content: bytes,
        caller: Caller = USER,
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
            facts={"body": "odd", **facts},
        )

    def post_in(self, language: str, selector: LanguageSelector, types: Sequence[str]) -> Exchange:
        """POST /requests for `types`, asking for a language as GET /data is asked: whether that counts is open."""
        how = _in(language, selector)
        how["headers"] = {"Content-Type": "application/json"} | how.get("headers", {})
        body, facts = json.dumps(list(types)).encode(), {"body": "odd", "open": True}
        return self._send("POST", "/requests", USER, content=body, facts=facts, **how)

    def read(self, request_id: str, caller: Caller = USER, **facts: Any) -> Exchange:
        """GET /requests/{requestId} (4.2)."""
        return super().read(request_id, caller, **facts)

    def delete(self, request_id: str, caller: Caller = USER, **facts: Any) -> Exchange:
        """DELETE /requests/{requestId} (4.3)."""
        return self._on_request("DELETE", request_id, caller, facts)

    def create(self, types: Sequence[str] | None = None, caller: Caller = USER) -> Created:
        """Create a request that the check needs, for one type unless told otherwise; raise Undecided without one."""
        if types is None:
            types = self.types()[:1] or None
        return self.created(self.post(types, caller))

    def create_for_all(self, caller: Caller = USER) -> Created:
        """Create a request without a body that the check needs."""
        return self.created(self.post(None, caller))

    def creation_and_reading(self) -> tuple[Exchange, Exchange | None]:
        """Return a creation and a reading of what it made, which several checks look at; asked once for the run."""
        return self._creation_and_reading("one", lambda: self.types()[:1] or None)

    def _creation_and_reading(
        self, number: str, types: Callable[[], list[str] | None]
    ) -> tuple[Exchange, Exchange | None]:
        def ask() -> tuple[Exchange, Exchange | None]:
            exchange = self.post(types())
            made = self.created_if_possible(exchange)
            if made is None:
                return exchange, None
            read = self.read(made.request_id)
            self.session.remove(made.request_id)
            return exchange, read

        return self.once(f"creation and reading for {number}", ask)

    def creation_for_all(self) -> tuple[Exchange, Exchange | None]:
        """Return the same without a body, hence for all types."""
        return self._creation_and_reading("all", lambda: None)

    def creation_for_two(self) -> tuple[Exchange, Exchange | None]:
        """Return the same for two types."""
        return self._creation_and_reading("two", lambda: self.types()[:2] or None)

    def deletion(self) -> tuple[Exchange, list[Exchange]]:
        """Return the deletion of a new request, and if it was accepted how it was read and deleted again afterwards.

        Asked once for the run.
        """

        def ask() -> tuple[Exchange, list[Exchange]]:
            one = self.create().request_id
            deleted = self.delete(one)
            if deleted.answer is None or not 200 <= deleted.answer.status < 300:
                return deleted, []
            reading = partial(self.read, one, request="deleted")
            deleting = partial(self.delete, one, request="deleted")
            return deleted, self.session.side_by_side([*[reading] * LOOKS, *[deleting] * DELETIONS])

        return self.once("deletion", ask)

    def created_and_read(self) -> tuple[Created, Exchange]:
        """Return the same as a request that was made and its reading; raise Undecided where none was made."""
        creation, reading = self.creation_and_reading()
        created = self.created(creation)
        assert reading is not None
        return created, reading

    def created(self, exchange: Exchange) -> Created:
        """Return the request that a creation made; raise Undecided, saying why, when it made none."""
        answer = answer_of(exchange)
        body = answer.document.value
        if 200 <= answer.status < 300 and isinstance(body, dict) and isinstance(body.get("requestId"), str):
            return Created(body["requestId"], body, exchange)
        if is_limit_refusal(exchange):
            raise Undecided(
                "The target refused a creation because the limit is reached, though the run holds "
                f"{self.held()} of its own requests: the account seems to hold requests already.",
                blame=Blame.CONFIGURATION,
                remedy="Delete the account's open requests, or use an account without any, and run again.",
                exchanges=[exchange],
            )
        raise Undecided(
            f"This needs a request, but creating one answered {answer.status} with "
            f"{shorten(answer.text, 80) or 'an empty body'}.",
            blame=Blame.CREDENTIAL if answer.status == 401 else Blame.TARGET,
            remedy="See 4.1-answers-200.",
            exchanges=[exchange],
        )

    def creations(self) -> list[Exchange]:
        """Return every creation of the run that was answered 200; raise Undecided when not even one more is."""
        if not self.record.answered(Operation.CREATE, 200):
            self.create()
        return self.record.answered(Operation.CREATE, 200)

    def created_if_possible(self, exchange: Exchange) -> Created | None:
        """Return the request that a creation made, or None."""
        try:
            return self.created(exchange)
        except Undecided:
            return None

    def held(self, label: str = "user") -> int:
        """Return how many requests of the run exist, as far as is known."""
        return sum(owner == label for owner in self.session.journal.live.values())

    def completed_request(self) -> Created:
        """Return a request that is completed; raise not-applicable when a new one is not, or was not before."""
        created, read = self.created_and_read()
        if created.completed or _shows_completed(read):
            created = self.create()
            if created.completed or _shows_completed(self.read(created.request_id)):
                return created
        raise not_applicable("No request of the run is completed: this target completes none so soon.", read)

    def known_of_account(self) -> dict[str, str]:
        """Return what is known of the requester, each value under a name that may be shown."""
        known: dict[str, str] = {}
        journal = self.session.journal
        token = self.session.credentials["user"].token.current()
        known["the access token"] = token
        for claim, value in jwt_claims(token).items():
            known[f"the token's claim {claim}"] = value
        me, _ = self.data_me_answers()
        if me.trouble is None and answer_of(me).status == 200 and not answer_of(me).document.problem:
            for path, value in islice(scalars(answer_of(me).document.value), MOST_VALUES):
                known[f"{path} of GET /data/me"] = value
        known |= {f"the data type {shorten(name, 40)}": name for name in self.types()[:MOST_TYPES]}
        # An account record may list the requests themselves: an identifier is not derived from itself.
        own = {request_id.lower() for ids in (journal.live, journal.gone, journal.lost) for request_id in ids}
        return {name: value for name, value in known.items() if len(value) >= 3 and value.lower() not in own}


def _shows_completed(read: Exchange) -> bool:
    """Tell whether a reading shows the request completed."""
    value = answer_of(read).document.value
    return answer_of(read).status == 200 and isinstance(value, dict) and value.get("isCompleted") is True


def _is_text(text: str) -> bool:
    """Tell whether `text` can be sent as it is: half of a surrogate pair cannot."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def is_limit_refusal(exchange: Exchange) -> bool:
    """Tell whether a creation was refused with the error of the limit (7)."""
    answer = exchange.answer
    body = answer.document.value if answer and exchange.operation is Operation.CREATE else None
    return isinstance(body, dict) and body.get("error") == "MaximumAmountOfRequestsReached"


def _in(language: str, selector: LanguageSelector) -> dict[str, Any]:
    """Return what asks for a language, as arguments of Session.send."""
    if selector.kind == "header":
        return {"headers": {selector.name: language}}
    return {"query": f"{selector.name}={quote(language, safe='')}"}
