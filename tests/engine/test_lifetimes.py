from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from assembled import assembled, broken, failed
from hand_made import ONE, TWO, data_request, error, exchange

from conformance.conditions import NOT_FOUND
from conformance.judging.lifetimes import Lifetimes
from conformance.traffic.exchange import Exchange, Operation
from conformance.verdict import Verdict


def created(at: float, request_id: str = ONE) -> Exchange:
    return _at(at, exchange(Operation.CREATE, 200, data_request(requestId=request_id), body="known types"))


def read(at: float, request_id: str = ONE, *, found: bool = True) -> Exchange:
    answer = (200, data_request(requestId=request_id)) if found else (404, error(NOT_FOUND))
    return _at(at, exchange(Operation.READ, *answer, request_id=request_id, request="existing"))


def deleted(at: float, request_id: str = ONE, *, found: bool = True) -> Exchange:
    answer = (200, b"OK") if found else (404, error(NOT_FOUND))
    label = "text/plain" if found else "application/json"
    return _at(at, exchange(Operation.DELETE, *answer, request_id=request_id, request="existing", label=label))


def _at(seconds: float, made: Exchange) -> Exchange:
    made.started += timedelta(seconds=seconds)
    made.seconds = 0.1
    return made


def verdict(row: str, *run: Exchange) -> Verdict:
    return assembled([broken(row, run[-1])], list(run))[row].verdict


def test_the_greatest_age_is_counted_from_the_end_of_the_creation() -> None:
    seen = Lifetimes.of([created(0), read(2), created(1, TWO), deleted(5, TWO)])

    assert seen.oldest == pytest.approx(3.9)
    assert not seen.some_vanished


def test_a_request_that_is_there_after_it_was_missing_had_not_ended() -> None:
    missing = deleted(5, found=False)

    assert not Lifetimes.of([created(0), read(2), missing]).is_found_after(missing)
    assert not Lifetimes.of([created(0), read(2), missing, read(5.05)]).is_found_after(missing)  # at the same time
    assert Lifetimes.of([created(0), read(2), missing, read(6)]).is_found_after(missing)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("3-deletes-no-other", Verdict.INCONCLUSIVE),
        ("4.1-refused-creates-nothing", Verdict.INCONCLUSIVE),
        ("3-deletes-completed", Verdict.FAIL),  # which is about those that are completed
    ],
)
def test_a_request_that_was_shown_completed_need_not_be_kept(row: str, wanted: Verdict) -> None:
    shown = read(1)
    shown.answer = replace(shown.answer, body=b'{"isCompleted": true}') if shown.answer else None
    missing = deleted(2, found=False)
    old = [created(0, TWO), read(9, TWO)]

    assert assembled([broken(row, missing)], [created(0), read(1), missing, *old])[row].verdict is Verdict.FAIL
    assert assembled([broken(row, missing)], [created(0), shown, missing, *old])[row].verdict is wanted


@pytest.mark.parametrize("row", ["4.3-answers-ok", "3-deletes-completed"])
def test_a_deletion_that_misses_what_is_there_later_is_at_fault(row: str) -> None:
    missing = deleted(5, found=False)

    def made_of(*later: Exchange) -> Verdict:
        return assembled([broken(row, missing)], [created(0), read(1), missing, *later])[row].verdict

    assert made_of() is Verdict.INCONCLUSIVE
    assert made_of(read(6)) is Verdict.FAIL


@pytest.mark.parametrize("row", ["4.3-answers-ok", "3-deletes-completed", "3-deletes-no-other", "4.2-answers-200"])
def test_a_request_missing_at_an_age_that_none_was_seen_to_reach_shows_nothing(row: str) -> None:
    assert verdict(row, created(0), read(1), created(1, TWO), deleted(3, TWO, found=False)) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("row", ["3-deletes-completed", "3-deletes-no-other", "4.2-answers-200"])
def test_a_request_missing_at_an_age_that_another_reached_is_a_finding(row: str) -> None:
    assert verdict(row, created(0), read(4), created(4, TWO), deleted(5, TWO, found=False)) is Verdict.FAIL


@pytest.mark.parametrize(("missed", "wanted"), [(4, Verdict.INCONCLUSIVE), (5, Verdict.FAIL)])
def test_a_few_deletions_may_come_right_after_a_completion_by_chance(missed: int, wanted: Verdict) -> None:
    others = [each for n in range(missed) for each in (created(4, f"{n}"), deleted(5, f"{n}", found=False))]

    assert verdict("4.3-answers-ok", created(0), read(4), *others) is wanted


def test_where_requests_vanish_that_nobody_deletes_a_deletion_may_come_too_late() -> None:
    lost = [created(0), read(9), created(2, TWO), read(3, TWO, found=False), created(5, "third")]

    assert verdict("4.3-answers-ok", *lost, deleted(6, "third", found=False)) is Verdict.INCONCLUSIVE
    assert verdict("3-deletes-no-other", *lost, read(6, "third", found=False)) is Verdict.FAIL


@pytest.mark.parametrize(
    "again",
    [
        [read(3, TWO, found=False), read(4, TWO)],
        [deleted(3, TWO, found=False), read(4, TWO, found=False)],
        [deleted(3.05, TWO, found=False), read(3, TWO, found=False)],
    ],
)
def test_a_request_that_is_back_or_was_to_be_deleted_has_not_vanished(again: list[Exchange]) -> None:
    run = [created(0), read(9), created(2, TWO), *again]

    assert not Lifetimes.of(run).some_vanished


def test_a_deletion_that_fails_otherwise_is_a_finding_however_old_the_request() -> None:
    refused = _at(9, exchange(Operation.DELETE, 500, b"", request="existing", label="text/plain"))

    assert failed(assembled([broken("4.3-answers-ok", refused)], [created(0), refused])) >= {"4.3-answers-ok"}
