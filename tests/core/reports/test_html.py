from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.results import RequirementResult
from conformance.model.verdict import Level, Verdict
from conformance.reports import html
from conformance.reports.html import by_cause, difference
from conformance.reports.problems import Problem, Standing
from conformance.trace.har import exchanges_of


class Page(HTMLParser):
    """The ids and links of a page, and the tags that it leaves open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in ("meta", "link", "br", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_it_is_well_formed_and_every_link_leads_somewhere() -> None:
    report = samples.report(findings=samples.broken_findings() | samples.alert_findings())
    page = Page(html.render(typed(samples.data(report)), exchanges_of(samples.evidence())))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {link for link in page.links if link[0] != "#" or link[1:] not in page.ids} == set()


def test_failures_that_follow_from_each_other_end() -> None:
    """A report from elsewhere may have a circle."""
    data = samples.eventful()
    circle = {"1.4-every-parameter": "2.3-supportedLanaguages", "2.3-supportedLanaguages": "1.4-every-parameter"}
    for row in data["requirements"]:
        row["follows_from"] = [circle[row["id"]]] if row["id"] in circle else []
    assert all(id in html.render(typed(data), []) for id in circle)


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
        ([row("a", ("e1", "null")), row("b", ("e1", "absent"))], [["a"], ["b"]]),
        ([row("a", ("e1", "status 200")), row("b", ("e2", "status 200"))], [["a"], ["b"]]),
        (
            [row("200", ("e1", "status 201"), ("e2", "status 400")), row("omitted", ("e2", "status 400"))],
            [["200"], ["omitted"]],
        ),
    ],
    ids=["same", "other deviation", "other exchange", "further"],
)
def test_one_exchange_with_one_deviation_is_one_cause(rows: Any, groups: list[list[str]]) -> None:
    assert [[each.id for each in group] for group in by_cause(rows)] == groups


def test_nothing_differs_where_there_is_only_one_text_and_nothing_is_marked_that_is_empty() -> None:
    assert difference("", "null") == ([(False, "")], [(False, "null")])
    assert difference("OK", '"OK"') == ([(False, "OK")], [(True, '"'), (False, "OK"), (True, '"')])
