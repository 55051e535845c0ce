from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import report_samples as samples
from report_samples import typed
from summary_pages import everything_wrong, text_of

from conformance.model.verdict import Outcome, Verdict
from conformance.reports import files, one_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_it_tells_a_person_what_was_found_and_how_to_verify_it(tmp_path: Path) -> None:
    report = samples.eventful()
    report["run"]["labels"] = {"assessor": "Example Audits", "authority": "order 12", "case": "2026-17"}
    files.write(tmp_path, report, samples.evidence(), formats=["summary"])

    page = text_of((tmp_path / "summary.html").read_text("utf-8"))

    assert "Does not conform, 2 alerts The service does not conform: 3 requirements failed." in page
    assert "Checked by Example Audits Authority order 12 Case 2026-17 Run 2026-01-31 12:00:00 UTC" in page
    failed = page.partition("Failed (3)")[2].partition("Failed and waived (1)")
    assert "A request that is being worked on looks finished. Art. 12, 15 3-in-progress-no-completedAt" in failed[0]
    assert "4.3-answers-ok : Fixed in the next release. (Team A, until 2026-03-31)" in failed[2]
    assert "One person may see or delete the request of another. Art. 12, 15 5-isolation" in page
    assert "Inconclusive or not tested The access token expired. (8-limit-enforced, 8-accepts-up-to-limit)" in page
    assert re.search(r"Mandatory requirements: \d+ of \d+ passed, 3 failed, ", page)
    assert "Level must" not in page
    assert "an aid for the reader, not legal advice" in page
    assert hashlib.sha256((tmp_path / "report.json").read_bytes()).hexdigest() in page
    suite = report["suite"]
    assert f"run version {suite['version']} ( {suite['build']} ) of drsi-conformance with seed 0 against" in page


def test_the_gravest_failures_are_shown_and_the_others_counted() -> None:
    page = text_of(one_page.render(typed(everything_wrong("x")), "ab12"))
    failed = page.partition("Failed (")[2].partition("Failed and waived")[0]
    assert failed.index("Somebody who is not logged in can delete a person's request.") < failed.index(
        "Two requests share an identifier, so a person may see or delete the wrong one"
    )
    assert "A person is not told everything about the organisation" not in failed
    assert int(re.findall(r"and (\d+) more in report\.html\.", failed)[-1]) > 20


def test_the_head_names_the_alert_of_a_service_that_conforms_and_is_not_green() -> None:
    found = {"5-isolation": samples.alert_findings()["5-isolation"]}
    page = one_page.render(typed(samples.data(samples.report(Outcome.CONFORMS, findings=found))), "ab12")
    assert '<header class="warn">' in page
    assert "applies to it; but there is 1 alert: Another user could read the request. " in text_of(page)
    assert '<header class="conforms">' in one_page.render(typed(samples.data(samples.report(Outcome.CONFORMS))), "ab12")


def test_the_reason_of_an_inconclusive_requirement_is_not_cut_off() -> None:
    why = "The run did not reach the limit: the service accepted more creations than it allows, or a deletion freed no."
    found = {"7-limit-reached": (samples.finding(Verdict.INCONCLUSIVE, message=why),)}
    assert why in text_of(
        one_page.render(typed(samples.data(samples.report(Outcome.INCONCLUSIVE, findings=found))), "ab12")
    )


def test_it_loads_nothing_and_its_style_is_allowed_by_its_digest() -> None:
    page = one_page.render(typed(samples.eventful(samples.HOSTILE)), "ab12")
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"content=\"default-src 'none'; style-src 'sha256-{digest}'\"" in page
    assert not re.search(r"<(script|img|link|iframe|a|form)\b|style=|\bon[a-z]+=\"", page)


@pytest.mark.parametrize(
    "report",
    [
        samples.data(samples.report(Outcome.CONFORMS)),
        samples.eventful(),
        samples.data(samples.report(Outcome.CONFORMS, findings=samples.alert_findings("W" * 3000))),
        everything_wrong("W" * 3000),
        samples.attested(everything_wrong("W" * 3000), *samples.UNTESTABLE, text="W" * 3000),
        everything_wrong(samples.HOSTILE + "W" * 3000),
    ],
    ids=["pass", "fail", "alerts", "long", "attested", "hostile"],
)
def test_it_is_one_page_of_paper_and_fits_a_phone(browser: Browser, tmp_path: Path, report: dict[str, Any]) -> None:
    file = tmp_path / "summary.html"
    file.write_text(one_page.render(typed(report), "ab12"), "utf-8")
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        noise: list[str] = []
        page.on("console", lambda message: noise.append(message.text))
        page.on("dialog", lambda dialog: noise.append(dialog.message))
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        pdf = page.pdf(prefer_css_page_size=True, print_background=True)
        assert noise == []
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
