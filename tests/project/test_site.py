"""The documentation site: complete, found on a disk, without requests to a network, and open to all people."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built_pages import violations

from conformance.model.requirements import catalogue

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
VERSION = "0.1"
_LOADED = re.compile(r'<(?:script|img|iframe|source|link(?! rel="canonical"))\b[^>]*?(?:src|href)="(?:https?:)?//')


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The pages of a release as mike deploys it; `strict` in mkdocs.yml makes each warning end the build."""
    author = {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    place = {"SITE_DIR": str(tmp_path / "site"), "NO_MKDOCS_2_WARNING": "1"}
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name in ("repository", "deployed"):
        (tmp_path / name).mkdir()

    def run(*command: str) -> None:
        done = subprocess.run(
            command,
            cwd=tmp_path / "repository",
            env=os.environ | author | place | path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("git", "init", "--quiet")
    run("git", "commit", "--quiet", "--allow-empty", "--message", "begin")
    run("mike", "deploy", "--config-file", str(ROOT / "mkdocs.yml"), VERSION, "latest")
    run("git", f"--work-tree={tmp_path / 'deployed'}", "checkout", "--quiet", "--force", "gh-pages")
    return tmp_path / "deployed" / VERSION


def test_a_release_is_complete_found_on_a_disk_and_open_to_all_people(site: Path, browser: Browser) -> None:
    """In one test: the pages are built once."""
    versions = json.loads((site.parent / "versions.json").read_text("utf-8"))
    assert versions == [{"version": VERSION, "title": VERSION, "aliases": ["latest"]}]
    demand_pages(site)
    asked, noise = [], []
    for width, scheme, name in ((1280, "light", "requirements/4.3-answers-ok"), (390, "dark", "tutorial")):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.goto((site / f"{name}.html").as_uri())
        assert violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        if width == 1280:
            page.locator(".md-search__input").click()
            page.keyboard.type("trailing line feed")
            page.locator(".md-search-result__link[href*='4.3-trailing-line-feed']").first.wait_for()
        context.close()
    assert noise == []
    assert [url for url in asked if not url.startswith(site.parent.as_uri())] == []


def demand_pages(site: Path) -> None:
    """Test that each requirement has a page, and that no page loads anything from elsewhere."""
    pages = {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}
    assert {f"requirements/{id}.html" for id in catalogue().rows} <= pages.keys()
    assert [name for name, text in pages.items() if _LOADED.search(text)] == []
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\([\"']?(?:https?:)?//|@import", styles) == []
