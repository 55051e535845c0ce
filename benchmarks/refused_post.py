"""How many functions get one POST that is refused at the limit, after it has been recorded, in a run of everything.

A rule has one place: few functions have to look at an exchange on its way to a verdict. Those that get its entry in the
ledger in place of the exchange count as well, and are listed apart.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from types import FrameType

from conformance.calibration.run_one import REFERENCE_JOB, session_of
from conformance.facts.answers import is_limit_refusal
from conformance.facts.ledger import Creation
from conformance.model.exchange import Exchange
from conformance.run.check import check
from conformance.run.plan import Plan
from conformance.run.progress import ProgressListener

MOST = 10


class Readers:
    """The functions that get one exchange as an argument, with the number of their calls."""

    def __init__(self) -> None:
        self.watched: Exchange | None = None
        self.calls: Counter[tuple[str, str]] = Counter()
        self.of_the_entry: Counter[tuple[str, str]] = Counter()

    def watch(self, exchange: Exchange) -> None:
        """Watch an exchange that is over, if it is the first creation that was refused at the limit."""
        answer = exchange.response
        if self.watched is None and answer is not None and is_limit_refusal(exchange.response):
            self.watched = exchange

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call of a function of the suite that gets the exchange; `sys.setprofile` calls this."""
        exchange, code = self.watched, frame.f_code
        if event != "call" or exchange is None or not code.co_argcount:
            return
        module = frame.f_globals.get("__name__", "")
        # A generated `__init__` of a dataclass keeps its arguments; an exchange that is made sets its own values.
        makes = code.co_filename == "<string>" or code.co_qualname in ("Exchange.__post_init__", "Exchange.settle")
        if not module.startswith("conformance.") or code.co_name.startswith("<") or makes:
            return
        given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
        # The judge gets a copy, which the run has loaded from what it wrote.
        if any(isinstance(each, Exchange) and getattr(each, "id", "") == exchange.id for each in given):
            self.calls[module, code.co_qualname] += 1
        entries = (getattr(each, "exchange", None) for each in given if isinstance(each, Creation))
        if any(getattr(each, "id", "") == exchange.id for each in entries):
            self.of_the_entry[module, code.co_qualname] += 1


def main() -> None:
    """Measure and print."""
    readers = Readers()
    session = session_of(REFERENCE_JOB.variant, REFERENCE_JOB)
    session.record.on_end = readers.watch
    threading.setprofile(readers.profile)
    sys.setprofile(readers.profile)
    check(session, Plan(), ProgressListener())
    sys.setprofile(None)
    threading.setprofile(None)
    session.close()
    assert readers.watched is not None, "no creation was refused at the limit"
    for calls, what in ((readers.of_the_entry, "its entry in the ledger"), (readers.calls, "it")):
        for (module, name), count in calls.most_common():
            print(f"{count:5}  {module.removeprefix('conformance.')}.{name}")
        modules = len({module for module, _ in calls})
        print(f"{readers.watched.id}: {len(calls)} functions in {modules} modules get {what}, {calls.total()} times")
    together = len(readers.calls | readers.of_the_entry)
    print(f"{together} functions together (target: at most {MOST})")


if __name__ == "__main__":
    main()
