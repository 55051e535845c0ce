"""The pages, the feed and the data of a site say what the store says, and nothing that a service sent is active."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import report_samples as samples
from lxml import etree
from stored_runs import recorded_run

from conformance.fleet.site import build, names
from conformance.fleet.store import Store, StoreFault, proposals, transfer
from conformance.model.requirements import catalogue

ATOM = "{http://www.w3.org/2005/Atom}"
DELETE = "4.3-answers-ok"
BUILT = "2026-04-01T05:00:00.000Z"


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def service(site: Path, target: str) -> Path:
    return site / f"services/{names.of_service(target)}"


def test_each_service_and_each_requirement_has_a_page_and_data(site: Path) -> None:
    assert len([path for path in (site / "services").glob("*.html") if "changes" not in path.name]) == 3
    assert len(list((site / "services").glob("*.json"))) == 3
    for id in catalogue().rows:
        assert (site / f"requirements/{id}.html").is_file()
        assert json.loads((site / f"requirements/{id}.json").read_bytes()) is not None


def test_the_overview_begins_with_what_is_worst(site: Path) -> None:
    runs = json.loads((site / "data/overview-1.json").read_bytes())

    assert [(each["target"].partition(" ")[0], each["failed"]) for each in runs] == [
        ("hostile", 4),
        ("worse", 1),
        ("fine", 0),
    ]
    rows = (site / "index.html").read_text("utf-8").partition('<tbody id="services">')[2]
    assert [rows.count(each) for each in ("Does not conform", "Conforms", ">worse<")] == [2, 1, 1]
    assert (site / "index.html").stat().st_size < 300_000


def test_the_page_of_a_service_says_what_changed(site: Path) -> None:
    page = service(site, "worse")

    text = Elements(page.with_suffix(".html")).text
    assert f"{DELETE}: Passed → Failed" in text
    assert "The settings lack what the clause demands." in text
    data = json.loads(page.with_suffix(".json").read_bytes())
    assert [len(data[name]) for name in ("runs", "verdicts")] == [2, len(catalogue().rows)]
    (changes,) = data["changes"].values()
    assert [(each["requirement"], each["before"], each["verdict"]) for each in changes] == [(DELETE, "pass", "fail")]


def test_statements_of_people_show_when_they_end(site: Path) -> None:
    (page,) = (site / "services").glob("hostile*.html")

    text = Elements(page).text
    assert "until 2026-03-31, expired" in text
    assert "We read it otherwise." in text
    assert "Our job erases it." in text


def test_the_page_of_a_requirement_says_who_fails_it_since_when(site: Path) -> None:
    text = Elements(site / f"requirements/{DELETE}.html").text

    assert "2 services that fail it" in text
    assert text.index("2026-01-31 (waived)") < text.index("2026-02-02")
    assert "No service fails it" in Elements(site / "requirements/4.2-answers-200.html").text


def test_the_matrix_has_a_cell_for_each_verdict(site: Path) -> None:
    found = Elements(site / "matrix.html").found

    cells = [attributes.get("class") for tag, attributes in found if tag == "td"]
    assert len(cells) == 3 * len(catalogue().rows)
    assert cells.count("fail") == 5


def test_the_page_of_a_service_compares_its_last_two_runs(site: Path) -> None:
    page = service(site, "worse")

    text = Elements(page.with_suffix(".html")).text
    assert "1 requirement got worse, 0 got better, 0 changed otherwise" in text
    assert "The suite, its options and the address are the same in both runs." in text
    compared = json.loads(page.with_suffix(".json").read_bytes())["comparison"]
    assert [(each["id"], each["kind"]) for each in compared["changes"]] == [(DELETE, "worse")]
    assert DELETE in Elements(page.with_name(f"{page.name}.changes.html")).text
    assert "comparison" not in json.loads(service(site, "fine").with_suffix(".json").read_bytes())


def test_a_run_of_another_build_is_named_by_version_and_digest(tmp_path: Path) -> None:
    suite = samples.data(samples.report())["suite"]
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        for day in (1, 2):
            changes = {"suite": suite | {"build": f"sha256:{day:064}"}}
            store.add_run(recorded_run(tmp_path / f"run-{day}", day, changes=changes), target="one")
        build(store, tmp_path / "site", BUILT)

    page = (tmp_path / f"site/services/{names.of_service('one')}.html").read_text("utf-8")
    named = f"version {suite['version']} (<code>sha256:{2:064}</code>) made this one."
    assert f"Another build of the suite made the run before; {named}" in page


def test_a_site_without_evidence_says_what_changed_all_the_same(filled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "audits.sqlite"
    with Store.open(filled) as store, Store.open(copy, create=True) as other:
        for run in store.runs("worse"):
            with store.unpacked(run.id) as folder:
                other.add_run(folder, target="worse")
        for path in (tmp_path / "audits.sqlite.evidence").rglob("*.zip"):
            path.unlink()
        build(other, tmp_path / "site", BUILT, reports=True)

    text = Elements(service(tmp_path / "site", "worse").with_suffix(".html")).text
    assert f"{DELETE}: Passed → Failed" in text
    assert "Changes since the run before" not in text
    assert not list((tmp_path / "site").rglob("*.report.html"))


def test_reports_are_made_again_from_the_evidence(filled: Path, tmp_path: Path) -> None:
    with Store.open(filled) as store:
        build(store, tmp_path / "site", BUILT, reports=True)

    page = service(tmp_path / "site", "fine")
    assert f'href="../services/{page.name}.report.html" hreflang="en"' in page.with_suffix(".html").read_text("utf-8")
    report = page.with_name(f"{page.name}.report.html").read_text("utf-8")
    assert "https://fine.example" in report
    assert "<title>Report</title>" not in report  # the page that is in the bundle


def test_each_audit_has_a_page_with_the_runs_before(site: Path) -> None:
    (listed,) = json.loads((site / "data/audits.json").read_bytes())
    assert (listed["audit"]["name"], listed["runs"], listed["failing"]) == ("weekly", 2, 1)
    page = site / f"audits/{listed['audit']['id']}.html"
    rows = page.read_text("utf-8").partition("<tbody>")[2]

    assert rows.index(">worse<") < rows.index(">fine<")
    assert [rows.count(each) for each in (">Conforms, 0 failed</td>", ">–</td>")] == [1, 1]
    assert f"audits/{page.name}" in (site / "audits.html").read_text("utf-8")


def test_what_was_imported_says_so_until_it_is_accepted(filled: Path, tmp_path: Path) -> None:
    with Store.open(filled) as store:
        transfer.export(store, tmp_path / "all.zip")
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        transfer.take_over(store, tmp_path / "all.zip", lambda _: None)
        for place in ("before", "after"):
            build(store, tmp_path / place, BUILT)
            for each in [each for each in store.proposals() if not each.accepted]:
                proposals.accept(store, each.id)

    for folder in ("services", "audits"):
        before = [page.read_text("utf-8") for page in (tmp_path / "before" / folder).glob("*.html")]
        marked = [text for text in before if "not accepted yet" in text]
        assert len(marked) == len([text for text in before if "Audit weekly" in text or "<dt>Bundle</dt>" in text]) > 0
        assert not any("not accepted yet" in page.read_text("utf-8") for page in (tmp_path / "after").rglob("*.html"))


def test_the_rows_of_the_script_are_those_of_the_pages(site: Path) -> None:
    text = (site / "data/overview.js").read_text("utf-8")

    rows = json.loads(text.removeprefix("services(").removesuffix(");\n").replace(",\n]", "]"))
    assert [(row[0].partition(" ")[0], row[2].partition("-")[0], row[4], row[6]) for row in rows] == [
        ("hostile", "hostile", 4, 0),
        ("worse", "worse", 1, 1),
        ("fine", "fine", 0, 0),
    ]


def test_the_feed_names_what_got_worse(site: Path) -> None:
    feed = etree.parse(str(site / "feed.xml"))

    (entry,) = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == f"worse fails {DELETE}"
    assert str(entry.findtext(f"{ATOM}id")).startswith("urn:uuid:")
    assert entry.findtext(f"{ATOM}updated") == feed.findtext(f"{ATOM}updated") == "2026-02-02T12:00:00.000Z"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert (site / link.attrib["href"]).is_file()


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    for page in pages(site):
        for tag, attributes in Elements(page).found:
            assert tag not in ("img", "iframe", "object", "base", "svg")
            assert tag != "script" or attributes == {"src": "site.js", "defer": None}
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            for name in ("href", "src"):
                target = attributes.get(name)
                if target and not target.startswith("#"):
                    assert re.fullmatch(r"[\w./-]+", target), target
                    assert (page.parent / target).is_file(), (page, target)


def test_the_same_store_gives_the_same_site(site: Path, filled: Path, tmp_path: Path) -> None:
    with Store.open(filled) as store:
        build(store, tmp_path / "again", BUILT)

    first = {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
    again = tmp_path / "again"
    assert {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()} == first


def test_a_site_is_replaced_and_another_folder_is_not(tmp_path: Path) -> None:
    output = tmp_path / "site"
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        build(store, output, BUILT)
        assert "The store has no run yet." in Elements(output / "index.html").text
        store.add_run(recorded_run(tmp_path / "run"), target="first")
        build(store, output, BUILT)
        assert service(output, "first").with_suffix(".html").is_file()
        mine = tmp_path / "run"
        before = sorted(mine.iterdir())
        with pytest.raises(StoreFault, match="is no site, and has files"):
            build(store, mine, BUILT)
    assert sorted(mine.iterdir()) == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_goes_on_over_pages_is_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("overview._ON_A_PAGE", "audits._ON_A_PAGE", "services._IN_A_MATRIX"):
        monkeypatch.setattr(f"conformance.fleet.site.{name}", 1)
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        for day, target in enumerate("abc", 1):
            store.add_run(recorded_run(tmp_path / target, day), target=target, audit=store.begin_audit())
        build(store, tmp_path / "site", BUILT)

    for name in ("index", "matrix", "audits"):
        links = [
            [attributes["href"] for tag, attributes in Elements(tmp_path / "site" / page).found if "rel" in attributes]
            for page in (f"{name}.html", f"{name}-2.html", f"{name}-3.html")
        ]
        own = [[each for each in some if each and each.startswith(name)] for some in links]
        assert own == [[f"{name}-2.html"], [f"{name}.html", f"{name}-3.html"], [f"{name}-2.html"]]


@pytest.mark.parametrize("hostile", ["../../etc/passwd", "..", "", "a/b", "CON", "x" * 300, "é", "a b", ".hidden", "-"])
def test_no_name_in_a_store_decides_a_path(hostile: str) -> None:
    for name in (names.of_service(hostile), names.of_requirement(hostile)):
        assert re.fullmatch(r"[0-9A-Za-z]+([.-][0-9A-Za-z]+)*", name)
        assert len(name) <= 80
    assert names.of_service(hostile) != names.of_service(f"{hostile} ")
