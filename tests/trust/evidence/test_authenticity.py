"""Who vouches for a bundle and since when: each way in which signature, statement and time stamp can be wrong."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from bundles import PASSPHRASE, key, listed_again, packed, recorded, written
from cli_services import answering, listening
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from time_stamps import Authority, authority, needs_openssl

from conformance.model.build import build
from conformance.model.requirements import catalogue
from conformance.model.verdict import Outcome
from conformance.reports import files
from conformance.trust import authenticity, bundle, signature, statement, timestamp
from conformance.trust.archive import EvidenceFault

PAGES = authenticity.pages


@dataclass(frozen=True)
class Case:
    """A recorded run, and a private key with its public one."""

    run: Path
    private: Path

    @property
    def public(self) -> Path:
        """The file of the public key."""
        return self.private.with_suffix(".pub")

    def results(self, content: dict[str, bytes], **given: Path) -> dict[str, authenticity.Result]:
        """Return what `check` says of the bundle with these files, by part."""
        path = written(self.run.parent / "checked.zip", content)
        with bundle.opened(path) as folder:
            found = authenticity.check(folder, given.get("key"), given.get("ca"))
        return {each.part: each for each in found}


@pytest.fixture(autouse=True)
def _pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pages of a bundle be what its report says: they are made again in the test of them alone."""
    monkeypatch.setattr(authenticity, "pages", lambda *_: authenticity.Result("pages", True, ""))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(recorded(tmp_path / "run"), key(tmp_path))


def altered(case: Case, **changes: Any) -> dict[str, bytes]:
    """Return the signed bundle in which report.json has changes, with a manifest that fits."""
    content = packed(case.run, case.private)
    report = json.loads(content["report.json"]) | changes
    return listed_again(content | {"report.json": json.dumps(report).encode()})


@pytest.mark.parametrize(("kind", "passphrase"), [("ed25519", ""), ("ecdsa", PASSPHRASE)])
def test_a_valid_signature(tmp_path: Path, kind: str, passphrase: str) -> None:
    case = Case(recorded(tmp_path / "run"), key(tmp_path, kind, passphrase=passphrase))

    results = case.results(packed(case.run, case.private), key=case.public)

    assert {part: each.valid for part, each in results.items()} == {
        "signature": True,
        "statement": True,
        "time stamp": None,
        "members": True,
        "catalogue": True,
        "pages": True,
    }
    assert re.fullmatch(r"The signature of auditor.pub \(SHA256:[0-9a-f]{64}\) is valid.", results["signature"].message)


def test_the_envelope_is_that_of_the_specification_of_dsse(case: Case) -> None:
    envelope = json.loads(packed(case.run, case.private)[bundle.STATEMENT])
    payload = base64.b64decode(envelope["payload"])
    (signed,) = envelope["signatures"]
    public = load_pem_public_key(case.public.read_bytes())
    assert isinstance(public, Ed25519PublicKey)

    kind = b"application/vnd.in-toto+json"
    assert envelope["payloadType"].encode() == kind
    public.verify(base64.b64decode(signed["sig"]), b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload))


def test_a_bundle_without_signature_and_time_stamp(case: Case) -> None:
    content = packed(case.run)

    assert case.results(content)["signature"] == authenticity.Result(
        "signature", None, "The bundle has no signature.", is_absent=True
    )
    required = case.results(content, key=case.public)["signature"]
    assert required.valid is False
    assert "Expected a signature, because of --key; the bundle has none." in required.message
    stamped = case.results(content, ca=case.public)["time stamp"]
    assert (stamped.valid, "Expected a time stamp, because of --tsa-ca" in stamped.message) == (False, True)


def test_the_signature_of_another_key(case: Case) -> None:
    other = key(case.run.parent, name="other")
    result = case.results(packed(case.run, other), key=case.public)["signature"]
    assert result.valid is False
    assert result.message.startswith("The signature is by another key: expected auditor.pub SHA256:")
    assert ", received SHA256:" in result.message


@pytest.mark.parametrize("own", [True, False])
def test_the_name_of_a_key_is_not_needed_and_proves_nothing(case: Case, own: bool) -> None:
    content = packed(case.run, case.private if own else key(case.run.parent, name="other"))
    envelope = json.loads(content[bundle.STATEMENT])
    signed = json.loads(packed(case.run, case.private)[bundle.STATEMENT])["signatures"][0]
    envelope["signatures"][0]["keyid"] = "as another tool names it" if own else signed["keyid"]
    content[bundle.STATEMENT] = json.dumps(envelope).encode()

    assert case.results(content, key=case.public)["signature"].valid is own


@pytest.mark.parametrize(
    ("changes", "member"),
    [
        ({"outcome": "conforms"}, "predicate.drsiRun.outcome"),
        ({"started": "2027-01-01T00:00:00Z"}, "predicate.drsiRun.started"),
    ],
)
def test_a_statement_about_another_report(case: Case, changes: dict[str, Any], member: str) -> None:
    results = case.results(altered(case, **changes), key=case.public)
    assert (results["signature"].valid, results["statement"].valid) == (True, False)
    assert member in results["statement"].message
    assert "manifest.json: subject" in results["statement"].message


def test_a_report_that_is_none(case: Case) -> None:
    content = listed_again(packed(case.run, case.private) | {"report.json": b'{"requirements": 1}'})
    results = case.results(content, key=case.public)
    assert (results["statement"].valid, results["members"].valid) == (False, False)


@pytest.mark.parametrize("text", [b"[]", b'{"payload": 1, "payloadType": "", "signatures": []}', b"\xff"])
def test_an_envelope_that_is_none(case: Case, text: bytes) -> None:
    results = case.results(packed(case.run) | {bundle.STATEMENT: text}, key=case.public)
    assert (results["signature"].valid, results["statement"].valid) == (False, False)


def test_a_signed_text_of_another_kind(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(signature, "PAYLOAD_TYPE", "text/plain")
        content = packed(case.run, case.private)
    assert case.results(content, key=case.public)["signature"].valid is False


def test_pages_that_say_something_else(case: Case) -> None:
    data, evidence = (json.loads((case.run / name).read_bytes()) for name in (files.DATA, files.EVIDENCE))
    files.write_views(case.run, data, evidence, [*files.OF_PYTEST_HTML])  # which a library makes
    assert PAGES(case.run).valid is True
    page = case.run / "report.html"
    page.write_bytes(page.read_bytes().replace(b"Does not conform", b"Conforms"))
    said = "report.html: not what this version makes of report.json."
    assert PAGES(case.run) == authenticity.Result("pages", False, said)
    (case.run / "report.json").write_bytes(b'{"requirements": 1}')
    assert PAGES(case.run).valid is False


def test_another_catalogue(case: Case) -> None:
    content = packed(case.run) | {"catalogue/requirements.toml": b"# nothing is required"}
    result = case.results(listed_again(content))["catalogue"]
    assert result.valid is False
    assert "is not the catalogue of the run: expected sha256:" in result.message


def predicate(report: dict[str, Any]) -> dict[str, Any]:
    return dict(statement.statement(report, b'{"files": {"schemas/a.json": {"sha256": "00"}}}')["predicate"])


def test_only_a_run_that_conforms_is_passed() -> None:
    results = {each: predicate(samples.data(samples.report(each)))["result"] for each in Outcome}
    assert [each for each, result in results.items() if result == "PASSED"] == [Outcome.CONFORMS]
    failed = {each for each, result in results.items() if result == "FAILED"}
    assert failed == {Outcome.DOES_NOT_CONFORM, Outcome.INCONCLUSIVE}


def test_a_statement_names_every_decided_test() -> None:
    report = samples.eventful()
    report["run"]["nonce"] = "4711"

    said = predicate(report)

    verdicts = {row["id"]: row["verdict"] for row in report["requirements"]}
    for name, verdict in (("passedTests", "pass"), ("warnedTests", "warn"), ("failedTests", "fail")):
        assert said[name] == [each for each, found in verdicts.items() if found == verdict] != []
    assert [each["name"] for each in said["configuration"]] == ["schemas/a.json", "options"]
    assert (said["drsiRun"]["nonce"], said["drsiRun"]["target"]) == ("4711", samples.BASE_URL)
    assert said["drsiRun"]["edition"] == catalogue().edition.digest
    assert said["drsiRun"]["build"] == build()
    assert predicate(report | {"outcome": "conforms"})["result"] == "WARNED"


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Authority, Authority]]:
    place = tmp_path_factory.mktemp("authorities")
    with authority(place / "one") as one, authority(place / "two", backwards=True) as two:
        yield one, two


@needs_openssl
def test_time_stamps(case: Case, authorities: tuple[Authority, Authority]) -> None:
    one, two = authorities
    for chain in authorities:  # openssl keeps the order of its file, of which at most one is that of DER
        assert timestamp.check(timestamp.requested(chain.url, b"data"), b"data", chain.ca).valid is True
    before = datetime.now(UTC).replace(microsecond=0)
    signed, unsigned = packed(case.run, case.private), packed(case.run)
    for content, covered in ((signed, bundle.STATEMENT), (unsigned, bundle.MANIFEST)):
        content[bundle.TIME_STAMP] = timestamp.requested(one.url, content[covered])

    elsewhere = packed(case.run, key(case.run.parent, name="other"))
    for content in (signed, unsigned):
        valid = case.results(content, ca=one.ca)["time stamp"]
        assert (valid.valid, valid.message.endswith(" by CN=Auditor.")) == (True, True)
        unchecked = case.results(content)["time stamp"]
        assert (unchecked.valid, "its authority was not checked" in unchecked.message) == (None, True)
        by_another = case.results(content, ca=two.ca)["time stamp"]
        assert by_another.valid is False
        assert "expected a stamp whose certificate leads to a root certificate in ca.pem" in by_another.message
        for given in ({}, {"ca": one.ca}):
            about_other = case.results(elsewhere | {bundle.TIME_STAMP: content[bundle.TIME_STAMP]}, **given)
            assert about_other["time stamp"] == authenticity.Result(
                "time stamp", False, "The time stamp is not valid: it is about other bytes."
            )

    found = timestamp.check(signed[bundle.TIME_STAMP], signed[bundle.STATEMENT], one.ca)
    assert found.time is not None
    assert before <= found.time <= datetime.now(UTC)


@needs_openssl
def test_a_time_stamp_that_is_none(case: Case, authorities: tuple[Authority, Authority]) -> None:
    for text in (b"", b"<html>", bytes(100)):
        content = packed(case.run) | {bundle.TIME_STAMP: text}
        assert case.results(content, ca=authorities[0].ca)["time stamp"].valid is False
    with pytest.raises(EvidenceFault, match="expected certificates in PEM form"):
        timestamp.check(b"", b"", case.public)
    with pytest.raises(EvidenceFault, match="cannot be read"):
        timestamp.check(b"", b"", case.run)


@needs_openssl
def test_the_answer_to_another_request_is_no_time_stamp(authorities: tuple[Authority, Authority]) -> None:
    earlier = timestamp.requested(authorities[0].url, b"data")
    with (
        listening(answering(lambda _path: (200, {}, earlier))) as origin,
        pytest.raises(EvidenceFault, match="about another request"),
    ):
        timestamp.requested(origin, b"data")
