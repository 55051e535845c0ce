"""Twins whose organisation changes a limit, a language or a type during the run: no clause says how long one holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from conformance.calibration.twins.common import LIMIT_NOT_MET, UNDECIDED
from conformance.calibration.variant import Acceptable, twin
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("4.1", {"4.1-refused-creates-nothing": ("inconclusive",)}, source="4.5, paragraph 1")
def type_is_withdrawn_in_the_middle(service: Service, _call: Call) -> None:
    """The service removes a data type from the list in the middle of the run."""
    if service.turn("calls") == 160:
        service.types = service.types[1:]
        service.type_names = frozenset(each.type for each in service.types)


_OF_THE_LIMIT: Final[Acceptable] = dict.fromkeys(
    (
        *("3-frees-the-limit", "3-frees-the-limit-in-parallel", "4.1-creates-in-parallel"),
        *("4.1-refused-creates-nothing", "8-accepts-up-to-limit", "8-limit-enforced", "8-limit-enforced-in-parallel"),
    ),
    UNDECIDED,
)
_AT_THE_SAME_TIME: Final[Acceptable] = dict.fromkeys(
    ("4.1-creates-in-parallel", "8-limit-enforced-in-parallel"), UNDECIDED
)
_LATE: Final = 400
"""Calls after which the limit changes: it is met and tested by then."""


class _Changing(Service):
    """Counts the calls, of which the organisation makes its change after `after`."""

    after = _LATE
    calls = 0

    async def shortcut(self, call: Call) -> Reply | None:
        self.calls += 1
        return await super().shortcut(call)

    @property
    def is_changed(self) -> bool:
        """Whether the change is made."""
        return self.calls > self.after


class _OtherLimit(_Changing):
    then = 1

    def places(self) -> int:
        """Return the limit in force."""
        return self.then if self.is_changed else self.config.max_requests

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"maxNumberOfRequests": self.places()}

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        return sum(self.holds_place(each, request.owner) for each in existing) < self.places()


@twin("8", _OF_THE_LIMIT, source="8, table, row 1")
class _LimitLoweredLateInTheRun(_OtherLimit):
    """The organisation allows one request in place of three; the settings show it from then on."""


@twin("8", _OF_THE_LIMIT, source="2.3, table, row 3, Meaning")
class _LimitRaisedLateInTheRun(_OtherLimit):
    """The organisation allows five requests in place of three; the settings show it from then on."""

    then = 5


@twin("8", LIMIT_NOT_MET, max_requests=3, source="8, table, row 1")
class _LimitRaisedInTheCourseOfTheRun(_LimitRaisedLateInTheRun):
    """The organisation raises the limit from three to five during the run, and the settings show it."""

    made = 0

    @property
    def is_changed(self) -> bool:
        return self.made > 20

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        self.made += 1
        return super().new_request(types, call)


@twin("4.5", {"4.5-supported-languages": UNDECIDED}, source="2.3, table, row 9, Meaning, sentence 1")
class _LanguageWithdrawnDuringTheRun(_Changing):
    """The organisation withdraws its last language; the settings do not list it from then on."""

    after = 130

    async def shortcut(self, call: Call) -> Reply | None:
        languages = self.config.languages
        if self.is_changed and len(languages) > 2:
            self.config = replace(self.config, languages=languages[:-1])
        return await super().shortcut(call)


@twin("2.2", _AT_THE_SAME_TIME, source="2.2, table, row 1, Meaning")
class _TypeRenamedEarlyInTheRun(_Changing):
    """The organisation renames its first data type: GET /data lists the new name, and the old one is unknown."""

    after = 40

    async def shortcut(self, call: Call) -> Reply | None:
        if self.is_changed and not self.types[0].type.endswith("-2026"):
            first, *others = self.types
            self.types = (replace(first, type=f"{first.type}-2026"), *others)
            self.type_names = frozenset(each.type for each in self.types)
        return await super().shortcut(call)
