from __future__ import annotations

import pytest
import report_samples as samples
from markdown_it import MarkdownIt
from markdown_it.token import Token
from report_samples import typed

from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.reports import markdown

EVIL = (
    "`` ` ``` @owner #12 GH-1 [x](https://evil.example) ![i](https://evil.example/i.png) <b>b</b> | a | \\| \\"
    "\n# heading\n- item\n```\nfence www.evil.example someone@evil.example **b** ~~s~~ `"
)


def parsed(text: str) -> list[Token]:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return [each for token in tokens for each in (token, *(token.children or ()))]


@pytest.mark.parametrize("text", [EVIL, samples.HOSTILE, "`" * 50, "\\", " ` "])
def test_text_of_the_service_stays_in_code_spans(text: str) -> None:
    report = samples.eventful(text)
    report["target"]["base_url"] = f"https://service.example/{text}"
    report["run"]["labels"] = {f"case{text}": text}
    plain, evil = parsed(markdown.render(typed(samples.eventful()))), parsed(markdown.render(typed(report)))

    kinds = {token.type for token in evil}
    assert kinds <= {token.type for token in plain} | {"code_inline"}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "fence", "table_open"}
    outside = " ".join(token.content for token in evil if token.type == "text")
    assert not any(part in outside for part in ("@", "#", "evil", "://", "script"))


def test_a_comment_has_room_for_it() -> None:
    everything = {row.id: (samples.finding(Verdict.FAIL, EVIL * 100),) for row in catalogue().rows.values()}
    assert len(markdown.render(typed(samples.data(samples.report(findings=everything))))) < 65_536
