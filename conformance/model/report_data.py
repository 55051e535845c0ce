"""A report as report.json holds it, without secrets and personal values, and read from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from conformance.model.report import Report, ReportData

OF_TYPES: Final = ("among", "includes", "set")
"""Kinds whose values are data types of the service."""


def data_of(
    report: Report, clean: Callable[[str], str] = str, clean_of_user: Callable[[str], str] | None = None
) -> ReportData:
    """Return a report as JSON-compatible data, in the shape of `schemas/report.schema.json`.

    `clean` takes secrets and personal values out of each text that may quote the target, and `clean_of_user` the
    secrets out of what the user wrote, such as labels; without it `clean` does. All other texts are the suite's
    own words. A token may be one of these words, so they stay as they are.
    """
    clean_of_user = clean_of_user or clean
    data = asdict(report)
    findings = [finding for row in data["requirements"] for finding in row["findings"]]
    identifiers = data["identifiers"] or {"shown": (), "tests": ()}
    for given in (data["target"], *data["waivers"]):
        given.update({name: clean_of_user(given[name]) for name in _QUOTING if name in given})
    for quoting in (
        *data["notes"],
        *findings,
        *(step for finding in findings for step in finding["steps"]),
        identifiers,
        *identifiers["tests"],
        *data["crashes"],
    ):
        quoting.update({name: clean(quoting[name]) for name in _QUOTING if name in quoting})
    for probe in (finding["probe"] for finding in findings):
        if probe is not None and probe["kind"] in OF_TYPES:
            probe["values"] = tuple(map(clean, probe["values"]))
    for row in data["requirements"]:
        row["decided_by"] = clean(row["decided_by"])
    identifiers["shown"] = tuple(map(clean, identifiers["shown"]))
    data["target"]["addresses"] = tuple(map(clean_of_user, data["target"]["addresses"]))
    run = data["run"]
    run["options"] = {key: _cleaned(value, clean_of_user) for key, value in run["options"].items()}
    run["labels"] = {clean_of_user(key): clean_of_user(value) for key, value in run["labels"].items()}
    run["nonce"] = clean_of_user(run["nonce"])
    if run["help_base"]:
        run["help_base"] = clean_of_user(run["help_base"])
    else:
        del run["help_base"]
    for note in data["notes"]:
        del note["exit_code"]
    for name, of in (
        ("exchanges", data["notes"]),
        ("traceback", data["notes"]),
        ("server", findings),
        ("repetitions", (data, *data["requirements"])),
        *((name, (data,)) for name in ("quoted", "digests")),
    ):
        for each in of:
            if not each[name]:
                del each[name]
    return data


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    return clean(value) if isinstance(value, str) else value


_QUOTING: Final = (
    *("reason", "owner", "finding"),
    *(
        "base_url",
        "message",
        "expected",
        "actual",
        "server",
        "remedy",
        "curl",
        "text",
        "clock",
        "came",
        "exception",
        "traceback",
    ),
)
"""Members of a report that may quote the target or the user."""


def report_of(data: ReportData) -> Report:
    """Return the report in `data`, which has the shape of `schemas/report.schema.json`.

    A member that an older version did not write has its default. Raise msgspec.ValidationError for another shape.
    """
    import msgspec  # only commands that read a report need it

    return msgspec.convert(data, Report)
