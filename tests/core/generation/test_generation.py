"""What schemathesis and hypothesis make follows from seed and target, is safe to send, and shrinks to what shows."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
from cli_services import listening
from hypothesis import given
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from whole_runs import USERS, session_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import Variant
from conformance.generation.call import GeneratedCall, creation
from conformance.generation.cases import MODES, OF_THE_PUBLIC, call_of, cases, drawn, schema
from conformance.generation.examples import open_bodies, other_forms, welcome, with_a_specified_answer, words
from conformance.generation.generated import unusual_readings
from conformance.generation.hypothesis_runs import isolated, quiet
from conformance.generation.links import linked_calls
from conformance.generation.meaning import is_plainly_unknown, types_in_body
from conformance.generation.sequences import Walk, sequences
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import ANONYMOUS
from conformance.model.target import Budget
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.scenarios.api import Api
from conformance.schema.documents import bundled

CONFIG = ReferenceConfig(users=USERS, seed=1)


def played(bend: Variant | None = None, **target: object) -> tuple[list[Exchange], list[Exchange]]:
    with session_over(CONFIG, bend, **target) as session:
        result = sequences.result(Api(session))
        assert session.journal.live == {}
        return result, session.record.in_order()


def test_hypothesis_shrinks_the_sequence_within_its_allowance() -> None:
    result, exchanges = played(FAULTS["request-for-all-stays-readable"], account_is_empty=True)

    assert 0 < len(result) < 30
    assert result[-1].operation is Operation.READ
    assert len(exchanges) < Budget().max_created + 120


def test_without_a_second_user_the_first_one_plays_alone() -> None:
    with session_over(CONFIG, account_is_empty=True) as session:
        del session.credentials["other user"]

        assert sequences.result(Api(session)) == []
        assert {exchange.request.credential for exchange in session.record.in_order()} == {"user", "no token"}


def test_a_run_without_a_library_makes_none_of_its_calls() -> None:
    with session_over(CONFIG, account_is_empty=True) as session:
        service = Api(session)
        session.without = "hypothesis"
        sequences.result(service)
        session.without = "schemathesis"
        linked_calls.result(service)
        assert {each.operation for each in session.record.in_order()} == {Operation.SETTINGS}
        assert drawn(service, OF_THE_PUBLIC) == []


def test_an_error_of_the_suite_ends_the_search_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Walk] = []

    def crash(walk: Walk) -> NoReturn:
        looks.append(walk)
        raise ZeroDivisionError("a bug of the suite")

    monkeypatch.setattr(Walk, "look", crash)

    with pytest.raises(ZeroDivisionError):
        played()
    assert len(looks) == 1


KNOWN = ["contact-details", "Orders", "café", "a", ""]
LISTED = frozenset(KNOWN)


def every(seed: int, known: list[str] = KNOWN) -> list[GeneratedCall]:
    chance = random.Random(seed)
    return [
        *with_a_specified_answer(known, frozenset(known), chance),
        *welcome(known, chance),
        *open_bodies(known, known, chance),
        *words(chance),
        *other_forms("6F1c1a4e-8a0b-4c35-9d2e-0f6b1d7c2a90"),
    ]


def test_types_that_were_cut_in_a_surrogate_pair_are_sent_as_escapes() -> None:
    cut = ["a\ud83d", "\ud83d", "café"]

    assert any(rb"\ud83d" in (call.content or b"") for seed in range(5) for call in every(seed, cut))
    assert creation(cut).content == rb'["a\ud83d", "\ud83d", "caf\u00e9"]'
    assert creation(("café", "mail")).content == '["café", "mail"]'.encode()


def test_what_is_judged_is_unknown_beyond_doubt() -> None:
    for seed in range(20):
        for call in with_a_specified_answer(KNOWN, LISTED, random.Random(seed)):
            if call.content is None:
                assert re.fullmatch(r"[0-9A-Za-z_-]{1,64}", call.segment), call
                continue
            # A NUL in the middle does not make it less unknown; who may refuse it is another matter.
            names = [name.replace("\x00", "") for name in types_in_body(call.content) or ()]
            assert [name for name in names if is_plainly_unknown(name, LISTED)], call
            assert all(name in KNOWN or is_plainly_unknown(name, LISTED) for name in names), call


@pytest.mark.parametrize(
    "name", ["ORDERS", " Orders\t", "Ｏｒｄｅｒｓ", "Or\u200bders", "cafe\u0301", "cafe", "", "\x00", "x" * 101]
)
def test_what_some_comparison_takes_for_a_type_is_not_plainly_unknown(name: str) -> None:
    assert not is_plainly_unknown(name, LISTED)


def test_nothing_that_may_stand_for_several_requests_is_deleted() -> None:
    calls = [call for seed in range(50) for call in every(seed)]
    deleted = {call.segment for call in calls if call.operation is Operation.DELETE}
    read = {call.segment for call in calls if call.operation is Operation.READ}

    assert deleted
    assert not {"%25", "%27", "%22", "%5C", "*", "_"} & deleted
    assert not {".", "..", ""} & (read | deleted)


TYPES = ("contact-details", "Orders", "café")


def test_generation_depends_on_the_seed_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def bodies(seed: int) -> list[tuple[GeneratedCall, ...]]:
        cases.cache_clear()
        return [cases(Operation.CREATE, mode, 8, seed, TYPES, ("en",)) for mode in MODES]

    first = bodies(3)
    assert first == bodies(3)
    assert first != bodies(4)
    assert list(tmp_path.iterdir()) == []


def test_readings_of_the_public_carry_no_token() -> None:
    with session_over(CONFIG) as session:
        unusual_readings.result(Api(session))
        calls = [each for each in session.record.in_order() if each.operation in OF_THE_PUBLIC]

    assert {each.request.credential for each in calls} == {ANONYMOUS.label}


def kept(operation: Operation, path: str, **headers: str) -> bool:
    """Return whether a call that schemathesis made up is one that a run sends."""
    case = SimpleNamespace(headers=headers, query={}, as_transport_kwargs=lambda base_url: {"url": base_url + path})
    return call_of(case, operation) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("segment", ["%25", "*", "a%2Cb", "_", ".", "%2E%2E", ""])
def test_no_generated_call_deletes_what_may_stand_for_several_requests(segment: str) -> None:
    assert kept(Operation.DELETE, "/requests/6f1c1a4e-8a0b")
    assert not kept(Operation.DELETE, f"/requests/{segment}")


@pytest.mark.parametrize(
    "name", ["Authorization", "host", "Content-Length", "Transfer-Encoding", "Cookie", "Forwarded"]
)
def test_no_header_changes_the_call_or_its_token(name: str) -> None:
    assert kept(Operation.SETTINGS, "/settings", Accept="*/*")
    assert not kept(Operation.SETTINGS, "/settings", **{name: "a"})


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


def _drawn() -> list[str]:
    texts: list[str] = []

    @seeded(1)
    @quiet(300)
    @given(st.text())
    def test(text: str) -> None:
        texts.append(text)

    test()
    return texts


def test_nothing_is_drawn_from_the_source_code_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(providers, "_get_local_constants", lambda: Constants(strings={"hunter2"}))
    providers.CONSTANTS_CACHE.cache.clear()
    usual = _drawn()
    assert "hunter2" in usual, "hypothesis draws what stands in local modules"
    with isolated():
        alone = _drawn()
    assert "hunter2" not in alone
    assert _drawn() == usual, "afterwards, it is as it was"
    providers.CONSTANTS_CACHE.cache.clear()


ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "schemathesis.md").read_text("utf-8")
EXCLUDED = re.search(r"--exclude-checks (\S+)", PAGE)


def test_the_command_of_the_page_excludes_what_the_table_says() -> None:
    assert EXCLUDED is not None
    assert sorted(EXCLUDED[1].split(",")) == sorted(set(re.findall(r"^\| \*\*(\w+)\*\* \|", PAGE, re.MULTILINE)))


def test_schemathesis_alone_finds_nothing_in_the_reference_service(tmp_path: Path) -> None:
    assert EXCLUDED is not None
    config = ReferenceConfig(users=(User("alice.example", "Alice-0123456789abcdefghij"),), max_requests=1000)
    (tmp_path / "openapi.json").write_text(json.dumps(bundled()), "utf-8")
    with listening(build_app(config)) as origin:
        options = f"run openapi.json --url {origin}{config.path_prefix} --checks all --max-examples 2 --seed 1".split()
        options += ["-H", f"Authorization: Bearer {config.tokens[0]}", "--exclude-checks", EXCLUDED[1]]
        command = [Path(sys.executable).with_name("schemathesis"), *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
