"""Does any file of a run contain a token or a personal value? And does their replacement change anything else?

Runs the suite against services of the calibration set, each of which also tells, in every answer, what it knows of the
user: names, an address, a number, a date and the token, as header fields and members, plain and encoded. Then it
searches all files for them, and computes the run again from its evidence, where the replacement is made.

Exit code 1: a file contains a canary, or the evidence does not give the run again.
"""

from __future__ import annotations

import argparse
import base64
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import quote, quote_plus

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from whole_runs import run_over  # type: ignore[import-not-found]

from conformance.calibration.run_one import Job
from conformance.calibration.sample import everything, only
from conformance.http.secrets.written import kind_in
from conformance.model.exchange import Operation
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.reports import files
from conformance.run.check import CannotBegin
from conformance.run.conclusion import FinishedRun
from conformance.run.documents import Documents
from conformance.run.verify import verify

USERS = (User("alice.example", "alice-Qm7xT2v/Kp9RzW4nL+0="), User("bob.example", "bob-Yh3cF8j/Sd5GtB6uE+1="))
PERSONAL = (
    *(user.name for user in USERS),
    "Wilhelmina Österreich",
    "w.oesterreich@mail.example",
    "48213377",
    "1984-02-29",
    "sid7Qx81kL",
)


def told(service: Service, call: Call) -> list[str]:
    """Return what the service tells of the user of a call."""
    return [*PERSONAL, *(user.token for user in service.config.users if user == call.user)]


def forms(text: str) -> Iterator[str]:
    """Yield a text as the services tell it."""
    yield from (text, quote(text, safe=""), quote_plus(text), json.dumps(text)[1:-1])
    if len(text) > 8:
        yield from (base64.b64encode(text.encode()).decode(), text.encode().hex())


def chatty(base: type[Service]) -> type[Service]:
    """Return the service that also tells what it knows of the user."""

    def conclude(self: Service, reply: Reply, call: Call) -> Reply:
        reply = base.conclude(self, reply, call)
        if call.user is None and call.operation is not Action.DATA_ME:
            return reply
        for number, text in enumerate(told(self, call)):
            reply.headers |= {f"x-told-{number}": quote(text), f"x-coded-{number}": [*forms(text)][-1]}
        reply.headers.setdefault("set-cookie", f"session={PERSONAL[-1]}; Path=/")
        try:
            document = reply.document
        except ValueError:
            return reply
        seen = [form for text in told(self, call) for form in forms(text)]
        if (
            isinstance(document, dict)
            and call.operation is Action.DATA_ME
            and isinstance(document.get("account"), dict)
        ):
            document["account"] |= {"told": PERSONAL, "number": int(PERSONAL[4])}
        elif isinstance(document, dict):
            document["seenAs"] = seen
        reply.body = json.dumps(document, ensure_ascii=len(reply.body) % 2 == 0).encode("utf-8", "surrogatepass")
        return reply

    return type(base.__name__, (base,), {"conclude": conclude})


def hits(run: FinishedRun) -> list[str]:
    """Return the canaries in the files of a run, with the name of the file."""
    tokens = [(user.name, user.token) for user in USERS]
    canaries = {form.lower().encode() for user in USERS for form in forms(user.token)}
    accounts = [each.response for each in run.exchanges if each.operation is Operation.DATA_ME]
    # A run that is shown no account does not know what is personal, apart from cookies.
    shown = any(each and each.status == 200 and b'"told"' in each.body for each in accounts)
    canaries |= {form.lower().encode() for text in PERSONAL[0 if shown else -1 :] for form in forms(text)}
    with tempfile.TemporaryDirectory() as folder:
        paths = files.write(
            Path(folder),
            Documents(run).data,
            Documents(run).evidence,
            files.FORMATS,
            kind_in=partial(kind_in, tokens=tokens),
        )
        return [
            f"{path.name} contains {each!r}" for path in paths for each in canaries if each in path.read_bytes().lower()
        ]


def attempt(job: Job) -> list[str]:
    """Return everything that is wrong with the run against one service."""
    try:
        run = run_over(ReferenceConfig(users=USERS, seed=1), replace(job.variant, service=chatty(job.variant.service)))
    except CannotBegin:
        return []
    try:
        found = hits(run)
    except files.SecretFound as secret:
        found = [str(secret)]
    again = verify(*(json.loads(json.dumps(each)) for each in (Documents(run).data, Documents(run).evidence)))
    return found + [f"{each.what}: {each.recorded} is not {each.recomputed}" for each in again.differences]


def main() -> None:
    """Make the runs and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="NUMBER", help="so many services, chosen by chance")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only these services")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    jobs = only(options.only) if options.only else everything()
    if options.sample:
        jobs = Random(0).sample(jobs, min(options.sample, len(jobs)))
    began, wrong = time.perf_counter(), 0
    with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(attempt, job): job.name for job in jobs}
        for future in as_completed(futures):
            try:
                found = future.result()
            except Exception as error:
                found = [f"{error!r}"]
            wrong += bool(found)
            for each in found[:5]:
                print(f"{futures[future]}: {each[:600]}", flush=True)
    seconds = time.perf_counter() - began
    print(f"{len(jobs)} services in {seconds:.0f} s: {wrong} with a canary in a file or with differences (at most 0)")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
