"""What an answer to a creation or deletion says: accepted, refused for the limit, or for the form of the body."""

from __future__ import annotations

from typing import Final

from conformance.facts.answers import names_a_tabled_error, says
from conformance.model.error_table import LIMIT_REACHED
from conformance.model.errors import answer_of
from conformance.model.exchange import ErrorKind, Exchange, Operation, header
from conformance.rules.expect import member


def refuses_form(exchange: Exchange) -> bool:
    """Whether a creation was refused for the form in which its body was transferred, which a service need not know."""
    request, answer = exchange.request, exchange.response
    if header(request.headers, "expect"):
        return answer is not None and answer.status == 417
    if not header(request.headers, "transfer-encoding"):
        return False
    if answer is None or exchange.error is not None:
        return exchange.error in (ErrorKind.CLOSED, ErrorKind.NOT_HTTP)
    means_its_types = exchange.intent.body == "unknown type" and names_a_tabled_error(answer)
    return answer.status in _REFUSING_CHUNKS and not means_its_types and not is_limit_refusal(exchange)


_REFUSING_CHUNKS: Final = (400, 411, 413, 415, 501)


def is_limit_refusal(exchange: Exchange) -> bool:
    """Whether a creation was refused with the error of the limit (7)."""
    return exchange.operation is Operation.CREATE and says(exchange, LIMIT_REACHED)


def accepted(exchange: Exchange) -> bool:
    """Whether a creation or deletion was accepted; some services send each error with 200."""
    answer = exchange.response
    return answer is not None and 200 <= answer.status < 300 and not names_a_tabled_error(answer)


def succeeded(exchange: Exchange) -> bool:
    """Whether an accepted call had success: some services send errors, or the page of a login, with status 200."""
    page = exchange.operation is Operation.READ and answer_of(exchange).document.problem
    return accepted(exchange) and not page and not isinstance(member(exchange, "error"), str)
