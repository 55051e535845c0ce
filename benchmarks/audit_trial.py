"""An audit of many different services, from a file to a signed register, killed, continued and repeated. Linux only.

Most services are faults and twins of the self-test, others are written with five frameworks; some are slow, some dead.
The audit is killed together with its runs at a random moment and continued; `site --register` and `verify` follow. Then
a few services change, and everything is repeated. What each service is decides what the audit has to say of it, and
what the repetition has to say that changed. Exit code 1 if one of them says anything else.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
from measure import COMMAND, descendants, parser_of, positive
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from conformance.application.serving import served
from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.model.requirements import catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Verdict
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service

ROOT = Path(__file__).parents[1]
COLUMNS = (
    "name",
    "base_url",
    "token",
    "other_token",
    "empty_account",
    "account_is_for_testing",
    "publish_consent",
    "language_selector",
)
SLOW = 0.25
"""Seconds that a slow service takes for each answer."""


class Held:
    """A service that may become another one."""

    def __init__(self, name: str, variant: Variant, latency: float = 0.0) -> None:
        self.name, self.latency = name, latency
        self.base_url = ""
        self.tokens: tuple[str, ...] = ()
        self.services: list[Service] = []
        self.become(variant)

    def become(self, variant: Variant) -> None:
        """Become a fault, a twin or the reference service; the requests stay behind."""
        held = self.services

        class Watched(variant.service):  # type: ignore[name-defined, misc]
            def __init__(self, *given: Any, **named: Any) -> None:
                super().__init__(*given, **named)
                held.append(self)

        config = variant.configured(ReferenceConfig())
        self.variant, self.tokens, self.prefix = variant, config.tokens, config.path_prefix
        self.app = build_app(config, Watched)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a call as the service that it is now."""
        if self.latency and scope["type"] == "http":
            await asyncio.sleep(self.latency)
        await self.app(scope, receive, send)

    @property
    def left(self) -> int:
        """How many requests it has."""
        return sum(len([*service.store.all()]) for service in self.services)


@dataclass
class Target:
    """A row of the file: what is at its address, and the requirement that it has to fail, if there is one."""

    name: str
    base_url: str
    tokens: tuple[str, ...]
    fails: str = ""
    is_dead: bool = False
    selector: str = ""


@contextmanager
def framework(module: Any, wrong: str) -> Iterator[str]:
    """Serve a service that is written with a framework; yield its address."""
    with module.serve(wrong) as transport:

        def answer(request: Request, body: bytes) -> Response:
            raw = request.scope["raw_path"] + (b"?" + query if (query := request.scope["query_string"]) else b"")
            url = httpx.URL("http://localhost", raw_path=raw)
            sent = httpx.Request(request.method, url, headers=request.headers.raw, content=body)
            found = transport.handle_request(sent)
            text = found.read()
            headers = [(name, value) for name, value in found.headers.raw if name.lower() != b"transfer-encoding"]
            made = Response(b"" if request.method == "HEAD" else text, found.status_code)
            made.raw_headers = headers
            return made

        async def call(request: Request) -> Response:
            return await asyncio.to_thread(answer, request, await request.body())

        every = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE"]
        app = Starlette(routes=[Route("/{path:path}", call, methods=every)])
        with served(app, lambda _: None) as base_url:
            yield base_url


def plain(variants: Mapping[str, Any]) -> list[Any]:
    """Return the variants that the command of README tries, without a further option."""
    return [each for each in variants.values() if not (each.has_more_options or each.contradicts)]


def main() -> None:
    """Audit, kill, continue, publish, verify, change, and audit again."""
    parser = parser_of(__doc__)
    parser.add_argument("--services", type=positive, default=50, metavar="NUMBER", help="at least 20 (default: 50)")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="seed of the choice (default: 0)")
    parser.add_argument("--workers", type=positive, default=8, metavar="NUMBER", help="runs at a time (default: 8)")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        trial = Trial(Path(name), wrong, given.workers)
        held = _services(stack, trial, given.services, chance)
        trial.write()
        trial.killed(chance)
        trial.audited("first")
        trial.published()
        _change(trial, held, chance)
        trial.audited("again", "--changed-only")
        trial.published()
        left = sum(each.left for each in held.values())
        if left != trial.stated:
            wrong.append(f"{left} requests left at the services, {trial.stated} stated")
    print(f"{given.services} services: {len(wrong)} wrong")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


def _services(stack: ExitStack, trial: Trial, number: int, chance: random.Random) -> dict[str, Held]:
    sys.path.insert(0, str(ROOT))
    of_tests = import_module("tests.frameworks.mistakes")
    for framework_name, table in (("flask", of_tests.FLASK), ("fastapi", of_tests.FASTAPI), ("litestar", {})):
        module = import_module(f"tests.frameworks.{framework_name}_service")
        label = module.__name__.rpartition(".")[2].replace("_", "-")
        candidates = [name for name, each in table.items() if len(each.requirements) == 1 and not each.threads]
        for broken in ("", *chance.sample(sorted(candidates), min(1, len(candidates)))):
            fails = table[broken].requirements[0] if broken else ""
            url = stack.enter_context(framework(module, broken))
            trial.targets.append(
                Target(
                    f"{label}{'-' if broken else ''}{broken}",
                    url,
                    module.USERS,
                    fails,
                    selector="header:Accept-Language",
                )
            )
    left = number - len(trial.targets) - 4
    musts = [each for each in plain(FAULTS) if VERDICT_WHEN_BROKEN[catalogue()[each.requirement].level] is Verdict.FAIL]
    chosen = [*chance.sample(musts, left // 3), *chance.sample(plain(TWINS), left - left // 3)]
    held = {}
    for place, variant in enumerate(chosen):
        service = held[variant.name] = Held(variant.name, variant, SLOW if place % 10 == 3 else 0.0)
        service.base_url = stack.enter_context(served(service, lambda _: None)) + service.prefix
        fails = getattr(variant, "requirement", "")
        trial.targets.append(Target(variant.name, service.base_url, service.tokens, fails))
    for each in range(4):
        trial.targets.append(
            Target(f"dead-{each}", f"http://127.0.0.1:{each + 1}/api", ("none", "other"), "", is_dead=True)
        )
    return held


def _change(trial: Trial, held: dict[str, Held], chance: random.Random) -> None:
    """Let two services get worse and two get better."""
    fine = [each for each in trial.targets if each.name in held and not each.fails]
    broken = [each for each in trial.targets if each.name in held and each.fails]
    trial.changed = {}
    for target, other in zip(chance.sample(fine, 2), ("no-deletion-is-routed", "stores-nothing"), strict=True):
        _become(trial, held[target.name], target, FAULTS[other], FAULTS[other].requirement)
    for target in chance.sample(broken, 2):
        _become(trial, held[target.name], target, Variant(name="reference", summary="It conforms."), "")


def _become(trial: Trial, service: Held, target: Target, variant: Variant, fails: str) -> None:
    kept = service.prefix
    service.become(
        Variant(
            name=variant.name,
            summary=variant.summary,
            service=variant.service,
            config={**variant.config, "path_prefix": kept},
        )
    )
    target.tokens, target.fails = service.tokens, fails
    trial.changed[target.name] = "worse" if fails else "better"


class Trial:
    """The folder of the auditor, and what has to come of it."""

    def __init__(self, place: Path, wrong: list[str], workers: int) -> None:
        self.place, self.wrong, self.workers = place, wrong, workers
        self.targets: list[Target] = []
        self.changed: dict[str, str] = {}
        self.stated = 0
        self.broken: set[str] = set()
        self.environment = dict(os.environ)
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"], cwd=place, check=True)
        subprocess.run(["openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "key.pub"], cwd=place, check=True)

    def write(self) -> None:
        """Write the file of the targets."""
        with (self.place / "services.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(COLUMNS)
            for number, each in enumerate(self.targets):
                sources = [f"variable:TRIAL_{number}_{user}" for user in range(2)]
                rows.writerow([each.name, each.base_url, *sources, "true", "true", "letter of consent", each.selector])

    def words(self, *more: str) -> list[str]:
        """Return the command of the audit, whose environment then has the tokens."""
        for number, each in enumerate(self.targets):
            self.environment |= {f"TRIAL_{number}_{user}": token for user, token in enumerate(each.tokens[:2])}
        options = ["--workers", str(self.workers), "--store", "audits.sqlite", "--retries", "1", "--retry-pause", "1"]
        return [COMMAND, "audit", "services.csv", *options, *more]

    def killed(self, chance: random.Random) -> None:
        """Start the audit, and kill it with its runs when some of them have ended."""
        wanted = chance.randrange(3, len(self.targets) // 2)
        with subprocess.Popen(
            self.words("--quiet"),
            cwd=self.place,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as audit:
            while audit.poll() is None and len([*self.place.glob("audits/*/runs/*/target.json")]) < wanted:
                time.sleep(0.2)
            for process in [audit.pid, *descendants(audit.pid)[1:]]:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        print(f"killed after {wanted} of {len(self.targets)} services", flush=True)

    def audited(self, which: str, *more: str) -> None:
        """Make or continue the audit, and compare what it says with what the services are."""
        began = time.perf_counter()
        done = subprocess.run(
            self.words(*more), cwd=self.place, env=self.environment, capture_output=True, text=True, check=False
        )
        written = sorted(self.place.glob("audits/*/audit.json"))
        if done.returncode not in (1, 3) or not written:
            raise SystemExit(f"The audit ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
        document = json.loads(written[-1].read_text("utf-8"))
        results = {each["name"]: each for each in document["targets"]}
        print(f"{which}: {time.perf_counter() - began:.0f} s, exit code {done.returncode}", flush=True)
        self.stated += sum(each["left_behind"] for each in results.values())
        for each in self.targets:
            self._compare(
                written[-1].parent / "runs" / each.name,
                each,
                results[each.name].get("outcome") or results[each.name]["state"],
            )
        if more:
            # What changed without another outcome hangs on the calls that a run generates, or on what a fault kept.
            other = [each for each in document["changes"] if each["before"] != each["after"]]
            fine = "conforms", "conforms-in-part"
            said = {each["name"]: "better" if each["after"] in fine else "worse" for each in other}
            said = {name: kind for name, kind in said.items() if name in self.changed or kind == "worse"}
            for each in document["changes"]:
                ids = {kind: [row["id"] for row in each[kind]] for kind in ("worse", "better")}
                print(f"changed: {each['name']}, {each['before']} to {each['after']}: {ids}", flush=True)
            if said != self.changed:
                self.wrong.append(f"changed are {self.changed}, and the audit says {said}:\n{done.stdout}")

    def _compare(self, folder: Path, target: Target, result: str) -> None:
        if target.is_dead:
            if result != "unreachable":
                self.wrong.append(f"{target.name}: {result}, and nothing is there")
            return
        if not (folder / "report.json").is_file():
            self.wrong.append(f"{target.name}: {result}, without a report")
            return
        rows = json.loads((folder / "report.json").read_text("utf-8"))["requirements"]
        failed = {row["id"] for row in rows if row["verdict"] == "fail"}
        # A service that was broken in the audit before may have kept requests that nothing can delete.
        expected = (
            target.fails in failed or (bool(failed) and target.name in self.broken) if target.fails else not failed
        )
        if target.fails:
            self.broken.add(target.name)
        if not expected:
            self.wrong.append(f"{target.name}: fails {target.fails or 'nothing'}, and the audit says {sorted(failed)}")

    def published(self) -> None:
        """Publish the register, and check the bundle of each service against it."""
        self._said("site", "audits.sqlite", "register", "--register", "--sign", "key.pem", "--operator", "Registry")
        listed = json.loads((self.place / "register/register.json").read_text("utf-8"))
        latest = {each["service"]: each for each in listed["services"]}
        alive = [each.name for each in self.targets if not each.is_dead]
        if sorted(latest) != sorted(alive):
            self.wrong.append(f"the register has {len(latest)} services of {len(alive)}")
        for name in alive[:: max(1, len(alive) // 8)]:
            digest = latest[name]["bundle"]
            digest = digest.removeprefix("sha256:")
            place = f"audits.sqlite.evidence/{digest[:2]}/{digest}.drsi.zip"
            self._said("verify", place, "--register", "register", "--register-key", "key.pub")

    def _said(self, *words: str) -> None:
        done = subprocess.run([COMMAND, *words], cwd=self.place, capture_output=True, text=True, check=False)
        if done.returncode:
            self.wrong.append(
                f"{' '.join(words)}: exit code {done.returncode}:\n{done.stdout[-600:]}{done.stderr[-600:]}"
            )
        elif words[0] == "site":
            print(done.stdout.splitlines()[0], flush=True)


if __name__ == "__main__":
    threading.stack_size(256 * 1024)
    main()
