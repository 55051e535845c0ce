"""Faults of clauses 4.4 to 4.6: settings, data type list and the user's own data."""

from __future__ import annotations

from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import answering, beside, on_settings, on_success, problem, status
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service

for _code, _summary in (
    (404, "The service has the settings under another path."),
    (500, "The service reads the settings from a file that does not exist."),
    (204, "The settings are empty."),
    (201, "The framework's controller answers 201 to every call."),
    (203, "A proxy changes the body and reports this with the status 203."),
):
    add_fault(
        "4.4-answers-200",
        f"settings-answer-{_code}",
        _summary,
        on_success(status(_code), Action.SETTINGS),
        consequences=("4.4-object", "1.4-every-parameter", "8-accepts-up-to-limit", *beside(_code)),
    )
    add_fault(
        "4.5-answers-200",
        f"data-types-answer-{_code}",
        _summary.replace("settings", "data types"),
        on_success(status(_code), Action.DATA),
        consequences=(
            "4.5-array",
            "2.1-dataRequested-known",
            "4.1-body-omitted",
            "4.5-supported-languages",
            *beside(_code),
        ),
    )


@fault("4.4-object", "1.4-every-parameter", "2.3-*", by=on_settings)
def settings_in_envelope(settings: Any) -> Any:
    """The company wraps all objects."""
    # The settings are an object without any of their fields.
    return {"settings": settings}


_LANGUAGES = "4.5-supported-languages"


@fault(_LANGUAGES, source="2.3, table, row 9, Meaning, sentence 1", at="perform")
def other_languages_are_missing(service: Service, call: Call) -> Reply | None:
    """The service looks up the texts of a language in a file that does not exist."""
    is_other = call.operation is Action.DATA and service.language(call) != service.config.languages[0]
    return problem(404, "Not Found", "No such file.") if is_other else None


@fault(_LANGUAGES, source="2.3, table, row 9, Meaning, sentence 1", of="settings")
def an_extra_language_listed(service: Service, settings: Any, _call: Call) -> Any:
    """The settings still list a language that the service no longer supports."""
    return settings | {"supportedLanaguages": [*service.config.languages, "fr"]}


add_fault(
    "4.6-exists",
    "data-me-answers-405",
    "The service has the path for another method only.",
    on_success(status(405), Action.DATA_ME),
)


@fault("4.6-exists", source="4.6, paragraph 1, sentence 1")
def data_me_is_absent(service: Service, call: Call) -> Reply | None:
    """The service does not have the path: it answers 404 as to every unknown path, for every user."""
    return service.refuse(ErrorCondition.NO_PATH, call) if call.operation is Action.DATA_ME else None


def _absent_after_the_token(service: Service, call: Call) -> None:
    if call.operation is Action.DATA_ME:
        raise RefusedError(ErrorCondition.NO_PATH if service.authenticate(call) else ErrorCondition.UNAUTHORIZED)


@fault("4.6-exists", source=sources.SPRING_ERROR_OBJECT, base=answering(_absent_after_the_token), at="refuse")
def data_me_is_absent_from_the_framework(service: Service, condition: ErrorCondition, call: Call) -> Reply | None:
    """The framework's 404 names the path, the moment and the number of the call, and checks the token first."""
    if condition is not ErrorCondition.NO_PATH:
        return None
    if not call.authorization:
        return Service.refuse(service, ErrorCondition.UNAUTHORIZED, call)
    shown = {"timestamp": service.timestamp(service.now()), "trace": f"{service.turn('trace'):032x}", "status": 404}
    return Reply.json({**shown, "path": call.path}, 404)


@fault("4.4-answers-200")
def settings_fail_in_another_language(service: Service, call: Call) -> Reply | None:
    """The service reads the settings of a language from a file, which one language lacks."""
    is_other = call.operation is Action.SETTINGS and service.language_asked(call) == "nl"
    return problem(500, "Failed", "No such file.") if is_other else None


@fault("4.4-answers-200", source=sources.SPRING_LOGIN)
def settings_send_browsers_to_a_login(service: Service, call: Call) -> Reply | None:
    """The portal sends a browser that is not logged in to its login; a program gets the settings without a token."""
    browses = call.operation is Action.SETTINGS and call.headers.get("accept", "").startswith("text/html")
    login = Reply(302, b"", {"location": "https://auth.shop.example/login"})
    return login if browses and service.authenticate(call) is None else None
