from __future__ import annotations

from html.parser import HTMLParser

import pytest
import report_samples as samples
from notation import trace_in
from report_samples import typed

from conformance.model.results import RequirementResult
from conformance.model.verdict import Level, Verdict
from conformance.reports import html
from conformance.reports.html import bit_image, by_cause
from conformance.reports.problems import Problem, Standing
from conformance.reports.separation import alternation, condition
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


def test_two_deviations_in_one_exchange_are_two_causes() -> None:
    def problem(id: str, actual: str) -> Problem:
        named = RequirementResult(id=id, clause="6", level=Level.MUST, statement="", verdict=Verdict.FAIL)
        return Problem(Standing.FAILED, named, [samples.finding(Verdict.FAIL, actual=actual)])

    both = [problem("a", "null"), problem("b", "absent")]
    assert by_cause(both) == [both[:1], both[1:]]


FINE = "POST [a] -> 200 r1; POST [a] -> 200 r2; POST [a] -> 200 r3"


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        ("POST -> 400; POST -> 400", "Only without a body: all 2 such calls, and none of 3 others."),
        ("POST [privé] -> 400", "Only where a type is not ASCII: one such call, and none of 3 others."),
        ("POST [b] -> 400", ""),
        ("POST [b] -> 400; POST -> 400", ""),
    ],
)
def test_the_simplest_condition_is_named(failing: str, words: str) -> None:
    calls = trace_in(f"GET /data -> 200 [a, b, c, privé]; {FINE}; {failing}").exchanges[1:]
    assert condition(list(calls[3:]), list(calls[:3])) == words


def test_answers_in_turn_suggest_several_stores() -> None:
    reads = list(trace_in("GET r1 -> 200; GET r1 -> 404; GET r1 -> 200").exchanges)

    assert alternation([reads[1]], reads) == (
        "The same GET answered 200 and 404 in turn: several instances without a common store?"
    )
    assert alternation([reads[1]], reads[:2]) == ""
    # Readings beside the deletion have no order.
    racing = list(trace_in("| GET r1 -> 200; | GET r1 -> 404; | GET r1 -> 200").exchanges)
    assert alternation([racing[0]], racing) == ""


def test_a_bit_image_has_a_stroke_for_each_run_of_ones_and_an_empty_row_for_what_is_no_identifier() -> None:
    drawn = bit_image(["80000000-0000-0000-0000-00000000000f", "<script>", "f0f00000-0000-0000-0000-000000000000"])

    assert drawn == "M0 0.5h1M124 0.5h4M0 2.5h4M8 2.5h4"
