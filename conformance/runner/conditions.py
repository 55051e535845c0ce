"""The conditions of a run: what its record needs beside the exchanges, so that a replay can make the same calls."""

from __future__ import annotations

import secrets
from dataclasses import asdict, replace

from conformance.http.replay import Conditions
from conformance.http.session import Session
from conformance.http.stand_ins import stand_in
from conformance.model.target import Budget, LanguageSelector, Target, Token


def conditions_of(session: Session, *, interrupted: bool) -> Conditions:
    """Return the conditions of a run at its end. They hold no secret."""
    target, clock, key = session.target, session.clock, secrets.token_bytes()
    budget = target.budget
    over, found = clock.undecided() if clock.ran_out else None, session.results.derivation
    return Conditions(
        account_is_empty=target.account_is_empty,
        language_selector=str(target.language_selector or ""),
        thorough=budget.thorough,
        max_created=budget.max_created,
        concurrency=budget.concurrency,
        anonymous=target.anonymous,
        await_completion=budget.await_completion,
        tokens={
            label: (stand_in(bearer.token.used[0], key), bearer.token.renewable)
            for label, bearer in session.credentials.items()
            if bearer.token.used
        },
        short=clock.short,
        short_in=tuple(sorted(session.short_in)),
        time_is_up=(over.message, over.blame.value) if over else ("", ""),
        interrupted=interrupted,
        derivation={name: session.secrets.text(text) for name, text in asdict(found).items()} if found else None,
    )


def target_of(conditions: Conditions, base_url: str) -> Target:
    """Return the target of a replay."""
    budget = replace(
        Budget(thorough=conditions.thorough),
        max_created=conditions.max_created,
        concurrency=conditions.concurrency,
        await_completion=conditions.await_completion,
    )
    tokens = {label: _token(*stand_in) for label, stand_in in conditions.tokens.items()}
    return Target(
        base_url=base_url,
        user=tokens.get("user"),
        other=tokens.get("other user"),
        language_selector=LanguageSelector.parse(conditions.language_selector)
        if conditions.language_selector
        else None,
        account_is_empty=conditions.account_is_empty,
        anonymous=conditions.anonymous,
        budget=budget,
    )


def _token(value: str, renewable: bool) -> Token:
    token = Token(value)
    token.renewable = renewable
    return token
