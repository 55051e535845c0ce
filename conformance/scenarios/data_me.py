"""The scenario of GET /data/me, and of a control beside it: a path that cannot exist (4.6)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.client.public import PublicClient
from conformance.model.errors import describe
from conformance.model.exchange import Exchange
from conformance.model.identity import ANONYMOUS, USER
from conformance.scenarios.registry import scenario

_VARYING: Final = re.compile(r"(?<![\w.:+-])[\w.:+-]*\d[\w.:+-]*")
"""A word with a digit, such as a moment or the number of a call."""

_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class DataMe:
    """The answers to GET /data/me: with the token of the user, if there is one, and without a token.

    `controls` are the answers to the same calls for a path beside it that cannot exist; there are none if GET /data/me
    shows a document. `like_control` tells whether both answer in the same way.
    """

    best: Exchange
    without_token: Exchange
    controls: tuple[Exchange, ...] = ()
    like_control: bool = False
    control_call: str = ""
    """The first call for the path that cannot exist, in words, before any redirect."""

    @property
    def is_page(self) -> bool:
        """Whether GET /data/me shows the same page with the token and without it, such as that of a login."""
        mine, public = self.best.response, self.without_token.response
        if mine is None or public is None or mine.status != 200 or not mine.document.problem:
            return False
        return (mine.status, mine.content) == (public.status, public.content)


@scenario(calls=4, background=True)
def data_me(public_client: PublicClient) -> DataMe:
    """Requests GET /data/me, and the control if it shows no document; the doctor's call is not repeated."""
    caller = USER if USER.label in public_client.session.credentials else ANONYMOUS
    best = public_client.session.results.data_me or public_client.data_me(caller)
    without = public_client.data_me(ANONYMOUS)
    if best.response is None or (best.response.status == 200 and not DataMe(best, without).is_page):
        return DataMe(best, without)
    word = public_client.session.made_up("path")
    controls = tuple(public_client.beside_data_me(word, each) for each in (caller, ANONYMOUS))
    first = _first_of(public_client)
    pairs = zip((best, without), controls, strict=True)
    alike = all(_alike(first(mine), first(control), word) for mine, control in pairs)
    return DataMe(best, without, controls, alike, describe(first(controls[0])))


def _first_of(public_client: PublicClient) -> Callable[[Exchange], Exchange]:
    """Return a function that gives for an exchange the one whose redirect led to it, or itself."""
    by_id = {each.id: each for each in public_client.record.exchanges}
    return lambda exchange: by_id.get(exchange.redirected_from, exchange)


def _alike(mine: Exchange, control: Exchange, word: str) -> bool:
    """Tell whether two answers are the same, but for what names the path, the moment or the call."""
    if mine.response is None or control.response is None:
        return False
    return _content(mine) == _content(control, word)


def _content(exchange: Exchange, word: str = "") -> tuple[int, str, str]:
    """Return status, address of a redirect and body, without what varies; `word` in them is taken for "me"."""
    answer = exchange.response
    assert answer is not None
    texts = (answer.header("location") or "", answer.text)
    location, body = (without_varying(text.replace(word, "me") if word else text) for text in texts)
    # The record holds an account with pseudonyms, which keep the kind of each character.
    return answer.status, location, body if answer.status >= 400 else _LETTER.sub("a", body)


def without_varying(text: str) -> str:
    """Return a text with 0 in place of each word that has a digit."""
    return _VARYING.sub("0", text)
