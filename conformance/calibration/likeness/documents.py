"""What the documents of a recorded service show of its choices: settings, data types, data requests (2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from conformance.calibration.likeness.seen import MOST, Copy, Document, Seen, is_fit, usual
from conformance.calibration.operators import changing, mapped, on_request, redrawn
from conformance.calibration.twins import TWINS
from conformance.facts.answers import wants_a_language
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import Operation
from conformance.model.strict_json import as_strings
from conformance.reference.call import Action, Call
from conformance.reference.config import DataType
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.scenarios.languages import Choice

_MOMENT: Final = re.compile(
    r"\d{4}-\d\d-\d\d([Tt])\d\d:\d\d:\d\d(?:\.(\d{1,20}))?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)", re.ASCII
)
_LANGUAGE: Final = re.compile(r"[^\s,;][^,;\r\n]{0,39}")
_SHOWING: Final = {Action.CREATE: Operation.CREATE, Action.READ: Operation.READ}

Written = Callable[[datetime], str]


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
    return Copy((TWINS["data-types-want-a-language"].service,) if is_demanded else (), config)


def data_types(seen: Seen) -> Copy | None:
    """Copy the names of the data types."""
    if seen.listed is None:
        return None
    language = (as_strings(seen.settings.get("supportedLanaguages")) or ["en"])[0]
    names = dict.fromkeys(name for name in seen.listed if name and is_fit(name))
    return Copy(config={"data_types": tuple(DataType(name, {language: name}) for name in names)})


# ---------------------------------------------------------------------- data requests


def moments(seen: Seen) -> Copy | None:
    """Copy how date-times are written, with Z or an offset and so many digits, in creations and in readings."""
    made, read = (_form(each.get("createdAt") for each in seen.documents(one)) for one in _SHOWING.values())
    if made is None:
        return None
    # A reading may lose digits, and have no other ones.
    created, others = made[1], read[1] if read is not None and read[0] <= made[0] else made[1]

    def change(_: Service, document: Document, request: DataRequest, call: Call) -> Document:
        return document | {"createdAt": created(request.created_at)} if call.operation is Action.CREATE else document

    return Copy((changing("timestamp", lambda _service, _text, moment: others(moment)), changing("document", change)))


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
