"""The documentation site: complete, found on a disk, without requests to a network, and open to all people."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.model.requirements import catalogue

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SAMPLE = ("requirements/4.3-answers-ok", "tutorial")
VERSION = "0.1"
_LOADED = re.compile(r'<(?:script|img|iframe|source|link(?! rel="canonical"))\b[^>]*?(?:src|href)="(?:https?:)?//')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a release as mike deploys it; `strict` in mkdocs.yml makes each warning end the build."""
    repository, folder = tmp_path_factory.mktemp("repository"), tmp_path_factory.mktemp("deployed")
    author = {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    place = {"SITE_DIR": str(tmp_path_factory.mktemp("site")), "NO_MKDOCS_2_WARNING": "1"}
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment = os.environ | author | place | path

    def run(*command: str) -> None:
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    run("git", "init", "--quiet")
    run("git", "commit", "--quiet", "--allow-empty", "--message", "begin")
    run("mike", "deploy", "--config-file", str(ROOT / "mkdocs.yml"), VERSION, "latest")
    run("git", f"--work-tree={folder}", "checkout", "--quiet", "--force", "gh-pages")
    return folder / VERSION


def test_a_release_has_a_page_for_each_requirement_and_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    versions = json.loads((site.parent / "versions.json").read_text("utf-8"))
    assert versions == [{"version": VERSION, "title": VERSION, "aliases": ["latest"]}]
    pages = {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}

    assert {f"requirements/{id}.html" for id in catalogue().rows} <= pages.keys()
    assert [name for name, text in pages.items() if _LOADED.search(text)] == []
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\([\"']?(?:https?:)?//|@import", styles) == []


def test_a_browser_searches_it_on_a_disk_and_nothing_in_it_bars_people(site: Path, browser: Browser) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    found, asked, noise = [], [], []
    for width, scheme in ((1280, "light"), (390, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: noise.append(str(error)))
        for name in SAMPLE:
            page.goto((site / f"{name}.html").as_uri())
            page.evaluate(axe)
            options = {"runOnly": WCAG, "resultTypes": ["violations"], "preload": False}
            result = page.evaluate("options => axe.run(document, options)", options)
            found += [(name, scheme, each["id"], each["nodes"][0]["html"]) for each in result["violations"]]
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        if width == 1280:
            page.locator(".md-search__input").click()
            page.keyboard.type("trailing line feed")
            page.locator(".md-search-result__link[href*='4.3-trailing-line-feed']").first.wait_for()
        context.close()
    assert found == []
    assert noise == []
    assert [url for url in asked if not url.startswith(site.parent.as_uri())] == []
