"""Is the target there, is it what it should be, and are the tokens accepted? Under ten calls that change nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import httpx

from conformance.account import jwt_claims
from conformance.caller import OTHER_USER, USER, Caller
from conformance.exchange import Exchange
from conformance.expect import OF_THE_ANSWER, Undecided, shorten
from conformance.service import Service
from conformance.session import Session
from conformance.target import Target
from conformance.verdict import Blame, Exit
from conformance.wire.trouble import Trouble


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that stands in the way of a run; `exit_code` is set where the run cannot begin."""

    blame: Blame
    message: str
    remedy: str
    exit_code: Exit | None = None


@dataclass
class Diagnosis:
    """What the doctor found: problems, and facts worth knowing before a run."""

    problems: list[Problem] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def fatal(self) -> Problem | None:
        """The first problem that a run cannot begin with."""
        return next((problem for problem in self.problems if problem.exit_code is not None), None)


def examine(session: Session, *, needs_token: bool, may_create: bool = False) -> Diagnosis:
    """Look at the target; `may_create` lets a creation settle whether a token is accepted."""
    session.begin("doctor")
    service, found = Service(session), Diagnosis()
    settings, data = session.side_by_side([service.settings, service.data])
    if _unreachable(settings, found):
        return found
    if _elsewhere(settings, data, session.target.base_url, found) or _wrong_address(settings, data, found):
        return found
    found.facts.append(("address", f"{session.target.base_url} answers"))
    _way(session.target, found)
    _json(settings, data, found)
    service.heard(settings, data)
    _published(service, found)
    if needs_token:
        _tokens(service, found, may_create)
    return found


_UNREACHABLE = {
    Trouble.DNS: "Check the host name.",
    Trouble.CONNECT: "Check host and port, and that the service is running and reachable from here.",
    Trouble.TLS: "Give the service a certificate that is valid for this host, or name its authority with --ca-file.",
    Trouble.DEADLINE: "See whether the service hangs; --timeout gives it more time.",
    Trouble.CLOSED: "See why the service closes the connection without an answer.",
    Trouble.NOT_HTTP: "Check scheme and port: what answers there does not speak HTTP as it should.",
    Trouble.TRUNCATED: "See why the service ends its answer in the middle.",
    Trouble.TOO_LARGE: "See why the service sends so much.",
    Trouble.CODING: "Let the service answer without a content coding, or with gzip or deflate.",
    Trouble.RATE_LIMITED: "Wait, or use --rate to ask more slowly.",
    Trouble.UNAVAILABLE: "Run again when the service is available.",
    Trouble.BLOCKED: "Check the base_url.",
}


def _unreachable(exchange: Exchange, found: Diagnosis) -> bool:
    if exchange.trouble is None:
        return False
    found.problems.append(
        Problem(
            Blame.TARGET if exchange.trouble in OF_THE_ANSWER else Blame.NETWORK,
            f"GET {exchange.question.url} got no answer that can be judged: {exchange.trouble_detail}.",
            _UNREACHABLE.get(exchange.trouble, "Check the base_url."),
            Exit.INCONCLUSIVE,
        )
    )
    return True


def _elsewhere(settings: Exchange, data: Exchange, base_url: str, found: Diagnosis) -> bool:
    there = _other_origin(settings)
    if there is None or _other_origin(data) is None:
        return False
    meant = shorten(str(there.copy_with(query=None)).removesuffix("/settings"), 200)
    found.problems.append(
        Problem(
            Blame.CONFIGURATION,
            f"{base_url} redirects to another origin ({there.scheme}://{there.host}), where no credentials are sent.",
            f"If that is the service, give its address as base_url: {meant}",
            Exit.USAGE,
        )
    )
    return True


def _other_origin(exchange: Exchange) -> httpx.URL | None:
    """Return where an answer redirects to, if that is another origin."""
    answer = exchange.answer
    location = answer.header("location") if answer else None
    if answer is None or location is None or answer.status not in (301, 302, 303, 307, 308):
        return None
    here = httpx.URL(exchange.question.url)
    try:
        there = here.join(location)
    except (httpx.InvalidURL, ValueError):
        return None
    return None if (there.scheme, there.host, there.port) == (here.scheme, here.host, here.port) else there


def _wrong_address(settings: Exchange, data: Exchange, found: Diagnosis) -> bool:
    answers = [exchange.answer for exchange in (settings, data) if exchange.answer is not None]
    if len(answers) < 2:
        return False
    if all(answer.text.lstrip("\ufeff \r\n\t")[:1] == "<" for answer in answers):
        message = (
            "Both GET /settings and GET /data answer with HTML instead of JSON: this is a website, not the service."
        )
    elif all(answer.status in (404, 410) for answer in answers):
        message = f"Neither GET /settings nor GET /data exists below {settings.question.url.removesuffix('/settings')}."
    else:
        return False
    remedy = "Check the path of the base_url: the paths of the interface are appended to it."
    found.problems.append(Problem(Blame.CONFIGURATION, message, remedy, Exit.USAGE))
    return True


def _way(target: Target, found: Diagnosis) -> None:
    if target.is_https:
        found.facts.append(("TLS", "the certificate is trusted and is for this host"))
    elif target.url.host not in ("127.0.0.1", "::1", "localhost"):
        found.facts.append(("TLS", "none: whoever carries the traffic can read the tokens in it"))


def _json(settings: Exchange, data: Exchange, found: Diagnosis) -> None:
    for exchange, name in ((settings, "/settings"), (data, "/data")):
        answer = exchange.answer
        if answer is not None and answer.document.problem is None:
            found.facts.append(("JSON", f"GET {name} answers {answer.status} with JSON"))


def _published(service: Service, found: Diagnosis) -> None:
    try:
        settings = service.settings_document()
    except Undecided as error:
        found.problems.append(Problem(Blame.TARGET, error.message, "The checks will say what is wrong with it."))
        return
    found.facts.append(("limit", f"maxNumberOfRequests {shorten(repr(settings.get('maxNumberOfRequests')), 60)}"))
    languages = settings.get("supportedLanaguages")
    found.facts.append(("languages", shorten(repr(languages), 100)))


def _tokens(service: Service, found: Diagnosis, may_create: bool) -> None:
    credentials = service.session.credentials
    if USER.label not in credentials:
        found.problems.append(
            Problem(
                Blame.CREDENTIAL,
                "No access token was given, and the full profile creates, reads and deletes data requests.",
                "Give one as DRSI_TOKEN, with --token-file or with --token-command; or use --profile public.",
                Exit.USAGE,
            )
        )
        return
    callers = [caller for caller in (USER, OTHER_USER) if caller.label in credentials]
    questions = [partial(service.read, service.some_uuid(), caller) for caller in callers]
    accounts = [partial(service.data_me, caller) for caller in callers if len(callers) > 1]
    asked = service.session.side_by_side([*questions, *accounts])
    if not _accepted(service, USER, asked[0], may_create):
        found.problems.append(_refused("The access token (DRSI_TOKEN)"))
        return
    found.facts.append(("token", "accepted"))
    if OTHER_USER.label not in credentials:
        found.facts.append(("second user", "none given (DRSI_OTHER_TOKEN); isolation of users is not looked at"))
        return
    if credentials[USER.label].token.current() == credentials[OTHER_USER.label].token.current():
        found.problems.append(
            Problem(
                Blame.CONFIGURATION,
                "DRSI_TOKEN and DRSI_OTHER_TOKEN are the same token.",
                "Give the token of another user as DRSI_OTHER_TOKEN, or leave it out.",
                Exit.USAGE,
            )
        )
    elif not _accepted(service, OTHER_USER, asked[1], may_create):
        found.problems.append(_refused("The second user's access token (DRSI_OTHER_TOKEN)"))
    else:
        service.session.memory["data/me of the user"] = asked[2]
        _different_users(service, asked[2:], found)


def _accepted(service: Service, caller: Caller, asked: Exchange, may_create: bool) -> bool:
    """Tell whether a token is accepted: it `asked` for a request that does not exist; in doubt by creating one."""
    if asked.answer is None or asked.answer.status not in (401, 403):
        return True
    if not may_create:
        return False
    created = service.post(None, caller)
    refused = created.answer is not None and created.answer.status in (401, 403)
    service.session.clean_up()
    return not refused


def _refused(what: str) -> Problem:
    return Problem(
        Blame.CREDENTIAL,
        f"{what} is refused by the target.",
        "See whether it has expired and is meant for this service; the OAuth server in GET /settings gives new ones.",
        Exit.USAGE,
    )


def _different_users(service: Service, asked: list[Exchange], found: Diagnosis) -> None:
    tokens = [service.session.credentials[label].token.current() for label in (USER.label, OTHER_USER.label)]
    subjects = [jwt_claims(token).get("sub") for token in tokens]
    accounts = [_account(exchange) for exchange in asked]
    for what, (mine, theirs) in (("claim sub", subjects), ("account in GET /data/me", accounts)):
        if mine is not None and mine == theirs:
            found.problems.append(
                Problem(
                    Blame.CONFIGURATION,
                    f"The two tokens seem to be of the same user: they have the same {what}.",
                    "Give the token of another user as DRSI_OTHER_TOKEN, or leave it out.",
                )
            )
            return
    known = any(value is not None for value in (*subjects, *accounts))
    found.facts.append(
        ("second user", "accepted, another user" if known else "accepted; whether another user is not told")
    )


def _account(exchange: Exchange) -> str | None:
    if exchange.answer is None or exchange.answer.status != 200:
        return None
    value = exchange.answer.document.value
    return repr(value["account"]) if isinstance(value, dict) and "account" in value else None
