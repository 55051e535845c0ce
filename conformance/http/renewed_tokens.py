"""Access tokens that are renewed when the service refuses them, such as those that a command prints."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final, Protocol

from conformance.http.commands import Command
from conformance.http.secrets.short_tokens import ShortToken, demand_long
from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.option_values import checked_token
from conformance.model.target import Token

REMEDY: Final = (
    "Run the command by itself to see its messages. It has to print the access token and nothing else, without asking "
    "anything. No shell reads it: for pipes and variables use a script, or sh -c '…'."
)


class Source(Protocol):
    """Gives tokens one after another, each when the one before it is refused."""

    @property
    def secrets(self) -> Sequence[str]:
        """Further secrets that no output may show."""

    def output(self) -> str:
        """Return a token; raise ConfigurationFault when there is none, PassingFault when there may be one later."""

    def stop(self) -> None:
        """End `output`, where it is at work: it raises PassingFault."""


class RenewedToken(Token):
    """An access token that a source gives, and gives anew when the token expires."""

    renewable = True
    must_be_long = False
    """Whether a token is refused that no search can remove from a record."""

    def __init__(self, source: Source, *, name: str, remedy: str) -> None:
        """`name` is the name of the source in messages, such as its option; `remedy` what to do when it fails."""
        self._source = source
        self._name, self._remedy = name, remedy
        self._failed = ""
        self._printed: str | None = None
        self._lock = threading.Lock()
        self.used = []

    def current(self) -> str:
        """Return the token; the first call asks the source, and other threads wait for it."""
        with self._lock:
            if self._printed is None:
                self._printed = self._renewed()
            return self._printed

    def instead_of(self, refused: str) -> str | None:
        """Return a token other than `refused`, or None; ask the source if there is no newer token yet.

        If several calls are refused with one token, only the first renews it: a server may revoke a token when it
        issues the next.
        """
        with self._lock:
            if self._printed == refused:
                self._printed = self._renewed()
            return self._printed if self._printed != refused else None

    def stop(self) -> None:
        """End the source, where it is at work; threads that wait for it get a PassingFault."""
        self._source.stop()

    def _renewed(self) -> str:
        """Return the output of the source; keep its failure, so that no later call waits for the same failure.

        The end by a signal is not kept: it is not a fault of the source, and the clean-up needs a token.
        """
        if not self._failed:
            try:
                value = checked_token(self._source.output(), "its output")
                if self.must_be_long:
                    demand_long(value, "its output")
            except PassingFault as reason:
                raise PassingFault(f"{self._name}: {reason}", remedy=self._remedy) from None
            except ShortToken as reason:
                self._failed, self._remedy = f"{self._name}: {reason}", reason.remedy
            except ConfigurationFault as reason:
                self._failed = f"{self._name}: {reason}"
            else:
                self.used += [each for each in (value, *self._source.secrets) if each not in self.used]
                return value
        raise ConfigurationFault(self._failed, remedy=self._remedy)


class CommandToken(RenewedToken):
    """An access token that a command prints; the command runs again when the token expires."""

    def __init__(self, command: str, *, name: str = "The token command") -> None:
        """`name` is the name of the command in messages, such as its option."""
        super().__init__(Command(command), name=name, remedy=REMEDY)
