"""Explicit and generated calls follow from seed and target alone, and are safe to send."""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from whole_runs import session_over

from conformance.generation.call import GeneratedCall, creation
from conformance.generation.cases import MODES, OF_THE_PUBLIC, call_of, cases, drawn, schema
from conformance.generation.examples import judged, open_bodies, other_forms, welcome, words
from conformance.generation.meaning import is_plainly_unknown, types_in_body
from conformance.model.exchange import Operation
from conformance.scenarios.api import Api

KNOWN = ["contact-details", "Orders", "café", "a", ""]
LISTED = frozenset(KNOWN)


def every(seed: int, known: list[str] = KNOWN) -> list[GeneratedCall]:
    chance = random.Random(seed)
    return [
        *judged(known, frozenset(known), chance),
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
        for call in judged(KNOWN, LISTED, random.Random(seed)):
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
        return [cases(Operation.CREATE, mode, 20, seed, TYPES, ("en",)) for mode in MODES]

    first = bodies(3)
    assert first == bodies(3)
    assert first != bodies(4)
    assert list(tmp_path.iterdir()) == []


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
