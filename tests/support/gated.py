"""The reference service behind a gate that wants a key beside the access token, or Basic authentication."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager

from cli_services import Served, served

from conformance.reference.call import Call, Reply
from conformance.reference.service import Service

KEY = "k3y-of/the+gateway=="
PAIR = "staging:p4ss-of/the?gate"
BASIC = f"Basic {base64.b64encode(PAIR.encode()).decode()}"


@contextmanager
def gated(service: type[Service] = Service, wanted: tuple[str, str] = ("x-api-key", KEY)) -> Iterator[Served]:
    """Serve what wants a header field, and repeats its value; the member `refused` of the service has all others.

    As nginx, Apache and Traefik do by default, the gate passes on to the service what it read.
    """
    name, value = wanted
    challenge = {"www-authenticate": 'Basic realm="staging"'} if name == "authorization" else {}

    class Gated(service):  # type: ignore[valid-type,misc]
        refused: list[Call] = []  # noqa: RUF012 - the class is served once

        def conclude(self, reply: Reply, call: Call) -> Reply:
            if call.headers.get(name) != value:
                self.refused.append(call)
                return Reply(401 if challenge else 403, b"{}", {"content-type": "text/html", **challenge})
            reply = super().conclude(reply, call)
            reply.headers["x-debug"] = value
            return reply

    with served(Gated) as gate:
        yield gate
