"""The golden reports: four runs in every format, as text. `python tests/support/golden.py` writes them anew.

A change of a text, an order or a number that a reader sees is a change of these files, and so a part of the review.
Pages are kept as their visible text with the kind of each block; how they look is tested in a browser.
"""

from __future__ import annotations

import html
import io
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import report_samples as samples
from rich.console import Console

from conformance.model.verdict import Outcome, Verdict
from conformance.reports import files, terminal
from conformance.reports.again import OF_TESTS, REFERENCE

SAME_AS_MARKDOWN = "github.md"
FOLDER = Path(__file__).parents[1] / "core" / "reports" / "golden"

_BLOCKS = re.compile(r"h[1-6]|p|li|dt|dd|tr|td|th|pre|summary|figcaption|caption|header|nav|section|article|title")

_MARKS = {"del": ("{-", "-}"), "ins": ("{+", "+}")}


class _Blocks(HTMLParser):
    """The text of a page, a line for each block, with the tag of the block before it, and marks at what differs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines = [""]
        self._hidden = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("style", "script")
        if _BLOCKS.fullmatch(tag):
            name = dict(attrs).get("id")
            self.lines.append(f"{tag}#{name}: " if name else f"{tag}: ")
        elif tag == "a":
            self.lines[-1] += f"[{dict(attrs).get('href')}] "
        elif tag in _MARKS:
            self.lines[-1] += f"{_MARKS[tag][0]} "

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script")
        if tag in _MARKS:
            self.lines[-1] += f"{_MARKS[tag][1]} "

    def handle_data(self, data: str) -> None:
        if not self._hidden and (text := " ".join(data.split())):
            self.lines[-1] += f"{text} "


def text_of(name: str, text: str) -> str:
    """Return a file of a run as it is kept."""
    if name == "pytest.html":
        blob = re.search(r'data-jsonblob="([^"]*)"', text)
        assert blob is not None
        text = "".join(
            f"<h2>{test}</h2>" + "".join(row["resultsTableRow"]) + f"<pre>{row['log']}</pre>"
            for test, rows in json.loads(html.unescape(blob[1]))["tests"].items()
            for row in rows
        )
    if name.endswith(".html"):
        text = "\n".join(line.rstrip() for line in _Blocks(text).lines if not line.endswith(": ")) + "\n"
    # The digest of the report changes with every word of the catalogue, also with those that no reader sees here.
    return re.sub(r"(?<=report\.json prints, is )[0-9a-f]{64}", "DIGEST", text.replace("\r\n", "\n"))


def runs() -> dict[str, dict[str, Any]]:
    """Return the data of the four runs, by their names."""
    return {
        "conforming": _shortened(_conforming()),
        "failing": _shortened(_failing()),
        "undecided": _shortened(_undecided()),
        "hostile": _shortened(_hostile()),
    }


def _conforming() -> dict[str, Any]:
    """Return a run that conforms, with unscored requirements, attested ones, and some that an option would decide.

    An older version of the suite made the self-test, with false positives. Tests of the user gave the application.
    """
    data = samples.attested(samples.unscored(), "3-erases-gathered", "4.5-complete-overview")
    data["suite"]["calibration"] |= {"version": "0.0.9", "specificity": {"kept": 248, "of": 250}}
    data["run"]["options"]["app"] = OF_TESTS
    for row in data["requirements"]:
        if row["verdict"] == Verdict.NOT_APPLICABLE:
            row["decided_by"] = "--language-selector"
    return data


def _failing() -> dict[str, Any]:
    """Return a run with replies, quotations, a site of the requirements, and failures that follow from others.

    One follows from a failure that follows from the first, and one from a waived failure too. A failure keeps a
    requirement untested. One call does not show one of the failures.
    """
    first, second = "2.3-supportedLanaguages", "3-in-progress-no-completedAt"
    data = samples.replied(samples.eventful(), first, "2.2-isErasable-present", "5-isolation")
    data["run"]["labels"] = {"assessor": "Example Audits", "authority": "order 12", "case": "2026-17"}
    data["run"]["help_base"] = "https://docs.example/latest"
    data["confirmations"] = ["empty-account", "no-language-selector", "short-token"]
    data["scope"]["undeclared"] = ["4.5-supported-language"]
    follows = {second: ["4.3-answers-ok", first], "1.4-every-parameter": [second]}
    for row in data["requirements"]:
        row["follows_from"] = follows.get(row["id"], row.get("follows_from", []))
        if row["id"] == "8-completed-do-not-count":
            row |= {"blocked_by": [first], "reason": f"Not tested because {first} failed."}
        if row["id"] == "1.4-every-parameter":
            row["findings"][0]["curl"] = ""
        if row["id"] == "4.3-answers-ok":
            data["quoted"] = {row["places"][0]: "200: the plain text of this copy."}
    return data


def _undecided() -> dict[str, Any]:
    """Return a run of the reference service without a decision, with requests left behind, of a suite without score."""
    findings = {"8-limit-enforced": samples.broken_findings()["8-limit-enforced"]}
    report = samples.report(Outcome.INCONCLUSIVE, findings=findings, left_out_clause="4.3", left_behind=2)
    data = samples.data(report)
    data["suite"]["calibration"] = None
    data["target"]["base_url"] = "http://127.0.0.1:24185/api"
    data["run"]["options"] = {"app": REFERENCE, "empty-account": True, "language-selector": "query:lang"}
    return data


def _hostile() -> dict[str, Any]:
    """Return a run that served the application itself, with hostile texts of the service."""
    data = samples.eventful(samples.HOSTILE)
    data["run"]["options"]["app"] = "service:create_app()/api"
    return data


def _shortened(data: dict[str, Any]) -> dict[str, Any]:
    """Return a run by version 1.0 with two requirements of each clause that nothing is said of, and all others."""
    attested = {each["requirement"] for each in data["attestations"]}
    seen: Counter[str] = Counter()
    rows = []
    for row in data["requirements"]:
        seen[row["clause"]] += 1
        told = any(each["message"] != "As usual." for each in row["findings"]) or row["id"] in attested
        if told or seen[row["clause"]] <= 2:
            rows.append(row | ({"proofs": 7} if row.get("proofs") else {}))  # not those of the published score
    data["requirements"] = rows
    data["suite"] |= {"version": "1.0", "build": "sha256:" + "b" * 64, "catalogue": "sha256:" + "c" * 64}
    return data


def files_of(data: dict[str, Any], text: str) -> dict[str, str]:
    """Return each file of a run, and what the terminal shows, as they are kept."""
    made = files.rendered(data, samples.evidence(text), list(files.VIEWS))
    found = {name: text_of(name, "".join(pieces)) for name, pieces in made.items() if name != SAME_AS_MARKDOWN}
    console = Console(file=io.StringIO(), width=100, record=True)
    terminal.print_summary(console, samples.typed(data), [])
    return found | {"terminal.txt": console.export_text()}


def main() -> None:
    """Write the files."""
    for name, data in runs().items():
        folder = FOLDER / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files_of(data, samples.HOSTILE if name == "hostile" else "").items():
            (folder / f"{file}.golden").write_bytes(text.encode())


if __name__ == "__main__":
    main()
