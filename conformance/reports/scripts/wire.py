"""What a reproduction script reads of HTTP: the answers that a run reads, with the bounds of a run."""

from __future__ import annotations

import base64
import http.client
import os
import ssl
import zlib
from contextlib import suppress
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from conformance.reports.scripts.answers import Answer, NotTested

SECONDS, MOST_BYTES = 60, 20_000_000


class _Final(http.client.HTTPResponse):
    """The answer itself: http.client takes an interim one (RFC 9110, 15.2), such as 103 of a CDN, for it.

    A service sends one or two; one that never stops would hold a script for ever.
    """

    def begin(self) -> None:
        super().begin()
        for _ in range(8):
            if self.status // 100 == 1 and self.status != 101:
                self.headers = None  # type: ignore[assignment]  # as before the first line was read
                super().begin()


def _connection(url: str, proxied: bool) -> tuple[http.client.HTTPConnection, str, list[list[str]]]:
    """Return a connection for a call, what stands in its request line, and the header fields for a proxy."""
    parts = urlsplit(url)
    address, target = parts.netloc.rpartition("@")[2], url[url.index(parts.netloc) + len(parts.netloc) :]
    place, own = _proxy(parts.scheme, address) if proxied else ("", [])
    if parts.scheme != "https":
        connection = http.client.HTTPConnection(place or address, timeout=SECONDS)
        return connection, f"http://{address}{target}" if place else target, own
    # What a service shows with a certificate that is not trusted would prove nothing.
    context = ssl.create_default_context()
    if os.environ.get("DRSI_CLIENT_CERT"):
        try:
            context.load_cert_chain(os.environ["DRSI_CLIENT_CERT"], os.environ.get("DRSI_CLIENT_KEY"))
        except OSError as error:
            raise NotTested(f"DRSI_CLIENT_CERT and DRSI_CLIENT_KEY cannot be used ({error}).") from None
    secure = http.client.HTTPSConnection(place or address, timeout=SECONDS, context=context)
    if place:
        host, port = urlsplit(url).hostname, urlsplit(url).port
        secure.set_tunnel(host or "", port or 443, headers=dict(own))
    return secure, target, []


def _proxy(scheme: str, address: str) -> tuple[str, list[list[str]]]:
    """Return host and port of the proxy that the environment names, and the header fields for it; empty for none."""
    known = getproxies_environment()
    named = known.get(scheme) or known.get("all") or ""
    if not named or proxy_bypass(address):
        return "", []
    try:
        parts = urlsplit(named if "://" in named else f"http://{named}")
        port = parts.port
    except ValueError:  # it quotes what may be a password
        raise NotTested("the environment names a proxy whose address cannot be read.") from None
    if parts.scheme != "http":
        raise NotTested("only a proxy that is reached by http:// can be used.")
    user, colon, password = parts.netloc.rpartition("@")[0].partition(":")
    pair = f"{unquote(user)}:{unquote(password)}".encode()
    own = [["Proxy-Authorization", "Basic " + base64.b64encode(pair).decode()]] if user or colon else []
    place = parts.netloc.rpartition("@")[2]
    return place if port else f"{place}:80", own


def received(method: str, url: str, headers: list[list[str]], body: bytes, proxied: bool = False) -> Answer:
    """Return the answer to a call; NotTested where none can be read as a run reads it."""
    try:
        connection, target, own = _connection(url, proxied)
        try:
            connection.response_class = _Final
            names = {name.lower() for name, _ in headers}
            connection.putrequest(method, target, "host" in names, "accept-encoding" in names)
            for name, value in [*headers, *own]:
                if value or name != "Authorization":
                    connection.putheader(name, value.encode("utf-8"))
            if "user-agent" not in names:
                connection.putheader("User-Agent", "reproduction")
            is_chunked = "transfer-encoding" in names
            if not is_chunked and (body or method == "POST"):
                connection.putheader("Content-Length", str(len(body)))
            # A service may answer before it has read the whole request: its response is still read.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.endheaders([body] if body else None, encode_chunked=is_chunked)
            answer = _read(connection.getresponse())
            if proxied and answer.status in (407, 502, 504):
                raise NotTested(f"the proxy, or what is behind it, answered {answer.status}.")
            return answer
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
        raise NotTested(f"the service did not answer ({error}).") from None


def _read(response: http.client.HTTPResponse) -> Answer:
    if response.status // 100 == 1:
        raise NotTested(f"the service sent {response.status}, and no answer that this script reads.")
    fields = {name.lower(): value for name, value in response.getheaders()}
    body = _decoded(response.read(MOST_BYTES + 1), fields.get("content-encoding", "identity").strip().lower())
    if len(body) > MOST_BYTES:
        raise NotTested("the body of the response is too long.")
    if response.length:
        raise NotTested("the body of the response was cut off.")
    return Answer(response.status, fields, body)


def _decoded(body: bytes, coding: str) -> bytes:
    """Return a body without its content coding; NotTested for one that this script does not undo."""
    if coding in ("identity", "") or not body:
        return body
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise NotTested(f"the response has the content coding {coding}, which was not asked for.")
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)  # which finds out the format by itself
    content = inflate.decompress(body, MOST_BYTES + 1)
    if not inflate.eof and len(content) <= MOST_BYTES:
        raise NotTested("the body of the response was cut off.")
    return content
