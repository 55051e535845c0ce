"""The test of a reproduction script: shell commands that are true if the decisive response does not meet the probe."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from typing import Final

from conformance.model.probe import Probe
from conformance.reports.scripts.calls import Calls, group_of, is_racing, request_id

WITH_MOMENTS: Final = ("recent", "as-created")
FROM_JSON: Final = ("json", "type", "format", "equals", "absent", "among", "includes", "set", *WITH_MOMENTS)

_REFUSED: Final = ("4xx",)
_FORMATS: Final = {
    "uuid": "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "uuid4": "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}",
    "date-time": (
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)"
        r"(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
    ),
    "iri": r"[Hh][Tt][Tt][Pp][Ss]?://([^/?#@ ]*@)?[^/?#@: \\][^/?#@ \\]*([/?#][^ \\]*)?",
    "idn-email": r"[^@ ]+@[^@ ]+",
}
"""Extended regular expressions of the formats."""


def deviates(probe: Probe, calls: Calls, name: str) -> str | None:
    """Return the commands for `probe`, about the response to the call `name`; None if there are none for it."""
    kind, values = probe.kind, probe.values
    if "status" in kind and not all(re.fullmatch("[0-9x]+", each) for each in values):
        return None
    if is_racing(calls.decisive):
        return _in_a_group(values, calls) if kind == "status" else None
    match kind:
        case "status" | "other-status":
            patterns = "|".join(each.replace("x", "[0-9]") for each in values)
            met, unmet = (1, 0) if kind == "status" else (0, 1)
            return f"case $status in {patterns}) return {met} ;; *) return {unmet} ;; esac"
        case "media-type":
            return _media_type(values, name)
        case "text":
            return f'[ "$(tr -d \'\\000\\r\' <"$dir/{name}.body")" != {shlex.quote(values[0])} ]'
        case "json":
            return f"! is_json {name}"
        case "new-id":
            return '[ -n "$(cut -d" " -f1 "$dir/created" | tr A-Z a-z | sort | uniq -d)" ]'
    test = _of_value(probe, calls, f'"$dir/{name}.flat"')
    if test is None:
        return None
    other = "return 0" if not probe.pointer else "stop 'the body of the decisive response is not JSON.'"
    return f"is_json {name} || {other}\n{test}"


def _in_a_group(values: Sequence[str], calls: Calls) -> str:
    """Return the test of calls at the same time: which of them are answered how is chance."""
    group, operation = group_of(calls.decisive), calls.decisive.operation
    names = [each.id for each in calls.entries if group_of(each) == group and each.operation == operation]
    refused = tuple(values) == _REFUSED
    # Where all but one have to be refused, two that are accepted are too many.
    pattern = "2*" if refused else "|".join(values)
    return (
        f"met=0\nfor each in {' '.join(names)}; do\n"
        f'  case $(cat "$dir/$each.status") in {pattern}) met=$((met + 1)) ;; esac\ndone\n'
        f'[ "$met" {"-gt 1" if refused else f"-lt {len(names)}"} ]'
    )


def _media_type(values: Sequence[str], name: str) -> str:
    pattern = "|".join(map(_glob, values))
    return (
        f"label=$(grep -i '^content-type:' \"$dir/{name}.head\" | tail -n 1 | cut -d: -f2- | cut -d';' -f1 | "
        "tr -d ' \\t\\r\\n' | tr A-Z a-z)\n"
        f"case $label in {pattern}) return 1 ;; *) return 0 ;; esac"
    )


def _glob(value: str) -> str:
    return "*".join(shlex.quote(part) if part else "" for part in value.split("*")) or "''"


def _of_value(probe: Probe, calls: Calls, flat: str) -> str | None:
    kind, pointer, values = probe.kind, probe.pointer, probe.values
    path = _pattern(pointer)
    match kind:
        case "type":
            return _each(probe, f"^{path} ({'|'.join(values)}) ", flat)
        case "format" if values[0] in _FORMATS:
            return _each(probe, f"^{path} string {_FORMATS[values[0]]}$", flat)
        case "equals":
            return f"! grep -Fxq {shlex.quote(f'{pointer} string {_text(values[0])}')} {flat}"
        case "absent":
            return f"grep -Eq '^{path} ' {flat}"
        case "among" | "includes" | "set":
            wanted = " ".join(shlex.quote(f"string {_text(each)}") for each in values)
            columns = {"among": "-23", "includes": "-13", "set": "-3"}[kind]
            return (
                f"grep -Eq '^{path} array ' {flat} || stop 'the response has no array {pointer}.'\n"
                f"grep -E '^{path}/[0-9]+ ' {flat} | sed 's/^[^ ]* //' | sort -u >\"$dir/given\"\n"
                f"printf '%s\\n' {wanted} | sort -u >\"$dir/wanted\"\n"
                f'[ -n "$(comm {columns} "$dir/given" "$dir/wanted")" ]'
            )
        case "as-created":
            return _as_created(path, calls, flat)
        case "recent":
            return (
                f"then=$(sed -n 's{_SED}^{path} string {_SED}{_SED}p' {flat} | seconds)\n"
                "[ -n \"$then\" ] || stop 'the response has no such date-time.'\n"
                f"apart=$(($(now {calls.decisive.id}) - then))\n"
                f'[ "$apart" -gt {int(values[0])} ] || [ "$apart" -lt -{int(values[0])} ]'
            )
    return None


_SED: Final = "|"
"""The delimiter of sed commands: no pattern has it."""


def _as_created(path: str, calls: Calls, flat: str) -> str | None:
    creation = calls.creations.get(request_id(calls.decisive).lower())
    if creation is None or creation not in calls.entries:
        return None
    value = f"grep -E '^{path}[ /]' %s | sed 's{_SED}^\\({path}\\)/[0-9]*{_SED}\\1{_SED}' | tr A-Z a-z | sort -u"
    moment = f"sed -n 's{_SED}^{path} string {_SED}{_SED}p' %s | seconds"
    before = f'"$dir/{creation.id}.flat"'
    return (
        f"is_json {creation.id} || stop 'the creation did not answer with JSON.'\n"
        f'[ "$({value % before})" != "$({value % flat})" ] || return 1\n'
        # One moment may be written in several ways.
        f"then=$({moment % before})\n"
        f'[ -z "$then" ] || [ "$then" != "$({moment % flat})" ]'
    )


def _each(probe: Probe, good: str, flat: str) -> str:
    """Return the test that some value at `pointer` does not match: there are fewer matches than values or parents."""
    pointer = probe.pointer
    parent, _, last = pointer.rpartition("/")
    lines = []
    if not pointer:
        return f"! grep -Eq {shlex.quote(good)} {flat}"
    every = f"^{_pattern(pointer)} " if last.isdigit() or probe.optional else f"^{_pattern(parent)} object "
    if not pointer.split("/")[1].isdigit():
        lines.append(f"grep -q '^ object ' {flat} || stop 'the response is not an object.'")
    else:
        lines.append(f"grep -q '^ array ' {flat} || stop 'the response is not an array.'")
    lines.append(f'[ "$(grep -Ec {shlex.quote(good)} {flat})" -lt "$(grep -Ec {shlex.quote(every)} {flat})" ]')
    return "\n".join(lines)


def _pattern(pointer: str) -> str:
    """Return the regular expression of a pointer, in which any index stands for each index."""
    return "/".join("[0-9]+" if part.isdigit() else re.escape(part) for part in pointer.split("/"))


def _text(value: str) -> str:
    """Return a string as `flat` writes it: with the escapes of JSON."""
    return json.dumps(value, ensure_ascii=False)[1:-1]
