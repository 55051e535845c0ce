"""A recorded call and its answer in words for people who do not know HTTP, in the language of the view.

Each sentence follows from the exchange itself: what was asked, with which token, when, what came back, and what that
means for a person, if it means something.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from conformance.model.credential_forms import NAME_OF_A_METHOD, ODD_BEARER, OTHER_LETTER_CASE
from conformance.model.error_table import IN_QUERY, KNOWN_CREDENTIALS
from conformance.model.errors import Probe
from conformance.model.exchange import Exchange, Operation, header, is_missing, state_of
from conformance.model.findings import Finding
from conformance.reports.language import N_, day, gettext

_ASKED: Final[dict[tuple[Operation | None, str], str]] = {
    (Operation.CREATE, ""): N_("make a data request"),
    (Operation.CREATE, "known types"): N_("make a data request for listed types of data"),
    (Operation.CREATE, "omitted"): N_("make a data request for all types of data"),
    (Operation.CREATE, "unknown type"): N_("make a data request for a type of data that is not listed"),
    (Operation.CREATE, "unprintable type"): N_("make a data request for a type of data that is not listed"),
    (Operation.READ, ""): N_("read a data request"),
    (Operation.READ, "deleted"): N_("read a data request after its deletion"),
    (Operation.READ, "unknown"): N_("read a data request that does not exist"),
    (Operation.READ, "foreign"): N_("read the data request of another user"),
    (Operation.DELETE, ""): N_("delete a data request"),
    (Operation.DELETE, "deleted"): N_("delete a data request again after its deletion"),
    (Operation.DELETE, "unknown"): N_("delete a data request that does not exist"),
    (Operation.DELETE, "foreign"): N_("delete the data request of another user"),
    (Operation.DATA, ""): N_("read the list of types of data"),
    (Operation.DATA, "supported"): N_("read the list of types of data in a language that the settings name"),
    (Operation.DATA, "unsupported"): N_("read the list of types of data in a language that the settings do not name"),
    (Operation.DATA, "malformed"): N_("read the list of types of data in something that names no language"),
    (Operation.SETTINGS, ""): N_("read the settings"),
    (Operation.DATA_ME, ""): N_("read what the service holds about the account of the user"),
    (None, ""): N_("call an address that is none of the interface"),
}
"""What a call asks for, by its operation and what its body, its data request or its language is."""

_CREDENTIALS: Final = {
    "user": N_("the access token of the user"),
    "other user": N_("the access token of the other user"),
    "no token": N_("none"),
    "a made-up token": N_("a made-up token"),
    "a token with extra characters": N_("a token with extra characters"),
    "a token with characters before it": N_("a token with characters before it"),
    "a token altered in one character": N_("a token altered in one character"),
    "a token altered in its middle": N_("a token altered in its middle"),
    "a token altered in its first character": N_("a token altered in its first character"),
    "an empty token": N_("an empty token"),
    "a token cut short": N_("a token cut short"),
    OTHER_LETTER_CASE: N_("a token with upper and lower case swapped"),
    "a token without its signature": N_("a token without its signature"),
    IN_QUERY: N_("a made-up token in the address"),
    ODD_BEARER: N_("a made-up token with a quote and an accented letter"),
    "the word null as a token": N_("the word null as a token"),
    NAME_OF_A_METHOD: N_("a word of a programming language as a token"),
    "another scheme": N_("a made-up name and password"),
    "a made-up token with the scheme bearer in lower case": N_("a made-up token after the word bearer in lower case"),
    "an expired token": N_("an expired token"),
    "a token of another service": N_("a token of another service"),
    "the token in the query": N_("the access token in the address"),
    "the session cookie in place of a token": N_("a cookie of the service in place of a token"),
}
"""By the names that the run gives them; a view shows those of others in English."""

_REFUSED: Final = {
    Operation.CREATE: N_("The person could not make a data request with this call."),
    Operation.READ: N_("The person could not read this data request with this call."),
    Operation.DELETE: N_("The person could not delete this data request with this call."),
    Operation.SETTINGS: N_("A person could not read the settings with this call."),
    Operation.DATA: N_("A person could not read with this call which types of data the organisation lists."),
}
"""What follows from a call that had to succeed and was refused or failed."""

_GONE: Final = N_("The service did not find a data request of this person that it had accepted before.")

_SERVED: Final = {
    Operation.CREATE: N_("The service made a data request for a caller who had shown no valid access token."),
    Operation.READ: N_("The service showed a data request to a caller who had shown no valid access token."),
    Operation.DELETE: N_("The service confirmed a deletion to a caller who had shown no valid access token."),
}
"""What follows from a call that had to be refused because of its token, and succeeded."""

_LONGEST_QUERY: Final = 80
"""Characters of a query that a line shows."""

_LONGEST_ERROR: Final = 80
"""Characters of an error that a line shows; the exhibit has every one."""


def asked(exchange: Exchange) -> str:
    """Return what the call asks the service for, such as "delete a data request that does not exist"."""
    intent, operation = exchange.intent, exchange.operation
    meant = intent.request
    if operation in (Operation.CREATE, Operation.DATA):
        meant = intent.body if operation is Operation.CREATE else intent.language or ""
    return gettext(_ASKED.get((operation, meant), _ASKED[operation, ""]))


def call(exchange: Exchange) -> str:
    """Return the call itself, such as "GET /data?lang=nl", with the language that it asks for."""
    target = f"{exchange.request.method} {exchange.path}"
    query = urlsplit(exchange.request.url).query
    if query and len(query) <= _LONGEST_QUERY:
        target += f"?{query}"
    language = header(exchange.request.headers, "accept-language") if exchange.intent.language else None
    return f"{target}, Accept-Language: {language}" if language else target


def credential(exchange: Exchange) -> str | None:
    """Return which token the call showed; None if that has only the name of the run, which is English."""
    named = exchange.request.credential or "no token"
    return gettext(_CREDENTIALS[named]) if named in _CREDENTIALS else None


def moment(exchange: Exchange) -> str:
    """Return when the call was made, in UTC, to the millisecond, by the tester's clock."""
    when = exchange.started.astimezone(UTC).isoformat(timespec="milliseconds")
    return gettext("%(date)s %(time)s UTC", date=day(when), time=when[11:23])


def answered(exchange: Exchange) -> str:
    """Return how the service answered, such as "status 403 (Forbidden), with the error Forbidden"."""
    answer = exchange.response
    if answer is None or not exchange.counts:
        return gettext("no usable answer")
    status = str(answer.status)
    with suppress(ValueError):  # a status without a name
        status += f" ({HTTPStatus(answer.status).phrase})"
    error, is_completed = answer.member("error"), state_of(exchange)
    if isinstance(error, str) and len(error) <= _LONGEST_ERROR:
        return gettext("status %(status)s, with the error %(error)s", status=status, error=error)
    if is_completed is None:
        return gettext("status %(status)s", status=status)
    if is_completed:
        return gettext("status %(status)s, with a completed data request", status=status)
    return gettext("status %(status)s, with a data request in progress", status=status)


def meaning(finding: Finding[str], exchange: Exchange) -> str:
    """Return what the answer that decides a finding means for a person; empty if nothing follows from it.

    It follows where a valid call did not get what it had to get, where a call without a valid token got what only a
    user may get, and where one user got what is another's.
    """
    operation, answer, probe = exchange.operation, exchange.response, finding.probe
    is_of_a_user = exchange.request.credential in KNOWN_CREDENTIALS
    if _demands(probe, "2") and (answer is None or answer.status >= 400):
        if is_missing(exchange) and is_of_a_user and exchange.intent.request in ("existing", "clean-up"):
            return gettext(_GONE)
        return gettext(_REFUSED[operation]) if operation in _REFUSED else ""
    if not _gave_what_was_asked(exchange):
        return ""
    if _demands(probe, "4") and not is_of_a_user:
        return gettext(_SERVED[operation]) if operation in _SERVED else ""
    if finding.alert and exchange.intent.request == "foreign":
        if operation is Operation.READ:
            return gettext("One user was shown the data request of another.")
        return gettext("The deletion of the data request of one user was confirmed to another.")
    return ""


def _gave_what_was_asked(exchange: Exchange) -> bool:
    """Tell whether an answer shows a data request, or confirms a deletion; a status alone may stand over an error."""
    answer = exchange.response
    if answer is None or not exchange.counts or answer.status != 200:
        return False
    if exchange.operation is Operation.DELETE:
        return answer.text.strip().strip('"') == "OK"
    return isinstance(answer.member("requestId"), str)


def _demands(probe: Probe | None, kind: str) -> bool:
    """Tell whether the answer had to have a status of a kind: "2" if the call had to succeed, "4" if to be refused."""
    if probe is None:
        return False
    first = {value[:1] for value in probe.values}
    return (probe.kind == "status" and first == {kind}) or (
        probe.kind == "other-status" and first == {"2"} and kind == "4"
    )
