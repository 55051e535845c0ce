"""How much of the run's time and memory one exchange may cost."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


def amount(number: int) -> str:
    """Return a number of bytes as a person reads it, such as "10 MiB"; as it is where it is no whole one of those."""
    for unit, name in ((MIB, "MiB"), (KIB, "KiB")):
        if number >= unit and number % unit == 0:
            return f"{number // unit} {name}"
    return f"{number} bytes"


@dataclass(frozen=True)
class Limits:
    """Limits of one exchange: times in seconds, sizes in bytes. No other time is ever longer than `deadline`."""

    deadline: float = 30.0
    """Wall clock from the first look at the name to the last byte of the body, whatever happens in between."""
    resolve: float = 5.0
    connect: float = 5.0
    """TCP connect and, again, the TLS handshake."""
    first_byte: float = 15.0
    """From the request to the first byte of the answer; also how long the target may refuse to read the request."""
    wire: int = 10 * MIB
    decoded: int = 10 * MIB
    header_fields: int = 100
    header_bytes: int = 64 * KIB
    informational: int = 8
    """1xx answers before the final one."""

    def __post_init__(self) -> None:
        """Cut the times to the deadline; raise ValueError when a limit is not positive."""
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"{name} has to be positive, not {value}")
        for name in ("resolve", "connect", "first_byte"):
            object.__setattr__(self, name, min(getattr(self, name), self.deadline))
