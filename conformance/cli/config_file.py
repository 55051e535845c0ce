"""`drsi-conformance.toml`: the options of the command line under the same names, read strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from conformance.cli.failure import Failure

FILE_NAME: Final = "drsi-conformance.toml"

KINDS: Final = {
    "base-url": "text",
    "profile": "text",
    "select": "texts",
    "deselect": "texts",
    "strict": "flag",
    "fail-on": "texts",
    "language-selector": "text",
    "empty-account": "flag",
    "thorough": "flag",
    "max-created": "whole number",
    "max-requests": "whole number",
    "max-time": "number",
    "await-completion": "number",
    "concurrency": "whole number",
    "timeout": "number",
    "rate": "number",
    "seed": "whole number",
    "output": "path",
    "format": "texts",
    "html-log": "path",
    "ca-file": "path",
    "quiet": "flag",
    "token-file": "path",
    "token-command": "text",
    "other-token-file": "path",
    "other-token-command": "text",
}
"""Each key with the kind of its value."""

_SECRETS: Final = ("token", "other-token")
_WORDS: Final = {
    "text": "a string",
    "path": "a string",
    "texts": "a string or an array of strings",
    "flag": "true or false",
    "number": "a number",
    "whole number": "a whole number",
}


def read(path: Path | None) -> tuple[Path | None, dict[str, Any]]:
    """Return the file that was read and its values by key, spelled with hyphens; paths are taken from its folder.

    Without `path` the file of the working directory is read, if there is one. Raises Failure, one line, for a file
    that cannot be read, is no TOML, or holds a key or value that is not understood.
    """
    if path is None:
        path = Path(FILE_NAME)
        if not path.exists():
            return None, {}
    return path, {key: _value(path, key, value) for key, value in _keys(path, _document(path)).items()}


def _document(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror or error}.", remedy="Check --config.") from None
    except UnicodeDecodeError as error:
        raise Failure(f"{path} is not UTF-8 (byte {error.start}).", remedy="Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise Failure(f"{path} is not valid TOML: {error}.", remedy="Mend that line.") from None


def _keys(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for written, value in document.items():
        key = written.replace("_", "-")
        if key in _SECRETS:
            raise Failure(
                f"{path}: {written} does not belong in a configuration file, which others read and which is committed.",
                remedy=f"Set DRSI_{key.upper().replace('-', '_')}, or name a {key}-file or a {key}-command here.",
            )
        if key not in KINDS:
            raise Failure(f"{path}: there is no key {written!r}. {_hint(key)}")
        if key in keys:
            raise Failure(f"{path}: {key} is given twice, once with a hyphen and once with an underscore.")
        keys[key] = value
    return keys


def _hint(key: str) -> str:
    import difflib

    near = difflib.get_close_matches(key, KINDS, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"The keys are {', '.join(KINDS)}."


def _value(path: Path, key: str, value: Any) -> Any:
    kind = KINDS[key]
    match kind, value:
        case "text", str():
            return value
        case "path", str():
            return path.parent / Path(value).expanduser()
        case "texts", str():
            return (value,)
        case "texts", list() if all(isinstance(each, str) for each in value):
            return tuple(value)
        case "flag", bool():
            return value
        case "number" | "whole number", bool():
            pass
        case "number", int() | float():
            return float(value)
        case "whole number", int():
            return value
    raise Failure(f"{path}: {key} has to be {_WORDS[kind]}, not {_shown(value)}.")


def _shown(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
