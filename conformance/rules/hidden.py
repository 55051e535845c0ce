"""Hidden requests: a reading finds nothing of a request in progress, and a later deletion finds it (3, 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of
from conformance.rules.run_context import RunContext


def hidden(exchanges: Sequence[Exchange], known: RunContext) -> Exchange | None:
    """Return a reading that found nothing of a request that was younger than another one seen in progress.

    The request may have completed in between, and a completed one need not be readable (4.2): so it is no violation.
    """
    longest = max((_between(each[0], each[-1]) for each in known.in_progress.values()), default=0.0)
    deleted: dict[str, Exchange] = {}
    for each in exchanges:
        if each.operation is Operation.DELETE and each.response is not None and each.response.status == 200:
            deleted.setdefault(request_id_of(each), each)
    for each in exchanges:
        id, user = request_id_of(each), each.request.credential
        meant = user in KNOWN_CREDENTIALS and each.intent.request == "existing" and not each.intent.racing
        if each.operation is not Operation.READ or not (meant and is_missing(each)):
            continue
        if id not in known.in_progress or id in known.completed | known.raced | known.shared or id not in deleted:
            continue
        later = deleted[id].request.credential == user and _between(each, deleted[id]) > each.seconds
        if later and _between(known.in_progress[id][0], each) < longest:
            return each
    return None


def _between(one: Exchange, other: Exchange) -> float:
    """Return the seconds from the start of one call to that of another."""
    return (other.started - one.started).total_seconds()
