"""Shell lines that repeat a recorded request."""

from __future__ import annotations

import shlex

from conformance.model.exchange import Exchange

_VARIABLE = {"user": "$DRSI_TOKEN", "other user": "$DRSI_OTHER_TOKEN"}


def curl(exchange: Exchange) -> str:
    """Return a shell line that asks the same, with a known token as its environment variable."""
    question = exchange.request
    words = ["curl", "-i"]
    if question.method != "GET":
        words += ["-X", question.method]
    variable = _VARIABLE.get(question.credential)
    line = shlex.join(words)
    for name, value in question.headers:
        if name.lower() == "authorization":
            given = f'"Authorization: Bearer {variable}"' if variable else shlex.quote(f"Authorization: {value}")
            line += f" -H {given}"
        elif name.lower() in ("content-type", "accept-language"):
            line += f" -H {shlex.quote(f'{name}: {value}')}"
    if question.body:
        body = question.body.decode("utf-8", "backslashreplace")
        line += f" --data-binary {shlex.quote(body)}"
    return f"{line} {shlex.quote(question.url)}"
