"""What the documents of a recorded service show of its choices: settings, data types, data requests (2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from conformance.calibration.likeness.seen import MOST, Copy, Document, Seen, is_fit, refusing, twins, usual
from conformance.calibration.operators import changing, mapped, on_request, redrawn
from conformance.calibration.twins.common import closed, shown_with
from conformance.facts.answers import wants_a_language
from conformance.judge.moments import moment_of
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import MISSING, Operation
from conformance.model.strict_json import as_strings
from conformance.reference.call import Action, Call
from conformance.reference.config import DataType
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.scenarios.completion import Completed
from conformance.scenarios.languages import Choice

_MOMENT: Final = re.compile(
    r"\d{4}-\d\d-\d\d([Tt])\d\d:\d\d:\d\d(?:\.(\d{1,20}))?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)", re.ASCII
)
_PATH: Final = re.compile(r"(/(?!\.\.?(/|$))[A-Za-z0-9._~-]+)*")
_LANGUAGE: Final = re.compile(r"[^\s,;][^,;\r\n]{0,39}")
_ESTIMATE: Final = timedelta(days=30)
_SHOWING: Final = {Action.CREATE: Operation.CREATE, Action.READ: Operation.READ}

Written = Callable[[datetime], str]


def path(seen: Seen) -> Copy | None:
    """Copy the path of the base_url, if it is plain: people paste it into a shell."""
    prefix = urlsplit(seen.trace.target.base_url).path.rstrip("/")
    return Copy(config={"path_prefix": prefix}) if _PATH.fullmatch(prefix) and seen.is_public(prefix) else None


def limit(seen: Seen) -> Copy | None:
    """Copy maxNumberOfRequests."""
    given = seen.settings.get("maxNumberOfRequests")
    whole = int(given) if isinstance(given, float) and given.is_integer() else given
    is_right = isinstance(whole, int) and not isinstance(whole, bool) and whole >= 0
    return Copy(config={"max_requests": whole}) if is_right else None


def languages(seen: Seen) -> Copy | None:
    """Copy supportedLanaguages, what chooses one of them, and that GET /data demands one."""
    listed = as_strings(seen.settings.get("supportedLanaguages"))
    kept = tuple(dict.fromkeys(each for each in listed or () if _LANGUAGE.fullmatch(each) and is_fit(each)))[:MOST]
    if listed is None or (listed and not kept):
        return None
    config: Document = {"languages": kept}
    choice, end = seen.trace.results.get("language_choice"), seen.trace.ends.get("language_choice")
    if isinstance(choice, Choice):
        config["language_selector"] = str(choice.selector)
    elif isinstance(end, NotDecided) and end.circumstance:
        config["language_selector"] = None
    plain = seen.without_a_language
    is_demanded = isinstance(choice, Choice) and plain and all(map(wants_a_language, plain))
    return Copy(twins(["data-types-want-a-language"] if is_demanded else []), config)


_FIELDS: Final[Mapping[str, type]] = {
    **dict.fromkeys(("context", "processingGround"), str),
    **dict.fromkeys(("isErasable", "isRectifiable"), bool),
}
"""The optional fields of a data type (2.2) beside its description, with their types."""


def data_types(seen: Seen) -> Copy | None:
    """Copy the data types with the fields that they have, and their descriptions by language."""
    plain = seen.lists.get("")
    if plain is None:
        return None
    texts = {tag: {each["type"]: each.get("description") for each in listed} for tag, listed in seen.lists.items()}
    first = (as_strings(seen.settings.get("supportedLanaguages")) or ["en"])[0]
    shown, types = dict[str, tuple[set[str], Document]](), list[DataType]()
    for each in plain:
        name = each["type"]
        if not name or name in shown or not is_fit(name):
            continue
        # A field with a wrong value keeps that of the reference.
        right = {field: each[field] for field, kind in _FIELDS.items() if isinstance(each.get(field), kind)}
        right = {field: value for field, value in right.items() if isinstance(value, bool) or (value and is_fit(value))}
        shown[name] = {"description", *_FIELDS} - each.keys(), right
        described = {tag or first: by.get(name) for tag, by in sorted(texts.items())}
        fit = {tag: text for tag, text in described.items() if isinstance(text, str) and text and is_fit(text)}
        types.append(DataType(name, fit or {first: name}))
    return Copy((_with_fields(shown),), {"data_types": tuple(types)})


def _with_fields(shown: Mapping[str, tuple[set[str], Document]]) -> type[Service]:
    """Return the service whose data types lack some fields and have other values of some."""

    def change(_service: Service, document: Document, data_type: DataType, *_: object) -> Document:
        absent, own = shown.get(data_type.type, (set(), {}))
        return {name: value for name, value in document.items() if name not in absent} | own

    return changing("data_type", change)


# ---------------------------------------------------------------------- data requests


def moments(seen: Seen) -> Copy | None:
    """Copy how date-times are written, with Z or an offset and so many digits, in creations and in readings."""
    made, read = (_form(each.get("createdAt") for each in seen.documents(one)) for one in _SHOWING.values())
    if made is None:
        return None
    # A reading may lose digits, and have no other ones.
    created, others = made[1], read[1] if read is not None and read[0] <= made[0] else made[1]

    def change(document: Document, request: DataRequest, call: Call, _: Service) -> Document:
        return document | {"createdAt": created(request.created_at)} if call.operation is Action.CREATE else document

    return Copy((changing("timestamp", lambda _service, _text, moment: others(moment)), shown_with(change)))


def _form(values: Iterable[object]) -> tuple[int, Written] | None:
    """Return the digits of a second, and what writes a moment as all values do; None if one has another form."""
    found = [_MOMENT.fullmatch(text) if isinstance(text, str) else None for text in values]
    forms = [each for each in found if each is not None]
    if not forms or len(forms) < len(found):
        return None
    lengths = {len(each[2] or "") for each in forms}
    digits, between, zone = max(lengths), usual(each[1] for each in forms), usual(each[3] for each in forms) or "Z"
    offset = datetime.fromisoformat(f"2000-01-01T00:00:00{zone.upper()}").tzinfo

    def written(moment: datetime) -> str:
        local = moment.astimezone(offset)
        fraction = f"{local.microsecond:06}".ljust(digits, "0")[:digits]
        fraction = fraction.rstrip("0") if len(lengths) > 1 else fraction
        return f"{local:%Y-%m-%d}{between}{local:%H:%M:%S}{'.' if fraction else ''}{fraction}{zone}"

    return digits, written


def identifiers(seen: Seen) -> Copy | None:
    """Copy the case of requestId in creations and readings, and that a reading finds a request in any case."""
    made, read = (_are_upper(seen.documents(one)) for one in _SHOWING.values())
    if made is None:
        return None
    pairs = [(each.request_id, str(answer_of(each).member("requestId"))) for each in seen.answered(Operation.READ)]
    in_any_case = read not in (made, None) or any(one != own and one.lower() == own.lower() for one, own in pairs)
    services: list[type[Service]] = [_FoundInAnyCase] if in_any_case else []
    if made and read is not False:
        services.append(redrawn(lambda drawn, _service: drawn.upper()))
    elif made or read:
        services.append(on_request(mapped("requestId", str.upper), Action.CREATE if made else Action.READ))
    return Copy(tuple(services))


def _are_upper(documents: Iterable[Document]) -> bool | None:
    """Tell whether the identifiers are in upper case; None if there are none."""
    ids = [str(each.get("requestId")) for each in documents]
    return all(each == each.upper() for each in ids) if ids else None


class _FoundInAnyCase(Service):
    def find(self, call: Call) -> DataRequest:
        wanted = call.request_id.lower()
        call.request_id = next((each.id for each in self.store.all() if each.id.lower() == wanted), call.request_id)
        return super().find(call)


def optional_members(seen: Seen) -> Copy | None:
    """Copy whether data requests have expectedCompletion and completedAt."""
    shown = {action: seen.documents(operation) for action, operation in _SHOWING.items()}
    if not shown[Action.CREATE]:
        return None
    expected = [name for name, every in shown.items() if usual("expectedCompletion" in each for each in every)]
    over = [each for every in shown.values() for each in every if each.get("isCompleted") is True]
    is_without = bool(over) and not any("completedAt" in each for each in over)

    def change(document: Document, request: DataRequest, call: Call, service: Service) -> Document:
        if call.operation in expected:
            document["expectedCompletion"] = service.timestamp(request.created_at + _ESTIMATE)
        if is_without:
            document.pop("completedAt", None)
        return document

    return Copy((shown_with(change),) if expected or is_without else ())


def completion(seen: Seen) -> Copy | None:
    """Copy at which age requests complete, and how the reading of a completed one is answered."""
    lives = [life for life in seen.trace.facts.ledger.lives.values() if life.is_told_apart]
    if not lives:
        return None
    # A service that shows no request hides none that is completed.
    shows = bool(seen.documents(Operation.READ)) or any(life.completed for life in lives)
    ages, stated, longest, readings = list[float](), list[float](), 0.0, list[int]()
    for life in lives:
        begun, hidden = life.created[0], life.unreadable
        over = [*life.completed, *([hidden] if hidden and shows and not hidden.intent.open else [])]
        ages += [min(0.0 if each is begun else each.over[0] - begun.sent[0] for each in over)] if over else []
        moments = [(moment_of(each, "completedAt"), moment_of(begun, "createdAt")) for each in over]
        stated += [(end - start).total_seconds() for end, start in moments if end is not None and start is not None]
        longest = max([longest, *(each.sent[0] - begun.over[0] for each in life.in_progress)])
        readings += [each.status for each in over if each is not begun]
    config: Document = {}
    # A command completes requests of any age.
    if ages and longest <= min(ages) and not seen.trace.conditions.completes:
        # The age by completedAt, which may be rounded, as far as the readings permit it.
        age = min(max(min(stated), longest), min(ages)) if stated else (longest + min(ages)) / 2
        config["complete_after"] = round(age, 3)
    result = seen.trace.results.get("completion")
    if isinstance(result, Completed) and result.read is not None and result.read.counts:
        readings.append(result.read.status)
    status = usual(readings)
    config |= {"completed_readable": False} if status in MISSING else {}

    def is_over(service: Service, call: Call) -> bool:
        return service.find(call).completed_at(service.now()) is not None

    return Copy(refusing(is_over, closed if status == 410 else None, Action.READ), config)
