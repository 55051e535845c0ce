"""The identities with a form of a credential: invalid tokens, and forms that the specification does not mention (5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from urllib.parse import quote

from conformance.client.api import Api
from conformance.model.account import jwt_claims
from conformance.model.credential_forms import (
    ALTERED,
    FORMS,
    OTHER_LETTER_CASE,
    WITH_EXTRA_CHARACTERS,
    WITHOUT_SIGNATURE,
)
from conformance.model.error_table import IN_QUERY, TOKEN_IN_QUERY
from conformance.model.identity import OF_CALLS, OTHER_USER, PLAIN, USER, Identity


def no_tokens(service: Api) -> list[Identity]:
    """Return identities with invalid credentials: made-up and altered tokens, and the real ones of the tester."""
    chance = service.session.chance
    token = service.session.credentials[USER.label].current()
    signed = jwt_claims(token)
    digits = f"{chance.getrandbits(240):060x}"
    forms = {label: form(token, digits) for label, form in FORMS.items() if signed or label != WITHOUT_SIGNATURE}
    # Frameworks read each byte of UTF-8 as a letter. Jetty takes a token in another letter case for the right one on a
    # connection that has had that one.
    callers = [
        Identity(label, header.encode().decode("latin-1"), closes=label == OTHER_LETTER_CASE)
        for label, header in forms.items()
    ]
    # A service may compare paths with the query: a protected path is open with any query then.
    callers.append(Identity(IN_QUERY, query=f"access_token={chance.getrandbits(160):x}"))
    refused = service.session.target.refused
    callers += [Identity(label, f"Bearer {each.current()}") for label, each in refused.items()]
    callers = _that_are_no_tokens(service, callers)
    # In one language after another, and in none: errors are not translated.
    languages, variations = cycle([*service.tags(), ""]), cycle([PLAIN, PLAIN, *OF_CALLS])
    return [replace(each, language=next(languages), variation=next(variations)) for each in callers]


def _that_are_no_tokens(service: Api, callers: Sequence[Identity]) -> list[Identity]:
    """Return the identities whose credential is no token of a user, as a short one may be when it is altered.

    Of equal credentials the first one's label counts, whichever of parallel calls is first.
    """
    session = service.session
    tokens = {f"Bearer {each.current()}" for each in session.credentials.values()}
    chosen = [each for each in callers if each.authorization not in tokens]
    for each in chosen:
        session.secrets.note_sent(each.label, str(each.authorization))
    return chosen


def altered_tokens_of_another(service: Api) -> list[Identity]:
    """Return identities with the token of the other user, altered."""
    token = service.session.credentials[OTHER_USER.label].current()
    labels = {
        "the token of the other user with extra characters": WITH_EXTRA_CHARACTERS,
        "the token of the other user, altered in one character": ALTERED,
    }
    return _that_are_no_tokens(service, [Identity(each, FORMS[form](token, "")) for each, form in labels.items()])


def doubtful_forms(service: Api) -> list[Identity]:
    """Return identities with the token in forms that the specification does not mention."""
    token = service.session.credentials[USER.label].current()
    return [
        Identity("the token with the scheme bearer in lower case", f"bearer {token}", closes=True),
        Identity("the token with the scheme Token", f"Token {token}"),
        Identity("the token in two headers", (f"Bearer {token}", f"Bearer {token}")),
        Identity(TOKEN_IN_QUERY, query=f"access_token={quote(token, safe='')}"),
    ]
