from __future__ import annotations

import os
import shlex
import subprocess
from typing import Any

import pytest
from hand_made import BASE, ONE, OTHER_TOKEN, TOKEN, data_request, deletion, error, exchange

from conformance.assemble import EVERY_EXCHANGE, SHOWN, curl, results
from conformance.conditions import NOT_FOUND, UNAUTHORIZED
from conformance.exchange import Exchange, Operation
from conformance.remark import CheckResult, Remark
from conformance.reports.result import RequirementResult
from conformance.requirements import catalogue
from conformance.verdict import VERDICT_WHEN_BROKEN, Blame, Verdict

EVERYTHING = frozenset(row.id for row in catalogue().rows.values() if not row.untestable)


def said(requirement_id: str, verdict: Verdict, *remarks: Remark, check: str = "test_x.py::test_y") -> CheckResult:
    return CheckResult(catalogue()[requirement_id], check, verdict, list(remarks))


def finding(verdict: Verdict, message: str = "So it was.", *shown: Exchange) -> Remark:
    blame = Blame.TARGET if verdict in (Verdict.FAIL, Verdict.WARN) else Blame.CONFIGURATION
    return Remark(verdict, blame, message, "this", "that", "mend it", tuple(shown))


def broken(requirement_id: str, *shown: Exchange, message: str = "So it was.") -> CheckResult:
    verdict = VERDICT_WHEN_BROKEN[catalogue()[requirement_id].level]
    return said(requirement_id, verdict, finding(verdict, message, *shown))


def assembled(
    checks: list[CheckResult], exchanges: list[Exchange] | None = None, **how: Any
) -> dict[str, RequirementResult]:
    how = {"selected": EVERYTHING, "left_out": (), **how}
    return {row.id: row for row in results(checks, exchanges or [], **how)}


# ---------------------------------------------------------------------- verdicts


def test_every_requirement_has_a_result_in_the_order_of_the_catalogue() -> None:
    assert [row.id for row in results([], [], selected=EVERYTHING, left_out=())] == list(catalogue().rows)


def test_a_check_that_says_nothing_bad_gives_its_verdict() -> None:
    found = assembled([said("4.3-answers-ok", Verdict.PASS)])["4.3-answers-ok"]

    assert (found.verdict, found.findings, found.reason) == (Verdict.PASS, (), "")
    assert found.checks == ("test_x.py::test_y",)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([Verdict.PASS, Verdict.FAIL], Verdict.FAIL),
        ([Verdict.FAIL, Verdict.INCONCLUSIVE], Verdict.FAIL),
        ([Verdict.INCONCLUSIVE, Verdict.PASS], Verdict.INCONCLUSIVE),
        ([Verdict.PASS, Verdict.NOT_APPLICABLE], Verdict.PASS),
        ([Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE], Verdict.INCONCLUSIVE),
    ],
)
def test_the_worst_check_wins(verdicts: list[Verdict], expected: Verdict) -> None:
    checks = [
        said("4.3-answers-ok", verdict, *([] if verdict is Verdict.PASS else [finding(verdict, verdict.value)]))
        for verdict in verdicts
    ]

    assert assembled(checks)["4.3-answers-ok"].verdict is expected
    assert assembled(checks[::-1])["4.3-answers-ok"].verdict is expected


def test_what_cannot_be_tested_says_why() -> None:
    found = assembled([])["3-erases-gathered"]

    assert (found.verdict, found.reason) == (Verdict.NOT_TESTED, catalogue()["3-erases-gathered"].untestable)


def test_what_was_not_asked_for_is_not_tested() -> None:
    narrow = assembled([], selected=frozenset(["4.3-answers-ok"]))["4.4-object"]
    public = assembled([], left_out={"4.4-object"})["4.4-object"]

    for found in (narrow, public):
        assert found.verdict is Verdict.NOT_TESTED
        assert "Left out" in found.reason


def test_what_the_run_did_not_reach_is_inconclusive() -> None:
    found = assembled([])["4.4-object"]

    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.reason


def test_one_message_is_one_finding_with_all_its_exchanges() -> None:
    shown = [deletion(500, b"", number=number) for number in (1, 2, 3)]
    checks = [broken("4.3-answers-ok", *shown[:2]), broken("4.3-answers-ok", *shown[1:])]

    (found,) = assembled(checks)["4.3-answers-ok"].findings

    assert found.exchanges == ("e1", "e2", "e3")
    assert found.remedy == "mend it"


def test_a_finding_names_a_few_exchanges_only() -> None:
    shown = [deletion(500, b"", number=number) for number in range(1, 100)]

    (found,) = assembled([broken("4.3-answers-ok", *shown)])["4.3-answers-ok"].findings

    assert found.exchanges == tuple(f"e{number}" for number in range(1, SHOWN + 1))


def test_a_finding_without_a_remedy_has_that_of_the_catalogue() -> None:
    remark = Remark(Verdict.FAIL, Blame.TARGET, "So it was.")

    (found,) = assembled([said("4.3-answers-ok", Verdict.FAIL, remark)])["4.3-answers-ok"].findings

    assert found.remedy == catalogue()["4.3-answers-ok"].remedy


# ---------------------------------------------------------------------- every exchange


def test_a_fault_that_no_check_looked_at_is_found() -> None:
    run = [deletion(number=1), deletion(answer="ok", number=2), deletion(number=3)]

    found = assembled([said("4.3-answers-ok", Verdict.PASS)], run)["4.3-answers-ok"]

    assert found.verdict is Verdict.FAIL
    assert [(each.check, each.exchanges, each.blame) for each in found.findings] == [
        (EVERY_EXCHANGE, ("e2",), Blame.TARGET)
    ]
    assert found.checks == ("test_x.py::test_y",)


def test_the_level_of_the_requirement_says_how_much_it_weighs() -> None:
    run = [exchange(Operation.READ, 404, error(NOT_FOUND), request="unknown", label="text/html")]

    assert assembled([], run)["0-json-media-type"].verdict is Verdict.WARN


def test_what_was_not_asked_for_is_not_judged() -> None:
    run = [deletion(answer="ok")]

    found = assembled([], run, selected=frozenset(["4.4-object"]))["4.3-answers-ok"]

    assert (found.verdict, found.findings) == (Verdict.NOT_TESTED, ())


def test_the_same_fault_again_is_the_same_finding() -> None:
    run = [deletion(answer="ok", number=number) for number in range(1, 4)]

    (found,) = assembled([], run)["4.3-answers-ok"].findings

    assert found.exchanges == ("e1", "e2", "e3")


# ---------------------------------------------------------------------- refused tokens


def read(status: int, number: int, request: str = "existing", credential: str = "user") -> Exchange:
    answers = {200: data_request(), 401: error(UNAUTHORIZED), 404: error(NOT_FOUND)}
    return exchange(Operation.READ, status, answers[status], number=number, request=request, credential=credential)


def failed(found: dict[str, RequirementResult]) -> set[str]:
    return {row.id for row in found.values() if row.verdict in (Verdict.FAIL, Verdict.WARN)}


def test_a_token_that_is_never_accepted_again_may_have_expired() -> None:
    run = [read(200, 1), read(401, 2), read(401, 3, "unknown")]

    found = assembled([broken("4.2-answers-200", run[1])], run)

    assert failed(found) == set()
    for row_id in ("5.1-accepts-bearer", "4.2-answers-200"):
        assert found[row_id].verdict is Verdict.INCONCLUSIVE
        assert {each.blame for each in found[row_id].findings} == {Blame.CREDENTIAL}
        assert all(each.remedy for each in found[row_id].findings)


def test_a_token_that_is_accepted_again_was_refused_wrongly() -> None:
    run = [read(200, 1), read(401, 2), read(200, 3)]

    found = assembled([broken("4.2-answers-200", run[1])], run)

    assert failed(found) == {"5.1-accepts-bearer"}
    assert found["4.2-answers-200"].verdict is Verdict.INCONCLUSIVE


def test_a_token_that_is_refused_for_one_kind_only_is_about_that_kind() -> None:
    run = [read(404, 1, "unknown"), read(401, 2), read(404, 3, "unknown")]

    found = assembled([broken("4.2-answers-200", run[1])], run)

    assert failed(found) == {"4.2-answers-200"}


def test_a_refusal_that_was_due_is_no_doubt() -> None:
    run = [read(200, 1), read(404, 2, credential="no token")]

    found = assembled([broken("5.3-read-without-token", run[1])], run)

    assert failed(found) == {"5.3-read-without-token"}


def test_a_finding_before_the_token_was_refused_stands() -> None:
    run = [deletion(500, b"", number=1), read(401, 2)]

    found = assembled([broken("4.3-answers-ok", run[0])], run)

    assert failed(found) == {"4.3-answers-ok"}


# ---------------------------------------------------------------------- curl

HOSTILE = "a'b\"c$HOME`id`\\ \n;&|<>(){}[]*?~#! é"


def asked(**more: Any) -> Exchange:
    how = {
        "asked": (
            ("Host", "service.test"),
            ("Accept", "application/json"),
            ("Content-Type", "application/json"),
            ("Accept-Language", HOSTILE.replace("\n", " ")),
            ("Authorization", f"Bearer {TOKEN}"),
        ),
        "sent": HOSTILE.encode(),
        **more,
    }
    return exchange(Operation.CREATE, 200, b"", **how)


def words(line: str, **environment: str) -> list[str]:
    """Return the arguments that a shell makes of a line."""
    script = f"curl() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, check=True, env={"PATH": os.environ["PATH"], **environment}
    )
    assert done.stderr == b""
    return done.stdout.decode().split("\0")[:-1]


def test_a_line_for_the_shell_asks_the_same() -> None:
    given = words(curl(asked()), DRSI_TOKEN="t-o-k-e-n")

    assert given[given.index("--data-binary") + 1] == HOSTILE
    assert f"Accept-Language: {HOSTILE.replace(chr(10), ' ')}" in given
    assert "Authorization: Bearer t-o-k-e-n" in given
    assert given[given.index("-X") + 1] == "POST"
    assert given[-1] == f"{BASE}/requests"


@pytest.mark.parametrize(
    "shown",
    [
        asked(),
        asked(sent=b"\xff\xfe not text"),
        asked(credential="other user"),
        asked(credential="a made-up token", asked=(("Authorization", "Bearer $(id) '"),)),
        asked(credential="no token", asked=()),
        deletion(request_id="%27%22%24%28id%29"),
        read(200, 1),
    ],
)
def test_a_line_is_safe_in_a_shell(shown: Exchange) -> None:
    line = curl(shown)

    assert shlex.split(line)[0] == "curl"
    assert subprocess.run(["sh", "-n", "-c", line], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(("credential", "variable"), [("user", "$DRSI_TOKEN"), ("other user", "$DRSI_OTHER_TOKEN")])
def test_a_line_never_holds_a_token(credential: str, variable: str) -> None:
    token = TOKEN if credential == "user" else OTHER_TOKEN
    line = curl(asked(credential=credential, asked=(("authorization", f"Bearer {token}"),)))

    assert token not in line
    assert f'"Authorization: Bearer {variable}"' in line


def test_a_line_without_a_token_has_no_header_for_one() -> None:
    assert "uthorization" not in curl(read(404, 1, credential="no token"))


def test_a_finding_has_the_line_of_the_exchange_that_shows_it_first() -> None:
    (found,) = assembled([broken("4.3-answers-ok", deletion(500, b""))])["4.3-answers-ok"].findings

    assert words(found.curl) == ["-i", "-X", "DELETE", f"{BASE}/requests/{ONE}"]
