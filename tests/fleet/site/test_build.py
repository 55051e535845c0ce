"""The pages, the feed and the data of a site say what the store says, and nothing that a service sent is active."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from lxml import etree
from lxml.html import HtmlElement, document_fromstring
from registers import BUILT, DELETE
from stored_runs import recorded_run

from conformance.fleet.site import build, names
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store

ATOM = "{http://www.w3.org/2005/Atom}"


def parsed(page: Path) -> HtmlElement:
    return document_fromstring(page.read_bytes().decode())


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def service(site: Path, target: str) -> Path:
    return site / f"services/{names.of_service(target)}"


def test_reports_are_made_again_from_the_evidence(tmp_path: Path) -> None:
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        store.add_run(recorded_run(tmp_path / "run", base_url="https://fine.example"), target="fine")
        build(store, tmp_path / "site", BUILT, reports=True)

    page = service(tmp_path / "site", "fine")
    assert f'href="../services/{page.name}.report.html" hreflang="en"' in page.with_suffix(".html").read_text("utf-8")
    report = page.with_name(f"{page.name}.report.html").read_text("utf-8")
    assert "https://fine.example" in report
    assert "<title>Report</title>" not in report  # the page that is in the bundle


def test_the_feed_names_what_got_worse(site: Path) -> None:
    feed = etree.parse(str(site / "feed.xml"))

    (entry,) = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == f"worse fails {DELETE}"
    assert str(entry.findtext(f"{ATOM}id")).startswith("urn:uuid:")
    assert entry.findtext(f"{ATOM}updated") == feed.findtext(f"{ATOM}updated") == "2026-02-02T12:00:00.000Z"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert (site / link.attrib["href"]).is_file()


def test_every_link_leads_to_a_file_and_languages_to_the_same_page(registered: Path, tmp_path: Path) -> None:
    with Store.open(registered) as store:
        build(store, tmp_path / "site", BUILT, languages=["nl", "en"])
    for page in pages(tmp_path / "site"):
        links = parsed(page).xpath("//nav/a[@hreflang]/@href")
        assert page.name.endswith(".changes.html") or [Path(each).name for each in links] == [page.name] * 2
        for each in parsed(page).iter("*"):
            assert each.tag not in ("img", "iframe", "object", "base", "svg")
            assert each.tag != "script" or each.get("src") in ("site.js", "../site.js")
            assert not [name for name in each.attrib if name.startswith("on") or name == "style"]
            for name in ("href", "src"):
                target = each.get(name)
                if target and not target.startswith("#"):
                    assert re.fullmatch(r"[\w./-]+", target), target
                    assert (page.parent / target).is_file(), (page, target)


@pytest.mark.parametrize("script", ["fleet/site/templates/site.js", "reports/templates/script.js"])
def test_no_script_makes_html_of_data(script: str) -> None:
    text = (files("conformance") / script).read_text("utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|setHTML|createContextualFragment|\.write\b", text)


def test_a_site_is_replaced_and_another_folder_is_not(tmp_path: Path) -> None:
    output = tmp_path / "site"
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        build(store, output, BUILT)
        assert "The store has no run yet." in parsed(output / "index.html").text_content()
        store.add_run(recorded_run(tmp_path / "run"), target="first")
        build(store, output, BUILT)
        assert service(output, "first").with_suffix(".html").is_file()
        first = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
        build(store, output, BUILT)
        assert {path: path.read_bytes() for path in output.rglob("*") if path.is_file()} == first
        mine = tmp_path / "run"
        before = sorted(mine.iterdir())
        with pytest.raises(StoreFault, match="is no site, and has files"):
            build(store, mine, BUILT)
    assert sorted(mine.iterdir()) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_goes_on_over_pages_is_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("building._ON_A_PAGE", "services._IN_A_MATRIX"):
        monkeypatch.setattr(f"conformance.fleet.site.{name}", 1)
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        for day, target in enumerate("abc", 1):
            store.add_run(recorded_run(tmp_path / target, day), target=target, audit=store.begin_audit())
        build(store, tmp_path / "site", BUILT)

    for name in ("index", "matrix", "audits"):
        one, two, three = f"{name}.html", f"{name}-2.html", f"{name}-3.html"
        for page, others in ((one, [two]), (two, [one, three]), (three, [two])):
            assert parsed(tmp_path / "site" / page).xpath(f"//a[@rel and starts-with(@href, '{name}')]/@href") == others


@pytest.mark.parametrize("hostile", ["../../etc/passwd", "..", "", "a/b", "CON", "x" * 300, "é", "a b", ".hidden", "-"])
def test_no_name_in_a_store_decides_a_path(hostile: str) -> None:
    for name in (names.of_service(hostile), names.of_requirement(hostile)):
        assert re.fullmatch(r"[0-9A-Za-z]+([.-][0-9A-Za-z]+)*", name)
        assert len(name) <= 80
    assert names.of_service(hostile) != names.of_service(f"{hostile} ")
