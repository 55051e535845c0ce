"""Clause 4.3: DELETE /requests/{requestId} cancels and deletes a data request."""

from __future__ import annotations

from conformance.checks.marks import Observe, argument, requirement
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import Exchange


@argument
def ok(deletion: Exchange) -> Exchange:
    """The response to the deletion, if its status is 200."""
    if answer_of(deletion).status != 200:
        raise NotDecided("The service did not answer the DELETE with 200.", exchanges=[deletion])
    return deletion


@requirement("4.3-media-type-absent")
def test_the_ok_may_carry_no_label(ok: Exchange, observe: Observe) -> None:
    """Shows the Content-Type of the OK."""
    label = answer_of(ok).header("content-type") or "absent"
    observe(f"The Content-Type of the response to a deletion is {label}.", ok)


@requirement("4.3-trailing-line-feed")
def test_a_line_feed_may_follow_the_ok(ok: Exchange, observe: Observe) -> None:
    """Shows whether a line feed follows the OK."""
    follows = answer_of(ok).text.endswith("\n")
    observe(f"{'A' if follows else 'No'} line feed follows the body of a deletion.", ok)
