"""The catalogue and its checks: each row is whole and has a check, and no verdict asks a clock or chance."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from importlib.resources import files

import pytest
from deciding import CHECKS

from conformance.checks.marks import by_requirement, requirement
from conformance.model.errors import not_applicable
from conformance.model.requirements import UnknownRequirement, catalogue
from conformance.model.verdict import Basis, Level, Verdict
from conformance.run.all_checks import all_checks
from conformance.run.check_runner import declared
from conformance.run.items import requirement_of

ROWS = list(catalogue().rows.values())
TESTABLE = [row for row in ROWS if not row.untestable]


@pytest.fixture(scope="module")
def checks() -> list[pytest.Function]:
    return [*all_checks()]


def test_rows_have_what_they_need_and_say_on_what_they_rest() -> None:
    words = {Level.MUST: " MUST ", Level.SHOULD: " SHOULD ", Level.OPEN: "Not specified: "}

    document = tomllib.loads((files("conformance.model") / "requirements.toml").read_text("utf-8"))
    assert len(document["requirement"]) == len(ROWS)  # each id is its own
    for row in ROWS:
        assert re.fullmatch(r"[0-9](\.[1-9])?-[A-Za-z0-9]+(-[A-Za-z0-9]+)*", row.id)
        assert words[row.level] in row.statement, row.id
        assert row.remedy or row.untestable or row.level is Level.OPEN, row.id
        inferred = row.basis is Basis.INFERRED
        assert row.places, row.id
        assert bool(row.reason) is bool(row.rejected) is inferred, row.id
        assert len(row.rejected) <= 3, row.id
        assert all(text.endswith((".", "?")) for text in (row.reason, *row.rejected) if text), row.id
        assert row.level is Level.SHOULD or row.basis is not Basis.ADVICE, row.id


def test_circumstances_are_declared_for_musts_and_used() -> None:
    named = {each for row in ROWS for each in row.not_applicable}

    assert named == set(catalogue().circumstances) == set(catalogue().decided_by)
    assert [row.id for row in ROWS if row.not_applicable and row.level is not Level.MUST] == []


@pytest.mark.parametrize(
    ("row_id", "circumstance", "right"),
    [
        ("3-deletes-completed", "none-completes", True),
        ("3-deletes-completed", "no-data-types", False),
        ("4.3-answers-ok", "", False),
        ("4.3-media-type-absent", "", True),
        ("7-limit-reached", "limit-of-none", False),  # where no request is allowed, each creation is beyond the limit
    ],
)
def test_what_is_not_applicable_has_to_be_declared(row_id: str, circumstance: str, right: bool) -> None:
    error = not_applicable(circumstance, "There was none.")

    found = declared(error, catalogue()[row_id])

    assert (found is error) is right
    assert found.message == error.message
    assert right or found.verdict is Verdict.INCONCLUSIVE


def test_every_testable_row_has_a_check(checks: list[pytest.Function]) -> None:
    decided = Counter(requirement_of(item).id for item in checks)

    assert {row.id for row in TESTABLE} - set(decided) == set()


def test_every_check_says_in_a_sentence_what_it_does(checks: list[pytest.Function]) -> None:
    docstrings = {item.nodeid: getattr(item, "obj", None).__doc__ or "" for item in checks}

    assert [name for name, text in docstrings.items() if not text.rstrip().endswith(".")] == []


def test_a_wrong_id_fails_where_the_check_is_written() -> None:
    with pytest.raises(UnknownRequirement, match=r"4\.3-answers-ok"):
        requirement("4.3-answer-ok")
    with pytest.raises(UnknownRequirement, match=r"4\.3-answers-ok"):
        by_requirement("field", {"4.3-answer-ok": None})


@pytest.mark.parametrize("clause", ["0", "4", "4.3"])
def test_a_clause_selects_its_rows_and_those_below_it(clause: str) -> None:
    expected = {row.id for row in ROWS if f"{row.clause}.".startswith(f"{clause}.")}

    assert expected
    assert catalogue().select(clause) == expected


CHANGING = {"socket", "time", "random", "secrets", "os", "subprocess", "threading", "asyncio"}
MOMENTS = {"now", "utcnow", "today", "uuid1", "uuid4"}


@pytest.mark.parametrize("folder", ["checks", "facts", "judge", "schema", "spec"])
def test_a_verdict_asks_no_network_no_clock_and_no_chance(folder: str) -> None:
    files = [*(CHECKS.parent / folder).rglob("*.py")]
    assert files
    for path in files:
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        imported = {name.name for each in nodes if isinstance(each, ast.Import) for name in each.names}
        imported |= {each.module or "" for each in nodes if isinstance(each, ast.ImportFrom)}
        assert not {name.partition(".")[0] for name in imported} & CHANGING, path.name
        assert not {each.attr for each in nodes if isinstance(each, ast.Attribute)} & MOMENTS, path.name
