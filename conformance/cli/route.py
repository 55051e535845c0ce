"""How the calls of a command get to a service: whom they trust, as whom they come, and through which proxy."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import click

from conformance.cli.errors import Failure

if TYPE_CHECKING:
    import httpx

    from conformance.http.wire.exchange_limits import Limits
    from conformance.http.wire.proxies import Proxies
    from conformance.http.wire.transport import BoundedTransport
    from conformance.model.target import Proxy

OPTIONS: Final = ("ca_file", "client_cert", "client_key", "proxy", "header")
"""The options of a route, by the names of their fields."""


@dataclass(frozen=True)
class Route:
    """The options of a route, and what they describe."""

    ca_file: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    proxy: Proxy | None = None
    header: tuple[tuple[str, str], ...] = ()
    is_direct: bool = False
    """Whether the command itself started the service, so that no proxy leads to it."""

    @classmethod
    def of(cls, given: Any, **further: Any) -> Self:
        """Return the route that options describe; `given` has them as attributes."""
        return cls(**{name: getattr(given, name) for name in OPTIONS}, **further)

    @cached_property
    def proxies(self) -> Proxies | None:
        """The proxies of the option or of the environment."""
        from conformance.http.wire.proxies import Proxies

        return None if self.is_direct else Proxies(self.proxy)

    def proxy_to(self, address: httpx.URL) -> Proxy | None:
        """Return the proxy to an address; raise Failure for a variable that names none."""
        from conformance.model.errors import ConfigurationFault

        try:
            return self.proxies.of(address) if self.proxies else None
        except ConfigurationFault as fault:
            raise Failure(str(fault), remedy=fault.remedy) from None

    def transport(self, bounds: Limits, *, uses_tls: bool = True) -> BoundedTransport:
        """Return the transport; raise Failure for a file that holds no certificate or key."""
        from conformance.http.wire.transport import BoundedTransport

        # Certificates take long to load, so a run over plain http does without.
        needs_context = uses_tls or self.ca_file is not None or self.client_cert is not None
        verify = self._context() if needs_context else None
        return BoundedTransport(bounds=bounds, verify=verify, proxies=self.proxies)

    def to_others(self, bounds: Limits, base_url: str) -> httpx.BaseTransport:
        """Return the transport to servers that a service names: only those of its own origin get the header fields."""
        from conformance.http.wire.further_headers import OfOneOrigin

        demand_no_authorization(self.header)
        return OfOneOrigin(self.transport(bounds), base_url, self.header)

    def _context(self) -> ssl.SSLContext:
        import httpx

        source = "SSL_CERT_FILE or SSL_CERT_DIR"
        try:
            context = httpx.create_ssl_context()
            if self.ca_file is not None:
                source = f"--ca-file: {self.ca_file}"
                context.load_verify_locations(self.ca_file)
        except OSError as error:
            why = "contains no certificate in PEM form" if isinstance(error, ssl.SSLError) else error.strerror or error
            raise Failure(f"{source}: {why}.", remedy="Name a file with the authority's certificate.") from None
        if self.client_cert is not None:
            try:
                context.load_cert_chain(self.client_cert, self.client_key, password=_refuse)
            except (OSError, ValueError) as error:
                reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
                named = " and ".join(map(str, filter(None, [self.client_cert, self.client_key])))
                raise Failure(f"--client-cert: {named} cannot be used ({reason}).", remedy=_WANTED) from None
        return context


def demand_certificate(key: Path | None, certificate: Path | None) -> None:
    """Raise UsageError for a key without its certificate."""
    if key is not None and certificate is None:
        raise click.UsageError("--client-key is the key of the certificate of --client-cert. Add --client-cert.")


def demand_no_authorization(headers: Iterable[tuple[str, str]]) -> None:
    """Raise UsageError for header fields that take the place of the access token."""
    from conformance.model.exchange import header
    from conformance.model.option_values import OTHER_WAYS

    if header(tuple(headers), "authorization"):
        raise click.UsageError(
            "The Authorization of --header needs --profile public, which sends no access token: the interface expects "
            f"the token in the same field, and one call cannot bring both. For the full profile: {OTHER_WAYS}"
        )


_WANTED: Final = (
    "Name a certificate in PEM form (with those between it and its authority after it), and its key with --client-key, "
    "unless the same file has it. From PKCS #12: openssl pkcs12 -in FILE.p12 -out client.pem -nodes. A key without its "
    "passphrase, readable by you alone: openssl pkey -in KEY -out plain.key"
)


def _refuse() -> str:
    """Refuse a key with a passphrase, for which OpenSSL would ask the terminal."""
    raise ValueError("the key needs a passphrase")
