"""The calls that a run repeats from its start, beside whatever else it asks: begun once, read by several checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from conformance.client.public import PublicClient
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.ordering import FEW
from conformance.traffic.session import Session
from conformance.trials.repeated import ASKED, REPEATED, times


class Repetitions:
    """The repeated calls of one run, by the fixture that holds their answers."""

    def __init__(self, session: Session, *, public: bool) -> None:
        self._session = session
        self._public = public
        self._raised: Exception | None = None

    def begin(self, needed: Mapping[str, str]) -> None:
        """Begin the calls of the fixtures that are `needed`, each in the name of a check; few where time is short."""
        visitor = PublicClient(self._session)
        try:
            for name, calls in REPEATED.items():
                if name in needed:
                    self._session.begin(needed[name])
                    number = times(visitor, public=self._public)
                    asked = calls(visitor, min(number, FEW) if self._session.clock.short else number)
                    self._session.ahead(name, [partial(_answer_or_reason, each) for each in asked])
        except Exception as error:  # raised in the checks that read the answers
            self._raised = error

    def answers(self, name: str) -> list[Exchange]:
        """Return the answers: all of them, or where time is short those that there was time for.

        Raises NotDecided where some are missing, and what was raised when the calls were begun.
        """
        if self._raised is not None:
            raise self._raised
        came: list[Exchange | NotDecided] = self._session.awaited(name)
        answers = [each for each in came if isinstance(each, Exchange)]
        if self._session.clock.short:
            answers = answers or self._session.record.answered(ASKED[name])
        reason = next((each for each in came if isinstance(each, NotDecided)), None)
        if reason is not None and not (answers and self._session.clock.short):
            raise reason
        return answers


def _answer_or_reason(call: Callable[[], Exchange]) -> Exchange | NotDecided:
    try:
        return call()
    except NotDecided as reason:
        return reason
