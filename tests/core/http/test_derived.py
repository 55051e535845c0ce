"""Values that anybody can compute from a personal value are replaced too, and nothing that is unrelated."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest

from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.redaction import Redactor

ACCOUNT = {
    "name": "Wilhelmina Österreich-Sandoval",
    "email": "w.sandoval@Mail.example",
    "iban": "DE89 3704 0044 0532 0130 00",
    "national": 8505121234,
    "phone": "+49 (30) 901820-17",
    "id": "0d7b8f3e-6c1a-4b52-9f0e-2a51c3d4e5f6",
    "card": "NL91ABNA0417164300",
    "session": "deadbeef-cafe-4fad-beef-fadedfacade1",
    "born": "1984-02-29",
    "plan": "Extended Liability Cover of 2024",
}


def redactor_of(account: object, *public: str) -> Redactor:
    personal = PersonalData(b"key", "http://localhost", lambda value: value in public)
    personal.of_body(json.dumps({"account": account}, ensure_ascii=False).encode())
    return Redactor((), personal.copies([]))


redactor = redactor_of(ACCOUNT)

DERIVED = {
    "first name": "Wilhelmina",
    "surname": "Österreich-Sandoval",
    "name in capitals": "WILHELMINA ÖSTERREICH-SANDOVAL",
    "name, decomposed": "Wilhelmina O\u0308sterreich-Sandoval",
    "name in a URL": quote("Wilhelmina Österreich-Sandoval"),
    "surname in HTML": "&Ouml;sterreich-Sandoval",
    "surname in bytes of Python": r"\xc3\x96sterreich-Sandoval",
    "name in a form": "Wilhelmina+%C3%96sterreich-Sandoval",
    "local part": "w.sandoval",
    "e-mail in small letters": "w.sandoval@mail.example",
    "e-mail in base64": b64encode(b"w.sandoval@Mail.example").decode(),
    "e-mail in base64url": urlsafe_b64encode(b"w.sandoval@Mail.example").decode().rstrip("="),
    **{
        f"{name} of the e-mail{about}": hashlib.new(name, form.encode()).hexdigest()
        for name in ("md5", "sha1", "sha256")
        for about, form in (("", ACCOUNT["email"]), (" in small letters", str(ACCOUNT["email"]).lower()))
        if isinstance(form, str)
    },
    "MD5 in capitals": hashlib.md5(b"w.sandoval@Mail.example").hexdigest().upper(),
    "IBAN without spaces": "DE89370400440532013000",
    "IBAN in a URL": "DE89%203704%200044%200532%200130%2000",
    "IBAN as it is printed": "NL91 ABNA 0417 1643 00",
    "identifier without hyphens": "0d7b8f3e6c1a4b529f0e2a51c3d4e5f6",
    "identifier of few digits without hyphens": "deadbeefcafe4fadbeeffadedfacade1",
    "birth without hyphens": "19840229",
    "birth, day first": "29.02.1984",
}


@pytest.mark.parametrize("form", DERIVED.values(), ids=DERIVED)
def test_what_can_be_computed_from_a_value_is_replaced(form: str) -> None:
    for text in (f"user {form} unknown", f'{{"message": "No {form}."}}', f"/users/{form}?lang=en"):
        shown = redactor.text(text)

        assert form.lower() not in shown.lower()
        assert len(shown.encode()) == len(text.encode())
        before, after = text.split(form)
        assert shown.startswith(before)
        assert shown.endswith(after)


UNRELATED = (
    "2026-11-25T19:05:12.123456Z",
    "Mail.example",
    "0d7b8f3e-6c1a-4b52-9f0e-2a51c3d4e5f7",
)


@pytest.mark.parametrize("text", UNRELATED)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert redactor.text(text) == text


def test_public_words_and_words_of_the_suite_stay() -> None:
    public = redactor_of({"name": "Test Request", "family": "Anna Contact"}, "Contact")

    assert public.text("a test of a Request by Contact") == "a test of a Request by Contact"
    assert public.text("by Test Request") != "by Test Request"
