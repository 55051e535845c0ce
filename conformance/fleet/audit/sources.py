"""Where the tokens of a target come from. No source holds a token: the values stay with the process of the run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TOKENS: Final = ("token", "other_token", "expired_token", "foreign_token")
"""The keys of a target that name a source of a token; an option of `check` has the same name."""

VARIABLE, FILE, COMMAND, LOGIN = "variable", "file", "command", "login"
_KINDS: Final = {"token": (VARIABLE, FILE, COMMAND, LOGIN), "other_token": (VARIABLE, FILE, COMMAND, LOGIN)}
_SIMPLE: Final = (VARIABLE, FILE)
"""The kinds of the tokens that must be refused."""


@dataclass(frozen=True)
class Source:
    """A source of one token: `value` is the name of a variable, the path of a file, or a command; empty for a login."""

    kind: str
    value: str = ""


def source_of(key: str, text: str, folder: Path) -> Source:
    """Return the source that `text` names, with paths relative to `folder`; raise ValueError without the text itself.

    The text may be a token, written there by mistake, so no message shows it.
    """
    kinds = _KINDS.get(key, _SIMPLE)
    kind, colon, value = text.strip().partition(":")
    value = value.strip()
    if kind == LOGIN in kinds and not colon:
        return Source(LOGIN)
    if kind not in kinds or kind == LOGIN or not value:
        forms = ", ".join(each if each == LOGIN else f"{each}:{_PLACEHOLDERS[each]}" for each in kinds)
        raise ValueError(
            f"expected the source of a token ({forms}), received another text, which is not shown because it may be a "
            "token. Put the token into a variable or a file, and name that here."
        )
    if kind == VARIABLE and not value.isidentifier():
        raise ValueError("expected the name of an environment variable after variable:, such as variable:TOKEN_OF_A.")
    return Source(kind, str(folder / Path(value).expanduser()) if kind == FILE else value)


_PLACEHOLDERS: Final = {VARIABLE: "NAME", FILE: "PATH", COMMAND: "COMMAND"}


def arguments_of(tokens: Mapping[str, Source]) -> list[str]:
    """Return the options of `check` that name the sources; a variable is none of them."""
    options = [
        f"--{key.replace('_', '-')}-{source.kind}={source.value}"
        for key, source in tokens.items()
        if source.kind in (FILE, COMMAND)
    ]
    uses_login = any(source.kind == LOGIN for source in tokens.values())
    return [*options, "--login" if uses_login else "--no-login"]


def environment_of(tokens: Mapping[str, Source], withheld: frozenset[str]) -> dict[str, str]:
    """Return the environment of a run: that of this process, without what other runs are for, with its own tokens."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRSI_") and name not in withheld}
    given = {
        f"DRSI_{key.upper()}": os.environ.get(source.value, "")
        for key, source in tokens.items()
        if source.kind == VARIABLE
    }
    return kept | given


def missing(tokens: Mapping[str, Source]) -> list[str]:
    """Return the variables that a target names and that are not set, or are empty."""
    named = [each.value for each in tokens.values() if each.kind == VARIABLE]
    return [each for each in named if not os.environ.get(each, "").strip()]
