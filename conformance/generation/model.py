"""The model of a sequence: which requests exist, what their owners know of them, and what the next answers show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from unittest import SkipTest

from conformance.client.user import UserClient, accepted
from conformance.facts.ledger import Ledger, Life
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER, Created, Identity
from conformance.schema.violations import Violation

KINDS: Final = {"one": "one type", "all": "all types, without a body", "two": "two types"}
"""The types of a creation."""

ENOUGH: Final = 3
"""A sequence creates at most this number of requests of one user, if the limit is higher."""


@dataclass(eq=False, repr=False)
class KnownRequest:
    """A request of the model."""

    number: int
    """Number of its creation among those of the sequence, refused ones included."""
    created: Created
    deleted: bool = False
    open: bool = False
    """Whether it may have completed, so that the model predicts only its deletion."""
    is_due: bool = False
    """Whether a reading can show something new: another step followed that can have changed it."""

    def __repr__(self) -> str:
        return f"request {self.number}"

    @property
    def owner(self) -> Identity:
        """The user who created it."""
        return self.created.owner

    @property
    def id(self) -> str:
        """Its identifier."""
        return self.created.request_id


@dataclass
class Known:
    """State shared by the sequences of a run."""

    limit: int
    tested: set[str] = field(default_factory=set)
    """The requirements that a sequence could have violated."""


class SequenceEnded(SkipTest):
    """Ends hypothesis' search at once: hypothesis does not repeat a skipped test."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)


class Contradiction(SequenceEnded):
    """A prediction that failed."""

    def __init__(
        self,
        violation: Violation,
        exchanges: Sequence[Exchange],
        taken: list[tuple[str, Exchange]],
    ) -> None:
        super().__init__(violation.message)
        self.violation = violation
        self.exchanges = exchanges
        self.taken = taken
        """The preceding steps, in words, each with its exchange."""


@dataclass
class Seen:
    """An answer to a step, and the request that it is about."""

    exchange: Exchange
    who: Identity
    request: KnownRequest | None = None

    @property
    def status(self) -> int:
        """The status of the answer."""
        return answer_of(self.exchange).status

    @property
    def of_deleted(self) -> bool:
        """Whether the call asked for a deleted request."""
        return self.exchange.intent.request == "deleted"


class Model:
    """The state of one sequence."""

    def __init__(self, service: UserClient, known: Known, users: list[Identity]) -> None:
        """Start without requests of `users`, of whom there are one or two."""
        self.service = service
        self.known = known
        self.users = users
        self.requests: list[KnownRequest] = []
        self.taken: list[tuple[str, Exchange]] = []
        self.seen: list[Seen] = []
        """The answers of the last step."""
        self.refused: set[str] = set()
        """Users whose last creation was refused or exceeded the limit, without a later deletion."""
        self.ledger = Ledger()
        """Which requests exist, by all exchanges so far."""
        self.kinds: Counter[str] = Counter()
        """Number of creations of each kind."""
        self.in_vain = False
        """Whether the last deletion found nothing; another one would show nothing new."""

    def begin(self) -> None:
        """Begin the sequence: delete what the run holds, and take over what the exchanges so far show."""
        self.service.session.clean_up()
        self.ledger = Ledger.of(self.service.record.in_order())

    @property
    def live(self) -> list[KnownRequest]:
        """The requests that were not deleted, oldest first."""
        return [each for each in self.requests if not each.deleted]

    def live_of(self, owner: Identity) -> list[KnownRequest]:
        """Return the live requests of one user."""
        return [each for each in self.live if each.owner == owner]

    def held(self, owner: Identity) -> int:
        """Return the known number of a user's requests, of this sequence or not."""
        return len(self.ledger.live(owner.label))

    def life(self, request: KnownRequest) -> Life:
        """Return what the exchanges so far show of a request."""
        return self.ledger.made[request.created.exchange.id]

    @property
    def gone(self) -> list[KnownRequest]:
        """The requests whose deletion answered 200, oldest first; after another answer their state is unknown."""
        return [each for each in self.requests if each.deleted and self.life(each).deleted]

    def gone_of(self, owner: Identity) -> list[KnownRequest]:
        """Return the deleted requests of one user."""
        return [each for each in self.gone if each.owner == owner]

    # Effects of a step.

    def see(self, words: str, seen: Seen) -> None:
        """Add a step with its answer."""
        self.seen = [seen]
        self.note(words, seen.who, seen.exchange)

    def note(self, words: str, who: Identity, exchange: Exchange) -> None:
        """Add a step in words."""
        whose = "the other user: " if who == OTHER_USER else ""
        status = exchange.response.status if exchange.response is not None else "no answer"
        self.taken.append((f"{whose}{words}: {status}", exchange))
        self.ledger.add(exchange)

    def note_change(self) -> None:
        """Note that the last step can have changed any request."""
        self.in_vain = False
        for each in self.requests:
            each.is_due = True

    def note_deletion(self, *, in_vain: bool = False) -> None:
        """Note that the last step deleted a request, or tried to."""
        self.refused.clear()
        self.note_change()
        self.in_vain = in_vain

    def create(self, owner: Identity, kind: str) -> KnownRequest | None:
        """Create a request and return it, or None if the service made none."""
        known, label = self.known, owner.label
        held, listed = self.held(owner), self.service.types()
        # Each creation has another type: the service may refuse a second request for a type, which hides other
        # refusals.
        turn = self.kinds["one"] % max(1, len(listed))
        types = {"one": listed[turn : turn + 1], "two": listed[1:3], "all": []}[kind] or None
        exchange = self.service.post(types, owner)
        self.kinds[kind] += 1
        number = self.kinds.total()
        self.see(f"create request {number} for {KINDS[kind]}", Seen(exchange, owner))
        if held >= min(known.limit, ENOUGH) or not accepted(exchange):
            self.refused.add(label)
        if not accepted(exchange):
            if owner == self.users[0] and not self.requests:
                self.users = [*self.users[1:], owner]  # the first user can create nothing
            return None
        created = self.service.created(exchange)
        if any(each.id == created.request_id for each in self.live):
            return None  # the service returned an existing request: answers cannot be assigned to either (2.1)
        request = KnownRequest(number, created, open=created.completed)
        self.requests.append(request)
        self.note_change()
        return request

    def read(self, request: KnownRequest) -> Exchange:
        """The owner reads a request."""
        exchange = self.service.read(request.id, request.owner)
        request.is_due = False
        others_went = self.ledger.deleted_since(self.life(request))
        self.see(f"read request {request.number}", Seen(exchange, request.owner, request))
        answer = answer_of(exchange)
        body = answer.document.value
        if answer.status == 200 and isinstance(body, dict):
            self.known.tested.update(["4.2-agrees-with-creation"] + ["3-deletes-no-other"] * others_went)
        return exchange

    def delete(self, request: KnownRequest, exchange: Exchange) -> None:
        """Note the deletion of a request by its owner."""
        others_went = self.ledger.deleted_since(self.life(request))
        self.see(f"delete request {request.number}", Seen(exchange, request.owner, request))
        request.deleted = True
        if accepted(exchange):
            self.known.tested.update(["4.3-answers-ok"] + ["3-deletes-no-other"] * others_went)
            self.note_deletion()
