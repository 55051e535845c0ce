"""Clause 3: a deletion immediately makes room for a new request."""

from __future__ import annotations

from conformance.checks.marks import last, requirement
from conformance.client.user import UserClient
from conformance.generation.sequences import sequences
from conformance.rules.limit import Limit
from conformance.scenarios.decisions import decide
from conformance.scenarios.identifiers import sampling
from conformance.scenarios.limit import limit
from conformance.scenarios.parallel import at_the_limit


@last
@requirement("3-frees-the-limit")
def test_a_deletion_frees_the_limit_at_once(service: UserClient) -> None:
    """With the limit reached, the service accepts a creation right after a deletion, and after several as many."""
    decide(service, Limit.is_freed, limit.result, sampling.result, sequences.result)


@requirement("3-frees-the-limit-in-parallel")
def test_deletions_at_the_same_time_free_one_place(service: UserClient) -> None:
    """At the limit, several simultaneous deletions of one request make room for exactly one creation."""
    decide(service, Limit.is_freed_in_parallel, limit.result, at_the_limit)
