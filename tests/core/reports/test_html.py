from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reports import html
from conformance.reports.html import by_cause, difference
from conformance.reports.problems import Problem, Standing
from conformance.trace.har import exchanges_of


class Page(HTMLParser):
    """Tags with their attributes' names, ids, links and visible text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.nodes: list[tuple[str, tuple[str, ...]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.nodes.append((tag, tuple(name for name, _ in attrs)))
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in ("meta", "link", "br", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


BROKEN = samples.report(findings=samples.broken_findings())
ALERTS = samples.report(Outcome.CONFORMS, findings=samples.alert_findings())


def page_of(report: Report, text: str = "") -> Page:
    return Page(html.render(typed(samples.data(report)), exchanges_of(samples.evidence(text))))


@pytest.mark.parametrize("report", [BROKEN, ALERTS], ids=["broken", "alerts"])
def test_it_is_well_formed_and_every_link_leads_somewhere(report: Report) -> None:
    page = page_of(report)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {link for link in page.links if link[0] != "#" or link[1:] not in page.ids} == set()


def test_nothing_comes_from_elsewhere_and_only_our_script_runs() -> None:
    text = html.render(typed(samples.data(BROKEN)), exchanges_of(samples.evidence()))
    tags = [tag for tag, _ in Page(text).nodes]
    assert not set(tags) & {"img", "link", "iframe", "object", "embed", "form", "base"}
    assert tags.count("script") == tags.count("style") == 1
    assert not any(name == "style" or name.startswith("on") for _, names in Page(text).nodes for name in names)
    assert not re.search(r"url\(|@import", text)
    for kind in ("script", "style"):
        content = re.search(f"<{kind}>(.*)</{kind}>", text, re.DOTALL)
        assert content
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in text


def test_hostile_text_adds_no_node_and_no_attribute() -> None:
    def nodes(filler: str) -> list[tuple[str, tuple[str, ...]]]:
        found = samples.broken_findings(filler) | samples.alert_findings(filler)
        page = page_of(samples.report(findings=found, base_url=f"https://a.example/{filler}"), filler)
        return [node for node in page.nodes if node[0] not in ("del", "ins")]  # they mark what differs

    assert nodes(samples.HOSTILE) == nodes("x")


def test_failures_that_follow_from_each_other_end() -> None:
    """A report from elsewhere may have a circle."""
    data = samples.eventful()
    circle = {"1.4-every-parameter": "2.3-supportedLanaguages", "2.3-supportedLanaguages": "1.4-every-parameter"}
    for row in data["requirements"]:
        row["follows_from"] = [circle[row["id"]]] if row["id"] in circle else []
    assert all(id in html.render(typed(data), []) for id in circle)


def test_megabytes_do_not_fill_the_page() -> None:
    big = "é" * 1_000_000
    text = html.render(
        typed(samples.data(samples.report(findings=samples.broken_findings(big)))), exchanges_of(samples.evidence(big))
    )
    assert len(text) < 500_000


def row(id: str, *signs: tuple[str, str]) -> Problem:
    """Return a requirement with a finding for each of the `signs`: its exchanges, and what was received."""
    named = RequirementResult(id=id, clause="6", level=Level.MUST, statement="", verdict=Verdict.FAIL)
    found = [
        samples.finding(Verdict.FAIL, message=id, actual=actual, exchanges=tuple(exchanges.split()))
        for exchanges, actual in signs
    ]
    return Problem(Standing.FAILED, named, found)


@pytest.mark.parametrize(
    ("rows", "groups"),
    [
        ([row("a", ("e1", "null")), row("b", ("e1", "null"))], [["a", "b"]]),
        ([row("a", ("e1", 'the string "3"')), row("b", ("e1", 'the string "x"'))], [["a", "b"]]),
        ([row("a", ("e1", "null")), row("b", ("e1", "absent"))], [["a"], ["b"]]),
        ([row("a", ("e1", "status 200")), row("b", ("e2", "status 200"))], [["a"], ["b"]]),
        ([row("a", ("e1", "")), row("b", ("e1", ""))], [["a"], ["b"]]),
        (
            [row("a", ("e1", "null")), row("b", ("e2", "null")), row("c", ("e2 e1", "null")), row("d", ("e3", "null"))],
            [["a", "b", "c"], ["d"]],
        ),
        (
            [row("200", ("e1", "status 201"), ("e2", "status 400")), row("omitted", ("e2", "status 400"))],
            [["200"], ["omitted"]],
        ),
    ],
    ids=["same", "other values", "other deviation", "other exchange", "only messages", "through a third", "further"],
)
def test_one_exchange_with_one_deviation_is_one_cause(rows: Any, groups: list[list[str]]) -> None:
    assert [[each.id for each in group] for group in by_cause(rows)] == groups


def marked(pieces: list[tuple[bool, str]]) -> str:
    return "".join(f"[{text}]" if differs else text for differs, text in pieces)


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ("status 404", "status 200, body {}", ("status [404]", "status [200, body {}]")),
        ("OK", '"OK"', ("OK", '["]OK["]')),
        ("an integer", 'the string "3"', ("[an integer]", '[the string "3"]')),
        ("", "null", ("", "null")),
        ("version 2.0", "version 2", ("version [2.0]", "version [2]")),
        (
            "createdAt 2025-01-02T03:04:05Z",
            "createdAt 2025-01-02T03:04:06Z",
            ("createdAt [2025-01-02T03:04:05Z]", "createdAt [2025-01-02T03:04:06Z]"),
        ),
        ("see 4.3-answers-ok.", "see 4.3-answers-200.", ("see [4.3-answers-ok].", "see [4.3-answers-200].")),
        ("limit 3", "limit -3", ("limit [3]", "limit [-3]")),
        ("same", "same", ("same", "same")),
    ],
)
def test_what_the_other_text_lacks_is_marked(expected: str, actual: str, shown: tuple[str, str]) -> None:
    assert tuple(map(marked, difference(expected, actual))) == shown
