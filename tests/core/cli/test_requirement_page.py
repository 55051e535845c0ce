"""The pages of the requirements, as Markdown."""

from __future__ import annotations

from conformance.cli.requirement_page import markdown
from conformance.model.requirements import catalogue


def test_a_page_says_on_what_its_requirement_rests_what_to_fix_and_by_what_it_is_proven() -> None:
    text = markdown(catalogue()["4.3-answers-ok"])

    assert text.startswith(
        "# 4.3-answers-ok\n\n> DELETE /requests/&#123;requestId&#125; of an existing request MUST answer 200"
    )
    assert "in the suite's words" in text
    for part in (
        "- **basis**: Stated in 4.3, paragraph 1",
        "## Fix",
        "## A good exchange",
        "HTTP/1.1 200 OK",
        "## A bad exchange",
        "What the suite reports: An existing request cannot be deleted",
        "drsi-conformance check --only 4.3-answers-ok https://service.example/api",
        "- `delete-answers-204`: ",
        "- Needs first: [2.1-requestId](2.1-requestId.md)",
    ):
        assert part in text
