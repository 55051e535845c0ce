"""What schemathesis generates follows from seed and target alone, and is safe to send."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from whole_runs import session_over

from conformance.generation.call import GeneratedCall
from conformance.generation.cases import MODES, OF_THE_PUBLIC, cases, drawn, schema
from conformance.model.exchange import Operation
from conformance.scenarios.api import Api

TYPES = ("contact-details", "Orders", "café")
POSITIVE, NEGATIVE = MODES


def calls(operation: Operation, mode: str, seed: int = 0, count: int = 20) -> tuple[GeneratedCall, ...]:
    return cases(operation, mode, count, seed, TYPES, ("en",))


def test_generation_depends_on_the_seed_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    bodies = [[calls(Operation.CREATE, mode, seed) for mode in MODES] for seed in (3, 4)]
    cases.cache_clear()

    assert bodies[0] == [calls(Operation.CREATE, mode, 3) for mode in MODES]
    assert bodies[0] != bodies[1]
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_deleted_that_may_stand_for_several_requests() -> None:
    deleted = [each for mode in MODES for seed in range(3) for each in calls(Operation.DELETE, mode, seed, 40)]

    assert all(re.fullmatch(r"[\w. -]+", unquote(each.segment)) for each in deleted)
    assert not {each.segment for each in deleted} & {"", ".", "..", "_"}


def test_no_header_changes_the_call_or_its_token() -> None:
    asked = [each for operation in OF_THE_PUBLIC for each in calls(operation, NEGATIVE, count=40)]
    names = {name.lower() for each in asked for name, _ in each.headers}

    assert names
    assert not names & {"authorization", "host", "content-length", "transfer-encoding", "connection", "cookie"}


def test_a_run_of_the_public_profile_generates_no_call_with_a_token() -> None:
    with session_over() as session:
        session.credentials.clear()
        asked = drawn(Api(session), OF_THE_PUBLIC)

    assert {call.operation for call in asked} == set(OF_THE_PUBLIC)


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
