"""The state machine of two users that hypothesis runs: its steps are those of a walk, its invariant the model's.

One rule chooses among all steps: hypothesis leaves out some rules at random in each sequence, which would leave little
in two sequences, and orders rules by their names, on which no call may depend.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from conformance.generation.model import KINDS, KnownRequest, SequenceEnded
from conformance.generation.walk import CREATES, A, B, Step, Walk

if TYPE_CHECKING:
    from conformance.generation.sequences import Search

KIND_OF_CREATION: Final = st.sampled_from(list(KINDS))

_Result = TypeVar("_Result")


def _ends_the_search(method: Callable[..., _Result]) -> Callable[..., _Result]:
    """Let any error end the search: hypothesis would repeat the sequence that raised it."""

    @wraps(method)
    def guarded(self: Requests, *arguments: Any, **named: Any) -> _Result:
        try:
            return method(self, *arguments, **named)
        except (SequenceEnded, HypothesisException):
            raise
        except Exception as error:
            self.search.error = error
            raise SequenceEnded from None

    return guarded


class Requests(RuleBasedStateMachine):
    """The data requests of one or two users.

    Defined once: hypothesis keeps every class of this kind until the process ends.
    """

    requests: Bundle[KnownRequest] = Bundle("requests")

    def __init__(self, search: Search) -> None:
        super().__init__()
        self.search = search
        self.walk: Walk = search.new_walk()

    @initialize(target=requests, differs=st.booleans(), who=st.sampled_from([A, B]), kind=KIND_OF_CREATION)
    def begin(self, differs: bool, who: str, kind: str) -> Any:
        """A user creates the first request.

        Hypothesis' first example, which takes the simplest choice each time, is left out: it is the same for all seeds.
        """
        assume(differs)
        self._begin()
        return self._take(Step(who, CREATES, kind))

    @rule(target=requests, request=requests, data=st.data())
    def go_on(self, request: KnownRequest, data: st.DataObject) -> Any:
        """A user does something with a request, or creates another one."""
        possible = self.walk.possible(request)
        if not possible:
            return multiple()
        step = data.draw(st.sampled_from(possible))
        if step.does == CREATES:
            step = step._replace(what=data.draw(KIND_OF_CREATION))
        return self._take(step)

    @invariant()
    @_ends_the_search
    def answers_are_predicted(self) -> None:
        """The answers of the last step are those that the model predicts."""
        self.walk.predictions.check()

    @_ends_the_search
    def _begin(self) -> None:
        self.search.begin(self.walk)

    @_ends_the_search
    def _take(self, step: Step) -> Any:
        created = self.walk.take(step)
        return multiple() if created is None else created
