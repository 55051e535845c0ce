from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from assembled import assembled, broken, creation, failed, gone, read
from hand_made import ONE, TWO, TYPES, data_request, data_type, deletion, error, exchange

from conformance.model.error_table import INVALID_DATA_TYPES, NOT_FOUND, UNAUTHORIZED
from conformance.model.exchange import Exchange, Operation, Response
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

    assert failed(found) == {"5.1-accepts-bearer"}
    assert found["4.2-answers-200"].verdict is Verdict.INCONCLUSIVE


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


def test_a_kind_of_call_that_is_first_asked_after_the_token_expired_accuses_nobody() -> None:
    known = exchange(Operation.CREATE, 200, data_request(), number=1, body="known types", types=["orders"])
    unknown = exchange(Operation.CREATE, 401, error(UNAUTHORIZED), number=2, body="unknown type", types=["none"])

    found = assembled([], [known, unknown, read(200, 3, credential="other user")])

    assert failed(found) == set()
    assert found["7-invalid-data-types"].verdict is Verdict.INCONCLUSIVE


def test_a_token_that_is_refused_for_one_kind_only_is_about_that_kind() -> None:
    run = [read(404, 1, "unknown"), read(401, 2), read(404, 3, "unknown")]

    found = assembled([broken("4.2-answers-200", run[1])], run)

    assert failed(found) == {"4.2-answers-200"}


def test_a_server_error_does_not_show_that_a_token_is_accepted() -> None:
    failing = exchange(Operation.READ, 500, number=1, request="unknown")
    run = [failing, read(401, 2), exchange(Operation.READ, 500, number=3, request="unknown")]

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
    run = [read(200, 1, asked=old), read(401, 2, asked=old, renewed=True), read(200, 3, asked=new)]

    assert assembled([], run)["5.1-accepts-bearer"].findings == ()


def test_what_the_refusal_of_an_expired_token_says_is_judged_as_any_other() -> None:
    refused = exchange(Operation.READ, 401, {"error": "expired"}, number=1, request="existing", renewed=True)

    assert failed(assembled([], [refused, read(200, 2)])) == {
        "2.4-message",
        "7-unauthorized-error",
        "7-unauthorized-message",
    }


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


@pytest.mark.parametrize("row", ["3-frees-the-limit", "4.1-answers-200", "7-limit-reached-error"])
def test_a_type_that_is_not_listed_any_more_may_be_refused(row: str) -> None:
    run = [listed(1, "orders", "account"), refused_for_its_types(2), listed(3, "account")]

    found = assembled([broken(row, run[1])], run)

    assert failed(found) == set()
    assert found[row].verdict is Verdict.INCONCLUSIVE
    assert [each.remedy for each in found[row].findings] == [
        "Run again while the organisation's data types stay the same."
    ]


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


# ---------------------------------------------------------------------- identifiers of several requests


def one_after_another(*run: Exchange) -> list[Exchange]:
    """Return exchanges, each of which ends before the next one begins."""
    return [replace(each, started=each.started + timedelta(seconds=place)) for place, each in enumerate(run)]


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ("3-removed", read(200, 4, "deleted")),
        ("3-removed", deletion(number=4, request="deleted")),
        ("4.2-agrees-with-creation", read(200, 4)),
        ("4.2-answers-200", read(404, 4)),
        ("4.3-answers-ok", gone(4)),
    ],
)
def test_an_answer_that_may_be_about_another_request_with_the_identifier_is_in_doubt(row: str, shown: Exchange) -> None:
    run = one_after_another(creation(1), creation(2), creation(3), deletion(number=3), shown)

    found = assembled([broken(row, run[4])], run)[row]

    assert found.verdict is Verdict.INCONCLUSIVE
    assert {(each.blame, each.remedy) for each in found.findings} == {(Blame.TARGET, "See 2.1-requestId-unique.")}
    assert ONE in found.findings[0].message


@pytest.mark.parametrize("shown", [read(200, 9, "deleted"), deletion(number=9, request="deleted")])
def test_after_as_many_deletions_as_creations_no_request_has_the_identifier(shown: Exchange) -> None:
    calls = creation(1), creation(2), deletion(number=3), deletion(number=4), deletion(404, number=5, request="deleted")
    run = one_after_another(*calls, creation(6), deletion(number=7), shown)

    found = assembled([], run)["3-removed"]

    assert (found.verdict, found.findings[0].exchanges) == (Verdict.FAIL, (shown.id,))


@pytest.mark.parametrize(
    "calls",
    [
        (deletion(number=3), creation(4), deletion(number=5)),
        (deletion(number=3), exchange(Operation.CREATE, 500, number=4, body="known types"), deletion(number=5)),
        (replace(deletion(number=3, racing=True), seconds=2.5), deletion(number=4, racing=True)),
        (deletion(number=3), deletion(number=4, request="foreign", credential="other user")),
        (deletion(number=3), deletion(500, number=4)),
    ],
    ids=["a creation", "a creation that failed", "a race", "another user", "a deletion that failed"],
)
def test_calls_that_certainly_removed_fewer_than_were_created_leave_a_doubt(calls: tuple[Exchange, ...]) -> None:
    run = one_after_another(creation(1), creation(2), *calls, read(200, 9, "deleted"))

    assert assembled([], run)["3-removed"].verdict is Verdict.INCONCLUSIVE


def test_a_request_exists_while_nothing_was_deleted_since_its_creation_whoever_has_the_identifier_too() -> None:
    run = one_after_another(creation(1), deletion(number=2), creation(3), creation(4), gone(5))

    assert "4.3-answers-ok" in failed(assembled([broken("4.3-answers-ok", run[4])], run))


def test_a_creation_of_another_user_may_replace_the_request_that_has_its_identifier() -> None:
    calls = creation(1), replace(creation(2), request=replace(creation(2).request, credential="other user"))
    run = one_after_another(*calls, gone(3))

    found = assembled([broken("3-deletes-no-other", run[2])], run)["3-deletes-no-other"]

    assert found.verdict is Verdict.INCONCLUSIVE


def test_requests_in_progress_beyond_the_limit_count_by_their_own_identifiers() -> None:
    run = one_after_another(creation(1), creation(2), creation(3, TWO), read(200, 4))

    assert "8-limit-enforced" in failed(assembled([broken("8-limit-enforced", run[3])], run))


def test_an_identifier_of_its_own_leaves_no_doubt() -> None:
    run = [creation(1), creation(2), creation(3, TWO), gone(4, TWO)]

    assert failed(assembled([broken("4.3-answers-ok", run[3])], run)) == {"4.3-answers-ok", "2.1-requestId-unique"}


@pytest.mark.parametrize("row", ["4.3-answers-ok", "3-deletes-completed"])
def test_a_shared_identifier_explains_no_wrong_body(row: str) -> None:
    run = [creation(1), creation(2), deletion(answer="", number=3)]

    assert row in failed(assembled([broken(row, run[2])], run))


def test_a_shared_identifier_may_show_another_request_than_the_deleted_one() -> None:
    run = one_after_another(creation(1), creation(2), deletion(number=3), read(200, 4, "deleted"))

    assert "3-deletes-completed" not in failed(assembled([broken("3-deletes-completed", run[3])], run))


@pytest.mark.parametrize("row", ["2.1-requestId-unique", "4.1-creates-in-parallel"])
def test_what_is_about_identifiers_themselves_stands(row: str) -> None:
    run = [creation(1), creation(2), read(200, 3)]

    assert failed(assembled([broken(row, run[2])], run)) == {row, "2.1-requestId-unique"}


@pytest.mark.parametrize("row", ["4.3-media-type", "7-not-found-message", "2.1-createdAt"])
def test_the_form_of_an_answer_does_not_hang_on_which_request_it_is_about(row: str) -> None:
    run = [creation(1), creation(2), read(200, 3)]

    assert failed(assembled([broken(row, run[2])], run)) == {row, "2.1-requestId-unique"}


# ---------------------------------------------------------------------- what only looks like a violation


@pytest.mark.parametrize(("row", "stands"), [("4.5-array", False), ("2.2-type", False), ("2.2-context", True)])
def test_a_malformed_list_may_hide_a_type_that_is_accepted(row: str, stands: bool) -> None:
    unknown = exchange(Operation.CREATE, 200, data_request(), number=2, body="odd", open=True)
    run = [exchange(Operation.DATA, 200, TYPES, number=1), unknown]

    found = assembled([broken(row, run[0]), broken("7-invalid-data-types", unknown)], run)

    assert ("7-invalid-data-types" in failed(found)) is stands


def test_an_identifier_that_is_no_uuid_excuses_no_other_failure() -> None:
    missing = gone(2, ONE.replace("-", ""))

    found = assembled([broken("4.3-answers-ok", missing)], [missing])

    assert failed(found) == {"4.3-answers-ok"}


@pytest.mark.parametrize("place", [0, -1])
def test_a_refused_token_is_seen_first_and_last_in_a_finding(place: int) -> None:
    run = [read(200, 1), read(401, 2), read(200, 3)]
    shown = [run[0], run[2]]
    shown.insert(place % 3, run[1])

    found = assembled([broken("3-frees-the-limit", *shown)], run)

    assert found["3-frees-the-limit"].verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("status", [409, 423])
@pytest.mark.parametrize(("places", "fails"), [(("e9#0", "e9#1"), False), (("", ""), True)])
def test_one_call_at_a_time_decides_what_a_conflict_of_simultaneous_calls_left_open(
    places: tuple[str, str], fails: bool, status: int
) -> None:
    run = [
        deletion(status, error(NOT_FOUND), "application/json", number=1, beside=places[0]),
        deletion(200, b"OK", number=2, beside=places[1]),
    ]

    row = assembled([broken("4.3-answers-ok", run[0])], run)["4.3-answers-ok"]

    assert row.verdict is (Verdict.FAIL if fails else Verdict.INCONCLUSIVE)
    assert any("--concurrency 1" in each.remedy for each in row.findings) is not fails
