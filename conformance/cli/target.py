"""What a command looks at: the service that was named, or one of the suite's own in a process of its own."""

from __future__ import annotations

import os
import ssl
from dataclasses import replace
from pathlib import Path

import httpx

from conformance.cli.failure import Failure
from conformance.cli.settings import Settings
from conformance.http.journal import Journal
from conformance.http.limits import Limits
from conformance.http.transport import BoundedTransport
from conformance.model.target import Budget, Target, Token
from conformance.reference.process import ReferenceProcess
from conformance.traffic.session import Session


def target_of(settings: Settings, service: ReferenceProcess | None) -> Target:
    """Return the target: the service that was named, or the suite's own once it is ready."""
    if service is None:
        return named_target(settings)
    service.start()
    user, other = (Token(value) for value in service.tokens)
    return replace(named_target(settings), base_url=service.base_url, user=user, other=other)


def named_target(settings: Settings) -> Target:
    """Return the target as it was named; where none was, one like the suite's own service, which has no address yet."""
    own = settings.base_url is None
    return Target(
        base_url=settings.base_url or "http://127.0.0.1",
        user=settings.user,
        other=Token("rehearsing") if own else settings.other,
        language_selector=settings.language_selector,
        account_is_empty=own or settings.empty_account,
        budget=_budget_of(settings),
    )


def _budget_of(settings: Settings) -> Budget:
    usual = Budget(thorough=settings.thorough)
    return replace(
        usual,
        max_created=usual.max_created * usual.times if settings.max_created is None else settings.max_created,
        max_requests=settings.max_requests,
        max_time=settings.max_time,
        await_completion=settings.await_completion,
        rate=settings.rate,
        concurrency=usual.concurrency if settings.concurrency is None else settings.concurrency,
    )


def session_of(
    settings: Settings, target: Target, journal: Journal | None = None, *, began: float | None = None
) -> Session:
    """Return the session with `target`, whose time counts from `began` or from now.

    Raises Failure where the certificates to trust are no use.
    """
    bounds = Limits()
    if settings.timeout is not None:
        bounds = Limits(deadline=settings.timeout, first_byte=settings.timeout)
    # Made for https alone, for it takes long; here, because what is wrong with it is wrong with the configuration.
    verify = _trusting(settings.ca_file) if settings.ca_file is not None or target.is_https else True
    return Session(
        target,
        bounds=bounds,
        seed=settings.seed,
        journal=journal,
        began=began,
        transport=BoundedTransport(bounds=bounds, verify=verify),
    )


def _trusting(ca_file: Path | None) -> ssl.SSLContext:
    context = _usual()
    if ca_file is None:
        return context
    try:
        context.load_verify_locations(ca_file)
    except OSError as error:
        raise Failure(
            f"--ca-file: {ca_file}: {_why(error)}.",
            remedy="Name a file with the certificate of the authority in PEM form.",
        ) from None
    return context


def _usual() -> ssl.SSLContext:
    """Return what trusts the usual authorities, or those that the environment names in their place."""
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        name = next((name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)), None)
        if name is None:
            raise
        raise Failure(
            f"{name}: {os.environ[name]}: {_why(error)}.",
            remedy=f"Let {name} name certificates of authorities in PEM form, or unset it.",
        ) from None


def _why(error: OSError) -> str:
    return "holds no certificate in PEM form" if isinstance(error, ssl.SSLError) else error.strerror or str(error)
