from __future__ import annotations

import pytest
from assembled import assembled, broken, failed, read
from hand_made import TYPES, data_request, data_type, deletion, error, exchange

from conformance.model.error_table import INVALID_DATA_TYPES, UNAUTHORIZED
from conformance.model.exchange import Exchange, Operation, Response, Superseded
from conformance.model.verdict import Blame, Verdict

# ---------------------------------------------------------------------- refused tokens


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

    assert failed(found) == {"5.1-accepts-bearer", "4.2-answers-200"}


@pytest.mark.parametrize(
    "later",
    [
        read(200, 3, credential="other user"),
        exchange(Operation.DATA, 200, TYPES, number=3),
    ],
    ids=["another token", "a call without need of one"],
)
def test_what_is_no_later_call_on_data_requests_with_the_same_token_does_not_show_it_alive(later: Exchange) -> None:
    run = [read(200, 1), read(401, 2), later]

    assert failed(assembled([broken("4.2-answers-200", run[1])], run)) == set()


def test_a_new_token_does_not_show_the_one_before_it_alive() -> None:
    old, new = ([("Authorization", f"Bearer token-{number}")] for number in (1, 2))
    run = [read(200, 1, asked=old), read(401, 2, asked=old), read(200, 3, asked=new)]

    assert failed(assembled([], run)) == set()


def test_what_was_asked_before_the_refusal_came_does_not_show_the_token_alive() -> None:
    run = [read(200, 1), read(401, 2), read(200, 3)]
    run[1].seconds = 1.0  # begun ahead: its number was given before the other's, its answer came after

    assert failed(assembled([], run)) == set()


def test_a_token_that_may_have_expired_hides_no_earlier_refusal() -> None:
    run = [read(200, 1), read(401, 2), read(200, 3), read(401, 4)]

    assert failed(assembled([], run)) == {"5.1-accepts-bearer"}


def test_a_kind_of_call_that_is_first_asked_after_the_token_expired_is_inconclusive() -> None:
    known = exchange(Operation.CREATE, 200, data_request(), number=1, body="known types", types=["orders"])
    unknown = exchange(Operation.CREATE, 401, error(UNAUTHORIZED), number=2, body="unknown type", types=["none"])

    found = assembled([], [known, unknown, read(200, 3, credential="other user")])

    assert failed(found) == set()
    assert found["7-invalid-data-types"].verdict is Verdict.INCONCLUSIVE


def test_a_server_error_does_not_show_that_a_token_is_accepted() -> None:
    run = [read(200, 1), read(401, 2), exchange(Operation.READ, 500, number=3, request="unknown")]

    found = assembled([broken("4.2-answers-200", run[1])], run)

    assert found["4.2-answers-200"].verdict is Verdict.INCONCLUSIVE


def test_a_refusal_that_was_due_is_no_doubt() -> None:
    run = [read(200, 1), read(404, 2, credential="no token")]

    found = assembled([broken("5.3-read-without-token", run[1])], run)

    assert failed(found) == {"5.3-read-without-token"}


def test_a_finding_before_the_token_was_refused_stands() -> None:
    run = [deletion(500, b"", number=1), read(401, 2)]

    found = assembled([broken("4.3-answers-ok", run[0])], run)

    assert failed(found) == {"4.3-answers-ok"}


def test_a_refusal_of_an_expired_token_is_no_finding_and_leaves_nothing_undecided() -> None:
    old, new = ([("Authorization", f"Bearer token-{number}")] for number in (1, 2))
    run = [read(200, 1, asked=old), read(401, 2, asked=old, superseded=Superseded.EXPIRED), read(200, 3, asked=new)]

    assert assembled([], run)["5.1-accepts-bearer"].findings == ()


def test_a_token_that_is_not_accepted_again_leaves_it_undecided() -> None:
    run = [read(200, 1, credential="other user"), read(401, 2, credential="other user")]

    findings = assembled([], run)["5.1-accepts-bearer"].findings

    assert [each.verdict for each in findings] == [Verdict.INCONCLUSIVE]
    assert findings[0].remedy.startswith("Use a token that outlives the run, or --other-token-command")


# ---------------------------------------------------------------------- types that come and go


def listed(number: int, *names: str) -> Exchange:
    return exchange(Operation.DATA, 200, [data_type(name) for name in names], number=number)


def refused_for_its_types(number: int, body: str = "known types", *names: str) -> Exchange:
    answer = error(INVALID_DATA_TYPES)
    return exchange(Operation.CREATE, 400, answer, number=number, body=body, types=list(names or ["orders"]))


def test_a_type_that_is_still_listed_may_not_be_refused() -> None:
    run = [listed(1, "orders", "account"), refused_for_its_types(2), listed(3, "orders")]

    assert failed(assembled([broken("3-frees-the-limit", run[1])], run)) == {"3-frees-the-limit", "4.1-answers-200"}


def test_a_type_that_comes_and_goes_is_due_no_other_answer_than_the_two() -> None:
    run = [listed(1, "orders", "account"), refused_for_its_types(2), listed(3, "account")]
    run[1].response = Response(422, "", "HTTP/1.1", (), b'{"error": "Other", "message": "No."}')

    assert failed(assembled([], run)) == {"4.1-answers-200"}


@pytest.mark.parametrize(("names", "due"), [(["orders"], set()), (["orders", "none"], {"7-invalid-data-types"})])
def test_a_type_that_was_listed_once_may_be_accepted_and_one_that_never_was_may_not(
    names: list[str], due: set[str]
) -> None:
    answer = data_request(dataRequested=["orders"])
    made = exchange(Operation.CREATE, 200, answer, number=2, body="unknown type", types=names)

    assert failed(assembled([], [listed(1, "account"), made, listed(3, "orders", "account")])) == due


# ---------------------------------------------------------------------- where a finding shows it


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_guard_explains_a_finding_by_any_of_its_exchanges(place: int) -> None:
    run = [deletion(number=1), read(200, 2), read(401, 3)]
    shown = run[:2]
    shown.insert(place, run[2])

    found = assembled([broken("3-frees-the-limit", *shown)], run)

    assert found["3-frees-the-limit"].verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("row", ["0-bodies-are-json", "2.4-object"])
def test_no_guard_explains_the_form_of_an_answer(row: str) -> None:
    run = [read(200, 1), read(401, 2)]

    assert failed(assembled([broken(row, run[1])], run)) == {row}


@pytest.mark.parametrize("row", ["4.5-array", "2.2-type"])
def test_a_failure_excuses_no_other_failure(row: str) -> None:
    unknown = exchange(Operation.CREATE, 200, data_request(), number=2, body="odd", open=True)
    run = [exchange(Operation.DATA, 200, TYPES, number=1), unknown]

    found = assembled([broken(row, run[0]), broken("7-invalid-data-types", unknown)], run)

    assert failed(found) == {row, "7-invalid-data-types"}
