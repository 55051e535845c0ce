"""The explorer: sequences of calls by two users, which hypothesis makes and shrinks. Their property is the judge.

A sequence is a list of steps, and a look at what they left. A step that is not
possible makes no call, so each part of a sequence is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, NamedTuple

from conformance.facts.answers import accepted
from conformance.generation.cases import SearchEnded
from conformance.judge.exchanges import remaining
from conformance.model.errors import NothingToAdd
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER, USER, Created, Identity
from conformance.model.target import SEVERAL
from conformance.scenarios.api import Api
from conformance.scenarios.registry import scenario

SEQUENCES: Final = 2
"""Sequences of a default run, and series of linked calls; a thorough run makes ten times as many."""

KINDS: Final = ("one", "all", "two")
"""How many types a creation is for; one for all types has no body."""

DOES: Final = (
    *("creates", "reads another's", "reads another's", "deletes", "deletes", "deletes again", "deletes unknown"),
)
"""What a user does, in the order in which hypothesis prefers it."""


class Step(NamedTuple):
    """A step of a sequence: of the first or the second user, with one of the requests or kinds that are possible."""

    who: int
    does: str
    which: int


@scenario()
def sequences(service: Api) -> list[Exchange]:
    """Sends the sequences that hypothesis makes; returns the calls of the shortest one that shows a violation."""
    with service.session.attributed_to("sequences"):
        if (limit := service.limit()) <= 0:
            raise NothingToAdd(f"maxNumberOfRequests is {limit}: no request can be in progress.")
        explorer = _Explorer(service, limit)
        if service.session.without != "hypothesis":
            _explore(explorer, service.session.chance.getrandbits(64))
    return explorer.shown


class Walk:
    """One sequence, call by call."""

    def __init__(self, service: Api, users: Sequence[Identity], most: int) -> None:
        """Begin without requests of `users`, of whom there are one or two; each holds `most` and one more."""
        self.service = service
        self.users = users
        self.calls: list[Exchange] = []
        self._most = most
        self._made: list[Created] = []
        self._deleted: set[str] = set()
        self._full: set[str] = set()
        """The users whose last creation was refused or one too many, without a later deletion."""

    @property
    def _live(self) -> list[Created]:
        return [each for each in self._made if each.request_id not in self._deleted]

    @property
    def _gone(self) -> list[Created]:
        return [each for each in self._made if each.request_id in self._deleted]

    def take(self, step: Step) -> None:
        """Take a step, if it is possible, and read a request, unless the step created one."""
        user, seen = self.users[step.who % len(self.users)], _one_of(self._made, step.which)
        match step.does:
            case "creates":
                self._create(user, KINDS[(step.which + len(self._made)) % len(KINDS)])
                return
            case "reads another's" if (request := _one_of(self._live, step.which)) is not None:
                self._read_as_another(request)
                seen = request
            case "deletes":
                self._delete(_one_of([each for each in self._live if each.owner == user], step.which))
            case "deletes again":
                self._delete(_one_of(self._gone, step.which))
            case "deletes unknown":
                self.calls.append(self.service.delete(self.service.unknown_id(), user))
                self._full.clear()
        self._read(seen)

    def look(self) -> None:
        """Read what is left after the first user filled the limit; delete it, and read what is gone."""
        while self._create(self.users[0], "one"):
            pass
        for each in self._live:
            self._read(each)
        for each in self._live:
            self._delete(each)
        for each in self._gone:
            self._read(each)

    def _create(self, user: Identity, kind: str) -> bool:
        """Create a request; tell whether the user may create another one."""
        if user.label in self._full:
            return False
        held = sum(each.owner == user and each.request_id not in self._deleted for each in self._made)
        types = self.service.types()
        # Each creation has another type: a service may refuse a second request for a type, which hides other refusals.
        turn = len(self._made) % max(1, len(types))
        wanted = {"one": types[turn : turn + 1], "two": types[1:3], "all": []}[kind] or None
        exchange = self.service.post(wanted, user)
        self.calls.append(exchange)
        if held >= self._most or not accepted(exchange.response):
            self._full.add(user.label)
        if accepted(exchange.response):
            made = self.service.created(exchange)
            if all(each.request_id != made.request_id for each in self._made):
                self._made.append(made)
        return user.label not in self._full

    def _read(self, request: Created | None) -> None:
        if request is not None:
            self.calls.append(self.service.read(request.request_id, request.owner))

    def _read_as_another(self, request: Created) -> None:
        """Another user reads a request: the answer is open, its effect is not."""
        for user in self.users:
            if user != request.owner:
                self.calls.append(self.service.read(request.request_id, user, request="foreign", open=True))

    def _delete(self, request: Created | None) -> None:
        if request is not None:
            self.calls.append(self.service.delete(request.request_id, request.owner))
            self._deleted.add(request.request_id)
            self._full.clear()


def _one_of(requests: Sequence[Created], which: int) -> Created | None:
    """Return the oldest request or one in the middle: sequences show more if they come back to the same one."""
    return requests[(0, len(requests) // 2)[which % 2]] if requests else None


class _Shown(Exception):
    """Tells hypothesis that a sequence shows a violation."""


class _Explorer:
    """Plays sequences until there were enough of them, or one shows a violation; then those that shrink it."""

    def __init__(self, service: Api, limit: int) -> None:
        self.shown: list[Exchange] = []
        """The shortest sequence that shows the violation; its last call shows it."""
        self.error: Exception | None = None
        """What ended the search, if it was no violation."""
        self._service = service
        self._most = min(limit, SEVERAL)
        # The limit scenario uses the first user; the second user may have another limit.
        self._users = [OTHER_USER, USER] if OTHER_USER.label in service.users else [USER]
        self._left = SEQUENCES * service.target.budget.times
        self._played: dict[tuple[Step, ...], bool] = {}
        self._is_found = False
        """Whether a sequence has shown a violation."""
        self._before = service.record.in_order()
        self._exchanges = 0

    def test(self, created: list[int], parts: tuple[list[Step], ...]) -> None:
        """Play a sequence; raise _Shown if it shows a violation, and SearchEnded if there were enough."""
        self._raise_if_over()
        then = [*chain(*parts)]
        steps = (*(Step(place // SEVERAL, "creates", kind) for place, kind in enumerate(created)), *then)
        if steps not in self._played:
            if not self._is_found:
                if len(created) <= SEVERAL or len(then) < 2 * SEVERAL:  # what is shorter shows little
                    return
                self._left -= 1
                if self._left < 0:
                    raise SearchEnded
            try:
                self._played[steps] = self._is_shown_by(steps)
            except Exception as error:  # hypothesis would repeat the sequence that raised it
                self.error = error
                raise SearchEnded from None
        if self._played[steps]:
            raise _Shown

    def _raise_if_over(self) -> None:
        """Raise SearchEnded if no further call may be made to shrink a sequence."""
        session = self._service.session
        is_over = len(self._service.record) >= self._exchanges
        if self._is_found and (is_over or session.journal.spent >= session.target.budget.max_created):
            raise SearchEnded

    def _is_shown_by(self, steps: Sequence[Step]) -> bool:
        walk = Walk(self._service, self._users, self._most)
        for each in steps:
            walk.take(each)
            is_no_shorter = 0 < len(self.shown) <= len(walk.calls)
            if is_no_shorter or (self._is_found and self._is_shown(walk.calls)):
                break
        else:
            walk.look()
        self._service.session.clean_up()
        return self._is_shown(walk.calls)

    def _is_shown(self, calls: list[Exchange]) -> bool:
        """Tell whether calls show a deleted request."""
        so_far = self._service.record.in_order()
        found = remaining(calls, so_far)
        if found is None:
            return False
        if not self._is_found:
            if remaining(self._before, so_far) is not None:
                return False  # what single answers show before the search needs no sequence
            self._is_found = True
            # Shrinking it may take as many exchanges as the run may take creations.
            self._exchanges = len(self._service.record) + self._service.target.budget.max_created
        steps = next(place for place, each in enumerate(calls, 1) if each is found[1])
        if not 0 < len(self.shown) <= steps:
            self.shown = calls[:steps]
        return True


def _explore(explorer: _Explorer, seed: int) -> None:
    """Let hypothesis make sequences, and shrink the first that shows a violation; raise the error that ended it."""
    from hypothesis import given
    from hypothesis import seed as seeded
    from hypothesis import strategies as st
    from hypothesis.errors import Flaky

    from conformance.generation.hypothesis_runs import isolated, quiet

    # Both users create, and then do something: what happens without requests shows little.
    kind = st.integers(0, len(KINDS) - 1)
    kinds = st.lists(kind, max_size=SEVERAL + 1) | st.lists(kind, min_size=SEVERAL + 1, max_size=SEVERAL + 1)
    step = st.builds(Step, st.sampled_from((0, 0, 1)), st.sampled_from(DOES), st.integers(0, 5))
    part = st.lists(step, max_size=5)
    test = seeded(seed)(quiet(100 * SEQUENCES, shrink=True)(given(kinds, st.tuples(part, part, part))(explorer.test)))
    with isolated(), suppress(_Shown, SearchEnded, Flaky):
        test()
    if explorer.error is not None:
        raise explorer.error
