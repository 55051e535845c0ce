"""The errors of the interface (section 7), and those of HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ErrorCondition(StrEnum):
    """The reason for refusing a call."""

    LIMIT = "limit"
    DATA_TYPES = "data-types"
    LANGUAGE = "language"
    UNAUTHORIZED = "unauthorized"
    NO_REQUEST = "no-request"
    NO_PATH = "no-path"
    METHOD = "method"
    TOO_LARGE = "too-large"


@dataclass(frozen=True)
class Problem:
    """Status and error object of one condition."""

    status: int
    error: str
    message: str


PROBLEMS = {
    ErrorCondition.LIMIT: Problem(
        400, "MaximumAmountOfRequestsReached", "The maximum amount of requests has been reached."
    ),
    ErrorCondition.DATA_TYPES: Problem(
        400,
        "InvalidDataTypes",
        "The data types that were specified do not match the available datatypes for this organisation.",
    ),
    ErrorCondition.LANGUAGE: Problem(
        400, "LanguageNotSupported", "The language you are requesting is not supported by this organisation"
    ),
    ErrorCondition.UNAUTHORIZED: Problem(
        401,
        "Unauthorized",
        "You are not authorized. Generate authentication tokens via OAuth to access this resource.",
    ),
    ErrorCondition.NO_REQUEST: Problem(404, "Not Found", "Could not find a data request with this id."),
    ErrorCondition.NO_PATH: Problem(404, "Not Found", "This path does not exist."),
    ErrorCondition.METHOD: Problem(405, "Method Not Allowed", "This method is not offered here."),
    ErrorCondition.TOO_LARGE: Problem(413, "Content Too Large", "The body is larger than this service reads."),
}


class RefusedError(Exception):
    """A refusal of the call with the error of `condition`."""

    def __init__(self, condition: ErrorCondition) -> None:
        """Refuse for `condition`."""
        super().__init__(condition)
        self.condition = condition
