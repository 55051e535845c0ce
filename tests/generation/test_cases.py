"""The cases of schemathesis: from the seed, for all operations, safe to send, and kept in the record."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from whole_runs import only, run_over, session_over, written

from conformance.calibration.all_variants import find_variant
from conformance.client.api import Api
from conformance.generation import cases
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import NEGATIVE, POSITIVE, Search
from conformance.generation.classification import classified
from conformance.generation.document import schema
from conformance.generation.drawn import OF_THE_PUBLIC, OF_USERS, drawn, sendable
from conformance.generation.meaning import Vocabulary
from conformance.model.exchange import Operation
from conformance.model.formats import is_uuid
from conformance.model.verdict import Outcome
from conformance.runner.verify import verify

TYPES = ("contact-details", "Orders", "café")
KNOWN = Vocabulary.of(TYPES)
COUNTS = {**OF_USERS, **OF_THE_PUBLIC}


def search(operation: Operation, mode: str, seed: int = 0, count: int = 20) -> Search:
    return Search(operation=operation, mode=mode, count=count, seed=seed, types=TYPES, languages=("en",))


def calls(*asked: Search) -> list[GeneratedCall]:
    return [call for each in asked for call in each.calls()]


def test_generation_depends_on_the_seed_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    bodies = [calls(search(Operation.CREATE, mode, seed)) for seed in (3, 4) for mode in (POSITIVE, NEGATIVE)]
    cases._drawn.cache_clear()

    assert bodies[:2] == [calls(search(Operation.CREATE, mode, 3)) for mode in (POSITIVE, NEGATIVE)]
    assert bodies[:2] != bodies[2:]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("operation", COUNTS)
@pytest.mark.parametrize("mode", [POSITIVE, NEGATIVE])
def test_every_operation_is_asked_in_both_modes_without_repetition(operation: Operation, mode: str) -> None:
    found = calls(search(operation, mode))

    assert 0 < len(found) <= 20
    assert len(set(found)) == len(found)
    assert {(each.operation, each.mode) for each in found} == {(operation, mode)}


@pytest.mark.parametrize("seed", range(4))
def test_valid_bodies_list_types_of_the_target_and_others(seed: int) -> None:
    lists = [classified(each, KNOWN) for each in calls(search(Operation.CREATE, POSITIVE, seed))]
    rows = Counter(each.row for each in lists)
    listed = [set(each.types) for each in lists if each.types is not None]

    assert any(each <= KNOWN.types for each in listed)
    assert any(len(each) > 1 and each & KNOWN.types and each - KNOWN.types for each in listed)
    assert rows[""] > rows.total() / 2


@pytest.mark.parametrize("seed", range(4))
def test_some_strings_have_a_bracket_and_some_lists_two_unknown_types(seed: int) -> None:
    lists = [classified(each, KNOWN) for each in calls(search(Operation.CREATE, POSITIVE, seed))]
    unknown = [set(each.types) - KNOWN.types for each in lists if each.types is not None]

    assert any(set("([") & set(name) for names in unknown for name in names)
    assert any(len(names) > 1 for names in unknown)


def test_a_name_that_has_no_utf_8_is_not_generated_from() -> None:
    assert sendable(["Orders", "Orders\ud83d"]) == ("Orders",)


@pytest.mark.parametrize("seed", range(4))
def test_valid_identifiers_are_uuids_and_others_none(seed: int) -> None:
    positive, negative = (calls(search(Operation.READ, mode, seed)) for mode in (POSITIVE, NEGATIVE))

    assert all(is_uuid(each.segment) for each in positive)
    assert {classified(each, KNOWN).row for each in positive} == {""}
    assert {classified(each, KNOWN).row for each in negative} == {"4.2-odd-identifiers"}


def test_nothing_is_deleted_that_may_stand_for_several_requests() -> None:
    deleted = calls(*(search(Operation.DELETE, mode, seed, 40) for mode in (POSITIVE, NEGATIVE) for seed in range(3)))

    assert all(re.fullmatch(r"[\w. -]+", unquote(each.segment)) for each in deleted)
    assert not {each.segment for each in deleted} & {"", ".", "..", "_"}


def test_no_header_changes_the_call_or_its_token() -> None:
    asked = calls(*(search(operation, NEGATIVE, count=40) for operation in OF_THE_PUBLIC))
    names = {name.lower() for each in asked for name, _ in each.headers}

    assert names
    assert not names & {"authorization", "host", "content-length", "transfer-encoding", "connection", "cookie"}


@pytest.mark.parametrize(
    ("body", "row"),
    [
        (b'["Orders"]', ""),
        (b'["Order"]', ""),
        (b'["Orders", "x"]', ""),
        (b"[]", "4.1-empty-array"),
        (b'["Orders", "Orders"]', "4.1-repeated-type"),
        (b'["ORDERS"]', "4.1-similar-type"),
        (b"[1]", "4.1-other-json"),
        (b"null", "4.1-other-json"),
        (b"\x00", "4.1-malformed-body"),
        (b"[NaN]", "4.1-malformed-body"),
    ],
)
def test_only_a_list_of_different_strings_has_a_specified_answer(body: bytes, row: str) -> None:
    call = classified(GeneratedCall(Operation.CREATE, content=body, mode=NEGATIVE), KNOWN)

    assert call.row == row
    assert call.body == body


def test_what_is_generated_is_sent_and_deleted_and_little_is_asked() -> None:
    run = run_over(account_is_empty=True)
    sent = [each for each in run.exchanges if each.intent.generated]
    operations = {each.operation for each in sent}

    assert operations == set(Operation)
    assert 80 <= len(sent) <= 150
    assert run.report.summary.exchanges <= 560
    assert run.report.summary.left_behind == 0


def test_a_run_of_the_public_profile_generates_no_call_with_a_token() -> None:
    with session_over() as session:
        session.credentials.clear()
        asked = drawn(Api(session), OF_THE_PUBLIC)

    assert {call.operation for call in asked} == set(OF_THE_PUBLIC)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("types-split-at-commas", Outcome.DOES_NOT_CONFORM), ("other-json-server-error", Outcome.CONFORMS_IN_PART)],
)
def test_verify_needs_no_library_that_generates(name: str, outcome: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_over(bend=find_variant(name), plan=only("4.1", "7"), account_is_empty=True)
    report, evidence = written(run)
    assert run.report.outcome is outcome

    def unavailable(*_: object, **__: object) -> None:
        raise AssertionError("verify generates calls")

    monkeypatch.setattr(cases, "_visit", unavailable)
    monkeypatch.setattr(cases, "_drawn", unavailable)

    assert verify(report, evidence).is_equal


def test_neither_the_folder_nor_the_environment_configures_what_is_generated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "schemathesis.toml").write_text('hooks = "absent.py"\n[generation]\nmode = "positive"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCHEMATHESIS_HOOKS", "absent")
    schema.cache_clear()
    loaded = schema(("name",), ())
    assert len(loaded.config.generation.modes) == 2
    schema.cache_clear()
