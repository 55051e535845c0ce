"""Identifiers that several requests share: which answers may be about another of their requests (2.1, 3).

Such an identifier is a multiset: each confirmed deletion removes one of its requests. Where calls overlap, the order
counts that leaves more doubt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from conformance.http.creations.outcomes import journal_of
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of


def uncertain(exchanges: Sequence[Exchange], ids: Collection[str]) -> Iterator[str]:
    """Yield the ids of the readings and deletions of shared `ids` whose answer may be right for another request."""
    for request_id in ids:
        created, perhaps = _creations(exchanges, request_id)
        about = [each for each in exchanges if _names(each, request_id)]
        confirmed = list(_confirmed(about))
        for each in about:
            if is_missing(each):
                open = not _certainly_exists(each, created, about)
            elif each.intent.request == "deleted":
                open = _most(each, [*created, *perhaps], confirmed) > 0
            else:
                open = each.operation is Operation.READ and _most(each, [*created, *perhaps], confirmed) > 1
            if open:
                yield each.id


def _names(exchange: Exchange, request_id: str) -> bool:
    return exchange.operation in (Operation.READ, Operation.DELETE) and request_id_of(exchange) == request_id


def _creations(exchanges: Sequence[Exchange], request_id: str) -> tuple[list[Exchange], list[Exchange]]:
    """Return the creations that gave this identifier, and those that may have made a request and named none."""
    created, perhaps = [], []
    for each in exchanges:
        if each.operation is Operation.CREATE:
            journal = journal_of([each])
            created += [each] if request_id in journal.live else []
            perhaps += [each] if journal.unknown or journal.doubtful else []
    return created, perhaps


def _confirmed(about: Sequence[Exchange]) -> Iterator[Exchange]:
    """Yield the deletions that removed a request: of a race, which may confirm one removal twice, only the first.

    What the deletion of another user removes is open (5-isolation).
    """
    racing_until = float("-inf")
    for each in about:
        accepted = each.response is not None and 200 <= each.response.status < 300
        if each.operation is not Operation.DELETE or not accepted or each.intent.request == "foreign":
            continue
        if not each.intent.racing:
            yield each
        elif _began(each) >= racing_until:
            racing_until = _ended(each)
            yield each


def _most(shown: Exchange, creations: Sequence[Exchange], confirmed: Sequence[Exchange]) -> int:
    """Return how many requests exist at most when the service answers `shown`."""
    changes = [(_ended(each), 1) for each in creations if each is not shown and _began(each) <= _ended(shown)]
    changes += [(_began(each), -1) for each in confirmed if each is not shown and _ended(each) <= _began(shown)]
    left = 0
    for _, change in sorted(changes):
        left = max(0, left + change)
    return left


def _certainly_exists(shown: Exchange, created: Sequence[Exchange], about: Sequence[Exchange]) -> bool:
    """Whether nothing came between its user's last creation and `shown` that may have removed or replaced the request.

    That is a deletion, whatever its answer, or a creation of another user that gave the same identifier.
    """
    user = shown.request.credential
    made = [_began(each) for each in created if each.request.credential == user and _ended(each) <= _began(shown)]
    others = [each for each in created if each.request.credential != user]
    deletions = [each for each in about if each.operation is Operation.DELETE and each is not shown]
    return bool(made) and not any(
        _ended(each) >= max(made) and _began(each) <= _ended(shown) for each in (*deletions, *others)
    )


def _began(exchange: Exchange) -> float:
    return exchange.started.timestamp()


def _ended(exchange: Exchange) -> float:
    return exchange.started.timestamp() + exchange.seconds
