"""The archive: everything in it, the same bytes each time, and no harm from a hostile or forged one.

A forged bundle has foreign members, look-alike names, or members that programs read differently.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import struct
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from bundles import key, listed_again, packed, recorded, written
from platforms import POSIX_MODES, SYMBOLIC_LINKS

from conformance.cli.recorded import AlteredRun, read
from conformance.reports import files
from conformance.trust import archive, authenticity, bundle, signature, wheel
from conformance.trust.archive import EvidenceFault

COMPOSED = unicodedata.normalize("NFC", "attachments/Löschung.pdf")


def refused(path: Path) -> str:
    with pytest.raises(EvidenceFault) as fault, bundle.opened(path):
        pass
    assert fault.value.remedy
    return str(fault.value)


def zipped(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes], comment: bytes = b"") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries:
            made.writestr(name, content)
        made.comment = comment
    return path


@POSIX_MODES
def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run")
    signing = key(tmp_path)
    first = archive.packed(packed(run, signing))
    for name in ("evidence.har", "report.json"):
        os.utime(run / name, (0, 0))
        (run / name).chmod(0o600)

    assert archive.packed(dict(reversed(packed(run, signing).items()))) == first


def test_what_is_no_part_of_the_run_stays_out(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run")
    for name in ("journal.jsonl", "token", "pseudonyms.key", ".env"):
        (run / name).write_text("secret")

    assert {"journal.jsonl", "token", "pseudonyms.key", ".env"}.isdisjoint(packed(run))
    content = bundle.contents(run, samples.eventful(), samples.evidence(), key="ab" * 32)
    assert content["pseudonyms.key"] == b"ab" * 32 + b"\n"


@SYMBOLIC_LINKS
def test_a_link_is_not_packed(tmp_path: Path) -> None:
    """A folder that somebody sent may lead to a key of the person who packs it, and gets it back in the bundle."""
    run = recorded(tmp_path / "run")
    (tmp_path / "key").write_text("secret")
    (run / "junit.xml").unlink()
    (run / "junit.xml").symlink_to(tmp_path / "key")
    with pytest.raises(EvidenceFault, match=r"junit\.xml is a symbolic link"):
        packed(run)


def attested(folder: Path, *names: str, text: bytes = b"We delete.", kept: bool = False, **changes: Any) -> Path:
    """Return a run in which a person attached documents with these names; its folder has them if they are kept."""
    report = samples.eventful() | changes
    digest = hashlib.sha256(text).hexdigest()
    statement = {"requirement": "1-erasure", "statement": "We erase.", "name": "A. Person", "date": "2026-01-31"}
    documents = [*({"name": name, "sha256": digest} for name in names), None]
    report["attestations"] = [statement | {"document": each} for each in documents]
    run = recorded(folder / "run", report)
    (run / "attachments").mkdir()
    (run / "attachments/other.pdf").write_text("not named")
    for name in names if kept else ():
        (run / "attachments" / name).write_bytes(text)
    return run


def test_attested_documents_are_packed(tmp_path: Path) -> None:
    name = "Löschung von Daten (2026).pdf"
    run = attested(tmp_path, name)
    assert not any(each.startswith("attachments/") for each in packed(run))

    (run / "attachments" / name).write_bytes(b"We delete.")

    with bundle.opened(written(tmp_path / "a.zip", packed(run))) as folder:
        assert (folder / "attachments" / name).read_bytes() == b"We delete."
        assert [path.name for path in (folder / "attachments").iterdir()] == [name]

    (run / "attachments" / name).write_bytes(b"We do not.")
    with pytest.raises(EvidenceFault, match="is not the document that was attested"):
        packed(run)


def test_a_document_is_no_way_to_other_files(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    for number, name in enumerate(("../../../secret", str(tmp_path / "secret"), "..", "")):
        assert len(packed(attested(tmp_path / str(number), name, text=b"secret"))) == 5 + 1 + 9 + 1
    run = attested(tmp_path / "hidden", ".secret", text=b"secret")
    (run / "attachments/.secret").write_text("secret")
    with pytest.raises(EvidenceFault, match="cannot be packed under the name"):
        archive.packed(packed(run))


def test_absent_and_additional_files_are_named(tmp_path: Path) -> None:
    content = packed(recorded(tmp_path / "run"))

    added = written(tmp_path / "added.zip", content | {"report.xml": b"conforms"})
    removed = written(tmp_path / "removed.zip", {name: text for name, text in content.items() if name != "junit.xml"})
    without = written(tmp_path / "without.zip", {"report.json": b"{}"})
    emptied = listed_again({name: text for name, text in content.items() if name != "evidence.har"})

    assert "report.xml, which manifest.json does not list" in refused(added)
    assert "expected the file junit.xml, received none" in refused(removed)
    assert "expected the file manifest.json, received none" in refused(without)
    assert "expected the file evidence.har, received none" in refused(written(tmp_path / "emptied.zip", emptied))


@pytest.mark.parametrize(
    "text",
    [b'{"files": []}', b'{"files": {"a": {"sha256": "", "size": 1e999}}}', b"[" * 99_999, b"\xff"],
)
def test_a_manifest_that_is_none(tmp_path: Path, text: bytes) -> None:
    path = written(tmp_path / "a.zip", packed(recorded(tmp_path / "run")) | {"manifest.json": text})
    assert "manifest.json is no list of files" in refused(path)


@pytest.mark.parametrize(
    "name",
    [
        "../a",
        "/etc/a",
        "a\\..\\b",
        "C:/a",
        ".a",
        "a\nb",
        "x" * 201,
        "a\u202eb",
        "NUL",
        "a.",
        "a /b",
        "rероrt.html",
        "report.html\u200b",
        "schemas/\uff41.json",
    ],
)
def test_a_name_that_leads_out_of_the_folder_or_looks_like_another_is_refused(tmp_path: Path, name: str) -> None:
    assert "expected names such as" in refused(zipped(tmp_path / "a.zip", (name, b"text")))
    with pytest.raises(EvidenceFault, match="cannot be packed under the name"):
        archive.packed({name: b"text"})


def test_a_file_cannot_take_the_place_of_another(tmp_path: Path) -> None:
    same = zipped(tmp_path / "same.zip", ("report.json", b"a"), ("Report.json", b"b"))
    alike = zipped(tmp_path / "alike.zip", *((unicodedata.normalize(form, COMPOSED), b"") for form in ("NFC", "NFD")))
    nested = zipped(tmp_path / "nested.zip", ("a", b"a"), ("a/b", b"b"))

    assert "expected each file once" in refused(same)
    assert "expected each file once" in refused(alike)
    assert "cannot be unpacked" in refused(nested)


@SYMBOLIC_LINKS
def test_a_link_is_unpacked_as_a_file(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("report.json")
    link.external_attr = 0o120777 << 16
    archive.unpack(zipped(tmp_path / "a.zip", (link, b"/etc/passwd")), tmp_path / "out")
    assert not (tmp_path / "out/report.json").is_symlink()


@SYMBOLIC_LINKS
def test_no_link_beside_the_archive_is_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("of the user", "utf-8")
    (tmp_path / ".run.zip.part").symlink_to(other)
    archive.write(tmp_path / "run.zip", {"report.json": b"{}"})

    assert (other.read_text("utf-8"), (tmp_path / "run.zip").is_symlink()) == ("of the user", False)
    assert {each.name for each in tmp_path.iterdir()} == {"other", ".run.zip.part", "run.zip"}


def test_an_archive_cannot_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(archive, "MOST_RATIO", 10)
    monkeypatch.setattr(archive, "MOST_FILES", 10)
    text = random.Random(1).randbytes(600_000)
    large = zipped(tmp_path / "large.zip", ("a", text), ("b", text))
    bomb = zipped(tmp_path / "bomb.zip", ("a", bytes(600_000)))
    many = zipped(tmp_path / "many.zip", *((f"a{number}", b"") for number in range(11)))

    assert "at most 1,000,000 bytes in all" in refused(large)
    assert f"at most {10 * bomb.stat().st_size:,} bytes in all" in refused(bomb)
    with pytest.raises(EvidenceFault):
        archive.unpack(bomb, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert "at most 10 files, received 11" in refused(many)


def test_an_archive_in_an_archive_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ratio of the outer archive times that of the inner one would be 40,000."""
    monkeypatch.setattr(wheel, "_MOST_BYTES", 1_000)
    path = tmp_path / "suite.whl"
    path.write_bytes(wheel.packed({"conformance/a.py": b"x" * 2_000}))

    assert "expected at most 1,000 bytes in all" in wheel.fault(path, "sha256:0")


def test_what_could_be_a_bomb_is_packed_as_it_is(tmp_path: Path) -> None:
    """A hostile service sends one letter a million times; its run can still be packed and unpacked."""
    made = archive.packed({"evidence.har": bytes(1 << 20), "report.json": b"{}" * 99})
    (tmp_path / "a.zip").write_bytes(made)
    archive.unpack(tmp_path / "a.zip", tmp_path / "out")

    assert (tmp_path / "out/evidence.har").read_bytes() == bytes(1 << 20)
    assert len(made) > 1 << 20
    with pytest.raises(EvidenceFault, match="at most 9 bytes in all"):
        archive.member(made, "report.json", most=9)


def test_a_size_that_is_not_that_of_the_file_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", ("report.json", random.Random(1).randbytes(99_999)))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<L", 10)
    path.write_bytes(data)

    assert "no usable bundle: it is damaged" in refused(path)


def _with_a_longer_list(data: bytes) -> bytes:
    size = struct.pack("<L", (1 << 20) + 1)
    return data[:-10] + size + data[-6:]


def _with_a_list_of_the_other_kind(data: bytes) -> bytes:
    return data[:-22] + b"PK\x06\x07" + bytes(16) + data[-22:]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"PK\x03\x04", b"PK\x03\x05", 1),
        lambda data: data[:60] + b"\0\0\0\0" + data[64:],
        lambda data: data.replace(b"\x08\x00\x00\x00\x21\x00", b"\x63\x00\x00\x00\x21\x00"),
        _with_a_longer_list,
        _with_a_list_of_the_other_kind,
    ],
    ids=["empty", "end cut", "half", "header", "content", "compression", "list", "zip64"],
)
def test_a_damaged_archive(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = written(tmp_path / "a.zip", packed(recorded(tmp_path / "run")))
    path.write_bytes(damage(path.read_bytes()))
    assert "a.zip is no usable bundle" in refused(path)


def members(path: Path, content: dict[str, bytes]) -> authenticity.Result:
    """Return what is said of the names in a bundle that has these files."""
    with bundle.opened(written(path, listed_again(content))) as folder:
        return authenticity._of_the_members(folder, authenticity._report(folder))


def test_members_that_options_add_are_known(tmp_path: Path) -> None:
    run = attested(tmp_path, Path(COMPOSED).name, "plan.pdf", kept=True)
    for name in files.FILE_NAMES:
        (run / name).touch()
    found = members(tmp_path / "a.zip", packed(run, key(tmp_path)) | {bundle.KEY: b"ab" * 32 + b"\n"})
    assert found.valid is True, found.message


@pytest.mark.parametrize("name", ["certificate.html", "schemas/own.schema.json", "attachments/b.pdf"])
def test_a_foreign_member_is_refused(tmp_path: Path, name: str) -> None:
    found = members(tmp_path / "a.zip", packed(recorded(tmp_path / "run")) | {name: b"<h1>Certified</h1>"})
    assert (found.valid, name in found.message) == (False, True)


def test_a_member_that_only_another_build_knows_is_named_and_accuses_no_one(tmp_path: Path) -> None:
    run = attested(tmp_path, "a.pdf", kept=True, suite=samples.eventful()["suite"] | {"build": f"sha256:{'1' * 64}"})
    found = members(tmp_path / "a.zip", packed(run) | {"report.pdf": b"%PDF"})
    assert (found.valid, "report.pdf" in found.message) == (None, True)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("report.json", '"verdict": "fail"', '"verdict": "pass", "verdict": "fail"'),
        ("evidence.har", '"status": ', '"status": 200, "status": '),
    ],
)
def test_a_member_that_is_there_twice_is_refused(tmp_path: Path, name: str, old: str, new: str) -> None:
    content = packed(recorded(tmp_path / "run"))
    text = content[name].decode()
    assert old in text
    assert json.loads(text.replace(old, new, 1)) == json.loads(text), "programs that take the last one see no change"

    path = written(tmp_path / "a.zip", listed_again(content | {name: text.replace(old, new, 1).encode()}))
    with pytest.raises(AlteredRun, match=rf"{name} cannot be read .* it was altered: two members '\w+' in one object"):
        read(path, needs_evidence=True)


def test_what_follows_the_evidence_is_refused(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run")
    with (run / files.EVIDENCE).open("ab") as file:
        file.write(b'{"log": {"entries": []}}\n')
    with pytest.raises(ValueError, match="Extra data"):
        files.evidence_in(run / files.EVIDENCE)


def test_a_manifest_that_lists_a_file_twice_is_refused(tmp_path: Path) -> None:
    content = packed(recorded(tmp_path / "run"))
    text = content[bundle.MANIFEST].decode()
    content[bundle.MANIFEST] = text.replace('"files": {', '"files": {"report.html": {}, ', 1).encode()
    assert "manifest.json has two members 'report.html'" in refused(written(tmp_path / "a.zip", content))


def test_a_statement_with_a_member_twice_is_refused(tmp_path: Path) -> None:
    def said_of(text: str) -> authenticity.Result:
        return authenticity._of_the_signature(signature.check(text.encode(), None))

    envelope = json.loads(packed(recorded(tmp_path / "run"), key(tmp_path))[bundle.STATEMENT])
    text = json.dumps(envelope).replace('"payload": ', '"payload": "e30=", "payload": ')
    found = said_of(text)
    assert (found.valid, "two members 'payload'" in found.message) == (False, True)

    payload = base64.b64decode(envelope["payload"]).decode()
    twice = payload.replace('"result":', '"result": "PASSED", "result":')
    assert twice != payload
    envelope["payload"] = base64.b64encode(twice.encode()).decode()
    found = said_of(json.dumps(envelope))
    assert (found.valid, "two members 'result'" in found.message) == (False, True)
