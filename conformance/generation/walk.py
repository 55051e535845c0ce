"""A walk through a sequence of steps: each is a call that the model allows, and whose answer it predicts.

The steps of the tour, those that hypothesis generates and those of a record are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Final, NamedTuple

from conformance.generation.model import Contradiction, KnownRequest, Model, Seen
from conformance.generation.predictions import Predictions
from conformance.model.identity import Identity

A: Final = "A"
B: Final = "B"
"""The two users; B's steps are left out if there is one user only."""

CREATES: Final = "creates"


class Step(NamedTuple):
    """A step of a sequence; its members are JSON values.

    `what` is the kind of a creation, or a request: its number, or "oldest", "middle" or "newest" among those of the
    user that are possible.
    """

    who: str
    does: str
    what: str | int = ""


Call = Callable[[KnownRequest], object]
"""What a step does with a request."""


class Walk:
    """One sequence, step by step."""

    def __init__(self, model: Model, is_found: Callable[[Contradiction], bool]) -> None:
        self.model = model
        self.predictions = Predictions(model, is_found)
        self.steps: list[Step] = []
        """The steps that were taken, with the numbers of their requests."""
        self._service = model.service

    def play(self, step: Step) -> None:
        """Take a step, if it is possible, and compare its answers; raise Contradiction."""
        self.take(step)
        self.predictions.check()

    def take(self, step: Step) -> KnownRequest | None:
        """Take a step, if it is possible; return the request that it created, if it did."""
        self.model.seen = []
        who = self._user(step.who)
        if who is None:
            return None
        if step.does == CREATES:
            if not self.may_create(step.who):
                return None
            self.steps.append(step)
            return self.model.create(who, str(step.what))
        if step.does == "deletes unknown":
            self.steps.append(step)
            self._delete_unknown(who)
            return None
        candidates, call = self._choices(who)[step.does]
        request = _chosen(candidates, step.what)
        if request is not None:
            self.steps.append(step._replace(what=request.number))
            call(request)
        return None

    def may_create(self, letter: str) -> bool:
        """Tell whether a creation by a user can show something."""
        who = self._user(letter)
        return who is not None and who.label not in self.model.refused

    def possible(self, request: KnownRequest) -> list[Step]:
        """Return the steps that can show something new about a request or beside it, some of them several times.

        A creation lacks its kind.
        """
        owner, other = (A, B) if request.owner == self.model.users[0] else (B, A)
        in_vain = [] if self.model.in_vain else [Step(owner, "deletes unknown")]
        steps = [Step(who, CREATES) for who in (owner, other) if self.may_create(who)]
        if not request.deleted:
            steps += [Step(owner, "reads", request.number)] * (2 * request.is_due)
            steps += [Step(other, "reads another's", request.number)] * (2 * (len(self.model.users) > 1))
            return steps + [Step(owner, "deletes", request.number)] * 3 + in_vain
        if request in self.model.gone:
            steps += [Step(owner, "reads deleted", request.number)] * (4 * request.is_due)
            in_vain += [Step(owner, "deletes again", request.number)] * (2 * len(in_vain))
        return steps + in_vain

    def _user(self, letter: str) -> Identity | None:
        users = dict(zip((A, B), self.model.users, strict=False))
        return users.get(letter)

    def _choices(self, who: Identity) -> dict[str, tuple[list[KnownRequest], Call]]:
        """Return, for each step about a request, the possible ones and the call."""
        model = self.model
        return {
            "reads": (model.live_of(who), model.read),
            "reads another's": ([each for each in model.live if each.owner != who], self._read_as_another),
            "reads deleted": (model.gone_of(who), self._read_deleted),
            "deletes": (model.live_of(who), self._delete),
            "deletes again": (model.gone_of(who), self._delete_again),
        }

    def _read_as_another(self, request: KnownRequest) -> None:
        """Another user reads a request: the answer is open, its effect is not."""
        who = next(user for user in self.model.users if user != request.owner)
        exchange = self._service.read(request.id, who, request="foreign", open=True)
        self.model.see(f"read request {request.number}", Seen(exchange, who))
        self.model.note_change()

    def _read_deleted(self, request: KnownRequest) -> None:
        exchange = self._service.read(request.id, request.owner, request="deleted")
        request.is_due = False
        self.model.see(f"read request {request.number}", Seen(exchange, request.owner, request))

    def _delete(self, request: KnownRequest) -> None:
        self.model.delete(request, self._service.delete(request.id, request.owner))

    def _delete_again(self, request: KnownRequest) -> None:
        exchange = self._service.delete(request.id, request.owner, request="deleted")
        self.model.see(f"delete request {request.number}", Seen(exchange, request.owner, request))
        self.model.note_deletion(in_vain=True)

    def _delete_unknown(self, who: Identity) -> None:
        exchange = self._service.delete(self._service.some_uuid(), who)
        self.model.see("delete a request that does not exist", Seen(exchange, who))
        self.model.note_deletion(in_vain=True)


def _chosen(candidates: list[KnownRequest], what: str | int) -> KnownRequest | None:
    """Return the request that a step means, or None if it is not possible."""
    if isinstance(what, int):
        return next((each for each in candidates if each.number == what), None)
    places = {"oldest": 0, "middle": len(candidates) // 2, "newest": -1}
    return candidates[places[what]] if candidates else None


def selected(steps: Sequence[Step], kept: Iterable[int]) -> list[Step]:
    """Return the steps at some places, without those about a request whose creation is left out.

    The numbers of the requests count the creations that are left.
    """
    own = numbers_of(steps)
    numbers: dict[int, int] = {}
    chosen: list[Step] = []
    for index in kept:
        step, number = steps[index], own[index]
        if step.does == CREATES:
            numbers[number] = len(numbers) + 1
        if isinstance(step.what, int):
            if number not in numbers:
                continue
            step = step._replace(what=numbers[number])
        chosen.append(step)
    return chosen


def numbers_of(steps: Iterable[Step]) -> list[int]:
    """Return for each step the number of the request that it creates or is about; 0 for none."""
    creations = count(1)
    return [
        next(creations) if step.does == CREATES else step.what if isinstance(step.what, int) else 0 for step in steps
    ]
