from __future__ import annotations

import base64
import hashlib
import io
import itertools
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
import report_samples as samples
from report_samples import errors_of, typed
from rich.console import Console

from conformance.model.exchange import Operation
from conformance.model.findings import Finding, Note
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.verdict import Blame, Level, Outcome, Verdict
from conformance.reports import html, markdown, terminal
from conformance.reports.html import by_cause, difference
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


@cache
def broken() -> Page:
    """Return the page that many tests read."""
    return page_of(BROKEN)


@pytest.mark.parametrize("report", [BROKEN, ALERTS], ids=["broken", "alerts"])
def test_it_is_well_formed_and_every_link_leads_somewhere(report: Report) -> None:
    page = page_of(report)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {link for link in page.links if link[0] != "#" or link[1:] not in page.ids} == set()


def test_every_requirement_can_be_linked_to() -> None:
    assert set(catalogue().rows) <= set(broken().ids)


def test_the_head_of_a_service_that_conforms_with_alerts_is_not_green() -> None:
    assert '<header class="head alert">' in html.render(typed(samples.data(ALERTS)), exchanges_of(samples.evidence()))
    clean = samples.data(samples.report(Outcome.CONFORMS))
    assert '<header class="head conforms">' in html.render(typed(clean), exchanges_of(samples.evidence()))


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


def test_hostile_text_is_shown_as_text() -> None:
    hostile = html.render(
        typed(samples.data(samples.report(findings=samples.broken_findings(samples.HOSTILE)))),
        exchanges_of(samples.evidence(samples.HOSTILE)),
    )
    hostile.encode("utf-8")
    assert not set(hostile) & set("\x00\x07\x1b\x9b\ud800\u202e\u2028\ufffe")
    assert "<script>alert(1)</script>" in Page(hostile).text
    assert r"\u202egnp.exe\u2066" in Page(hostile).text


def test_a_hostile_base_url_is_no_link() -> None:
    page = page_of(samples.report(base_url="javascript:alert(1)//" + samples.HOSTILE))
    assert not any("javascript" in link for link in page.links)


def test_megabytes_do_not_fill_the_page() -> None:
    big = "é" * 1_000_000
    text = html.render(
        typed(samples.data(samples.report(findings=samples.broken_findings(big)))), exchanges_of(samples.evidence(big))
    )
    assert len(text) < 500_000


def test_an_exchange_without_a_record_is_said_to_be_missing() -> None:
    text = Page(html.render(typed(samples.data(BROKEN)), exchanges_of({"log": {"entries": []}}))).text
    assert "e1 is not in the evidence." in text
    assert "No exchange was recorded." in text


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (BROKEN, "The service does not conform: 4 requirements failed."),
        (samples.report(Outcome.CONFORMS), "it passed every testable requirement of level must that applies to it."),
        (
            samples.report(Outcome.CONFORMS_IN_PART, left_out_clause="4.3"),
            f"4 of {samples.ROWS} requirements were left out, as requested (without 4.3).",
        ),
        (samples.report(Outcome.INCONCLUSIVE, complete=False), "The run stopped early."),
        (
            samples.report(
                Outcome.INCONCLUSIVE, findings={"8-limit-enforced": samples.broken_findings()["8-limit-enforced"]}
            ),
            f"it found no violation, but could not decide 1 of {samples.TESTABLE} testable requirements.",
        ),
        (
            samples.report(
                strict=True, findings={"2.2-isErasable-present": samples.broken_findings()["2.2-isErasable-present"]}
            ),
            "1 recommendation (a strict run counts these as well) failed.",
        ),
    ],
)
def test_the_outcome_is_a_plain_sentence(report: Report, sentence: str) -> None:
    assert sentence in page_of(report).text


@pytest.mark.parametrize("report", [BROKEN, ALERTS], ids=["broken", "alerts"])
def test_headings_go_down_one_step_at_a_time(report: Report) -> None:
    levels = [int(tag[1]) for tag, _ in page_of(report).nodes if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_every_table_header_has_a_scope() -> None:
    assert all("scope" in attributes for tag, attributes in broken().nodes if tag == "th")


def test_two_thousand_exchanges_make_a_page_of_three_megabytes_at_most() -> None:
    data = samples.data(BROKEN)
    entries = samples.evidence()["log"]["entries"]
    ids = [f"e{number}" for number in range(1, 2001)]
    for row in data["requirements"]:
        row["evidence"] = {"exchanges": ids, "count": len(ids)}
    evidence = {"log": {"entries": [{**entries[place % 12], "_id": id} for place, id in enumerate(ids)]}}

    text = html.render(typed(data), exchanges_of(evidence))

    assert len(text.encode()) < 3_000_000
    assert "and others, 2,000 exchanges in all" in Page(text).text


def test_the_failures_of_a_card_come_first() -> None:
    found = {
        "2.1-requestId-not-time-ordered": (samples.finding(Verdict.WARN, exchanges=("e6",)),),
        "5.3-rejected-delete-deletes-nothing": (samples.finding(Verdict.FAIL, exchanges=("e6",)),),
    }
    ids = [each for each in page_of(samples.report(findings=found)).ids if re.fullmatch(r"(fail|warn)-.*\w", each)]
    assert [each for each in ids if not each.endswith("-title")] == [
        "fail-5.3-rejected-delete-deletes-nothing",
        "warn-2.1-requestId-not-time-ordered",
    ]


def test_server_errors_that_no_requirement_judges_stand_on_the_first_screen_of_each_view() -> None:
    report = samples.report(Outcome.CONFORMS)
    message = "7 calls got a server error: POST /requests 500 (7)."
    raised = "".join(f"frame {number}\n" for number in range(30)) + "LookupError: <no such table>"
    note = Note(blame=Blame.TARGET, message=message, remedy="Look.", exchanges=("e1", "e2"), traceback=raised)
    report = replace(report, notes=(*report.notes, note))
    data = samples.data(report)

    page = html.render(typed(data), exchanges_of(samples.evidence()))
    head = page[: page.index("</header>")]
    assert message in head
    assert "LookupError: &lt;no such table&gt;" in head
    assert head.index(message) < head.index("Confirmed by the tester")
    assert page.count(message) == 1
    assert errors_of(data) == []
    assert message in markdown.render(typed(data))
    file = io.StringIO()
    terminal.print_summary(Console(file=file, width=100), typed(data), [])
    assert f"note {message} Look.\n" in file.getvalue()
    assert "     frame 29\n     LookupError: <no such table>\n" in file.getvalue()
    assert "frame 20" not in file.getvalue()


def row(id: str, *signs: tuple[str, str]) -> tuple[RequirementResult, list[Finding[str]]]:
    """Return a requirement with a finding for each of the `signs`: its exchanges, and what was received."""
    named = RequirementResult(id=id, clause="6", level=Level.MUST, statement="", verdict=Verdict.FAIL)
    found = [
        samples.finding(Verdict.FAIL, message=id, actual=actual, exchanges=tuple(exchanges.split()))
        for exchanges, actual in signs
    ]
    return named, found


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
    assert [[row.id for row, _ in group] for group in by_cause(rows)] == groups


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


def test_operations_have_the_names_that_people_write() -> None:
    text = broken().text
    assert "GET /data" in text
    assert "DELETE /requests/{requestId}" in text
    assert not any(each in text for each in Operation)


def test_a_card_shows_its_decisive_exchange_though_an_earlier_card_names_it() -> None:
    earlier = samples.finding(Verdict.FAIL, actual="null", exchanges=("e1", "e2"))
    more = samples.finding(Verdict.FAIL, actual="nothing", exchanges=("e3",))
    named = [samples.finding(Verdict.FAIL, actual=f"status {word}", exchanges=(word,)) for word in ("e2", "e3")]
    found = {"2.3-legalEntity": (earlier, more), "4.4-answers-200": (named[0],), "4.5-answers-200": (named[1],)}
    ids = page_of(samples.report(findings=found)).ids
    order = ["fail-2.3-legalEntity", "fail-4.4-answers-200", "exchange-e2", "fail-4.5-answers-200", "exchange-e3"]
    assert sorted(order, key=ids.index) == order


@pytest.mark.parametrize("kinds", [tuple(Verdict), (Verdict.INCONCLUSIVE, Verdict.OBSERVED), (Verdict.OBSERVED,)])
def test_the_numbers_of_exchanges_are_explained_once_where_the_first_appears(kinds: tuple[Verdict, ...]) -> None:
    found = {
        id: findings
        for id, findings in samples.broken_findings().items()
        if {each.verdict for each in findings} <= set(kinds)
    }
    text = page_of(samples.report(findings=found)).text
    text = text[text.index("Skip to the findings") :]
    said = text.index("A number such as e7 names an exchange of the run")
    assert re.findall(r"\be\d+\b", text[: said + 20]) == ["e7"]
    assert text.count("A number such as e7") == 1
