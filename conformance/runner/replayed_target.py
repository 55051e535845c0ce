"""The target of a replay, made of the conditions of the recorded run."""

from __future__ import annotations

from conformance.model.conditions import Conditions
from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.further_headers import mark_of
from conformance.model.option_values import checked_selector
from conformance.model.target import Budget, Completion, Target, Token


def target_of(conditions: Conditions, base_url: str) -> Target:
    """Return the target of a replay."""
    budget = Budget(
        thorough=conditions.thorough,
        max_created=conditions.max_created,
        concurrency=conditions.concurrency,
        await_completion=conditions.await_completion,
    )
    tokens = {label: _token(*form) for label, form in conditions.tokens.items()}
    expired, foreign = (
        Token(conditions.refused[label]) if label in conditions.refused else None for label in REFUSED_CREDENTIALS
    )
    return Target(
        base_url=base_url,
        user=tokens.get("user"),
        other=tokens.get("other user"),
        expired=expired,
        foreign=foreign,
        completion=None if conditions.completion is None else _completion(*conditions.completion),
        language_selector=checked_selector(conditions.language_selector) if conditions.language_selector else None,
        account_is_empty=conditions.account_is_empty,
        account_is_for_testing=True,  # the recorded run began
        account_was_reset=conditions.account_was_reset,
        allow_short_token=conditions.allow_short_token,
        app_host=conditions.app_host,
        anonymous=conditions.anonymous,
        headers=tuple((name, f"[{mark_of(name)}]") for name in conditions.headers),
        budget=budget,
    )


def _completion(failure: str, remedy: str) -> Completion:
    completion = Completion()
    completion.failure, completion.remedy = failure, remedy
    return completion


def _token(value: str, renewable: bool) -> Token:
    token = Token(value)
    token.renewable = renewable
    return token
