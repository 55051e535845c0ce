from __future__ import annotations

from hand_made import SETTINGS, Scripted, json_answer, session_with

from conformance import __version__

settings = json_answer(200, SETTINGS)


def test_every_question_says_who_asks_and_what_for() -> None:
    transport = Scripted(settings)

    session_with(transport).send("GET", "/settings")

    said = transport.sent[0].headers
    assert said["user-agent"] == f"drsi-conformance/{__version__}"
    assert said["accept"].startswith("application/json")
    assert (said["accept-encoding"], said["connection"]) == ("identity", "keep-alive")


def test_an_anonymous_question_looks_like_one_of_a_common_client() -> None:
    transport = Scripted(settings)

    session_with(transport, anonymous=True).send("GET", "/settings", headers={"Accept": "text/html"})

    names = [name for name, _ in transport.sent[0].headers.raw]
    assert names == [b"Host", b"User-Agent", b"Accept-Encoding", b"Accept", b"Connection"]
    assert transport.sent[0].headers["user-agent"].startswith("python-requests/2.")


def test_chance_depends_on_nothing_but_the_seed_and_the_check() -> None:
    def drawn(seed: int, *checks: str) -> list[int]:
        session = session_with(Scripted(settings), seed=seed)
        numbers = []
        for check in checks:
            with session.attributed_to(check):
                numbers.append(session.chance.getrandbits(64))
        return numbers

    assert drawn(1, "a", "b") == [*drawn(1, "a"), *drawn(1, "b")]
    assert drawn(1, "b", "a")[::-1] == drawn(1, "a", "b")
    assert drawn(1, "a") != drawn(2, "a")
    assert drawn(1, "a") != drawn(1, "b")
