"""What a recorded run shows of its service, as far as a service that is made like it may use it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cached_property, partial
from http.client import responses
from typing import Any, Final, NamedTuple, TypeVar

from conformance.calibration.operators import answering
from conformance.facts.answers import is_limit_refusal
from conformance.model.account import texts
from conformance.model.error_table import CONDITIONS, KNOWN_CREDENTIALS
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.identity import ANONYMOUS
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service
from conformance.schema.documents import member_names
from conformance.trace.trace import Trace

Document = dict[str, Any]
Refusal = Callable[[], Reply]
Usual = TypeVar("Usual", bound=Hashable)

_ANY: Final = range(100, 600)
_MARK: Final = re.compile(r"\[(DRSI_|header |an? |the |login|password)")
"""The beginning of what stands in a record for a secret."""
_CODE: Final = re.compile(r"[A-Za-z][A-Za-z_ -]{0,59}")
MOST: Final = 200
"""Languages that are copied."""
_REFUSALS: Final = frozenset(range(400, 500)) - {401, 404, 408, 425, 429}
"""Without the statuses that have words of their own in clause 7, or ask a client to come again."""
_TABLED: Final = {row.error for row in CONDITIONS}


class Copy(NamedTuple):
    """What makes the reference service like the recorded one in one matter; nothing where both are alike."""

    services: tuple[type[Service], ...] = ()
    config: Mapping[str, Any] = {}


def usual(values: Iterable[Usual]) -> Usual | None:
    """Return the most frequent value, the first of equals; None without values."""
    return next((value for value, _ in Counter(values).most_common(1)), None)


def is_fit(text: object) -> bool:
    """Tell whether a value is a text that can be served again: without half a character and without a mark."""
    return isinstance(text, str) and not re.search(r"[\ud800-\udfff]", text) and not _MARK.search(text)


def refusing(
    when: Callable[[Service, Call], object], refuse: Refusal | None, *operations: Action
) -> tuple[type[Service], ...]:
    """Return the service that refuses operations on data requests in a case; nothing where there is no refusal."""
    if refuse is None:
        return ()

    def answer(service: Service, call: Call) -> Reply | None:
        return refuse() if call.operation in operations and when(service, call) else None

    # After the token was accepted, and before anything changes.
    return tuple(answering(answer, method) for method in ("create", "read", "delete"))


class Seen:
    """The answers of a recorded run."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def answered(self, *operations: Operation, statuses: Iterable[int] = (200,)) -> list[Exchange]:
        """Return the exchanges of some operations with an answer that counts, in their order."""
        wanted = (each for each in self.trace.exchanges if each.operation in operations and each.counts)
        return [each for each in wanted if each.status in statuses]

    def of_users(self, *operations: Operation) -> list[Exchange]:
        """Return those to calls with the token of a user, with any status, without refusals because of the limit."""
        known = (each for each in self.answered(*operations, statuses=_ANY) if not is_limit_refusal(each.response))
        return [each for each in known if each.request.credential in KNOWN_CREDENTIALS]

    def documents(self, *operations: Operation, statuses: Iterable[int] = (200,)) -> list[Document]:
        """Return the objects that the operations answered."""
        values = (answer_of(each).document.value for each in self.answered(*operations, statuses=statuses))
        return [value for value in values if isinstance(value, dict)]

    def _last_public(self, operation: Operation) -> object:
        """Return the last document that an operation answered without a token; None if there is none."""
        public = [each for each in self.answered(operation) if each.request.credential == ANONYMOUS.label]
        return answer_of(public[-1]).document.value if public else None

    @cached_property
    def settings(self) -> Document:
        """The last settings that the service showed without a token; empty if it showed none."""
        last = self._last_public(Operation.SETTINGS)
        return last if isinstance(last, dict) else {}

    @cached_property
    def without_a_language(self) -> list[Exchange]:
        """The calls of GET /data that ask for no language."""
        plain = (each for each in self.answered(Operation.DATA, statuses=_ANY) if not each.intent.stated())
        return [each for each in plain if header(each.request.headers, "accept-language") is None]

    @cached_property
    def listed(self) -> list[str] | None:
        """The data types that the service showed last without a token; None if it showed no list."""
        last = self._last_public(Operation.DATA)
        types = [each.get("type") for each in last if isinstance(each, dict)] if isinstance(last, list) else None
        return None if types is None else [name for name in types if isinstance(name, str)]

    @cached_property
    def types(self) -> frozenset[str]:
        """The same, without order."""
        return frozenset(self.listed or ())

    @cached_property
    def _of_accounts(self) -> frozenset[str]:
        """The values of the accounts, which the record has as pseudonyms."""
        answers = self.answered(Operation.DATA_ME)
        shown = {text for each in answers for text in texts(answer_of(each).document.value)}
        return frozenset(shown - member_names() - self.types)

    def is_public(self, text: str) -> bool:
        """Tell whether a text can be served again: it has no value of an account, and no mark."""
        return is_fit(text) and not any(len(each) > 2 and each in text for each in self._of_accounts)

    def refusal(self, exchanges: Iterable[Exchange], *named: str, also: Iterable[int] = ()) -> Refusal | None:
        """Return what refuses a call as most of these are refused, in words of ours; None if they are not.

        `named` are codes of clause 7 that it may have, `also` are statuses that it may have here beside the usual ones.
        """
        answers = [answer_of(each) for each in exchanges]
        status = usual(each.status for each in answers)
        if status is None or (status not in _REFUSALS and status not in also):
            return None
        answer = next(each for each in answers if each.status == status)
        error, phrase = answer.member("error"), responses.get(status, "Refused")
        if status >= 500 and answer.document.problem:
            return lambda: Reply(status, phrase.encode(), {"content-type": "text/plain"})
        is_code = isinstance(error, str) and _CODE.fullmatch(error) and self.is_public(error)
        if not is_code or (error in _TABLED and error not in named):
            error = phrase
        message = "This service does not accept such a call."
        return partial(Reply.json, {"error": error, "message": message}, status)
