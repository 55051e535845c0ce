"""The addresses of one service, to which the calls of a run go in turn (`--also-base-url`)."""

from __future__ import annotations

from collections.abc import Sequence

import httpx

from conformance.http.creations.outcomes import identifier_in
from conformance.model.exchange import Exchange, Operation, request_id_of, same_origin
from conformance.model.hosts import host_of


class Addresses:
    """Directs each call to an address by a fixed rule, so that a replay directs it to the same one.

    The number of the exchange decides, so what one address created is read and deleted at the others. A repetition goes
    where the call went that it repeats, and the clean-up where the data request was created: there it exists for sure.
    With one address nothing is changed.
    """

    def __init__(self, base_url: httpx.URL, also: Sequence[str] = ()) -> None:
        self._all = (base_url, *map(httpx.URL, also))
        self._home: dict[str, httpx.URL] = {}
        """The address that created a data request, by its identifier."""

    def has(self, url: httpx.URL) -> bool:
        """Tell whether `url` has the origin of one of the addresses."""
        return any(same_origin(url, each) for each in self._all)

    def direct(self, request: httpx.Request, exchange: Exchange, *, home: bool) -> bool:
        """Change the address of `request`, which becomes `exchange`, and tell whether there are several to choose from.

        With `home` it goes to the address that created the data request.
        """
        if len(self._all) == 1 or exchange.repeats:
            return False
        chosen = self._all[exchange.number % len(self._all)]
        if home and exchange.operation in (Operation.READ, Operation.DELETE):
            chosen = self._home.get(request_id_of(exchange), chosen)
        request.url = request.url.copy_with(scheme=chosen.scheme, host=host_of(chosen), port=chosen.port)
        request.headers["Host"] = chosen.netloc.decode("ascii")
        return True

    def note(self, exchange: Exchange) -> None:
        """Note where a data request was created, from an exchange that is over."""
        answer = exchange.response
        if len(self._all) == 1 or exchange.operation is not Operation.CREATE or answer is None:
            return
        created = identifier_in(answer.document.value) if 200 <= answer.status < 300 else None
        if created is not None:
            self._home[created] = httpx.URL(exchange.request.url)
