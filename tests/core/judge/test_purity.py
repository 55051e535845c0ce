"""Verdicts are a pure function of what a run recorded: no network, no clock and no chance."""

from __future__ import annotations

import datetime as module_of_moments
import random
import secrets
import socket
import sys
import time
import uuid
from dataclasses import replace
from typing import Any, NoReturn

import pytest
from whole_runs import session_over

from conformance.calibration.faults import FAULTS
from conformance.facts.world import Facts
from conformance.judge import verdicts
from conformance.judge.decisions import Decisions
from conformance.model.findings import Crashes
from conformance.run.check import check
from conformance.run.judging import judge
from conformance.run.options import Plan
from conformance.run.progress import ProgressListener

JUDGING = ("conformance.judge", "conformance.facts", "conformance.schema", "conformance.model")


class _Moment(module_of_moments.datetime):
    @classmethod
    def now(cls, *_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a verdict asks a clock")

    utcnow = now


def _forbidden(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a verdict calls, waits, or draws")


def test_the_verdicts_of_a_run_need_no_network_no_clock_and_no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan()
    with session_over(bend=FAULTS["types-split-at-commas"]) as session:
        run = check(session, plan, ProgressListener())
    checks = judge(run.trace, plan, seed=0)

    for module, names in {
        socket: ("socket", "create_connection", "getaddrinfo"),
        time: ("time", "monotonic", "perf_counter", "sleep"),
        random: ("random", "randint", "choice", "shuffle", "getrandbits", "SystemRandom"),
        secrets: ("token_bytes", "token_hex", "randbits", "choice"),
        uuid: ("uuid1", "uuid4"),
    }.items():
        for name in names:
            monkeypatch.setattr(module, name, _forbidden)
    for module_name, module in sys.modules.copy().items():
        if module_name.startswith(JUDGING) and getattr(module, "datetime", None) is module_of_moments.datetime:
            monkeypatch.setattr(module, "datetime", _Moment)
    again = verdicts.results(
        checks.results,
        Decisions(Facts.of(checks.trace.exchanges, empty=run.trace.target.account_is_empty)),
        selected=plan.selected(),
        left_out=checks.left_out,
        crashes=Crashes(plan.selected()),
        scored=plan.set.ids,
    )

    assert [replace(row, seconds=0, waived=False) for row in again] == [
        replace(row, seconds=0, waived=False) for row in run.report.requirements
    ]
