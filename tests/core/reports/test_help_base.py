"""The pages of requirements that views link to where a run was given a documentation site."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import report_samples as samples

from conformance.reports import files

SITE = "https://docs.example/latest"
PAGE = f"{SITE}/requirements/4.3-answers-ok.html"


def views(base: str) -> dict[str, str]:
    report = samples.report(findings=samples.broken_findings())
    report = replace(report, run=replace(report.run, help_base=base))
    formats = ("html", "summary", "junit", "sarif", "markdown")
    return {
        name: "".join(text) for name, text in files.rendered(samples.data(report), samples.evidence(), formats).items()
    }


def test_every_view_names_the_page_of_a_requirement_and_sarif_has_it_as_help() -> None:
    made = views(SITE)

    assert f'href="{PAGE}"' in made["report.html"]
    assert f'href="{SITE}/requirements/' in made["summary.html"]
    failure = ET.fromstring(made["junit.xml"]).find(".//testcase[@name='4.3-answers-ok']/failure")
    assert failure is not None
    assert f"page: {PAGE}" in (failure.text or "")
    rules = json.loads(made["results.sarif"])["runs"][0]["tool"]["driver"]["rules"]
    assert all(rule["helpUri"] == f"{SITE}/requirements/{rule['id']}.html" for rule in rules)
    assert PAGE in made["summary.md"]


def test_without_a_site_no_view_links_to_one() -> None:
    made = views("")

    assert "/requirements/4.3-answers-ok" not in "".join(made.values())
    assert "helpUri" not in made["results.sarif"]
