"""Clauses 3 and 8: maxNumberOfRequests are in progress, no more and no fewer, and a deletion makes room at once."""

from __future__ import annotations

from conformance.checks.marks import Observe, last, requirement
from conformance.client.user import UserClient
from conformance.generation.sequences import sequences
from conformance.model.text import count
from conformance.rules.limit import Limit
from conformance.scenarios.completion import completed_at_the_limit
from conformance.scenarios.confirmation import limit_refill
from conformance.scenarios.decisions import decide
from conformance.scenarios.identifiers import sampling
from conformance.scenarios.limit import limit
from conformance.scenarios.parallel import at_the_limit


@last
@requirement("8-limit-enforced")
def test_no_more_than_the_limit_are_in_progress(service: UserClient) -> None:
    """The service accepts no request beyond maxNumberOfRequests while as many are certainly in progress."""
    decide(service, Limit.is_enforced, limit.result, limit_refill.result, sequences.result)


@last
@requirement("8-accepts-up-to-limit")
def test_as_many_as_the_limit_are_accepted(service: UserClient) -> None:
    """The service refuses no creation because of the limit before maxNumberOfRequests requests can be in progress."""
    decide(service, Limit.is_reached, limit.result, sequences.result)


@last
@requirement("8-completed-do-not-count")
def test_completed_requests_do_not_count(service: UserClient) -> None:
    """A completed request takes no place: with fewer than the limit in progress, creations are accepted."""
    decide(service, Limit.ignores_completed, completed_at_the_limit.result)


@requirement("8-limit-enforced-in-parallel")
def test_the_limit_holds_for_creations_at_the_same_time(service: UserClient) -> None:
    """With one place left, no simultaneous creations are accepted beyond the limit, in several rounds."""
    decide(service, Limit.holds_in_parallel, limit.result, at_the_limit)


@last
@requirement("3-frees-the-limit")
def test_a_deletion_frees_the_limit_at_once(service: UserClient) -> None:
    """With the limit reached, the service accepts a creation right after a deletion, and after several as many."""
    decide(service, Limit.is_freed, limit.result, sampling.result, sequences.result)


@requirement("3-frees-the-limit-in-parallel")
def test_deletions_at_the_same_time_free_one_place(service: UserClient) -> None:
    """At the limit, several simultaneous deletions of one request make room for exactly one creation."""
    decide(service, Limit.is_freed_in_parallel, limit.result, at_the_limit)


@last
@requirement("8-other-limits")
def test_other_limits_are_shown(service: UserClient, observe: Observe) -> None:
    """Shows whether the service asked the client to retry later."""
    slowed = [each for each in service.record.in_order() if each.response and each.response.status in (429, 503)]
    calls = count(len(service.record), "call")
    observe(f"{len(slowed)} of {calls} so far were answered 429 or 503: try again later.", *slowed[:1])
