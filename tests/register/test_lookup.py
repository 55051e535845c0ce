"""A bundle is looked up in a folder, a file and at an address, and a register that lies or is hostile is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import bundles
import pytest
import registers
from registers import BUILT, LATER

from conformance.evidence import signature
from conformance.evidence.authenticity import Result
from conformance.model.report import Report
from conformance.model.report_data import report_of
from conformance.register import lookup
from conformance.register import status as documents
from conformance.register.lookup import RegisterFault, results
from conformance.store import Store
from conformance.store.publication import withdraw

Answer = Callable[[BaseHTTPRequestHandler], None]


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


@contextmanager
def served(answer: Answer) -> Iterator[str]:
    """Yield the address of a server that answers each request so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answered(code: int, body: bytes = b"", **headers: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return answer


def files_of(folder: Path, paths: list[str] | None = None) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        if paths is not None:
            paths.append(request.path)
        place = folder / request.path.removeprefix("/register/")
        found = place.is_file()
        answered(200 if found else 404, place.read_bytes() if found else b"")(request)

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
    with served(files_of(signed, paths)) as address:
        found = results(address + path.format(digest), digest, report, key.with_suffix(".pub"), BUILT)

    assert shown(found) == VALID
    assert paths == [f"/register/status/{digest}.dsse.json"]


def test_without_a_key_the_signature_is_not_checked(signed: Path, digest: str, report: Report) -> None:
    found = results(str(signed), digest, report, None, BUILT)

    assert shown(found) == [("register", True), ("register signature", None)]
    assert "--register-key" in found[1].message


def test_another_key_is_not_that_of_the_register(signed: Path, digest: str, report: Report, tmp_path: Path) -> None:
    other = bundles.key(tmp_path).with_suffix(".pub")

    assert shown(results(str(signed), digest, report, other, BUILT)) == [
        ("register", True),
        ("register signature", False),
    ]


def test_a_status_expires_by_the_clock_of_the_reader(signed: Path, digest: str, report: Report) -> None:
    for moment, valid in (("2026-05-02T12:00:00.999Z", True), ("2026-05-02T12:00:01.000Z", False), (LATER, False)):
        assert results(str(signed), digest, report, None, moment)[0].valid is valid
    assert "expired at 2026-05-02T12:00:01.000Z" in results(str(signed), digest, report, None, LATER)[0].message


def test_a_superseded_status_names_its_successor(signed: Path, store: Path) -> None:
    with Store.open(store) as opened, opened.unpacked(list(opened.runs("worse"))[1].id) as folder:
        report = report_of(json.loads((folder / "report.json").read_bytes()))
    (found, _) = results(str(signed), registers.digest_of(store, "worse", 1), report, None, BUILT)

    assert found.valid is False
    assert f"superseded by that of sha256:{registers.digest_of(store, 'worse')}" in found.message


def test_a_withdrawn_status_has_its_reason(tmp_path: Path, report: Report) -> None:
    store = registers.filled(tmp_path)
    with Store.open(store) as opened:
        withdraw(opened, "fine", reason="Wrong service.", stated="2026-02-25", recorded=BUILT)
    registers.built(store, tmp_path / "out")

    (found, _) = results(str(tmp_path / "out"), registers.digest_of(store, "fine"), report, None, LATER)
    assert found.valid is False
    assert "withdrawn on 2026-02-25: Wrong service." in found.message


def test_a_bundle_that_is_not_listed_is_not_valid(signed: Path, report: Report) -> None:
    with served(files_of(signed)) as address:
        for place in (str(signed), f"{address}/register"):
            found = results(place, "00" * 32, report, None, BUILT)
            assert shown(found) == [("register", False)]
            assert "does not list this bundle" in found[0].message


def test_the_status_of_another_bundle_is_not_valid(signed: Path, store: Path, report: Report) -> None:
    file = signed / documents.file_of(registers.digest_of(store, "worse"), signed=True)

    found = results(str(file), registers.digest_of(store, "fine"), report, None, BUILT)
    assert shown(found) == [("register", False)]
    assert "Expected the status of sha256:" in found[0].message


def test_a_document_that_says_otherwise_than_the_run_is_not_valid(
    unsigned: Path, digest: str, report: Report, tmp_path: Path
) -> None:
    data = json.loads((unsigned / documents.file_of(digest, signed=False)).read_bytes())
    (tmp_path / "status.json").write_text(json.dumps(data | {"outcome": "inconclusive"}), "utf-8")

    found = results(str(tmp_path / "status.json"), digest, report, None, BUILT)
    assert "it has another outcome" in found[0].message
    assert found[0].valid is False


def altered(envelope: bytes, change: Callable[[dict[str, Any]], object], key: Path) -> bytes:
    """Return the statement of an envelope with a change, signed again."""
    statement = signature.check(envelope, None).statement
    change(statement)
    return signature.signed(statement, signature.signer(key, lambda: ""))


@pytest.mark.parametrize(
    "change",
    [
        lambda stated: stated.update(predicateType="https://slsa.dev/verification_summary/v1"),
        lambda stated: stated["subject"][0]["digest"].update(sha256="00" * 32),
        lambda stated: stated["predicate"].pop("status"),
        lambda stated: stated["predicate"]["status"].update(schema_version=2),
        lambda stated: stated["predicate"]["status"].update(valid_until="9999"),
        lambda stated: stated["predicate"]["status"].update(bundle="../x"),
        lambda stated: stated["predicate"]["status"].update(outcome="excellent"),
        lambda stated: stated.update(subject=[]),
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
        ("ftp://register.example/", "expected an https address"),
        ("http://localhost.example/", "expected an https address"),
        ("https://user:secret@register.example/", "expected an address without a user"),
        ("https:///path", "is not the address of a register"),
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


def endless(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    try:
        while True:
            request.wfile.write(b" " * 65_536)
    except OSError:
        return


def slow(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    request.connection.recv(1)  # until the client gives up


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (answered(500), "expected status 200, received 500"),
        (answered(302, Location="http://127.0.0.1:1/"), "redirects to another origin"),
        (answered(302, Location="https://127.0.0.1/"), "redirects to another origin"),
        (answered(302, Location="/register/again"), "at most 5 redirects"),
        (answered(200, b"\x1f\x8b", Content_Encoding="gzip"), "no content coding"),
        (answered(200, b"<html>"), "Expected a status document"),
        (answered(404), "Expected a register at"),
        (endless, "more than 1,048,576 bytes"),
        (slow, "within 0.2 s"),
    ],
)
def test_a_hostile_server_is_refused(
    answer: Answer, said: str, digest: str, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "_SECONDS", 0.2 if answer is slow else 10.0)

    with served(answer) as address, pytest.raises(RegisterFault, match=said) as fault:
        results(f"{address}/register", digest, report, None, BUILT)
    assert fault.value.remedy


def test_a_redirect_within_the_origin_is_followed(signed: Path, digest: str, report: Report) -> None:
    files = files_of(signed)

    def answer(request: BaseHTTPRequestHandler) -> None:
        if request.path.startswith("/old/"):
            answered(301, Location=request.path.replace("/old/", "/register/"))(request)
        else:
            files(request)

    with served(answer) as address:
        assert results(f"{address}/old/", digest, report, None, BUILT)[0].valid


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
        {"superseded_by": ""},
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
