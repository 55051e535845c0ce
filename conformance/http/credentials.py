"""Access tokens: sent with a call, printed by a command, renewed when refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import httpx

from conformance.http.commands import Command
from conformance.model.errors import ConfigurationFault, PassingFault
from conformance.model.exchange import Exchange
from conformance.model.target import Token, checked_token


class Bearer:
    """Sends a token as `Authorization: Bearer` (5.1)."""

    def __init__(self, token: Token) -> None:
        self.token = token

    def send(self, request: httpx.Request, put: Callable[[httpx.Request], httpx.Response]) -> None:
        """Send with the token; once more with a new one if the target refused it and the command gives another.

        If the target accepts the new token, the refused exchange is marked as a renewal: its token had expired.
        """
        sent = self.token.current()
        request.headers["Authorization"] = f"Bearer {sent}"
        response = put(request)
        another = self.another(sent, response) if response.status_code == 401 else None
        if another is None:
            return
        request.headers["Authorization"] = f"Bearer {another}"
        request.extensions["repeats"] = response.extensions["exchange"].id
        repeated: Exchange = put(request).extensions["exchange"]
        if repeated.response is not None and repeated.error is None and repeated.response.status not in (401, 403):
            response.extensions["exchange"].renewed = True

    def another(self, refused: str, response: httpx.Response) -> str | None:  # noqa: ARG002 - a replay needs it
        """Return a newer token than the `refused` one, or None if there is none."""
        return self.token.instead_of(refused)


REMEDY: Final = (
    "Run the command by itself to see its messages. It has to print the access token and nothing else, without asking "
    "anything. No shell reads it: for pipes and variables use a script, or sh -c '…'."
)


class CommandToken(Token):
    """An access token that a command prints; the command runs again when the token expires."""

    renewable = True

    def __init__(self, command: str, *, name: str = "The token command") -> None:
        """`name` is the name of the command in messages, such as its option."""
        self._command = Command(command)
        self._name = name
        self._failed = ""
        self._printed: str | None = None
        self._lock = threading.Lock()
        self.used = []

    def current(self) -> str:
        """Return the token; the first call runs the command, and other threads wait for it."""
        with self._lock:
            if self._printed is None:
                self._printed = self._renewed()
            return self._printed

    def instead_of(self, refused: str) -> str | None:
        """Return a token other than `refused`, or None; run the command if there is no newer token yet.

        If several calls are refused with one token, only the first renews it: a server may revoke a token when it
        issues the next.
        """
        with self._lock:
            if self._printed == refused:
                self._printed = self._renewed()
            return self._printed if self._printed != refused else None

    def stop(self) -> None:
        """End the command, where it is running, and what it started; threads that wait for it get a PassingFault."""
        self._command.stop()

    def _renewed(self) -> str:
        """Return the output of the command; keep its failure, so that no later call waits for the same failure.

        The end by a signal is not kept: it is not a fault of the command, and the clean-up needs a token.
        """
        if not self._failed:
            try:
                value = checked_token(self._command.output(), "its output")
            except PassingFault as reason:
                raise PassingFault(f"{self._name}: {reason}", remedy=REMEDY) from None
            except ConfigurationFault as reason:
                self._failed = f"{self._name}: {reason}"
            else:
                self.used += [] if value in self.used else [value]
                return value
        raise ConfigurationFault(self._failed, remedy=REMEDY)
