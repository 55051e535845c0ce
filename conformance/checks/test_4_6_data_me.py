"""Clause 4.6: GET /data/me exists, and its 200 carries account and types."""

from __future__ import annotations

import re
from typing import Final

from conformance.checks.marks import Decide, by_requirement, requirement, traces
from conformance.judge.expect import json_body, violated
from conformance.judge.run import Run
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided, Probe, answer_of, describe, not_applicable
from conformance.model.exchange import Exchange, Operation, Response
from conformance.model.text import without_varying
from conformance.model.verdict import Blame
from conformance.scenarios.basic import DataMe

_LETTER: Final = re.compile(r"[^\W\d_]")

_NO_METHOD: Final = (405, 501)
"""Statuses that say that the service does not have GET at this path; other paths do not matter."""

_ABSENT: Final = (404, *_NO_METHOD)


@requirement("4.6-exists")
@traces("""
    FAIL data_me.best: user GET /data/me     -> 404
    PASS data_me.best: user GET /data/me     -> 404 {"detail": "No data yet."}
         data_me.without_token: GET /data/me -> 401
         data_me.controls: user GET /data/x  -> 404
         data_me.controls: GET /data/x       -> 401
""")
def test_data_me_exists(run: Run, data_me: DataMe) -> None:
    """GET /data/me is answered otherwise than a path beside it that cannot exist."""
    exchange, status = data_me.best, answer_of(data_me.best).status
    answered = run.record.answered(Operation.DATA_ME, 200)
    if not _is_page(data_me) and any(each.request.credential in KNOWN_CREDENTIALS for each in answered):
        return  # for the other user, if not for this one
    for each in data_me.controls:
        answer_of(each)
    pairs = zip((exchange, data_me.without_token), data_me.controls, strict=True) if data_me.controls else ()
    is_like_control = bool(data_me.controls) and all(_alike(_first(run, one), _first(run, two)) for one, two in pairs)
    if status not in _NO_METHOD and not is_like_control:
        return
    control = describe(_first(run, data_me.controls[0])) if is_like_control else ""
    answers = f"it answered {status}" + (f", and so did {control}, which cannot exist" if control else "")
    if status in _ABSENT:
        raise violated(
            f"GET /data/me does not exist: {answers}.",
            "GET /data/me exists",
            *(exchange, *data_me.controls),
            probe=Probe(kind="other-status", values=tuple(map(str, _ABSENT))),
        )
    raise NotDecided(
        f"It is unknown whether GET /data/me exists: {answers}.",
        blame=Blame.CREDENTIAL if status in (401, 403) else Blame.CONFIGURATION,
        remedy="Give a token that GET /data/me accepts, or let what stands before the service pass calls of "
        "GET /data/me on to it; then run again.",
        exchanges=[exchange, *data_me.controls],
    )


@by_requirement("requirement_id", {name: name for name in ("4.6-account", "4.6-types")})
@traces("""
    FAIL data_me.best: user GET /data/me     -> 200 {}
    PASS data_me.best: user GET /data/me     -> 200 {"account": "A", "types": []}
         data_me.without_token: GET /data/me -> 401
""")
def test_data_me_carries(decide: Decide, data_me: DataMe, requirement_id: str) -> None:
    """The 200 of GET /data/me carries the property, in the object or in each object of the array."""
    exchange, status = data_me.best, answer_of(data_me.best).status
    if _is_page(data_me):
        raise NotDecided(
            "GET /data/me shows the same page with the token and without one, which may be a login.",
            blame=Blame.CREDENTIAL,
            remedy="Give a token that GET /data/me accepts, and run again.",
            exchanges=[exchange, data_me.without_token],
        )
    if status != 200 or json_body(exchange) == []:
        message = f"GET /data/me answered {status}, with no record; the specification describes only its 200."
        raise not_applicable("data-me-not-shown", message, exchange)
    decide(requirement_id)


def _is_page(data_me: DataMe) -> bool:
    """Tell whether GET /data/me shows the same page with the token and without it, such as that of a login."""
    mine, public = data_me.best.response, data_me.without_token.response
    if mine is None or public is None or mine.status != 200 or not mine.document.problem:
        return False
    return (mine.status, mine.content) == (public.status, public.content)


def _first(run: Run, exchange: Exchange) -> Exchange:
    """Return the exchange whose redirect led to this one, or this one."""
    return next((each for each in run.record.exchanges if each.id == exchange.redirected_from), exchange)


def _alike(mine: Exchange, control: Exchange) -> bool:
    """Tell whether two answers are the same, but for what names the path, the moment or the call."""
    if mine.response is None or control.response is None:
        return False
    return _content(mine.response, "me") == _content(control.response, control.path.rpartition("/")[2])


def _content(answer: Response, word: str) -> tuple[int, str, str]:
    """Return status, address of a redirect and body, without what varies; `word` in them is taken for "me"."""
    texts = (answer.header("location") or "", answer.text)
    location, body = (without_varying(text.replace(word, "me")) for text in texts)
    # The record holds an account with pseudonyms, which keep the kind of each character.
    return answer.status, location, body if answer.status >= 400 else _LETTER.sub("a", body)
