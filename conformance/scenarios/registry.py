"""A scenario: a function that makes calls once per run, and whose result is an argument of the same name."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import cached_property
from typing import Any, Final, Generic, TypeVar, get_type_hints

from conformance.facts.creation import made_by
from conformance.http.concurrency import here
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import Exchange, Operation
from conformance.scenarios.api import Api

_R = TypeVar("_R", covariant=True)

SCENARIOS: Final[dict[str, Scenario[Any]]] = {}
"""Every scenario by its name. A check reads one by an argument of that name."""

OR_REASON: Final = "_or_reason"
"""The end of the name of an argument that is the result of a scenario, or the NotDecided that ended it."""


class Scenario(Generic[_R]):
    """A sequence of calls that is made at most once per run, with a source of chance of its own.

    A scenario that runs `beside_others` holds one request at most and deletes it. Any other has the account for itself,
    and leaves nothing in it. A `public` scenario needs no token.
    """

    def __init__(self, run: Callable[[Api], _R], *, beside_others: bool, public: bool) -> None:
        self.name = run.__name__
        self.beside_others = beside_others
        self.public = public
        self._run = run

    @cached_property
    def result_type(self) -> Any:
        """The type of its result, by which evidence is written and read."""
        return get_type_hints(self._run)["return"]

    def result(self, client: Api, check: str = "") -> _R:
        """Return the result or raise the exception of the scenario; run it first, for `check`, if necessary.

        What the configuration prevented, such as a command that prints no token, is tried again.
        """
        mine: Future[_R] = Future()
        known = client.session.results.scenarios
        future = known.setdefault(self, mine)
        if future.done() and isinstance(future.exception(), ConfigurationFault):
            future = known[self] = mine
        if future is mine:
            self._make(client, check or here().check, mine)
        result: _R = future.result()
        return result

    def so_far(self, client: Api) -> _R | None:
        """Return the result if the scenario has run and has one, else None."""
        future = client.session.results.scenarios.get(self)
        return None if future is None or not future.done() or future.exception() else future.result()

    def _make(self, client: Api, check: str, future: Future[_R]) -> None:
        """Make the calls, attribute them to `check`, and keep the result or the exception."""
        session = client.session
        try:
            with session.attributed_to(check, chance_of=self.name) as own:
                try:
                    result = self._run(client)
                except Exception:
                    self._clean_up(client, own)
                    raise
                self._clean_up(client, own)  # not after an interrupt: the end of the run waits for creations first
        except BaseException as error:
            future.set_exception(error)
            if not isinstance(error, Exception):
                raise
        else:
            future.set_result(result)
        session.results.on_end(self)

    def _clean_up(self, client: Api, own: list[Exchange]) -> None:
        if not self.beside_others:
            client.session.clean_up()
            return
        for each in list(own):  # what is left takes the place of another request
            if each.operation is Operation.CREATE and (request_id := made_by(each).request_id) is not None:
                client.session.remove(request_id)


def result_types() -> dict[str, Any]:
    """Return the type of the result of each scenario, by its name."""
    return {name: each.result_type for name, each in SCENARIOS.items()}


def scenario(*, beside_others: bool = False, public: bool = False) -> Callable[[Callable[[Api], _R]], Scenario[_R]]:
    """Register a function as a scenario; see Scenario for the flags."""

    def register(run: Callable[[Api], _R]) -> Scenario[_R]:
        SCENARIOS[run.__name__] = Scenario(run, beside_others=beside_others, public=public)
        return SCENARIOS[run.__name__]

    return register
