"""The two smallest traces at each behaviour: on one the check finds the violation, on the other it finds none."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from deciding import Behaviour, behaviours
from notation import Unreadable, steps_of, trace_of

from conformance.model.errors import NothingToAdd, RequirementViolated
from conformance.rules.judge import judge
from conformance.rules.run_context import RunContext

BEHAVIOURS = {each.name: each for each in behaviours()}
WITH_TRACES = [name for name, each in BEHAVIOURS.items() if each.traces]


@pytest.mark.parametrize("name", WITH_TRACES)
def test_a_behaviour_is_decided_by_its_smallest_traces(name: str) -> None:
    behaviour = BEHAVIOURS[name]
    end = behaviour.decide(trace_of(steps_of(behaviour.traces, "FAIL")))
    assert isinstance(end, RequirementViolated), f"the check does not find the violation: {end!r}"
    end = behaviour.decide(trace_of(steps_of(behaviour.traces, "PASS")))
    # A check that only looks for further violations of what another one decides has nothing to add.
    assert end is None or isinstance(end, NothingToAdd), f"the check does not accept the other trace: {end!r}"


@pytest.mark.parametrize("name", WITH_TRACES)
def test_no_line_of_a_violating_trace_can_be_left_out(name: str) -> None:
    behaviour = BEHAVIOURS[name]
    steps = steps_of(behaviour.traces, "FAIL")
    shorter = [[*steps[:place], *steps[place + 1 :]] for place in range(len(steps))]
    assert not [each for each in shorter if _is_violated(behaviour, each)], "this is a smaller trace"


@pytest.mark.parametrize("name", [each for each in WITH_TRACES if BEHAVIOURS[each].level != "open"])
def test_no_behaviour_is_accepted_without_what_decides_it(name: str) -> None:
    """What only one of the two traces has decides the behaviour: without it, the check cannot tell."""
    assert _end(BEHAVIOURS[name], steps_of(BEHAVIOURS[name].traces, "")) is not None, "it accepts what decides nothing"


@pytest.mark.parametrize("name", WITH_TRACES)
def test_a_trace_that_a_behaviour_accepts_violates_nothing_else(name: str) -> None:
    steps = steps_of(BEHAVIOURS[name].traces, "PASS")
    trace = trace_of(steps)
    known = RunContext.of(trace.exchanges)
    alone = {found.requirement for each in trace.exchanges for found in judge(each, known)}
    assert alone | {each for each, other in BEHAVIOURS.items() if _is_violated(other, steps)} == set()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("GETS r1 -> 200", "no call with an answer"),
        ("GET r1 -> 200 finished", "'finished' is no state of a request"),
        ("POST [a] -> 400 TooMany", "'TooMany' is no error of the table"),
        ("POST [a] -> 200", "names no request"),
        ("GET r1 -> gone", "'gone' is not a valid ErrorKind"),
        ("deletion.after: GET r1 -> 404", "deletion has no after, but deleted, afterwards"),
        ("deletions.after: GET r1 -> 404", "no scenario is called deletions"),
        ("deletion.afterwards: GET r1 -> 404", "deletion.deleted is one exchange, and 0 lines give it"),
        ("supported_now = nl", "Expecting value"),
    ],
)
def test_a_line_that_is_not_in_the_notation_is_named(line: str, why: str) -> None:
    with pytest.raises(Unreadable, match=re.escape(why)):
        trace_of([line])


def test_each_behaviour_has_its_smallest_traces() -> None:
    assert BEHAVIOURS.keys() - set(WITH_TRACES) == WITHOUT


def _is_violated(behaviour: Behaviour, steps: Sequence[str]) -> bool:
    """Tell whether a trace violates a behaviour."""
    return isinstance(_end(behaviour, steps), RequirementViolated)


def _end(behaviour: Behaviour, steps: Sequence[str]) -> Exception | None:
    """Return what a check says of a trace, or the error that it raises on one that no scenario leaves."""
    try:
        return behaviour.decide(trace_of(steps))
    except Exception as error:
        return error


WITHOUT = {
    "test_a_401_says_so[7-unauthorized-error]",
    "test_a_401_says_so[7-unauthorized-message]",
    "test_a_creation_answers_200[4.1-answers-200]",
    "test_a_creation_beyond_the_limit_answers_400[7-limit-reached]",
    "test_a_creation_returns_the_request[4.1-object]",
    "test_a_new_request_is_in_some_state[3-initial-state]",
    "test_an_error_is_an_object_with_two_strings[2.4-error]",
    "test_an_error_is_an_object_with_two_strings[2.4-message]",
    "test_an_error_is_an_object_with_two_strings[2.4-object]",
    "test_an_unsupported_language_answers_400[7-language-not-supported]",
    "test_bodies_are_json[0-bodies-are-json]",
    "test_creating_with_a_token_that_is_not_accepted[5.3-create-with-bad-token]",
    "test_creating_without_a_token[5.3-create-without-token]",
    "test_data_answers_200[4.5-answers-200]",
    "test_data_is_an_array_of_objects[4.5-array]",
    "test_data_me_carries[4.6-account]",
    "test_data_me_carries[4.6-types]",
    "test_data_needs_no_token[5.4-data-without-token]",
    "test_deleting_a_request_answers_ok[4.3-answers-ok]",
    "test_field_of_a_data_request[2.1-completedAt]",
    "test_field_of_a_data_request[2.1-createdAt]",
    "test_field_of_a_data_request[2.1-dataRequested-known]",
    "test_field_of_a_data_request[2.1-dataRequested]",
    "test_field_of_a_data_request[2.1-date-time-form]",
    "test_field_of_a_data_request[2.1-expectedCompletion]",
    "test_field_of_a_data_request[2.1-isCompleted]",
    "test_field_of_a_data_request[2.1-requestId]",
    "test_field_of_a_data_type[2.2-context-present]",
    "test_field_of_a_data_type[2.2-context]",
    "test_field_of_a_data_type[2.2-description-present]",
    "test_field_of_a_data_type[2.2-description]",
    "test_field_of_a_data_type[2.2-isErasable-present]",
    "test_field_of_a_data_type[2.2-isErasable]",
    "test_field_of_a_data_type[2.2-isRectifiable-present]",
    "test_field_of_a_data_type[2.2-isRectifiable]",
    "test_field_of_a_data_type[2.2-not-empty]",
    "test_field_of_a_data_type[2.2-processingGround-present]",
    "test_field_of_a_data_type[2.2-processingGround]",
    "test_field_of_a_data_type[2.2-type-listed-once]",
    "test_field_of_a_data_type[2.2-type-unique]",
    "test_field_of_a_data_type[2.2-type]",
    "test_field_of_a_data_type[9-context-replaces-schemaUrl]",
    "test_field_of_a_data_type[9-schemaUrl-removed]",
    "test_generated_calls_keep[4.1-requested-types]",
    "test_generated_calls_keep[7-invalid-data-types-error]",
    "test_generated_calls_keep[7-invalid-data-types-message]",
    "test_generated_calls_keep[7-invalid-data-types]",
    "test_generated_calls_keep[7-not-found-error]",
    "test_generated_calls_keep[7-not-found-message]",
    "test_generated_calls_keep[7-not-found]",
    "test_json_is_labelled_as_json[0-json-media-type]",
    "test_linked_calls_keep[3-removed]",
    "test_linked_calls_keep[4.3-answers-ok]",
    "test_no_content_under_a_label_is_an_omitted_body[4.1-empty-body-labelled]",
    "test_parameter_of_the_settings[1.4-every-parameter]",
    "test_parameter_of_the_settings[2.3-forgotPasswordLink]",
    "test_parameter_of_the_settings[2.3-legalEntity]",
    "test_parameter_of_the_settings[2.3-links-http]",
    "test_parameter_of_the_settings[2.3-maxNumberOfRequests]",
    "test_parameter_of_the_settings[2.3-names-not-empty]",
    "test_parameter_of_the_settings[2.3-oAuthClientId]",
    "test_parameter_of_the_settings[2.3-oAuthUrl]",
    "test_parameter_of_the_settings[2.3-organisationName]",
    "test_parameter_of_the_settings[2.3-privacyContactEmail-form]",
    "test_parameter_of_the_settings[2.3-privacyContactEmail]",
    "test_parameter_of_the_settings[2.3-privacyPolicy]",
    "test_parameter_of_the_settings[2.3-supportedLanaguages]",
    "test_parameter_of_the_settings[2.3-termsOfService]",
    "test_reading_returns_the_request[4.2-object]",
    "test_sequences_keep[3-deletes-no-other]",
    "test_sequences_keep[3-removed]",
    "test_sequences_keep[4.2-agrees-with-creation]",
    "test_sequences_keep[4.3-answers-ok]",
    "test_settings_answer_200[4.4-answers-200]",
    "test_settings_are_an_object[4.4-object]",
    "test_settings_need_no_token[5.4-settings-without-token]",
    "test_the_ok_is_labelled_as_plain_text[4.3-media-type]",
    "test_the_refusal_beyond_the_limit_says_so[7-limit-reached-error]",
    "test_the_refusal_beyond_the_limit_says_so[7-limit-reached-message]",
    "test_the_refusal_of_a_language_says_so[7-language-not-supported-error]",
    "test_the_refusal_of_a_language_says_so[7-language-not-supported-message]",
    "test_the_token_in_the_other_letter_case_is_another_token[5.3-letter-case]",
    "test_with_a_token_that_is_not_accepted[5.3-delete-with-bad-token]",
    "test_with_a_token_that_is_not_accepted[5.3-read-with-bad-token]",
    "test_without_a_body_all_types_are_requested[4.1-body-omitted]",
    "test_without_a_token[5.3-delete-without-token]",
    "test_without_a_token[5.3-read-without-token]",
}
"""The behaviours that have none yet. The list only becomes shorter."""
