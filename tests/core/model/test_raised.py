"""Which exchange gets the exception that an application raised."""

from __future__ import annotations

from notation import BEGIN, trace_of

from conformance.model.raised import Raised, assign


def raised(text: str, *, at: float, path: str = "/api/a b", method: str = "GET") -> Raised:
    """Return an exception so many seconds after a trace begins, whose calls begin after 1, 2, 3 … seconds."""
    return Raised(method, path, BEGIN.timestamp() + at, text)


def test_each_failed_exchange_gets_the_exception_of_its_call() -> None:
    steps = (
        "| GET /a%20b?x=1 -> 500",
        "| GET /a%20b?x=1 -> 200",
        "| GET /a%20b?x=1 -> 500",
        "GET /a%20b?x=1 -> closed",
    )
    exchanges = trace_of(steps).exchanges
    others = [raised("", at=1, path="/api/b"), raised("", at=1, method="POST"), raised("", at=8), raised("", at=-4)]
    assign(exchanges, [raised("third", at=4.1), *others, raised("second", at=1.06), raised("first", at=1.01)])

    assert [each.raised for each in exchanges] == ["first", "", "second", "third"]
