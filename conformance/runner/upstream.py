"""The observations of `--profile upstream`: what a service has of the interface's public ancestor.

They are made after the checks, and no rule judges their calls: the specification knows neither the calls nor what they
may do to a request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from conformance.client.user import UserClient
from conformance.http.creations.outcomes import identifier_in
from conformance.http.session import Session
from conformance.model.errors import NotDecided, answer_of, describe
from conformance.model.exchange import Exchange, Intent, Operation, request_id_of
from conformance.model.identity import ANONYMOUS, USER, Created, Identity, segment
from conformance.model.language_selector import LanguageSelector
from conformance.model.text import member_in_json, quoted, shorten
from conformance.model.upstream import UpstreamResult
from conformance.model.upstream_rows import CHECK, upstream
from conformance.model.verdict import Verdict

_LANG: Final = LanguageSelector("query", "lang")
_NO_LANGUAGES: Final = ("zz", "qq")
"""Codes that ISO 639-1 gives to no language."""
_UNTRIED: Final = "The run ended before this was tried."
_SHOWN: Final = 60
"""Characters of a body that a message quotes."""

Observed = tuple[str, tuple[Exchange, ...]]
"""What was seen, in words, with the exchanges that show it."""


def observe(session: Session) -> tuple[UpstreamResult, ...]:
    """Make the calls, and return a result for each row. Its request is deleted again."""
    session.begin(CHECK)
    service = UserClient(session)
    results = tuple(_results(service))
    session.clean_up()
    return results


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


def _results(service: UserClient) -> Iterator[UpstreamResult]:
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
            message, exchanges = _LOOKS[row.id](service, created)
        except NotDecided as reason:
            yield _result(row.id, Verdict.INCONCLUSIVE, reason.message, reason.exchanges)
        else:
            yield _result(row.id, Verdict.OBSERVED, message, exchanges)


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
    if answer_of(mine).status == 200 and isinstance(listed, list):
        ids = [each.get("requestId") for each in listed if isinstance(each, dict)]
        said += f", an array of {len(listed):,}"
        if isinstance(created, Created):
            said += (
                ", with the request of this run" if created.request_id in ids else ", without the request of this run"
            )
    return f"{said}. {_answered(without)}.", (mine, without)


def _complete(service: UserClient, created: Created | NotDecided) -> Observed:
    request = _existing(created)
    path = f"/requests/{segment(request.request_id)}/complete"
    mine, without = _call(service, path), _call(service, path, ANONYMOUS)
    said = _answered(mine)
    if (answer := answer_of(mine)).status == 200:
        said += f" and the body {quoted(answer.body, _SHOWN)}"
    return f"{said}, {_state(request)}. {_answered(without)}.", (mine, without)


def _download(service: UserClient, created: Created | NotDecided) -> Observed:
    request = _existing(created)
    path = f"/requests/{segment(request.request_id)}/download"
    # Never GET: the archive holds the data of a person, and the run records what it receives.
    mine, without = _call(service, path, method="HEAD"), _call(service, path, ANONYMOUS, method="HEAD")
    said = f"{_answered(mine)}, {_state(request)}. {_answered(without)}."
    return f"{said} Only HEAD is sent, so that no archive is received.", (mine, without)


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
    return f"{said}. {_answered(refused, f'GET /data?lang={other}, a code of no language,')}.", (plain, chosen, refused)


def _account(service: UserClient, _created: Created | NotDecided) -> Observed:
    mine = service.session.results.data_me or service.data_me(USER)
    record = answer_of(mine).document.value
    if answer_of(mine).status != 200 or not isinstance(record, dict) or "account" not in record:
        return f"{_answered(mine)}, without an object that has account.", (mine,)
    kind = _KINDS.get(type(record["account"]), "a number")
    return f"{describe(mine)} answered with account as {kind}.", (mine,)


_KINDS: Final = {str: "a string", dict: "an object", list: "an array", bool: "a boolean", type(None): "null"}

_LOOKS: Final[dict[str, Callable[[UserClient, Created | NotDecided], Observed]]] = {
    "upstream-list": _list,
    "upstream-complete": _complete,
    "upstream-download": _download,
    "upstream-lang": _lang,
    "upstream-account": _account,
}
