"""The services that a command starts on this machine: an application of the user, or the reference service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import Failure
from conformance.cli.options import Options
from conformance.cli.signals import withheld

if TYPE_CHECKING:
    from conformance.application.process import ApplicationProcess
    from conformance.reference.process import ReferenceProcess


def demand_one_target(options: Options) -> None:
    """Raise UsageError for an application beside a BASE_URL, or for its host without it."""
    if options.app is not None and options.base_url is not None:
        raise click.UsageError("BASE_URL and --app exclude each other. Leave one of them out, also of the file.")
    if options.app_host is not None and options.app is None:
        raise click.UsageError("--app-host is the host that calls of --app name. Add --app, or leave it out.")


@contextmanager
def application(options: Options, port: int | None = None) -> Iterator[tuple[Options, ApplicationProcess | None]]:
    """Serve the application of --app in a process of its own; yield the options with its address as BASE_URL.

    By default the port follows from its name; another one is taken where it is not free.
    """
    if options.app is None:
        yield options, None
        return
    from conformance.application.process import ApplicationProcess

    process = ApplicationProcess(options.app, port)
    try:
        with withheld():
            process.launch()
        try:
            process.start()
        except RuntimeError as reason:
            raise Failure(f"--app: {reason}", remedy="Correct the application, or its name.") from None
        yield replace(options, base_url=process.base_url), process
    finally:
        process.stop()


def unserved(options: Options) -> Options:
    """Return the options with the usual address of the application of --app as BASE_URL; nothing is loaded."""
    if options.app is None:
        return options
    from conformance.application.loading import Name, port_of

    return replace(options, base_url=f"http://127.0.0.1:{port_of(options.app)}{Name.parse(options.app).path}")


@contextmanager
def embedded(options: Options) -> Iterator[ReferenceProcess | None]:
    """Start the reference service in a process of its own, or yield None where a BASE_URL names another service.

    The process gets ready while this one loads the suite.
    """
    if options.base_url is not None:
        yield None
        return
    from conformance.reference.process import ReferenceProcess

    service = ReferenceProcess()
    try:
        with withheld():
            service.launch()
        yield service
    finally:
        service.stop()
