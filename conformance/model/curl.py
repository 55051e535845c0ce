"""A recorded call as a line for a shell, which names each secret by an environment variable."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from conformance.model.deviations import deviates
from conformance.model.error_table import KNOWN_CREDENTIALS, MADE_UP, REFUSED_CREDENTIALS
from conformance.model.exchange import Exchange
from conformance.model.further_headers import is_marked

if TYPE_CHECKING:
    from conformance.model.target import Target


def curl(exchange: Exchange, target: Target | None = None) -> str:
    """Return a shell line that repeats the request to `target`, with each known secret as an environment variable.

    It is empty where one call shows nothing, because other calls make its answer what it is, and where the credential
    is a token that was changed.
    """
    request, intent = exchange.request, exchange.intent
    if intent.racing and exchange.beside:
        return ""
    words = ["curl", "-i"]
    if request.method != "GET":
        words += ["-X", request.method]
    line = shlex.join(words) + (_way_to(target) if target else "")
    host = urlsplit(request.url).netloc
    for name, value in request.headers:
        if is_marked(name, value):
            # A name may hold what a shell executes between double quotes.
            line += f' -H {shlex.quote(f"{name}: ")}"${variable_of(name)}"'
        elif name.lower() == "authorization":
            if request.credential in MADE_UP:
                given = shlex.quote(f"Authorization: {_as_typed(value)}")
            elif made := _IN_SHELL.get(request.credential):
                given = f'"Authorization: {made}"'
            else:
                return ""
            line += f" -H {given}"
        elif deviates(name, value) or name.lower() == "content-type" or (name.lower() == "host" and value != host):
            compressed = " --compressed" if name.lower() == "accept-encoding" else ""
            line += f"{compressed} -H {shlex.quote(f'{name}: {value}')}"
    if request.body:
        body = request.body.decode("utf-8", "backslashreplace")
        line += f" --data-binary {shlex.quote(body)}"
    if request.credential != "the token in the query":
        return f"{line} {shlex.quote(request.url)}"
    before, _, after = re.sub(r"(?<=access_token=)[^&]*", "\n", request.url).partition("\n")
    return f'{line} {shlex.quote(before)}"$DRSI_TOKEN"{shlex.quote(after) if after else ""}'


def _way_to(target: Target) -> str:
    """Return the options by which a line trusts the authority of a target, and shows it a certificate."""
    words = [' --cacert "$SSL_CERT_FILE"'] if target.has_own_authority else []
    if target.has_client_certificate:
        # The file of the certificate may hold the key too.
        words.append(' --cert "$DRSI_CLIENT_CERT" ${DRSI_CLIENT_KEY:+--key "$DRSI_CLIENT_KEY"}')
    return "".join(words)


def variable_of(name: str) -> str:
    """Return the environment variable from which a shell line or a script takes the value of a header field."""
    return "DRSI_HEADER_" + re.sub(r"\W", "_", name.upper(), flags=re.ASCII)


def _as_typed(value: str) -> str:
    """Return a header value as a person writes it, whose bytes may be recorded as a letter each."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


_IN_SHELL: Final = {
    **{label: f"Bearer ${name}" for label, name in (KNOWN_CREDENTIALS | REFUSED_CREDENTIALS).items()},
    "a token with characters before it": "Bearer Bear$DRSI_TOKEN",
    "the token with the scheme bearer in lower case": "bearer $DRSI_TOKEN",
    "the token with the scheme Token": "Token $DRSI_TOKEN",
    "the token in two headers": "Bearer $DRSI_TOKEN",
}
"""The header Authorization of each credential that is a token as it is; a script makes those that change one."""
