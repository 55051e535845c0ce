"""The model of a sequence: existing requests, possible steps, and the calls of the steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from unittest import SkipTest

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER, Created, Identity
from conformance.schema.violations import Violation

KINDS: Final = {"one": "one type", "all": "all types, without a body", "two": "two types"}
"""The types of a creation."""

ENOUGH: Final = 3
"""A sequence creates at most this number of requests of one user, if the limit is higher."""

_LOOKS: Final = 2
"""How often the owner reads a deleted request: after its deletion, and after a later creation."""


class Creation(NamedTuple):
    """A possible creation."""

    owner: Identity
    kind: str


@dataclass(eq=False)
class KnownRequest:
    """A request of the model; `seen` is the number of steps until it was last seen."""

    number: int
    created: Created
    seen: int
    deleted: bool = False
    open: bool = False
    """Whether it may have completed, so that the model predicts only its deletion."""
    read: bool = False
    shown_to_other: bool = False
    deleted_again: bool = False
    looks: int = 0
    look_is_due: bool = False

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
    peaks: Counter[str] = field(default_factory=Counter)
    """Most requests of each user that existed at once."""
    freed: set[str] = field(default_factory=set)
    """Users who deleted a request."""
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
        *,
        if_empty: bool = False,
    ) -> None:
        super().__init__(violation.message)
        self.violation = violation
        self.if_empty = if_empty
        """Whether it is one only if nothing else counts against the limit."""
        self.exchanges = exchanges
        self.taken = taken
        """The preceding steps, in words, each with its exchange."""


@dataclass
class Seen:
    """An answer, and the model's knowledge before it."""

    exchange: Exchange
    who: Identity
    request: KnownRequest | None = None
    held: int = 0
    others_went: bool = False
    """Whether another request was deleted since this one was last seen."""

    @property
    def status(self) -> int:
        """The status of the answer."""
        return answer_of(self.exchange).status

    @property
    def of_deleted(self) -> bool:
        """Whether the call asked for a deleted request."""
        return self.exchange.intent.request == "deleted"


class Model:
    """The state of one sequence. The methods `to_…` return the possible arguments of a step, the most useful first."""

    def __init__(self, service: UserClient, known: Known, users: list[Identity], *, counting_is_sound: bool) -> None:
        """Start without requests; the first of `users` creates up to the limit, the second at most one request."""
        self.service = service
        self.known = known
        self.users = users
        self.counting_is_sound = counting_is_sound
        self.requests: list[KnownRequest] = []
        self.taken: list[tuple[str, Exchange]] = []
        self.seen: list[Seen] = []
        """The answers of the last step."""
        self.refused: set[str] = set()
        """Users whose last creation was refused or exceeded the limit, without a later deletion."""
        self.deletions: list[tuple[int, str]] = []
        """Number of the step of the last deletion, and its user."""
        self.changed = 0
        """Number of the last step that can have changed another request."""
        self.kinds: Counter[str] = Counter()
        self.unknown_was_deleted = False

    @property
    def live(self) -> list[KnownRequest]:
        """The requests that were not deleted, oldest first."""
        return [each for each in self.requests if not each.deleted]

    def live_of(self, owner: Identity) -> list[KnownRequest]:
        """Return the live requests of one user."""
        return [each for each in self.live if each.owner == owner]

    def held(self, owner: Identity) -> int:
        """Return the known number of a user's requests, of this sequence or not."""
        return self.service.held(owner.label)

    def deleted_since(self, request: KnownRequest) -> bool:
        """Tell whether a deletion followed the last sight of a request."""
        return bool(self.deletions) and self.deletions[-1][0] > request.seen

    @property
    def all_is_known(self) -> bool:
        """Whether the run knows all requests that count against the limit."""
        journal = self.service.session.journal
        return self.counting_is_sound and not journal.unnamed and not journal.lost

    # What a step can try.

    def to_create(self) -> list[Creation]:
        """Creations: the first user's up to one beyond the limit, then one of the second user."""
        first, *others = self.users
        owners = [first] * (first.label not in self.refused)
        created = {each.owner for each in self.requests}
        owners += [each for each in others if each.label not in self.refused and each not in created]
        kinds = sorted(KINDS, key=lambda kind: self.kinds[kind])
        return [Creation(owner, kind) for owner in owners for kind in kinds]

    def to_read(self) -> list[KnownRequest]:
        """Requests that a step can have changed since they were last seen, and older ones that were never read."""
        oldest = [own[0] for user in self.users[:1] if (own := self.live_of(user))]
        news = [each for each in oldest if self.changed > each.seen]
        return news + [each for each in self.live_of(self.users[0])[1:-1] if not each.read]

    def to_show(self) -> list[KnownRequest]:
        """Requests that another user can read: one of each owner."""
        if len(self.users) == 1:
            return []
        shown = {each.owner for each in self.live if each.shown_to_other}
        return [each for each in self.live if each.owner not in shown]

    def to_look_for(self) -> list[KnownRequest]:
        """Deleted requests that may be readable again."""
        return [each for each in self.gone() if each.look_is_due and each.looks < _LOOKS]

    def to_delete(self) -> list[KnownRequest]:
        """Requests to delete: of the user with the fewest deletions, and there the ones in the middle first."""
        spent = Counter(label for _, label in self.deletions)
        order = sorted(self.users, key=lambda user: (spent[user.label], -self.users.index(user)))
        return [each for user in order for each in _from_the_middle(self.live_of(user))]

    def to_delete_again(self) -> list[KnownRequest]:
        """Deleted requests without a second deletion."""
        return [each for each in self.gone() if not each.deleted_again]

    def gone(self) -> list[KnownRequest]:
        """Return the requests whose deletion answered 200; after another answer their state is unknown."""
        return [each for each in self.requests if each.deleted and each.id in self.service.session.journal.gone]

    def is_possible(self, rule: str, choice: object) -> bool:
        """Tell whether a step is possible in this sequence: whether a request must have been deleted or not."""
        if not isinstance(choice, KnownRequest):
            return True
        return choice in (self.gone() if rule in ("check_deleted", "delete_again") else self.live)

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

    def note_change(self) -> None:
        """Note that the last step can have changed other requests."""
        self.changed = len(self.taken)

    def note_deletion(self, who: Identity) -> None:
        """Note that the last step deleted a request, or tried to."""
        self.deletions.append((len(self.taken), who.label))
        self.refused.clear()
        self.note_change()

    def create(self, creation: Creation) -> bool:
        """Create a request; tell whether it was accepted."""
        owner, kind = creation
        known, label = self.known, owner.label
        held, listed = self.held(owner), self.service.types()
        # Each creation has another type: the service may refuse a second request for a type, which hides other
        # refusals.
        turn = self.kinds["one"] % max(1, len(listed))
        types = {"one": listed[turn : turn + 1], "two": listed[1:3], "all": []}[kind] or None
        meant: dict[str, Any] = {"limit": "reached"} if held >= known.limit else {}
        exchange = self.service.post(types, owner, **meant)
        self.see(f"create request {len(self.requests) + 1} for {KINDS[kind]}", Seen(exchange, owner, held=held))
        self.kinds[kind] += 1
        if held >= min(known.limit, ENOUGH) or not accepted(exchange):
            self.refused.add(label)
        if not accepted(exchange):
            if is_limit_refusal(exchange) and held >= known.limit:
                known.tested.add("8-limit-enforced")
            if owner == self.users[0] and not self.requests:
                self.users = [*self.users[1:], owner]  # the first user can create nothing
            return False
        created = self.service.created(exchange)
        if any(each.id == created.request_id for each in self.live):
            return False  # the service returned an existing request: answers cannot be assigned to either (2.1)
        self._add(created)
        if held + 1 == known.limit:
            known.tested.add("8-accepts-up-to-limit")
        if label in known.freed and known.peaks[label] > held:
            known.tested.add("3-frees-the-limit")
        known.peaks[label] = max(known.peaks[label], held + 1)
        return True

    def _add(self, created: Created) -> None:
        self.note_change()
        request = KnownRequest(len(self.requests) + 1, created, len(self.taken), open=created.completed)
        self.requests.append(request)
        for each in self.requests:
            each.look_is_due = each.deleted

    def read(self, request: KnownRequest) -> Exchange:
        """The owner reads a request."""
        exchange = self.service.read(request.id, request.owner)
        tested, others_went = self.known.tested, self.deleted_since(request)
        self.see(f"read request {request.number}", Seen(exchange, request.owner, request, others_went=others_went))
        answer = answer_of(exchange)
        body = answer.document.value
        if answer.status == 200 and isinstance(body, dict):
            tested.add("4.2-agrees-with-creation")
            tested.update(["4.2-answers-200"] * (body.get("isCompleted") is False))
            tested.update(["3-deletes-no-other"] * others_went)
        request.read = True
        if answer.status != 404:
            request.seen = len(self.taken)
        return exchange

    def delete(self, request: KnownRequest, exchange: Exchange) -> None:
        """Note the deletion of a request by its owner."""
        others_went = self.deleted_since(request)
        self.see(f"delete request {request.number}", Seen(exchange, request.owner, request, others_went=others_went))
        request.deleted = request.look_is_due = True
        if accepted(exchange):
            self.known.tested.update(["4.3-answers-ok"] + ["3-deletes-no-other"] * others_went)
            self.note_deletion(request.owner)
            self.known.freed.add(request.owner.label)


def _from_the_middle(requests: list[KnownRequest]) -> list[KnownRequest]:
    middle = len(requests) // 2
    return requests[middle:] + requests[:middle][::-1]
