"""Sites and registers in several languages: each page in each, linked to its translations; data and documents once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import registers
import report_samples as samples
from lxml.html import HtmlElement, document_fromstring
from pseudo_language import PSEUDO, words_of
from registers import BUILT

from conformance.fleet.site import build
from conformance.fleet.store.store import Store
from conformance.model.requirements import catalogue
from conformance.reports import language

IN_ORDER = ("nl", "en")


@pytest.fixture(scope="module")
def translated(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a site and a register in two languages, Dutch first."""
    folder = tmp_path_factory.mktemp("languages")
    with Store.open(registered) as store:
        build(store, folder / "site", BUILT, languages=IN_ORDER)
    registers.built(registered, folder / "register", languages=IN_ORDER)
    return folder


def pages(folder: Path) -> Iterator[tuple[Path, HtmlElement]]:
    for path in folder.rglob("*.html"):
        if not path.name.endswith(".changes.html"):  # a report, which is English
            yield path, document_fromstring(path.read_bytes().decode())


@pytest.mark.parametrize("kind", ["site", "register"])
def test_each_page_states_its_language_and_links_its_translations(translated: Path, kind: str) -> None:
    folder, seen = translated / kind, 0
    for path, page in pages(folder):
        code = page.get("lang")
        home = folder if code == "nl" else folder / code
        name = path.relative_to(home)
        places = {code: folder / ("" if code == "nl" else code) / name for code in IN_ORDER}
        for links in ("//link[@hreflang]", "//nav/a[@hreflang]"):
            found = {each.get("hreflang"): (path.parent / each.get("href")).resolve() for each in page.xpath(links)}
            assert found == {code: place.resolve() for code, place in places.items()}, path
        assert [each.get("hreflang") for each in page.xpath("//nav/a[@aria-current]")] == [code]
        seen += 1
    assert seen >= 4 * len(IN_ORDER)


DIGEST = re.compile(r"[0-9a-f]{12,}")
NAMES = """Data Request Service Interface drsi-conformance UTC JSON sha full Registry of Examples worse fine hostile
silent weekly From To Type Field Value Meaning Status Operation Condition Required Also Limit"""
"""Of products, services and people, and of columns of the specification."""


def of_people() -> Iterator[str]:
    """Yield what people wrote in the hostile run."""
    report = samples.attested(samples.eventful(samples.HOSTILE), "8-limit-per-user", text=samples.HOSTILE)
    report = samples.replied(report, "4.3-answers-ok", text=samples.HOSTILE)
    for given in (*report["waivers"], *report["attestations"], *report["replies"]):
        yield from map(str, given.values())


@pytest.mark.parametrize("kind", ["site", "register"])
def test_each_text_is_a_message(registered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(language, "language", lambda _code: PSEUDO)
    monkeypatch.setattr("conformance.fleet.site.writing.language", lambda _code: PSEUDO)
    if kind == "site":
        with Store.open(registered) as store:
            build(store, tmp_path / kind, BUILT, languages=["nl"])
    else:
        registers.built(registered, tmp_path / kind, languages=["nl"])

    stays = " ".join([NAMES, *catalogue().rows, *of_people()])
    for path, page in pages(tmp_path / kind):
        for other in page.xpath("//style | //code | //*[@lang='en'] | //tbody//th"):
            other.drop_tree()
        texts = [*page.itertext(), *page.xpath("//@aria-label | //@data-label | //@alt | //@title")]
        found = words_of(DIGEST.sub("", " ".join(texts)))
        assert [each for each in found if each not in stays] == [], path  # a long text may be cut within a word
        for given in page.xpath("//@data-texts"):
            shown = re.sub(r"{\w+}", "", " ".join(json.loads(given).values()))
            assert words_of(shown) == set()
