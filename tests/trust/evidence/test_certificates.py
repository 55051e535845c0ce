"""The certificate chain of a signer: which chains lead to an authority, and why others do not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bundles import KINDS, key, packed, recorded, written
from certificates import ISSUES, NOW, SIGNS, chain, pem
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from conformance.trust import authenticity, bundle
from conformance.trust.archive import EvidenceFault
from conformance.trust.certificates import problem

UNKNOWN = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"")


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_leads_to_its_root_in_each_usual_form(kind: str) -> None:
    *given, root = chain(kind, Root={"path_length": 2}, Office={"path_length": 1}, Department={"path_length": 0})

    assert problem(given, [root], NOW) == ""
    assert problem([*given, root], [root], NOW) == ""
    assert problem(given, [chain(kind)[-1], root], NOW) == ""
    assert problem(given[:2], [given[2]], NOW) == ""


BAD: dict[str, tuple[Callable[[], list[x509.Certificate]], str]] = {
    "signer expired": (lambda: chain(Auditor={"days": (-30, -1)}), "CN=Auditor is valid from"),
    "authority expired": (lambda: chain(Office={"days": (-30, -1)}), "CN=Office is valid from"),
    "no authority": (lambda: chain(Office={"ca": False}), "CN=Office may not issue certificates"),
    "key not for certificates": (lambda: chain(Department={"usage": SIGNS}), "CN=Department may not issue"),
    "key not for signatures": (lambda: chain(Auditor={"usage": ISSUES}), "CN=Auditor is not for signatures"),
    "too far below": (lambda: chain(Office={"path_length": 0}), "CN=Office may not issue for authorities"),
    "unknown critical extension": (lambda: chain(Auditor={"critical": UNKNOWN}), "not understood (1.2.3.4)"),
    "limited names": (
        lambda: chain(Office={"critical": x509.NameConstraints([x509.DNSName("example")], None)}),
        "CN=Office has a critical extension",
    ),
    "another issuer": (lambda: chain(Auditor={"issuer": "Office"}), "CN=Auditor was not issued by CN=Department"),
    "a gap": (lambda: [each for place, each in enumerate(chain()) if place != 1], "was not issued by CN=Office"),
    "another root": (lambda: [*chain()[:3], chain()[3]], "CN=Office was not issued by an authority"),
}


@pytest.mark.parametrize(("made", "reason"), BAD.values(), ids=BAD)
def test_a_chain_that_leads_nowhere_says_why(made: Callable[[], list[x509.Certificate]], reason: str) -> None:
    *given, root = made()

    assert reason in problem(given, [root], NOW)


def test_a_bundle_is_checked_with_the_chain_of_its_signer(tmp_path: Path) -> None:
    private = key(tmp_path)
    own = load_pem_private_key(private.read_bytes(), None)
    path = written(tmp_path / "run.drsi.zip", packed(recorded(tmp_path / "run"), private))
    *given, root = chain(own=own, now=datetime.now(UTC))
    (tmp_path / "chain.pem").write_bytes(pem(*given))
    (tmp_path / "foreign.pem").write_bytes(pem(*chain()))
    (tmp_path / "root.pem").write_bytes(pem(root))

    def results(chain: str, ca: str) -> dict[str, authenticity.Result]:
        with bundle.opened(path) as folder:
            found = authenticity.check(folder, tmp_path / chain, None, ca=tmp_path / ca)
        return {each.part: each for each in found}

    good = results("chain.pem", "root.pem")
    assert (good["signature"].valid, good["certificate"].valid) == (True, True)
    assert "The signer is CN=Auditor, by a certificate that leads to root.pem" in good["certificate"].message
    bad = results("foreign.pem", "root.pem")
    assert (bad["signature"].valid, bad["certificate"].valid) == (False, False)
    with pytest.raises(EvidenceFault, match=r"auditor\.pub: expected certificates in PEM form"):
        results("auditor.pub", "root.pem")
    with pytest.raises(EvidenceFault, match="nowhere: cannot be read"):
        results("chain.pem", "nowhere")
