"""The formats of strings: samples that match and samples that do not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from conformance.model.formats import FORMATS, is_date_time, is_email, is_url, is_uuid, parse_date_time

UUID = "6f1c1a4e-8a0b-4c35-9d2e-0f6b1d7c2a90"


def _words(text: str) -> list[str]:
    return text.split()


RIGHT = {
    "uuid": [UUID, UUID.upper(), "00000000-0000-0000-0000-000000000000", "01890a5d-ac96-774b-bcce-b302099a8057"],
    "date-time": [
        *_words("""
        2026-01-31T12:00Z 2026-01-31T12Z 2026-01-31T12:00:00,5Z 2026-01-31T12:00:00+01 2026-01-31T12:00:00+0100
        2026-01-31T12,25+01 2026-01-31T24:00:00Z 20260131T120000Z 20260131T12:00:00Z 2026-01-31T120000.5-0530
        2026-W05-6T12:00:00Z 2026W056T12Z 2026-031T12:00:00Z 2026031T120000Z 2024-366T00:00Z
        """),
        *("2026-01-31 12:00:00Z", "2026-01-31T12:00:00\u221201:00"),
    ],
    "rfc-3339": _words("""
        2026-01-31T12:00:00Z 2026-01-31t12:00:00z 2026-01-31T12:00:00.1Z 2026-01-31T12:00:00-00:00
        2026-01-31T12:00:00.123456789012345678901234567890+23:59 9999-12-31T23:59:59.999999999-23:59
        2024-02-29T00:00:00Z 2000-02-29T00:00:00Z 0000-02-29T00:00:00Z 0000-01-01T00:00:00Z
        2016-12-31T23:59:60Z 2016-12-31T23:59:60.5Z 2016-12-31T18:59:60-05:00 2017-01-01T05:29:60+05:30
    """),
    "http-url": ["https://example.org", "HTTP://example.org", "example.org", ""],
    "iri": _words("""
        https://example.org HTTPS://EXAMPLE.ORG/ http://localhost http://localhost:8080/forgot?a[]=1#top
        http://example.org. http://example.org:/ http://192.0.2.7:65535/ http://192.0.2.7./ https://2130706433/
        http://127.1/ https://192.0.2/ https://0300.0.2.01/ https://0xc0.0.0x2.7/ http://[2001:db8::1]:8443/a
        https://user:p%40ss@example.org/ https://bücher.example/über-uns https://例え.テスト/道?質問=答え#断片
        https://xn--bcher-kva.example/%C3%BC https://my_host.example/a(b)'c;d,e https://example.org?x
        https://example.org#x ftp://example.org/ mailto:a@example.org tel:112 org.example.app:/terms urn:example:a
    """),
    "idn-email": [
        *_words("""
        privacy@example.org First.Last+tag@sub.example.co.uk !#$%&'*+/=?^_`{|}~-@example.org a@[192.0.2.7]
        a@[IPv6:2001:db8::1] datenschutz@bücher.example 質問@例え.テスト संपर्क@डाटामेल.भारत a@xn--bcher-kva.xn--p1ai
        """),
        '"privacy@home"@example.org',
        '"a b\\"c"@example.org',
    ],
}

WRONG = {
    "uuid": [
        *(UUID[:-1], UUID + "0", f"{{{UUID}}}", f"urn:uuid:{UUID}", UUID.replace("-", ""), UUID.replace("6", "g")),
        *(UUID.replace("6", "٦"), "6f1c1a4e8-a0b-4c35-9d2e-0f6b1d7c2a90"),
    ],
    "date-time": [
        *_words("""
        2026-01-31 2026-01-31T12:00:00 2026-01-31T12:00:00.Z 2026-01-31T12:00:00+24:00 2026-01-31T12:00:00+01:60
        2026-01-31T12:00:00UTC 2026-01-31T24:00:01Z 2026-01-31T24:00:00.5Z 2026-01-31T12:60:00Z 2026-01-31T12:00:61Z
        2026-01-31T12:00:60Z 2016-12-31T23:59:60-05:00 2026-00-31T12:00:00Z 2026-13-31T12:00:00Z 2026-01-00T12:00:00Z
        2026-01-32T12:00:00Z 2026-04-31T12:00:00Z 2026-02-29T12:00:00Z 1900-02-29T12:00:00Z 2026-W54-1T12:00:00Z
        2026-W05-8T12:00:00Z 2026-366T12:00:00Z 2026-000T12:00:00Z 26-01-31T12:00:00Z 12026-01-31T12:00:00Z
        ２０２６-01-31T12:00:00Z 2026-0131T12:00:00Z 2026-01-31T12:0000Z 2026-01-31TZ
        """),
        "2026-01-31T12:00:00 +01:00",
    ],
    "iri": [
        *_words("""
        example.org //example.org/ /terms http: http:// http:///terms http:example.org https//example.org https://?x
        https://#x https://:80/ https://user@/ https://a@b@example.org/ localhost:8080/a
        auth.example.org:443 mailto: https://example.org:65536/ https://example.org:http/ https://example.org:-1/
        https://example.org/%zz https://{host}/ https://<host>/ https:\\\\example.org https://example..org/ https://./
        https://.example.org/ https://[2001:db8::1/ https://[::g]/ https://[fe80::1%eth0]/ https://2001:db8::1/
        https://192.0..2/
        """),
        *("https://exa mple.org/", "https://example.org/a b", "https://example.org/a\u00a0b"),
        *("https://example.org/\u202e", "https://example.org/\ud800"),
        "https://example.org:" + "9" * 5_000,
    ],
    "idn-email": [
        *_words("""
        privacy @example.org privacy@ privacy@example privacy@@example.org a@b@example.org mailto:privacy@example.org
        <privacy@example.org> <EMAIL> a@example.org,b@example.org .privacy@example.org privacy.@example.org
        pri..vacy@example.org privacy@.example.org privacy@example..org privacy@example.org.
        privacy@[] privacy@exam_ple.org privacy@example.org?subject=data privacy@example/a.org privacy@{domain}.org
        https://example.org/contact
        """),
        *("Privacy <privacy@example.org>", "pri vacy@example.org", "privacy at example.org"),
        *("a" * 65 + "@example.org", "a@" + "b." * 130 + "org"),
    ],
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_samples_match(name: str) -> None:
    assert [text for text in RIGHT[name] if not FORMATS[name](text)] == []


@pytest.mark.parametrize("name", WRONG)
def test_wrong_samples_do_not_match(name: str) -> None:
    right = RIGHT[name][0]
    wrong = [*WRONG[name], "", f" {right}", f"{right} ", f"{right}\n", f"{right}\x00"]

    assert [text for text in wrong if FORMATS[name](text)] == []


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31t13:00:00.5+01:00", datetime(2026, 1, 31, 12, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-01-31T06:30:00.1234567-05:30", datetime(2026, 1, 31, 12, 0, 0, 123_456, tzinfo=UTC)),
        ("2016-12-31T23:59:60.25Z", datetime(2016, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
        ("2026-01-31T24:00:00Z", datetime(2026, 2, 1, tzinfo=UTC)),
        ("20260131T1200,5+0000", datetime(2026, 1, 31, 12, 0, 30, tzinfo=UTC)),
        ("2026-W05-6T12Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-031 12:00:00-01", datetime(2026, 1, 31, 13, tzinfo=UTC)),
        ("0000-02-29T23:59:59Z", datetime(4, 2, 29, 23, 59, 59, tzinfo=UTC)),
        ("0001-01-01T00:00:00+23:59", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=23, minutes=59)))),
    ],
)
def test_date_times_are_moments(text: str, moment: datetime) -> None:
    assert parse_date_time(text) == moment


@pytest.mark.parametrize(
    "text",
    ["http://" + "@" * 200_000, "http://" + "a." * 200_000, '"' + "\\a" * 200_000, "a." * 200_000, "a@" * 200_000],
    ids=["ats", "labels", "escapes", "dots", "addresses"],
)
def test_long_strings_of_a_service_are_decided_in_linear_time(text: str) -> None:
    assert [is_uuid(text), is_date_time(text), is_email(text)] == [False] * 3
    assert is_url(text) is text.startswith("http://a")
