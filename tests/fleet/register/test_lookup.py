"""A bundle is looked up in a folder, a file and at an address, and a register that lies or is hostile is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import bundles
import pytest
import registers
from cli_services import Response, answering, listening
from raw_server import Peer, RawServer, Script
from registers import BUILT, LATER, TERMS

from conformance.fleet.register import lookup
from conformance.fleet.register import status as documents
from conformance.fleet.register.lookup import RegisterFault, results
from conformance.fleet.store import Store
from conformance.model.report import Report
from conformance.model.report_data import report_of
from conformance.trust import signature
from conformance.trust.archive import EvidenceFault
from conformance.trust.authenticity import Result

Answer = Callable[[str], Response]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return registers.filled(tmp_path_factory.mktemp("registers"))


@pytest.fixture(scope="module")
def key(store: Path) -> Path:
    return bundles.key(store.parent)


@pytest.fixture(scope="module")
def signed(store: Path, key: Path) -> Path:
    """A signed register."""
    registers.built(store, store.with_name("signed"), key=key)
    return store.with_name("signed")


@pytest.fixture(scope="module")
def unsigned(store: Path) -> Path:
    registers.built(store, store.with_name("unsigned"))
    return store.with_name("unsigned")


@pytest.fixture(scope="module")
def report(store: Path) -> Report:
    with Store.open(store) as opened:
        (run,) = opened.runs("fine")
        with opened.unpacked(run.id) as folder:
            return report_of(json.loads((folder / "report.json").read_bytes()))


@pytest.fixture(scope="module")
def digest(store: Path) -> str:
    return registers.digest_of(store, "fine")


def files_of(folder: Path, paths: list[str] | None = None) -> Answer:
    def answer(path: str) -> Response:
        if paths is not None:
            paths.append(path)
        place = folder / path.removeprefix("/register/")
        return (200, {}, place.read_bytes()) if place.is_file() else (404, {}, b"")

    return answer


def shown(found: list[Result]) -> list[tuple[str, bool | None]]:
    return [(each.part, each.valid) for each in found]


VALID: list[tuple[str, bool | None]] = [("register", True), ("register signature", True)]


def test_a_valid_status_is_found_in_a_folder(signed: Path, digest: str, report: Report, key: Path) -> None:
    found = results(str(signed), digest, report, key.with_suffix(".pub"), BUILT)

    assert shown(found) == VALID
    assert "valid until 2026-05-02T12:00:01.000Z: 'fine' is listed as conforms" in found[0].message
    assert f"stated {BUILT}" in found[0].message


def test_and_in_a_file(signed: Path, unsigned: Path, digest: str, report: Report, key: Path) -> None:
    public = key.with_suffix(".pub")
    file = signed / documents.file_of(digest, signed=True)
    assert shown(results(str(file), digest, report, public, BUILT)) == VALID

    file = unsigned / documents.file_of(digest, signed=False)
    found = results(str(file), digest, report, None, BUILT)
    assert shown(found) == [("register", True), ("register signature", None)]
    assert "not signed" in found[1].message
    assert shown(results(str(file), digest, report, public, BUILT))[1] == ("register signature", False)


@pytest.mark.parametrize("path", ["/register", "/register/", "/register/index.html", "/register/status/{}.dsse.json"])
def test_and_at_an_address(path: str, signed: Path, digest: str, report: Report, key: Path) -> None:
    paths: list[str] = []
    with listening(answering(files_of(signed, paths))) as address:
        found = results(address + path.format(digest), digest, report, key.with_suffix(".pub"), BUILT)

    assert shown(found) == VALID
    assert paths == [f"/register/status/{digest}.dsse.json"]


def test_another_key_is_not_that_of_the_register(signed: Path, digest: str, report: Report, tmp_path: Path) -> None:
    other = bundles.key(tmp_path).with_suffix(".pub")

    assert shown(results(str(signed), digest, report, other, BUILT)) == [
        ("register", True),
        ("register signature", False),
    ]


def test_a_status_expires_by_the_clock_of_the_reader(store: Path, digest: str, report: Report, tmp_path: Path) -> None:
    registers.built(store, tmp_path / "out", terms=replace(TERMS, next_update=timedelta(days=365)))
    place = str(tmp_path / "out")
    for moment, valid in (("2026-05-02T12:00:00.999Z", True), ("2026-05-02T12:00:01.000Z", False), (LATER, False)):
        assert results(place, digest, report, None, moment)[0].valid is valid
    assert "expired at 2026-05-02T12:00:01.000Z" in results(place, digest, report, None, LATER)[0].message


def test_a_superseded_status_names_its_successor(signed: Path, store: Path) -> None:
    with Store.open(store) as opened, opened.unpacked(list(opened.runs("worse"))[1].id) as folder:
        report = report_of(json.loads((folder / "report.json").read_bytes()))
    (found, _) = results(str(signed), registers.digest_of(store, "worse", 1), report, None, BUILT)

    assert found.valid is False
    assert f"superseded by that of sha256:{registers.digest_of(store, 'worse')}" in found.message


def test_a_bundle_that_is_not_listed_is_not_valid(signed: Path, report: Report) -> None:
    with listening(answering(files_of(signed))) as address:
        for place in (str(signed), f"{address}/register"):
            found = results(place, "00" * 32, report, None, BUILT)
            assert shown(found) == [("register", False)]
            assert "does not list this bundle" in found[0].message


def test_the_status_of_another_bundle_is_not_valid(signed: Path, store: Path, report: Report) -> None:
    file = signed / documents.file_of(registers.digest_of(store, "worse"), signed=True)

    found = results(str(file), registers.digest_of(store, "fine"), report, None, BUILT)
    assert shown(found) == [("register", False)]
    assert "Expected the status of sha256:" in found[0].message


def altered(envelope: bytes, change: Callable[[dict[str, Any]], object], key: Path) -> bytes:
    """Return the statement of an envelope with a change, signed again."""
    statement = signature.check(envelope, None).statement
    change(statement)
    return signature.signed(statement, signature.signer(key, lambda: ""))


@pytest.mark.parametrize(
    "change",
    [
        lambda stated: stated["subject"][0]["digest"].update(sha256="00" * 32),
        lambda stated: stated["predicate"]["status"].update(schema_version=1),
        lambda stated: stated.update(predicateType="urn:drsi-conformance:register-status:v1"),
        lambda stated: stated["predicate"]["status"].pop("number"),
        lambda stated: stated["predicate"]["status"].update(number=10**30),
        lambda stated: stated["predicate"]["status"].update(issued="now"),
        lambda stated: stated["predicate"]["status"].update(valid_until="9999"),
        lambda stated: stated["predicate"]["status"].update(bundle="../x"),
        lambda stated: stated["predicate"]["status"].update(outcome="excellent"),
    ],
)
def test_another_statement_with_a_valid_signature_is_refused(
    change: Callable[[dict[str, Any]], object], signed: Path, digest: str, report: Report, key: Path, tmp_path: Path
) -> None:
    envelope = (signed / documents.file_of(digest, signed=True)).read_bytes()
    (tmp_path / "status.json").write_bytes(altered(envelope, change, key))

    with pytest.raises(RegisterFault, match="Expected a status document"):
        results(str(tmp_path / "status.json"), digest, report, key.with_suffix(".pub"), BUILT)


@pytest.mark.parametrize(
    "content", [b"", b"<html>", b"[]", b'{"payload": 1}', b'{"a": 1, "a": 2}', b"[" * 100_000, b"\xff", b"1" * 5_000]
)
def test_another_document_is_refused(content: bytes, digest: str, report: Report, tmp_path: Path) -> None:
    (tmp_path / "status.json").write_bytes(content)

    with pytest.raises(RegisterFault, match="Expected a status document") as fault:
        results(str(tmp_path / "status.json"), digest, report, None, BUILT)
    assert fault.value.remedy


@pytest.mark.parametrize("name", ["nowhere", "empty", "pages", "large.json", "\x00"])
def test_a_place_that_is_no_register_is_refused(name: str, digest: str, report: Report, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/site.json").write_text('{"built": ""}', "utf-8")
    (tmp_path / "large.json").write_bytes(b" " * 1_100_000)

    with pytest.raises(RegisterFault) as fault:
        results(str(tmp_path / name), digest, report, None, BUILT)
    assert fault.value.remedy


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://register.example/", "expected an https address"),
        ("https://user:secret@register.example/", "expected an address without a user"),
        ("https://[::1", "is not the address of a register"),
        ("http://127.0.0.1:1/", "cannot be read"),
        ("https://xn--n3h.example/", "cannot be read"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(address: str, said: str, digest: str, report: Report) -> None:
    with pytest.raises(RegisterFault, match=said) as fault:
        results(address, digest, report, None, BUILT)
    assert fault.value.remedy


def test_a_proxy_that_speaks_socks_is_no_crash(monkeypatch: pytest.MonkeyPatch, digest: str, report: Report) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    with pytest.raises(RegisterFault, match="cannot be read"):
        results("https://register.example/", digest, report, None, BUILT)


def endless(peer: Peer) -> None:
    peer.request()
    peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
    peer.flood(b" " * 65_536)


def slow(peer: Peer) -> None:
    peer.request()
    peer.hang()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((500, {}, b""), "expected status 200, received 500"),
        ((302, {"location": "http://127.0.0.1:1/"}, b""), "redirects to another origin"),
        ((302, {"location": "/register/again"}, b""), "at most 5 redirects"),
        ((200, {"content-encoding": "gzip"}, b"\x1f\x8b"), "no content coding"),
        ((200, {}, b"<html>"), "Expected a status document"),
    ],
)
def test_what_is_no_status_document_is_refused(answer: Response, said: str, digest: str, report: Report) -> None:
    with listening(answering(lambda _: answer)) as address, pytest.raises(RegisterFault, match=said) as fault:
        results(f"{address}/register", digest, report, None, BUILT)
    assert fault.value.remedy


@pytest.mark.parametrize(("script", "said"), [(endless, "more than 1,048,576 bytes"), (slow, "within 0.2 s")])
def test_an_endless_answer_and_a_slow_one_are_refused(
    script: Script, said: str, digest: str, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "_SECONDS", 0.2 if script is slow else 10.0)
    with RawServer(script) as server, pytest.raises(RegisterFault, match=said):
        results(server.url, digest, report, None, BUILT)


def test_a_register_that_lost_its_signatures_is_not_taken_for_signed(
    signed: Path, digest: str, report: Report, key: Path, tmp_path: Path
) -> None:
    shutil.copytree(signed, tmp_path / "copy")
    (tmp_path / "copy" / documents.file_of(digest, signed=True)).unlink()

    found = results(str(tmp_path / "copy"), digest, report, key.with_suffix(".pub"), BUILT)
    assert shown(found) == [("register", True), ("register signature", False)]


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "withdrawn"},
        {"state": "superseded"},
        {"superseded_by": "0" * 64},
        {"valid_until": "٢٠٢٦-03-01T00:00:00.000Z"},
    ],
)
def test_a_document_that_contradicts_itself_is_refused(
    unsigned: Path, digest: str, report: Report, tmp_path: Path, changes: dict[str, str]
) -> None:
    data = json.loads((unsigned / documents.file_of(digest, signed=False)).read_bytes())
    place = tmp_path / "status.json"
    place.write_text(json.dumps(data | changes), "utf-8")

    with pytest.raises(RegisterFault, match=r"its state is|its valid_until is"):
        results(str(place), digest, report, None, BUILT)


NEXT = "2026-03-02T05:00:00.000Z"


@pytest.fixture
def ask(digest: str, report: Report, key: Path) -> Callable[..., Result]:
    """Return what a register says of "fine"."""

    own = key.with_suffix(".pub")

    def asked(place: Path, moment: str = NEXT, public: Path | None = own) -> Result:
        return results(str(place), digest, report, public, moment)[0]

    return asked


@pytest.fixture
def newer(store: Path, key: Path, tmp_path: Path) -> Path:
    """The register as it was built a day later."""
    registers.built(store, tmp_path / "newer", key=key, moment=NEXT)
    return tmp_path / "newer"


def test_an_older_statement_than_one_that_was_seen_is_refused(
    signed: Path, newer: Path, ask: Callable[..., Result], state: Path
) -> None:
    assert (ask(signed).valid, ask(newer).valid, ask(newer).valid) == (True, True, True)

    found = ask(signed)

    assert found.valid is False
    assert (
        f"number 20260301050000 of the register, stated {BUILT}. It is older than number 20260302050000"
        in found.message
    )
    assert "Ask the register itself again." in found.message
    (kept,) = state.rglob("registers/*.json")
    assert json.loads(kept.read_bytes())["number"] == 20260302050000


def test_who_has_no_key_writes_nothing_that_is_remembered(
    signed: Path, newer: Path, ask: Callable[..., Result], state: Path, tmp_path: Path
) -> None:
    """A number counts only with a valid signature: otherwise anybody could make the true register look old."""
    assert ask(newer, public=None).valid
    ask(newer, public=bundles.key(tmp_path, name="other").with_suffix(".pub"))
    assert not state.exists()
    assert ask(signed).valid


def test_a_statement_holds_until_its_next_update(signed: Path, ask: Callable[..., Result]) -> None:
    assert ask(signed, "2026-03-08T04:59:59.999Z").valid

    found = ask(signed, "2026-03-08T05:00:00.000Z")

    assert ask(signed, "2026-03-08T05:00:00.000Z", public=None) == found
    assert (found.valid, found.needs_more) == (None, True)
    assert "to be stated again before 2026-03-08T05:00:00.000Z" in found.message
    assert "Ask the register again" in found.message


def test_a_statement_of_the_future_shows_a_wrong_clock_and_is_not_remembered(
    signed: Path, ask: Callable[..., Result], state: Path
) -> None:
    assert ask(signed, "2026-03-01T04:00:00.000Z").valid  # two clocks may differ by an hour
    shutil.rmtree(state)

    found = ask(signed, "2026-03-01T03:59:59.999Z")

    assert (found.valid, found.needs_more, state.exists()) == (None, True, False)
    assert f"stated {BUILT}; this machine has 2026-03-01T03:59:59.999Z. Set its clock" in found.message


def test_what_cannot_be_remembered_is_refused(signed: Path, ask: Callable[..., Result], state: Path) -> None:
    assert ask(signed).valid
    (kept,) = state.rglob("registers/*.json")
    for content in (b"", b"[]", b'{"number": "1"}', b"\xff"):
        kept.write_bytes(content)
        with pytest.raises(EvidenceFault, match="is not what 'verify --register' wrote") as fault:
            ask(signed)
        assert "Remove it" in fault.value.remedy

    shutil.rmtree(state)
    state.write_bytes(b"")
    with pytest.raises(EvidenceFault, match="cannot be kept") as fault:
        ask(signed)
    assert "XDG_STATE_HOME" in fault.value.remedy
