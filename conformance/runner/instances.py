"""What a run over several addresses of one service shows: whether a data request exists at all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from conformance.http.creations.outcomes import identifier_in
from conformance.model.exchange import Exchange, Operation, request_id_of, same_origin
from conformance.model.findings import Note
from conformance.model.target import Target
from conformance.model.text import listed
from conformance.model.verdict import Blame


def of_instances(target: Target, exchanges: Iterable[Exchange]) -> Iterator[Note]:
    """Yield the notes about a run over several addresses: that it was one, and whether they share their data requests.

    What fails for that reason fails as usual; this note names the reason.
    """
    if not target.also_base_urls:
        return
    yield Note(
        blame=Blame.CONFIGURATION,
        message=f"The calls went in turn to {len(target.addresses)} addresses of the service: "
        f"{listed(target.addresses)}. The run judges them as one service.",
        remedy="",
    )
    here, elsewhere = _answers(exchanges)
    if elsewhere[404] and not here[404]:
        yield Note(
            blame=Blame.TARGET,
            message="The addresses do not share their data requests. Of the calls that read or delete an existing "
            f"request, {here[200]:,} of {here.total():,} were answered 200 at the address that created it, and "
            f"{elsewhere[404]:,} of {elsewhere.total():,} were answered 404 at another address.",
            remedy="Give all instances of the service one store.",
        )


def _answers(exchanges: Iterable[Exchange]) -> tuple[Counter[int], Counter[int]]:
    """Return the statuses of calls on existing requests: at the address that created them, and at others."""
    here, elsewhere = Counter[int](), Counter[int]()
    created: dict[str, str] = {}
    for each in exchanges:
        answer = each.response
        if answer is None:
            continue
        if each.operation is Operation.CREATE and answer.status == 200:
            created[identifier_in(answer.document.value) or ""] = each.request.url
        elif each.operation in (Operation.READ, Operation.DELETE) and each.intent.request == "existing":
            made = created.get(request_id_of(each))
            if made is not None and not each.intent.racing:
                (here if same_origin(made, each.request.url) else elsewhere)[answer.status] += 1
    return here, elsewhere
