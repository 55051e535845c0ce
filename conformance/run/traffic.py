"""Recorded traffic: calls that another program made, as a trace whose kinds are inferred.

A run states what each of its calls asks. Here only the calls and their answers say it, so a call that may ask something
else, or may meet a world that the recording does not show, is open: it decides nothing of its status. Other clients may
use the same account meanwhile, accounts are never empty, and types and limits may have changed.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from conformance.facts.answers import names_a_tabled_error
from conformance.facts.world import types_in
from conformance.generation.meaning import types_in_body
from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.redaction import Redactor, RunSecrets, without_secrets
from conformance.http.secrets.words import why_short
from conformance.model.account import texts
from conformance.model.error_table import INVALID_DATA_TYPES, LANGUAGE_NOT_SUPPORTED
from conformance.model.exchange import MISSING, Exchange, Intent, Operation, Request, Superseded, header
from conformance.model.formats import is_uuid
from conformance.model.identity import ANONYMOUS, OTHER_USER, USER, created_by
from conformance.model.run_record import Conditions, RunRecord
from conformance.model.target import Target, Token
from conformance.run.conclusion import FinishedRun, Frame
from conformance.run.judged import judged
from conformance.run.plan import Plan
from conformance.trace.har import har, trace_of
from conformance.trace.recording import Call, calls_of

_STRANGER: Final = "a stranger"
"""The credential of a call of which the recording does not show whose it is."""

_SECRET: Final = "Bearer [SECRET]"  # noqa: S105 a mark
"""What stands for the token of a stranger."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9\-._~+/]{8,}=*")
_NO_TOKEN: Final = re.compile(r"redact|remov|hidden|mask|(.)\1{5}", re.IGNORECASE)
"""What a program writes that takes tokens out of its recordings: two users may have the same."""

_ON_REQUESTS: Final = (Operation.CREATE, Operation.READ, Operation.DELETE)


@dataclass(frozen=True)
class JudgedTraffic:
    """The judgement of recorded traffic, and the secrets that no file may contain, with their marks."""

    run: FinishedRun
    sought: list[tuple[str, str]]


def judge_recording(entries: Iterable[object], base_url: str, plan: Plan) -> JudgedTraffic:
    """Return the judgement of HAR entries of a service at `base_url`; empty: the one that the entries show.

    Tokens and personal values are replaced before anything is judged. Raise ConfigurationFault as `calls_of` does.
    """
    base_url, calls = calls_of(entries, base_url)
    recording = _Recording(calls, base_url)
    callers = {each.request.credential for each in recording.exchanges}
    conditions = Conditions(
        target=Target(base_url=base_url, account_is_empty=False).recorded(),
        users=tuple(each.label for each in (USER, OTHER_USER) if each.label in callers),
        is_recorded_traffic=True,
        ever_listed=tuple(sorted(frozenset[str]().union(*lists))) if (lists := recording.lists) else None,
    )
    trace = trace_of(har(recording.exchanges, conditions), base_url, {})
    first, last = recording.exchanges[0], recording.exchanges[-1]
    record = RunRecord(options=dict(plan.options), labels=dict(plan.labels))
    frame = Frame(started=first.started, finished=last.started, seed=0, run=record)
    return JudgedTraffic(judged(trace, plan, frame), recording.sought)


class _Recording:
    """The exchanges of a recording, with what their calls and answers show of what they ask."""

    def __init__(self, calls: Sequence[Call], base_url: str) -> None:
        self._users = _users_of(calls)
        self._shows_tokens = any(call.token in self._users for call in calls)
        self._public = {text for call in calls for text in _public_texts(call)}
        self._personal = PersonalData(secrets.token_bytes(32), base_url, self._public.__contains__)
        self.exchanges = [self._exchange(number, call) for number, call in enumerate(calls, 1)]
        """In the order in which they began, without secrets and personal values."""
        for place, each in enumerate(sorted(self.exchanges, key=lambda one: one.over), 1):
            each.ended = place
        self._plain = {each.id for each, call in zip(self.exchanges, calls, strict=True) if call.is_plain}
        self.lists = [named for each in self.exchanges if (named := _listed_in(each)) is not None]
        self._first_list, self._last_list = _bounds(self.exchanges)
        self._made: dict[str, Exchange] = {}
        self._deletions: dict[str, list[Exchange]] = {}
        self._note_requests()
        self._racing = {each.id for group in self._groups() for each in _overlapping(group)}
        self._refuses_strangers = any(
            each.status == 401 and each.request.credential == ANONYMOUS.label and each.operation in _ON_REQUESTS
            for each in self.exchanges
        )
        for each, call in zip(self.exchanges, calls, strict=True):
            each.intent = self._intent_of(each)
            if call.lacks_body:
                each.supersede(Superseded.PASSING)
        _supersede_noise(self.exchanges)
        credentials = {label: Token(token) for token, label in self._users.items()}
        known = RunSecrets(credentials, self._personal, {}, list(self._of_strangers(calls)))
        self.sought = [each for each in known.sought if each[1] not in base_url]
        redactor: Redactor = known.redactor
        self.exchanges = [without_secrets(each, redactor) for each in self.exchanges]

    def _exchange(self, number: int, call: Call) -> Exchange:
        credential = self._credential_of(call)
        is_hidden = credential == _STRANGER
        made = Exchange(
            id=f"e{number}",
            check="recorded traffic",
            operation=call.operation,
            started=call.started,
            seconds=call.seconds,
            request=Request(
                method=call.method,
                url=call.url,
                headers=tuple(
                    (name, _SECRET) if is_hidden and name.lower() == "authorization" else (name, value)
                    for name, value in call.headers
                ),
                body=call.body,
                credential=credential,
            ),
            path=call.path,
        )
        made.response = self._personal.recorded(made, call.response)
        made.settle()
        return made

    def _credential_of(self, call: Call) -> str:
        if (label := self._users.get(call.token)) is not None:
            return label
        # A recording without any known token may have lost them: browsers take them out where they export.
        has_none = header(call.headers, "authorization") is None and call.is_plain and self._shows_tokens
        return ANONYMOUS.label if has_none else _STRANGER

    def _of_strangers(self, calls: Iterable[Call]) -> Iterator[tuple[str, str]]:
        """Yield the tokens of strangers, each with its mark."""
        for token in dict.fromkeys(call.token for call in calls if call.token not in self._users):
            if not why_short(token) and token not in self._public:
                yield "SECRET", token

    def _note_requests(self) -> None:
        for each in self.exchanges:
            if (created := created_by(each)) is not None:
                self._made.setdefault(created.request_id, each)
            if each.operation is Operation.DELETE:
                self._deletions.setdefault(each.request_id, []).append(each)

    def _groups(self) -> Iterator[list[Exchange]]:
        """Yield calls of which each may change what the others ask for: creations, and all that name one request."""
        yield [each for each in self.exchanges if each.operation is Operation.CREATE]
        about: dict[str, list[Exchange]] = {}
        for each in self.exchanges:
            if each.operation in (Operation.READ, Operation.DELETE):
                about.setdefault(each.request_id, []).append(each)
        yield from (calls for request_id, calls in about.items() if request_id in self._deletions)

    # ------------------------------------------------------------------ what a call asks

    def _intent_of(self, exchange: Exchange) -> Intent:
        """Return what a call asks, as far as the recording shows it."""
        caller, racing = exchange.request.credential, exchange.id in self._racing
        is_odd = exchange.id not in self._plain
        is_known = caller in (USER.label, OTHER_USER.label) and exchange.status not in (401, 403)
        if exchange.operation in _ON_REQUESTS:
            is_creation = exchange.operation is Operation.CREATE
            asked = self._of_a_creation(exchange) if is_creation else Intent(request=self._of_a_request(exchange))
            # An anonymous call shows something only where tokens are wanted and it would be right with one.
            is_anonymous = caller == ANONYMOUS.label and self._refuses_strangers
            is_right = asked.body in ("omitted", "known types") or asked.request == "existing"
            is_decided = is_known or (is_anonymous and is_right)
            is_unknown = asked.body == "odd" if is_creation else asked.request in ("", _GONE)
            is_open = is_odd or is_unknown or not is_decided
            return replace(asked, racing=racing, open=is_open, unusual=is_odd or not is_decided)
        language = "supported" if header(exchange.request.headers, "accept-language") else None
        if language and exchange.status == 400:
            is_named = exchange.member("error") == LANGUAGE_NOT_SUPPORTED.error
            language = "unsupported" if is_named else "malformed"
        return Intent(offered=caller != ANONYMOUS.label, unusual=is_odd, language=language, open=is_odd)

    def _of_a_creation(self, exchange: Exchange) -> Intent:
        request = exchange.request
        label = header(request.headers, "content-type")
        if not request.body:
            return Intent(body="odd" if label is not None else "omitted")
        types = types_in_body(request.body)
        if not types or len({*types}) < len(types) or label != "application/json":
            return Intent(body="odd")
        listed, is_between = self.lists and self.lists[0], self._first_list < exchange.sent[0] < self._last_list
        # Between two lists that are equal, the types were those.
        if not listed or not is_between or len({*self.lists}) > 1:
            return Intent(body="odd")
        if listed.issuperset(types):
            return Intent(body="known types", types=types)
        refused = exchange.member("error") == INVALID_DATA_TYPES.error
        return Intent(body="unknown type" if refused else "odd", types=types if refused else None)

    def _of_a_request(self, exchange: Exchange) -> str:
        """Return what a reading or deletion asks for, such as "deleted"; empty where the recording does not show it."""
        made = self._made.get(exchange.request_id)
        if made is None:
            return "unknown" if exchange.status == 404 and is_uuid(exchange.request_id) else ""
        others = (each for each in self._deletions.get(exchange.request_id, ()) if each is not exchange)
        deletions = [each for each in others if each.sent < exchange.over]
        caller = exchange.request.credential
        is_own = caller == made.request.credential
        if is_own and any(each.status == 200 and each.over < exchange.sent for each in deletions):
            return "deleted"
        if exchange.status in MISSING:
            return _GONE
        if not is_own and caller != ANONYMOUS.label:
            return "foreign" if exchange.status >= 400 else ""  # two tokens may be of one user
        return "" if deletions or made.over >= exchange.sent else "existing"


_GONE: Final = "gone"
"""What a call asks for that is missing although the recording shows no deletion: another client may have removed it."""


def _users_of(calls: Iterable[Call]) -> dict[str, str]:
    """Return the first two tokens that the service accepted, with their labels: two users, or two tokens of one."""
    accepted: dict[str, None] = {}
    for call in calls:
        token = call.token
        is_token = _TOKEN.fullmatch(token) is not None and _NO_TOKEN.search(token) is None and not why_short(token)
        if is_token and call.operation in _ON_REQUESTS and 200 <= call.response.status < 300:
            accepted.setdefault(token)
    return dict(zip(accepted, (USER.label, OTHER_USER.label), strict=False))


def _public_texts(call: Call) -> Iterator[str]:
    """Yield the texts of an answer that are no personal values: rules compare them."""
    is_of_account = call.operation is Operation.DATA_ME
    if 200 <= call.response.status < 300 and not is_of_account:
        yield from texts(call.response.document.value)


def _listed_in(exchange: Exchange) -> frozenset[str] | None:
    """Return the types that a list names; None for another exchange."""
    answer = exchange.response
    if exchange.operation is not Operation.DATA or exchange.status != 200 or answer is None:
        return None
    value = answer.document.value
    return frozenset(types_in(value)) if isinstance(value, list) else None


def _bounds(exchanges: Sequence[Exchange]) -> tuple[float, float]:
    """Return when the first list had come, and when the last one was asked for, in seconds."""
    lists = [each for each in exchanges if _listed_in(each) is not None]
    return (lists[0].over[0], lists[-1].sent[0]) if lists else (0.0, 0.0)


def _overlapping(exchanges: Sequence[Exchange]) -> Iterator[Exchange]:
    """Yield each exchange that was made at the same time as another one of them, perhaps several times."""
    longest: Exchange | None = None
    for each in sorted(exchanges, key=lambda one: one.sent):
        if longest is not None and each.sent < longest.over:
            yield from (each, longest)
        if longest is None or longest.over < each.over:
            longest = each


# ---------------------------------------------------------------------- answers that decide nothing


_OF_ITS_KIND: Final = 2
"""Refusals in words of their own that are alike: one may be of a gateway."""


def _supersede_noise(exchanges: Sequence[Exchange]) -> None:
    """Let answers that may not be the service's own decide nothing: they are not asked for again.

    An answer that is none of the interface counts where all calls that ask the same are answered like that.
    """
    answered: dict[tuple[object, ...], list[tuple[int, bool]]] = {}
    for each in exchanges:
        answered.setdefault(_question(each), []).append((each.status, _is_of_the_interface(each)))
    for each in exchanges:
        alike = answered[_question(each)]
        is_usual = len(alike) >= _OF_ITS_KIND and len({*alike}) == 1 and not each.intent.open
        if each.status == 429:
            each.supersede(Superseded.RATE_LIMITED)
        elif each.status >= 500:
            each.supersede(Superseded.UNAVAILABLE)
        elif _leads_elsewhere(each) or not (is_usual or _is_of_the_interface(each)):
            each.supersede(Superseded.PASSING)


def _leads_elsewhere(exchange: Exchange) -> bool:
    """Tell whether an answer is a redirect, which the client followed, of another client's doing, or of a gate."""
    is_redirect = exchange.status < 200 or 300 <= exchange.status < 400
    challenge = exchange.response.header("www-authenticate") if exchange.response is not None else None
    is_of_a_gate = challenge is not None and "bearer" not in challenge.lower()
    return is_redirect or is_of_a_gate or exchange.intent.request == _GONE


def _question(exchange: Exchange) -> tuple[object, ...]:
    intent = exchange.intent
    return exchange.operation, exchange.request.credential, intent.request, intent.body, intent.label, intent.language


def _is_of_the_interface(exchange: Exchange) -> bool:
    """Tell whether an answer is of the service by its form: an error of the table, a document, or a deletion's text."""
    answer = exchange.response
    if answer is None or (exchange.operation is Operation.DELETE and exchange.status == 200):
        return True
    return names_a_tabled_error(answer) if exchange.status >= 400 else not answer.document.problem
