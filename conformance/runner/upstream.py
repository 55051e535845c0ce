"""The observations of `--profile upstream`: what a service has of the interface's public ancestor.

They are made after the checks, and no rule judges their calls: the specification knows neither the calls nor what they
may do to a request. Data of a user that a call without a token receives is an alert nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from conformance.client.user import UserClient
from conformance.http.creations.outcomes import identifier_in
from conformance.http.session import Session
from conformance.model.errors import NotDecided, answer_of, describe
from conformance.model.exchange import Exchange, Intent, Operation, request_id_of
from conformance.model.findings import CheckResult, Finding
from conformance.model.identity import ANONYMOUS, USER, Created, Identity, segment
from conformance.model.language_selector import LanguageSelector
from conformance.model.requirements import catalogue
from conformance.model.text import member_in_json, quoted, shorten
from conformance.model.upstream import UpstreamResult
from conformance.model.upstream_rows import CHECK, upstream
from conformance.model.verdict import Blame, Verdict

_LANG: Final = LanguageSelector("query", "lang")
_NO_LANGUAGES: Final = ("zz", "qq")
"""Codes that ISO 639-1 gives to no language."""
_UNTRIED: Final = "The run ended before this was tried."
_SHOWN: Final = 60
"""Characters of a body that a message quotes."""


@dataclass(frozen=True)
class Observed:
    """What was seen, in words, with the exchanges that show it; `opened` received data of a user without a token."""

    message: str
    exchanges: tuple[Exchange, ...]
    opened: Exchange | None = None


def observe(session: Session) -> tuple[tuple[UpstreamResult, ...], list[CheckResult]]:
    """Make the calls, and return a result for each row, and the alerts. Its request is deleted again."""
    session.begin(CHECK)
    service = UserClient(session)
    alerts: list[CheckResult] = []
    results = tuple(_results(service, alerts))
    session.clean_up()
    return results, alerts


def untried() -> tuple[UpstreamResult, ...]:
    """Return the results of a run that ended before it could observe anything."""
    return tuple(
        _result(row.id, Verdict.NOT_TESTED if row.untestable else Verdict.INCONCLUSIVE, row.untestable or _UNTRIED)
        for row in upstream().rows.values()
    )


def of_the_specification(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the exchanges without those of the observations, and without all others about their requests."""
    mine = [each for each in exchanges if each.check == CHECK]
    made = (each.response for each in mine if each.operation is Operation.CREATE)
    ids = {identifier_in(each.document.value) for each in made if each is not None}
    about = (Operation.READ, Operation.DELETE)
    return [
        each
        for each in exchanges
        if each.check != CHECK and not (each.operation in about and request_id_of(each) in ids)
    ]


def _results(service: UserClient, alerts: list[CheckResult]) -> Iterator[UpstreamResult]:
    created: Created | NotDecided
    try:
        created = service.create()
    except NotDecided as reason:
        created = reason
    for row in upstream().rows.values():
        if row.untestable:
            yield _result(row.id, Verdict.NOT_TESTED, row.untestable)
            continue
        try:
            seen = _LOOKS[row.id](service, created)
        except NotDecided as reason:
            yield _result(row.id, Verdict.INCONCLUSIVE, reason.message, reason.exchanges)
        else:
            if seen.opened is not None:
                alerts.append(_alert(seen.opened))
            yield _result(row.id, Verdict.OBSERVED, seen.message, seen.exchanges)


def _alert(opened: Exchange) -> CheckResult:
    """Return the alert on a call without a token that received data of a user."""
    finding = Finding[Exchange](
        verdict=Verdict.OBSERVED,
        blame=Blame.TARGET,
        message=f"{_answered(opened)}: outside of the interface, the service gives data of a user to everybody.",
        exchanges=(opened,),
        remedy="Check the token of this call as well, and let a user read only what is the user's own.",
        alert=True,
    )
    return CheckResult(catalogue()["5-isolation"], CHECK, Verdict.OBSERVED, [finding], (opened,))


def _result(row_id: str, verdict: Verdict, message: str, exchanges: Sequence[Exchange] = ()) -> UpstreamResult:
    row = upstream().rows[row_id]
    shown = tuple(each.id for each in exchanges)
    return UpstreamResult(
        id=row.id, place=row.place, statement=row.statement, verdict=verdict, message=message, exchanges=shown
    )


def _call(service: UserClient, path: str, caller: Identity = USER, method: str = "GET") -> Exchange:
    intent = Intent(open=True, unusual=True)
    return service.session.send(method, path, credential=caller.label, intent=intent)


def _existing(created: Created | NotDecided) -> Created:
    if isinstance(created, NotDecided):
        raise created
    return created


def _answered(exchange: Exchange, call: str = "") -> str:
    """Return a call, in given words, with its answer: status, media type, and the error that a JSON object names."""
    answer = answer_of(exchange)
    body = answer.document.value
    error = body.get("error") if isinstance(body, dict) else None
    named = f" with the error '{shorten(error, _SHOWN)}'" if isinstance(error, str) else ""
    label = f" ({answer.media_type})" if answer.media_type else ""
    return f"{call or describe(exchange)} answered {answer.status}{label}{named}"


def _list(service: UserClient, created: Created | NotDecided) -> Observed:
    mine, without = _call(service, "/requests"), _call(service, "/requests", ANONYMOUS)
    listed = answer_of(mine).document.value
    said = _answered(mine)
    is_open = isinstance(created, Created) and created.request_id in answer_of(without).text
    if answer_of(mine).status == 200 and isinstance(listed, list):
        ids = [each.get("requestId") for each in listed if isinstance(each, dict)]
        said += f", an array of {len(listed):,}"
        if isinstance(created, Created):
            said += (
                ", with the request of this run" if created.request_id in ids else ", without the request of this run"
            )
    return Observed(f"{said}. {_answered(without)}.", (mine, without), without if is_open else None)


def _complete(service: UserClient, created: Created | NotDecided) -> Observed:
    request = _existing(created)
    path = f"/requests/{segment(request.request_id)}/complete"
    mine, without = _call(service, path), _call(service, path, ANONYMOUS)
    said = _answered(mine)
    if (answer := answer_of(mine)).status == 200:
        said += f" and the body {quoted(answer.body, _SHOWN)}"
    return Observed(f"{said}, {_state(request)}. {_answered(without)}.", (mine, without))


def _download(service: UserClient, created: Created | NotDecided) -> Observed:
    request = _existing(created)
    path = f"/requests/{segment(request.request_id)}/download"
    # Never GET: the archive holds the data of a person, and the run records what it receives.
    mine, without = _call(service, path, method="HEAD"), _call(service, path, ANONYMOUS, method="HEAD")
    said = f"{_answered(mine)}, {_state(request)}. {_answered(without)}."
    is_open = 200 <= answer_of(without).status < 300
    if is_open:
        # A website answers every path with its page, and a request that does not exist has no archive.
        absent = _call(service, f"/requests/{service.some_uuid()}/download", ANONYMOUS, method="HEAD")
        is_open = not 200 <= answer_of(absent).status < 300
    said += " Only HEAD is sent, so that no archive is received."
    return Observed(said, (mine, without), without if is_open else None)


def _state(request: Created) -> str:
    state = member_in_json(request.document, "isCompleted", _SHOWN)
    return f"for a request that creation returned with isCompleted {state}"


def _lang(service: UserClient, _created: Created | NotDecided) -> Observed:
    tags: list[str] = []
    with suppress(NotDecided):
        tags = service.tags()
    language = tags[0] if tags else "en"
    other = next(each for each in _NO_LANGUAGES if each not in tags)
    plain = service.data(open=True)
    chosen = service.data(language=language, selector=_LANG, supported=None, open=True, unusual=True)
    refused = service.data(language=other, selector=_LANG, supported=None, open=True, unusual=True)
    alike = "as" if answer_of(plain).content == answer_of(chosen).content else "otherwise than"
    said = f"{_answered(chosen, f'GET /data?lang={language}')}, {alike} without lang"
    said += f". {_answered(refused, f'GET /data?lang={other}, a code of no language,')}."
    return Observed(said, (plain, chosen, refused))


def _account(service: UserClient, _created: Created | NotDecided) -> Observed:
    mine = service.session.results.data_me or service.data_me(USER)
    record = answer_of(mine).document.value
    if answer_of(mine).status != 200 or not isinstance(record, dict) or "account" not in record:
        return Observed(f"{_answered(mine)}, without an object that has account.", (mine,))
    kind = _KINDS.get(type(record["account"]), "a number")
    return Observed(f"{describe(mine)} answered with account as {kind}.", (mine,))


_KINDS: Final = {str: "a string", dict: "an object", list: "an array", bool: "a boolean", type(None): "null"}

_LOOKS: Final[dict[str, Callable[[UserClient, Created | NotDecided], Observed]]] = {
    "upstream-list": _list,
    "upstream-complete": _complete,
    "upstream-download": _download,
    "upstream-lang": _lang,
    "upstream-account": _account,
}
