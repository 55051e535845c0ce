"""The target of a recorded run, made of its conditions. It has no credentials."""

from __future__ import annotations

from conformance.model.conditions import Conditions
from conformance.model.further_headers import mark_of
from conformance.model.target import Budget, Completion, LanguageSelector, Target


def target_of(conditions: Conditions, base_url: str) -> Target:
    """Return the target of a run that is over; raise ConfigurationFault for a language selector that is none."""
    return Target(
        base_url=base_url,
        completion=Completion() if conditions.completes else None,
        language_selector=LanguageSelector.named(conditions.language_selector)
        if conditions.language_selector
        else None,
        account_is_empty=conditions.account_is_empty,
        account_is_for_testing=True,  # the run began
        account_was_reset=conditions.account_was_reset,
        allow_short_token=conditions.allow_short_token,
        app_host=conditions.app_host,
        anonymous=conditions.anonymous,
        headers=tuple((name, f"[{mark_of(name)}]") for name in conditions.headers),
        budget=Budget(
            thorough=conditions.thorough,
            max_created=conditions.max_created,
            concurrency=conditions.concurrency,
            await_completion=conditions.await_completion,
        ),
    )
