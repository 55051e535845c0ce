from __future__ import annotations

from hand_made import SETTINGS, Scripted, json_answer, session_with

settings = json_answer(200, SETTINGS)


def test_an_anonymous_question_looks_like_one_of_a_common_client() -> None:
    transport = Scripted(settings)

    session_with(transport, anonymous=True).send("GET", "/settings", headers={"Accept": "text/html"})

    names = [name for name, _ in transport.sent[0].headers.raw]
    assert names == [b"Host", b"User-Agent", b"Accept-Encoding", b"Accept", b"Connection"]
    assert transport.sent[0].headers["user-agent"].startswith("python-requests/2.")
