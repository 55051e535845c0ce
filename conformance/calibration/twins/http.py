"""Twins with other use of HTTP: Content-Type, encoding, framing, and errors that the interface does not name."""

from __future__ import annotations

import gzip
import json
from functools import cached_property

from conformance.calibration.operators import body, label
from conformance.calibration.variant import twin
from conformance.reference.call import JSON, Action, Call, Reply
from conformance.reference.errors import ErrorCondition
from conformance.reference.service import Service

_UNLABELLED = {"0-json-media-type": ("not-applicable", "observed"), "4.3-media-type": ("not-applicable", "observed")}


class _Finishing(Service):
    """Changes JSON answers."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        return self.finish_json(reply, call) if reply.headers.get("content-type") == JSON else reply

    def finish_json(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002 variants override it
        """Return the changed JSON answer."""
        return reply


@twin("0")
class _JsonWithCharset(_Finishing):
    """application/json with a charset parameter, in unusual spelling."""

    def finish_json(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        return label('Application/JSON ; Charset="UTF-8"')(reply)


@twin("0")
class _JsonWithSuffix(_Finishing):
    """All media types end in +json; errors are problem+json."""

    def finish_json(self, reply: Reply, call: Call) -> Reply:
        return label("application/problem+json" if call.condition else "application/vnd.drsi.v1+json")(reply)


@twin("0", _UNLABELLED)
class _NoLabels(Service):
    """Answers have no Content-Type."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers.pop("content-type", None)
        return reply


@twin("0")
class _IndentedJson(_Finishing):
    """JSON over several lines, with escapes for non-ASCII characters, white space around it and sorted members."""

    def finish_json(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        return body(lambda content: f"\r\n\t {json.dumps(json.loads(content), indent=4, sort_keys=True)}\n".encode())(
            reply
        )


@twin("0")
class _CompressedWhateverWasAsked(Service):
    """Every body is compressed with gzip, whatever Accept-Encoding says."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if reply.body:
            reply.body = gzip.compress(reply.body)
            reply.headers["content-encoding"] = "gzip"
        return reply


@twin("0")
class _Chunked(Service):
    """Bodies come in chunks, without a Content-Length."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers["transfer-encoding"] = "chunked"
        return reply


@twin("0")
class _ClosesConnections(Service):
    """The connection is closed after every answer."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers["connection"] = "close"
        return reply


@twin("0")
class _ManyHeaders(Service):
    """Every answer has cookies, a long security policy and an ETag."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        reply.headers |= {
            "set-cookie": "session=abc; HttpOnly",
            "content-security-policy": "; ".join(["default-src 'none'"] * 40),
            "etag": 'W/"1"',
            "cache-control": "no-store",
            "vary": "*",
            "server": "Exämple/1.0",
        }
        return reply


@twin("5.3")
class _NoChallenge(Service):
    """A 401 without WWW-Authenticate."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        reply.headers.pop("www-authenticate", None)
        return reply


@twin("4")
class _OtherMethodsNotFound(Service):
    """Methods that the interface does not name answer 404, with a page."""

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        reply = super().refuse(condition, call)
        if condition is ErrorCondition.METHOD:
            return Reply(404, b"<h1>Error</h1>", {"content-type": "text/html"})
        return reply


@twin("4.1")
class _MalformedBodyUnprocessable(Service):
    """The service answers 422 with its own message to bodies that are no array of strings: no table covers these."""

    async def create(self, call: Call) -> Reply:
        if call.body:
            try:
                wanted = json.loads(call.body.decode())
            except (ValueError, RecursionError):
                return self.complaint()
            if not isinstance(wanted, list) or not wanted or not all(isinstance(each, str) for each in wanted):
                return self.complaint()
        return await super().create(call)

    def complaint(self) -> Reply:
        """Return the service's own answer to a body that it cannot read."""
        detail = [{"type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error", "input": {}}]
        error = {"error": "Unprocessable", "message": "The body cannot be read.", "detail": detail}
        return Reply.json(error, 422)


@twin("4.4")
class _SettingsRedirect(Service):
    """GET /settings redirects once, within the origin, to the same path with a query."""

    async def shortcut(self, call: Call) -> Reply | None:
        if call.operation is Action.SETTINGS and "moved" not in call.query:
            return Reply(308, b"", {"location": f"{self.config.path_prefix}/settings?moved=1"})
        return None


@twin("8")
class _TooManyRequestsNowAndThen(Service):
    """Every fortieth call answers 429 with Retry-After: 1."""

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 the same for every call
        if self.turn("calls") % 40 == 39:
            reply = Reply.json({"error": "TooManyRequests", "message": "Slow down."}, 429)
            reply.headers["retry-after"] = "1"
            return reply
        return None


@twin("4.2")
class _ReadingsAreCachedForTheUser(Service):
    """Reading uses a cache for each user, which a deletion clears."""

    _kept = cached_property(lambda _: dict[tuple[str, str], bytes]())

    def read(self, call: Call) -> Reply:
        key = self.find(call).id, call.owner
        if key in self._kept:
            return Reply(200, self._kept[key], {"content-type": JSON, "age": "1", "cache-control": "private"})
        reply = super().read(call)
        self._kept[key] = reply.body
        return reply
