"""Twins that answer some variations of a call in another way, which HTTP allows."""

from __future__ import annotations

import gzip

from conformance.calibration.sources import EXPECTATION, LENGTH_REQUIRED, NGINX_GZIP, WSGI_LENGTH
from conformance.calibration.variant import twin
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service


class _RefusingAForm(Service):
    """Refuses bodies in one form of transfer."""

    status, header = 411, "transfer-encoding"

    async def shortcut(self, call: Call) -> Reply | None:
        if self.header in call.headers:
            return Reply(self.status, b"<h1>Not in this form</h1>", {"content-type": "text/html"})
        return None


@twin("4.1", source=LENGTH_REQUIRED)
class _LengthRequired(_RefusingAForm):
    """A gateway answers 411 to a body without Content-Length."""


@twin("4.1", source=WSGI_LENGTH)
class _ChunksAreNotUnderstood(_RefusingAForm):
    """The service answers 400 to a chunked body."""

    status = 400


@twin("4.1", source=EXPECTATION)
class _NoExpectationIsMet(_RefusingAForm):
    """A gateway answers 417 to Expect: 100-continue, as RFC 9110 permits."""

    status, header = 417, "expect"


@twin("0", source=NGINX_GZIP)
class _CompressedWhereOffered(Service):
    """The service compresses every body with gzip for clients that offer it."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers["vary"] = "Accept-Encoding"
        if "gzip" in call.headers.get("accept-encoding", "") and reply.body:
            reply.body = gzip.compress(reply.body, mtime=0)
            reply.headers["content-encoding"] = "gzip"
        return reply
