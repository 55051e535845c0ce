"""From a file of services to a signed register, and again later: one command each for audit, site and verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bundles
import registers
from audited import QUICK, audits
from cli_services import Command, served

from conformance.fleet.register.status import file_of
from conformance.reference.call import Call
from conformance.reference.service import Service

STORE = Path("audits.sqlite")
HEAD = "name,base_url,profile,only,publish_consent,publish_authority"


def status(target: str, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (Path("register") / file_of(registers.digest_of(STORE, target, number), signed=False)).read_bytes()
    )
    return found


def test_from_a_file_of_services_to_a_signed_register(command: Command, folder: Path) -> None:
    class Changing(Service):
        """The reference service, which from some day on has no name for its organisation."""

        changed = False

        def settings(self, call: Call) -> Any:
            settings = super().settings(call)
            if type(self).changed:
                del settings["organisationName"]
            return settings

    bundles.key(folder, name="register")
    audit = ("audit", "services.csv", *QUICK, "--store", str(STORE))
    site = ("site", str(STORE), "register", "--register", "--sign", "register.pem", "--operator", "Registry")
    verify = ("--register", "register", "--register-key", "register.pub")
    with served() as one, served(Changing) as other, served() as third:
        rows = [
            f"consents,{one.base_url},public,2.3-organisationName,letter 4711,",
            f"by-law,{other.base_url},public,2.3-organisationName,,law 12",
            f"silent,{third.base_url},public,2.3-organisationName,,",
        ]
        Path("services.csv").write_text("\n".join([HEAD, *rows, ""]), "utf-8")
        assert command(*audit).code == 0
        assert command(*site).out.startswith("2 services, 2 status documents, signed with SHA256:")

        bundle = registers.bundle_of(STORE, "by-law")
        done = command("verify", str(bundle), *verify)
        assert (done.code, "'by-law' is listed as conforms-in-part, independence self" in done.out) == (0, True)
        done = command("verify", str(registers.bundle_of(STORE, "silent")), *verify)
        assert (done.code, "does not list this bundle" in done.out) == (1, True)

        Changing.changed = True
        done = command(*audit)
        assert done.code == 1
    assert command(*site).out.startswith("2 services, 4 status documents")

    assert (status("by-law")["outcome"], status("by-law")["failures"]) == ("does-not-conform", ["2.3-organisationName"])
    assert status("by-law")["run_by"] == {"name": "Registry", "key": "", "basis": "register"}
    assert status("consents")["state"] == "valid"
    done = command("verify", str(bundle), *verify)
    assert (done.code, "is superseded by that of sha256:" in done.out) == (1, True)
    assert not any(b"silent" in path.read_bytes() for path in Path("register").rglob("*.*"))

    command("store", "unpublish", str(STORE), "by-law")
    Path("services.csv").write_text("\n".join([HEAD, rows[1], ""]), "utf-8")
    (audits()[-1] / "audit.json").unlink()  # so that the audit is concluded again, without a run
    assert "by-law is not published: by the store, its authority ended on" in command(*audit).err
    assert command(*site).out.startswith("1 service, 2 status documents")
