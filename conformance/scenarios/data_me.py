"""The scenario of GET /data/me, and of a control beside it: a path that cannot exist (4.6)."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.client.api import Api
from conformance.model.exchange import Exchange
from conformance.model.identity import ANONYMOUS, USER
from conformance.scenarios.registry import scenario


@dataclass(frozen=True)
class DataMe:
    """The answers to GET /data/me: with the token of the user, if there is one, and without a token.

    `controls` are the answers to the same calls for a path beside it that cannot exist; there are none if GET /data/me
    shows a document.
    """

    best: Exchange
    without_token: Exchange
    controls: tuple[Exchange, ...] = ()

    @property
    def is_page(self) -> bool:
        """Whether GET /data/me shows the same page with the token and without it, such as that of a login."""
        mine, public = self.best.response, self.without_token.response
        if mine is None or public is None or mine.status != 200 or not mine.document.problem:
            return False
        return (mine.status, mine.content) == (public.status, public.content)


@scenario(parallel=True, public=True)
def data_me(service: Api) -> DataMe:
    """Requests GET /data/me, and the control if it shows no document; the doctor's call is not repeated."""
    caller = USER if USER.label in service.session.credentials else ANONYMOUS
    best = service.session.results.data_me or service.data_me(caller)
    without = service.data_me(ANONYMOUS)
    if best.response is None or (best.response.status == 200 and not DataMe(best, without).is_page):
        return DataMe(best, without)
    word = service.session.made_up("path")
    return DataMe(best, without, tuple(service.data_me(each, in_place_of_me=word) for each in (caller, ANONYMOUS)))
