"""The certificates that a command trusts: the usual authorities, and those of --ca-file."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.cli.errors import Failure


def trusted(ca_file: Path | None) -> ssl.SSLContext:
    """Return the context of TLS connections; raise Failure for a file without certificates."""
    import httpx

    variable = next((name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)), "SSL_CERT_FILE")
    with _certificates_of(variable, os.environ.get(variable, ""), f"Correct {variable}, or unset it."):
        context = httpx.create_ssl_context()
    if ca_file is not None:
        with _certificates_of("--ca-file", ca_file, "Name a file with the authority's certificate."):
            context.load_verify_locations(ca_file)
    return context


@contextmanager
def _certificates_of(source: str, place: object, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = "contains no certificate in PEM form" if isinstance(error, ssl.SSLError) else error.strerror or error
        raise Failure(f"{source}: {place}: {reason}.", remedy=remedy) from None
