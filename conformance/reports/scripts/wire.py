"""What a reproduction script reads of HTTP: the answers that a run reads, with the bounds of a run."""

from __future__ import annotations

import base64
import http.client
import os
import ssl
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from conformance.reports.scripts.answers import Answer, NotTested

SECONDS, MOST_BYTES = 60, 20_000_000


class _Response(http.client.HTTPResponse):
    """The final response: http.client itself takes an informational one (1xx) for it, unless it is 100."""

    def _read_status(self) -> tuple[str, int, str]:
        for _ in range(9):
            version, status, reason = super()._read_status()  # type: ignore[misc]  # it has no public name
            if status // 100 != 1:
                return version, status, reason
            http.client.parse_headers(self.fp)
            if status == 101:
                raise http.client.HTTPException("it switched to another protocol although nothing asked for it")
        raise http.client.HTTPException("more than 8 informational (1xx) responses and no final one")


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


def received(
    method: str, url: str, headers: list[list[str]], body: bytes, first: int = 0, proxied: bool = False
) -> Answer:
    """Return the answer to a call; NotTested where none can be read as a run reads it."""
    try:
        connection, target, own = _connection(url, proxied)
        connection.response_class = _Response
        try:
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
                connection.endheaders(pieces(body, first) if body else None, encode_chunked=is_chunked)
            answer = _read(connection.getresponse())
            if proxied and answer.status in (407, 502, 504):
                raise NotTested(f"the proxy, or what is behind it, answered {answer.status}.")
            return answer
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
        raise NotTested(f"the service did not answer ({error}).") from None


def _read(response: http.client.HTTPResponse) -> Answer:
    fields: dict[str, str] = {}
    for name, value in response.getheaders():
        listed = name.lower() in fields and name.lower() in ("content-encoding", "content-length", "transfer-encoding")
        fields[name.lower()] = f"{fields[name.lower()]}, {value}" if listed else value
    transfer = fields.get("transfer-encoding", "").strip().lower()
    lengths = {each.strip() for each in fields.get("content-length", "").split(",")}
    if transfer not in ("", "chunked") or len(lengths) > 1 or (transfer and lengths != {""}):
        raise NotTested("it is not clear where the response ends: its Content-Length or Transfer-Encoding is wrong.")
    body = response.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise NotTested("the body of the response is too long.")
    if response.length:
        raise NotTested("the body of the response was cut off.")
    return Answer(response.status, fields, _decoded(body, fields.get("content-encoding", "")))


def _decoded(body: bytes, codings: str) -> bytes:
    """Return a body without its content coding; NotTested if it has one that a run does not undo either."""
    names = [each.strip().lower() for each in codings.split(",")]
    coding = ", ".join(each for each in names if each not in ("", "identity"))
    if not coding or not body:
        return body
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise NotTested(f"the response has the content coding {coding}, which was not asked for.")
    form = zlib.MAX_WBITS | 16
    if coding == "deflate":
        # Some servers send the bare stream instead of the zlib format (RFC 9110, 8.4.1.2).
        is_zlib = body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
        form = zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS
    content = b""
    # As many members as a run takes: each one copies the rest of the body.
    for _ in range(1000):
        inflate = zlib.decompressobj(form)
        content += inflate.decompress(body, MOST_BYTES + 1 - len(content))
        if len(content) > MOST_BYTES:
            raise NotTested("the body of the response is too long.")
        if not inflate.eof:
            raise NotTested("the body of the response was cut off.")
        # gzip may hold several members; what follows the last one is padding.
        follows = coding != "deflate" and inflate.unused_data[:2] == b"\x1f\x8b"
        if not follows:
            return content
        body = inflate.unused_data
    raise NotTested("the response has more than 1000 gzip members.")


def pieces(body: bytes, first: int) -> Iterator[bytes]:
    """Yield a body in the pieces in which it is sent: the `first` bytes, and the rest."""
    if first:
        yield body[:first]
        time.sleep(0.2)  # so that each piece is sent by itself
    yield body[first:]
