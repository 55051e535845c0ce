"""Sockets and TLS: each step obeys the meter of the exchange that it carries."""

from __future__ import annotations

import errno
import hashlib
import re
import select
import socket
import ssl
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any

import httpcore

from conformance.http.wire.connect import Resolver, dial
from conformance.http.wire.connections import Connection
from conformance.http.wire.exchange_limits import current
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.run_record import CheckedTarget, Tls

_CERTIFICATE = {
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    18: "the certificate is self-signed",
    19: "the certificate chain ends in a self-signed certificate that is not trusted here",
    20: "the certificate's issuer is not trusted here, or an intermediate certificate is missing",
    21: "the certificate's issuer is not trusted here, or an intermediate certificate is missing",
    62: "the certificate is for another name",
    64: "the certificate is for another address",
}
_HANDSHAKE = {
    "WRONG_VERSION_NUMBER": "the target does not speak TLS on this port: try http",
    "HTTP_REQUEST": "the target does not speak TLS on this port: try http",
    "UNSUPPORTED_PROTOCOL": "the target offers only versions of TLS that are no longer safe",
    "TLSV1_ALERT_PROTOCOL_VERSION": "the target and the suite have no version of TLS in common",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "the target refused the handshake",
}
_STRICT = range(80, 95)
"""Codes of OpenSSL for what only VERIFY_X509_STRICT refuses, from the length of paths to parameters of keys."""
_OF_THE_CLIENT = re.compile(
    "ALERT_(BAD_CERTIFICATE|NO_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_.*|UNKNOWN_CA|ACCESS_DENIED)"
)
"""Alerts of a target about the certificate of its client."""

WANTS_CERTIFICATE = "the target wants a client certificate, or does not accept the one that it was shown"
STRICTLY_REFUSED = (
    "the certificate, or that of its authority, breaks a rule of RFC 5280 that Python enforces from 3.13 on"
)
"""What the detail of an error of TLS says, for who names the remedy."""


def _tls_reason(error: OSError, *, answered: bool) -> str:
    """Return the reason why the handshake failed with `error`; `answered` says that the target had begun its part."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _STRICT:
            return f"{STRICTLY_REFUSED} ({error.verify_message})"
        words = _CERTIFICATE.get(error.verify_code, "the certificate is not accepted")
        return f"{words} ({error.verify_message})"
    if isinstance(error, TimeoutError):
        return "the target did not finish the handshake in time"
    if isinstance(error, ssl.SSLError) and error.reason:
        # A target that has chosen a cipher and then refuses the handshake misses the certificate that it asked for.
        if _OF_THE_CLIENT.search(error.reason) or (answered and "ALERT_HANDSHAKE_FAILURE" in error.reason):
            return f"{WANTS_CERTIFICATE} ({error.reason})"
        words = _HANDSHAKE.get(error.reason, "the handshake failed")
        return f"{words} ({error.reason})"
    return "the connection ended during the handshake"


_REFUSALS = {
    errno.ECONNREFUSED: "the target refused the connection: nothing listens on this port",
    errno.EHOSTUNREACH: "the target's host is unreachable",
    errno.ENETUNREACH: "the target's network is unreachable",
}


def _note_tls(peers: CheckedTarget, wrapped: ssl.SSLSocket) -> None:
    """Note the version and the certificate of a TLS connection, unless one was noted or nothing was verified."""
    certificate = wrapped.getpeercert(binary_form=True)
    if peers.tls is None and certificate and wrapped.context.verify_mode is not ssl.CERT_NONE:
        digest = hashlib.sha256(certificate).hexdigest()
        peers.tls = Tls(version=wrapped.version() or "", certificate_sha256=digest)


class BoundedStream(Connection):
    """One connection. Every step is limited to the time that its exchange has left, and every byte is counted."""

    def __init__(self, sock: socket.socket, peers: CheckedTarget) -> None:
        self._sock = sock
        self._peers = peers

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the meter decides
        """Return what arrived, or b"" at the end of a body; raise TransportError."""
        meter = current()
        try:
            limit = None if meter.started else meter.bounds.first_byte
            # A header block that is too large ends here, before the parser refuses it in words of its own.
            size = max_bytes if meter.in_body else meter.bounds.header_bytes // 2
            data = meter.in_time(self._sock, lambda: self._sock.recv(size), limit)
        except TimeoutError:
            raise meter.overdue() from None
        except ssl.SSLError as error:
            # In TLS 1.3 the handshake of the client is over before the target has seen its certificate.
            if not meter.started and _OF_THE_CLIENT.search(error.reason or ""):
                reason = _tls_reason(error, answered=True)
                raise TransportError(ErrorKind.TLS, f"no TLS connection: {reason}") from error
            raise meter.broken(f"lost ({error})") from error
        except OSError as error:
            if error.errno == errno.EBADF:  # see write: another thread was a moment later
                raise meter.broken("closed") from error
            raise meter.broken("reset" if isinstance(error, ConnectionError) else f"lost ({error})") from error
        if data:
            meter.take(data)
        elif meter.in_body:
            meter.ended = True
        else:
            raise meter.broken("closed")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the meter decides
        """Send all of `buffer`; raise TransportError, or WriteError, after which the response is still read.

        Raises ConnectionNotAvailable if nothing was sent yet: the pool then takes another connection.
        """
        meter = current()
        meter.carry(self)
        rest = memoryview(buffer)
        while rest:
            try:
                rest = rest[meter.in_time(self._sock, partial(self._sock.send, rest), meter.bounds.first_byte) :]
                meter.sending = True
            except TimeoutError:
                raise TransportError(ErrorKind.DEADLINE, "the target does not read the request") from None
            except OSError as error:
                if error.errno == errno.EBADF and not meter.sending:
                    # Another thread saw the target close, and closed the connection that the pool gave to this thread.
                    raise httpcore.ConnectionNotAvailable from error
                raise httpcore.WriteError(error) from error

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

    @property
    def is_open(self) -> bool:
        """Whether this side has not closed the connection."""
        return self._sock.fileno() >= 0

    def ends_within(self, seconds: float) -> bool:
        """Wait at most `seconds` for the target to close the connection, or to send unexpected bytes."""
        return _readable(self._sock, seconds)

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - the meter decides
    ) -> httpcore.NetworkStream:
        """Return the connection with TLS on top; raise TransportError (tls, deadline) and close it when that fails."""
        meter, answered = current(), False
        meter.through()
        try:
            wrapped = ssl_context.wrap_socket(
                self._sock, server_hostname=server_hostname, do_handshake_on_connect=False
            )
            try:
                meter.in_time(wrapped, wrapped.do_handshake, meter.bounds.connect)
            except BaseException:
                answered = wrapped.cipher() is not None
                wrapped.close()
                raise
            _note_tls(self._peers, wrapped)
            return BoundedStream(wrapped, self._peers)
        except (OSError, ValueError) as error:
            reason = _tls_reason(error, answered=answered) if isinstance(error, OSError) else str(error)
            raise TransportError(ErrorKind.TLS, f"no TLS connection: {reason}") from error
        finally:
            # The wrapped socket owns the descriptor now.
            self._sock.close()

    def get_extra_info(self, info: str) -> Any:
        """Tell the pool whether an idle connection cannot be used again."""
        return (self.spent or _readable(self._sock)) if info == "is_readable" else None


class BoundedNetwork(httpcore.NetworkBackend):
    """TCP only. One per transport and proxy, shared by its threads."""

    def __init__(self, peers: CheckedTarget, proxy: str = "") -> None:
        """`peers` learns where the connections lead; `proxy` is the address of the proxy that they all lead to."""
        self._resolver = Resolver()
        self._peers, self._proxy = peers, proxy

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the meter decides
        local_address: str | None = None,  # noqa: ARG002 - the pool sets none
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 - the pool sets none
    ) -> httpcore.NetworkStream:
        """Return a new connection; raise TransportError (dns, connect, deadline)."""
        meter = current()
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        addresses = self._resolver.addresses(host, port, meter.left(meter.bounds.resolve), meter.left)
        seconds = meter.left(meter.bounds.connect)
        try:
            sock = dial(addresses, seconds, meter.left)
            if sock.family in (socket.AF_INET, socket.AF_INET6) and not self._proxy:
                with suppress(OSError):  # a connection that is over already
                    known = (*self._peers.addresses, sock.getpeername()[0])
                    self._peers.addresses = tuple(dict.fromkeys(known))
            return BoundedStream(sock, self._peers)
        except TimeoutError:
            raise TransportError(ErrorKind.CONNECT, f"no connection to {place} within {seconds:.3g} s") from None
        except OSError as error:
            reason = _REFUSALS.get(error.errno or 0, error.strerror or str(error))
            raise TransportError(ErrorKind.CONNECT, f"no connection to {place}: {reason}") from error


def _readable(sock: socket.socket, seconds: float = 0) -> bool:
    descriptor = sock.fileno()
    if descriptor < 0:
        return True
    if not hasattr(select, "poll"):
        return bool(select.select([descriptor], [], [], seconds)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))
