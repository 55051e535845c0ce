"""A bundle is looked up in a folder, a file and at an address, and a register that lies or is hostile is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import bundles
import pytest
import registers
from cli_services import Response, answering, listening
from raw_server import RawServer, Script, endless, silent
from registers import BUILT

from conformance.fleet.register import lookup
from conformance.fleet.register.lookup import results
from conformance.fleet.register.status import SIGNED, file_of
from conformance.fleet.store.store import Store
from conformance.http import other_servers
from conformance.model.report import Report
from conformance.trust import signature
from conformance.trust.archive import EvidenceFault
from conformance.trust.authenticity import Result

VALID: list[tuple[str, bool | None]] = [("register", True), ("register signature", True)]
NEXT = "2026-03-02T05:00:00.000Z"


@dataclass(frozen=True)
class Reader:
    """Looks up the bundle of "fine"; there are a register and its key."""

    store: Path
    key: Path
    signed: Path
    digest: str
    report: Report

    @property
    def public(self) -> Path:
        return self.key.with_suffix(".pub")

    def results(self, place: object, moment: str = BUILT, *, key: Path | None = None) -> list[Result]:
        return results(str(place), self.digest, self.report, key, moment)

    def shown(self, place: object, moment: str = BUILT, *, key: Path | None = None) -> list[tuple[str, bool | None]]:
        return [(each.part, each.valid) for each in self.results(place, moment, key=key)]

    def refused(self, place: object, said: str = ".", *, key: Path | None = None) -> None:
        with pytest.raises(EvidenceFault, match=said) as fault:
            self.results(place, key=key)
        assert fault.value.remedy

    def asked(self, place: Path, moment: str = NEXT) -> Result:
        """Return what a register says to a reader who has its key."""
        return self.results(place, moment, key=self.public)[0]


def run_of(store: Path, target: str, number: int = 0) -> tuple[str, Report]:
    """Return the digest of the bundle of a run, and its report."""
    with Store.open(store) as opened:
        run = list(opened.runs(target))[number]
        return run.bundle, opened.report(run.id)


@pytest.fixture
def reader(registered: Path, register: Path) -> Reader:
    return Reader(registered, registered.with_name("auditor.pem"), register, *run_of(registered, "fine"))


def files_of(folder: Path, paths: list[str]) -> Callable[[str], Response]:
    def answer(path: str) -> Response:
        paths.append(path)
        place = folder / path.removeprefix("/register/")
        return (200, {}, place.read_bytes()) if place.is_file() else (404, {}, b"")

    return answer


def test_a_valid_status_is_found_in_a_folder_and_in_a_file(reader: Reader) -> None:
    found = reader.results(reader.signed, key=reader.public)

    assert [(each.part, each.valid) for each in found] == VALID
    assert "valid until 2026-05-02T12:00:01.000Z: 'fine' is listed as conforms" in found[0].message
    file = reader.signed / file_of(reader.digest, SIGNED)
    assert reader.shown(file, key=reader.public) == VALID
    assert reader.shown(file) == [("register", True), ("register signature", None)]


def test_a_valid_status_is_found_at_an_address(reader: Reader) -> None:
    paths: list[str] = []
    with listening(answering(files_of(reader.signed, paths))) as address:
        assert reader.shown(f"{address}/register", key=reader.public) == VALID
    assert paths == [f"/register/status/{reader.digest}.dsse.json"]


@pytest.mark.parametrize(
    "change",
    [
        lambda stated: stated["subject"][0]["digest"].update(sha256="00" * 32),
        lambda stated: stated["predicate"]["status"].update(schema_version=1),
        lambda stated: stated.update(predicateType="urn:drsi-conformance:register-status:v1"),
        lambda stated: stated["predicate"]["status"].pop("number"),
        lambda stated: stated["predicate"]["status"].update(number=10**30),
        lambda stated: stated["predicate"]["status"].update(valid_until="9999"),
        lambda stated: stated["predicate"]["status"].update(valid_until="٢٠٢٦"),
        lambda stated: stated["predicate"]["status"].update(bundle="../x"),
        lambda stated: stated["predicate"]["status"].update(state="withdrawn"),
        lambda stated: stated["predicate"]["status"].update(superseded_by="0" * 64),
    ],
)
def test_another_statement_with_a_valid_signature_is_refused(
    change: Callable[[dict[str, Any]], object], reader: Reader, tmp_path: Path
) -> None:
    reader.refused(restated(reader, tmp_path, change), "Expected a signed status document", key=reader.public)


def restated(reader: Reader, folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Return the file of a changed statement with a valid signature."""
    envelope = (reader.signed / file_of(reader.digest, SIGNED)).read_bytes()
    statement = signature.check(envelope, None).statement
    change(statement)
    (folder / "status.json").write_bytes(signature.signed(statement, signature.signer(reader.key, str)))
    return folder / "status.json"


@pytest.fixture
def newer(reader: Reader, tmp_path: Path) -> Path:
    """The register as it was built a day later."""
    registers.built(reader.store, tmp_path / "newer", moment=NEXT)
    return tmp_path / "newer"


def test_an_older_statement_than_one_that_was_seen_is_refused(reader: Reader, newer: Path, state: Path) -> None:
    assert [reader.asked(each).valid for each in (reader.signed, newer, newer)] == [True, True, True]

    found = reader.asked(reader.signed)

    assert (found.valid, "It is older than number 20260302050000" in found.message) == (False, True)
    (kept,) = state.rglob("registers/*.json")
    assert json.loads(kept.read_bytes())["number"] == 20260302050000


def test_who_has_no_key_writes_nothing_that_is_remembered(
    reader: Reader, newer: Path, state: Path, tmp_path: Path
) -> None:
    """A number counts only with a valid signature: otherwise anybody could make the true register look old."""
    assert reader.results(newer, NEXT)[0].valid
    reader.results(newer, NEXT, key=bundles.key(tmp_path, name="other").with_suffix(".pub"))
    assert not state.exists()
    assert reader.asked(reader.signed).valid


@pytest.mark.parametrize(
    ("moment", "valid", "said"),
    [
        ("2026-03-01T03:59:59.999Z", None, "Set its clock"),  # two clocks may differ by an hour
        ("2026-03-01T04:00:00.000Z", True, "valid until 2026-05-02T12:00:01.000Z"),
        ("2026-03-08T05:00:00.000Z", None, "to be stated again before 2026-03-08T05:00:00.000Z"),
        ("2026-05-02T12:00:01.000Z", False, "expired at 2026-05-02T12:00:01.000Z"),
    ],
)
def test_a_statement_holds_for_a_time(reader: Reader, state: Path, moment: str, valid: bool | None, said: str) -> None:
    found = reader.asked(reader.signed, moment)
    assert (found.valid, found.needs_more, said in found.message) == (valid, valid is None, True)
    assert state.exists() is ("Set its clock" not in said)  # what is remembered


def test_a_status_that_a_later_run_superseded_does_not_hold(reader: Reader) -> None:
    digest, report = run_of(reader.store, "worse", 1)
    found, _ = results(str(reader.signed), digest, report, reader.public, BUILT)
    assert (found.valid, "is superseded by that of sha256:" in found.message) == (False, True)


def test_what_cannot_be_remembered_is_refused(reader: Reader, state: Path) -> None:
    assert reader.asked(reader.signed).valid
    (kept,) = state.rglob("registers/*.json")
    for content in (b"", b'{"number": "1"}', b"\xff"):
        kept.write_bytes(content)
        with pytest.raises(EvidenceFault, match="is not what 'verify --register' wrote"):
            reader.asked(reader.signed)

    shutil.rmtree(state)
    state.write_bytes(b"")
    with pytest.raises(EvidenceFault, match="cannot be kept"):
        reader.asked(reader.signed)


def test_a_bundle_that_is_not_listed_is_not_valid(reader: Reader) -> None:
    absent, other = replace(reader, digest="00" * 32), registers.digest_of(reader.store, "worse")
    with listening(answering(files_of(reader.signed, []))) as address:
        for place in (reader.signed, f"{address}/register"):
            (found,) = absent.results(place)
            assert (found.valid, "does not list this bundle" in found.message) == (False, True)
    (found,) = reader.results(reader.signed / file_of(other, SIGNED))
    assert (found.valid, "Expected the status of sha256:" in found.message) == (False, True)


@pytest.mark.parametrize("content", [b"", b"[]", b'{"payload": 1}', b'{"a": 1, "a": 2}', b"[" * 100_000, b" " * 2**21])
def test_another_document_is_refused(content: bytes, reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "status.json").write_bytes(content)
    reader.refused(tmp_path / "status.json", "xpected a (signed )?status document")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((302, {"location": "http://127.0.0.1:1/"}, b""), "expected status 200, received 302"),
        ((200, {"content-encoding": "gzip"}, b"\x1f\x8b"), "cannot be read"),
        (endless, "1 MiB"),
        (silent, "0.2 s"),
    ],
)
def test_a_hostile_register_is_refused(
    answer: Response | Script, said: str, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(other_servers.LIMITS, deadline=0.2 if answer is silent else 10.0)
    monkeypatch.setattr(lookup, "answer_to", partial(other_servers.answer_to, limits=limits))
    if callable(answer):
        with RawServer(answer) as server:
            reader.refused(server.url, said)
    else:
        with listening(answering(lambda _: answer)) as address:
            reader.refused(f"{address}/register", said)
