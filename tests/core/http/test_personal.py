"""What is personal in an account is replaced, with what can be computed from it, by pseudonyms of the same form."""

from __future__ import annotations

import hashlib
import json
import re
import time
from base64 import b64encode, urlsafe_b64encode
from datetime import date, timedelta
from urllib.parse import quote
from uuid import UUID

import pytest
from notation import call_in

from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.http.secrets.redaction import Redactor
from conformance.model.formats import is_email

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


NAME, EMAIL = "Wilhelmina Österreich", "wilhelmina@mail.example"


def test_a_value_in_an_identifier_is_replaced_unless_it_may_be_a_part_of_any_uuid() -> None:
    personal = personal_data()
    personal.of_body(b'{"account": ["Fabe", 48213377, 52003]}')

    assert replaced_by(personal) == {"48213377", "4821 3377", "52003"}
    redactor = Redactor((), personal.copies([]))
    shown = redactor.text("48213377-fabe-4a1b and 48213377fabe4a1b, but 52003 and a52003")
    assert re.fullmatch(r"(\d{8})-fabe-4a1b and \1fabe4a1b, but (?!52003)\d{5} and a52003", shown)
    assert "48213377" not in shown


def replaced_by(personal: PersonalData) -> set[str]:
    """Return the values that are replaced elsewhere, without digests."""
    return {each.value for each in personal.copies([]) if len(each.value) < 32}


def personal_data() -> PersonalData:
    return PersonalData(b"key", "http://localhost", lambda _: False)


ACCOUNTS = {
    "XML": "<?xml version='1.0'?><account><wilhelmina mail='{mail}'>{name}</wilhelmina><types>x</types></account>",
    "HTML": "<!DOCTYPE html><html><body class='a'><p>Dr <b>{name}</b>,<a href='/u?m={mail}'>you</a></body></html>",
    "CSV": 'name;mail;account\r\n"{name}";{mail};types',
    "lines": "name: {name}\nmail: '{mail}'\n",
    "names": '{{"account": {{"{name}": {{"{mail}": []}}}}, "types": [{{"type": "x"}}]}}',
    "names with escapes": '[{{"account": {{"{escaped}": 1}}, "types": {{"{mail}": 0}}}}]',
}


@pytest.mark.parametrize("form", ACCOUNTS.values(), ids=ACCOUNTS)
def test_the_values_of_an_account_in_any_format_are_known(form: str) -> None:
    personal = personal_data()
    name, mail = (personal._of(each) for each in (NAME, EMAIL))
    body = form.format(name=NAME, mail=EMAIL, escaped=json.dumps(NAME)[1:-1]).encode()

    shown = personal.of_body(body)
    redactor = Redactor((), personal.copies([]))

    assert len(shown) == len(body)
    assert redactor.text(f"<i>{NAME}</i> {EMAIL}") == f"<i>{name}</i> {mail}"
    assert not [each for each in (NAME, EMAIL, "wilhelmina") if each.lower() in shown.decode().lower()]
    kept = [word for word in ("account", "types", "<!DOCTYPE html><html><body class") if word in form]
    assert [word for word in kept if word not in shown.decode()] == []


@pytest.mark.parametrize("body", [b"null", b"true", b" false\n", b"12", b'"text"', b"[]", b"\xef\xbb\xbf{}"])
def test_a_json_body_stays_one(body: bytes) -> None:
    replaced = personal_data().of_body(body)
    kinds = [type(json.loads(each.decode("utf-8-sig"))) for each in (body, replaced)]
    assert kinds[0] is kinds[1]


@pytest.mark.parametrize("public", "123456789")
def test_names_of_members_stay_different(public: str) -> None:
    """A map may have short keys, and GET /settings may show everybody one of them, such as the limit."""
    personal = personal_data()
    shown = call_in(f"GET /settings -> 200 limit {public}")
    assert shown.response
    personal.recorded(shown, shown.response)

    replaced = personal.of_body(json.dumps({"account": dict.fromkeys("123456789")}).encode())

    assert len(json.loads(replaced)["account"]) == 9


@pytest.mark.parametrize("body", [b"<!doctype" * 40_000, b'["' + rb"\"" * 150_000], ids=["markup", "JSON"])
def test_a_long_body_whose_parts_have_no_end_takes_seconds(body: bytes) -> None:
    began = time.process_time()
    personal_data().of_body(body)
    assert time.process_time() - began < 20  # if each part searched the rest for its end, it would be minutes


def test_a_string_without_an_end_takes_the_rest() -> None:
    personal = personal_data()
    shown = personal.of_body(b'["anna", "bertha \\"carla\\": true')

    assert len(shown) == 32
    assert not re.search(b"anna|bertha|carla", shown)


pseudonyms = Pseudonyms(b"a key")
of = pseudonyms.of


@pytest.mark.parametrize(
    "value",
    ["Anna Müller", "ANNA", "Straße 12-b", "東京都", "Ђорђе", "NL91ABNA0417164300", "+31 6 1234", "", "x" * 999],
)
def test_letters_and_digits_are_replaced_by_their_like(value: str) -> None:
    replaced = of(value)

    assert replaced != value or not value
    for one, other in zip(value, replaced, strict=True):
        forms = [(each.isupper(), each.islower(), each.isdigit(), len(each.encode())) for each in (one, other)]
        assert forms[0] == forms[1]
        assert one == other or one.isalnum()


def test_upper_and_lower_case_of_a_value_have_one_pseudonym() -> None:
    assert of("anna-1").upper() == of("ANNA-1") == of("Anna-1").upper()
    assert of("Anna-1") != Pseudonyms(b"another").of("Anna-1")


def test_a_value_keeps_its_type() -> None:
    given = UUID("6f9619ff-8b86-4011-b42d-00c04fc964ff")
    replaced = UUID(of(str(given)))
    assert (replaced.version, replaced.variant) == (given.version, given.variant)
    assert replaced != given
    assert of(str(given).upper()) == str(replaced).upper()
    assert is_email(of("anna.mueller+post@mail.example"))
    assert of("https://mail.example/anna").startswith("https://")


@pytest.mark.parametrize("literal", ["7", "-12", "1000000", "0.5", "-0.001", "3.25e10", "10"])
def test_a_number_keeps_its_sign_and_the_number_of_its_digits(literal: str) -> None:
    replaced = pseudonyms.of(literal)

    json.loads(replaced)
    assert [each if each in "-.e+" else "0" for each in replaced] == [
        each if each in "-.e+" else "0" for each in literal
    ]


@pytest.mark.parametrize(
    "surnames", ["王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗", "김이박최정강조윤장임한오서신권황안송류전"]
)
def test_a_surname_of_one_character_may_become_any_of_its_script(surnames: str) -> None:
    for other in (surnames, [f"{each}{each}" for each in surnames]):
        places = [(ord(each[0]), ord(of(each)[0])) for each in other]
        assert sum(one // 64 == another // 64 for one, another in places) <= 1
        assert len({another for _, another in places}) == len(surnames)


def test_different_values_have_different_pseudonyms() -> None:
    days = [str(date(1900, 1, 1) + timedelta(day)) for day in range(0, 36_524, 7)]
    names = [f"{one}{other}" for one in "abcXYZ" for other in "abcdefghijklm"]
    for values in ([f"{number:03}" for number in range(1000)], [*map(str, range(1000))], days, names):
        assert len({of(value) for value in values}) == len(values)
