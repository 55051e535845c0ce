"""The conditions of a run: what its record needs beside the exchanges, so that a replay can make the same calls."""

from __future__ import annotations

import base64
import json
import math
import secrets
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.http.session import Session
from conformance.model.account import claims_of
from conformance.model.conditions import Conditions
from conformance.scenarios.registry import SCENARIOS
from conformance.trace import codec

_MOMENTS: Final = ("exp", "iat", "nbf", "auth_time")
"""Claims of a JWT that are moments: when it expires, above all."""


def conditions_of(session: Session, *, interrupted: bool, ended_at: str) -> Conditions:
    """Return the conditions of a run at its end. They hold no secret."""
    target, clock, pseudonyms = session.target, session.clock, Pseudonyms(secrets.token_bytes())
    budget = target.budget
    results, ends = _results_of(session)
    listed = session.results.every_type
    over, found = clock.undecided() if clock.ran_out else None, session.results.derivation
    return Conditions(
        account_is_empty=target.account_is_empty,
        account_was_reset=target.account_was_reset,
        allow_short_token=target.allow_short_token,
        language_selector=str(target.language_selector or ""),
        thorough=budget.thorough,
        max_created=budget.max_created,
        concurrency=budget.concurrency,
        anonymous=target.anonymous,
        app_host=target.app_host,
        headers=tuple(name for name, _ in target.headers),
        await_completion=budget.await_completion,
        clock_was_set=clock.was_set,
        tokens={
            label: (_stand_in(bearer.token.used[0], pseudonyms), bearer.token.renewable)
            for label, bearer in session.credentials.items()
            if bearer.token.used
        },
        refused={label: _stand_in(token.current(), pseudonyms) for label, token in target.refused.items()},
        completion=None if target.completion is None else (target.completion.failure, target.completion.remedy),
        time_is_up=(over.message, over.blame.value) if over else ("", ""),
        ended_before=clock.ended_before,
        ended_at=ended_at,
        interrupted=interrupted,
        derivation={name: session.secrets.text(text) for name, text in asdict(found).items()} if found else None,
        generated={name: _clean(values, session.secrets.text) for name, values in session.generated.items()},
        users=[*session.credentials],
        ever_listed=None if listed is None else sorted(map(session.secrets.text, listed)),
        selector_is_unknown=session.results.selector_is_unknown,
        results=results,
        ends=ends,
    )


def _results_of(session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the results of the scenarios that are over, and the exceptions that ended others, both by their names."""
    results, ends, clean = dict[str, Any](), dict[str, Any](), session.secrets.redactor
    for scenario in SCENARIOS.values():
        future = session.results.scenarios.get(scenario)
        if future is None or not future.done():
            continue
        if (error := future.exception()) is None:
            results[scenario.name] = codec.written(future.result(), scenario.kind, clean)
        elif isinstance(error, Exception):
            ends[scenario.name] = codec.written_end(error, clean)
    return results, ends


def _clean(value: Any, redact: Callable[[str], str]) -> Any:
    """Return a JSON value without any secret or personal value: a replay compares its calls with redacted ones."""
    if isinstance(value, dict):
        return {redact(name): _clean(inner, redact) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner, redact) for inner in value]
    return redact(value) if isinstance(value, str) else value


def _stand_in(token: str, pseudonyms: Pseudonyms) -> str:
    """Return the pseudonym of a token: letters and digits in the same places, and nothing else of it.

    Of a JWT the header and the moments among the claims stay.
    """
    claims = claims_of(token)
    if not claims:
        return pseudonyms.of(token)
    header, _, signature = token.split(".")
    payload = json.dumps(_replaced(claims, pseudonyms), separators=(",", ":")).encode()
    return ".".join([header, base64.urlsafe_b64encode(payload).decode().rstrip("="), pseudonyms.of(signature)])


def _replaced(value: Any, pseudonyms: Pseudonyms) -> Any:
    if isinstance(value, dict):
        return {name: inner if name in _MOMENTS else _replaced(inner, pseudonyms) for name, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, pseudonyms) for inner in value]
    if isinstance(value, str):
        return pseudonyms.of(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return json.loads(pseudonyms.of_number(json.dumps(value))) if is_number else value
