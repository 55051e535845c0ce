"""A fixed walk through the whole interface, by calls to the service itself, and what each of them answered."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance.client import encodings as writing
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.errors import Condition
from conformance.reference.service import Service

USERS = (User("alice.example", "Alice-0123456789abcdefghij"), User("bob.example", "Bob-9876543210zyxwvutsrqpo"))
CONFIG = ReferenceConfig(users=USERS, seed=1)
CYRILLIC = str.maketrans("aceopxyi", "асеорхуі")
NOBODY = "00000000-0000-4000-8000-000000000000"
BAD = (
    "Bearer made-up",
    f"Bearer {USERS[0].token[:-1]}X",
    f"Bearer {USERS[0].token.swapcase()}",
    f"Bearer {USERS[0].token}x",
    f"Bearer {USERS[0].token[:-9]}",
    f"Bearer {USERS[0].token[:13]}x{USERS[0].token[14:]}",
    f"Token {USERS[0].token}",
    "Bearer ",
    "Bearer null",
    "Basic dXNlcjpwYXNz",
)
IN_LOWER_CASE = f"bearer {USERS[0].token}"
ABROAD = {"Accept-Language": "nl", "accept-language": "nl"}
GOOD = "the token of the first user"
OTHER = "the token of the second user"


def frozen(service_class: type[Service], clock: list[datetime]) -> type[Service]:
    """Return the same service with a clock that stands still between calls, so that two walks can be compared."""

    class Frozen(service_class):  # type: ignore[misc, valid-type]
        def now(self) -> datetime:
            return clock[0] + timedelta(seconds=self.config.clock_offset)

    return Frozen


class Walk:
    """Walks through one service and keeps what it answered."""

    def __init__(self, service_class: type[Service], config: ReferenceConfig) -> None:
        self._clock = [datetime(2030, 5, 6, 7, 8, 9, 120000, tzinfo=UTC)]
        self.service = frozen(service_class, self._clock)(config)
        self.replies: list[Reply] = []

    async def call(self, operation: Operation, token: str | None = GOOD, **values: Any) -> Reply:
        self._clock[0] += timedelta(milliseconds=10)
        users = self.service.config.users
        known = {GOOD: users[0].token, OTHER: users[1].token}
        token = f"Bearer {known[token]}" if token in known else token
        authorization = () if token is None else (token,)
        headers = {"content-type": "application/json"} if values.get("body") else {}
        headers |= {"authorization": token or "", **values.pop("headers", {})}
        reply = await self.service.answer(Call(operation, authorization, headers, **values))
        self.replies.append(reply)
        return reply

    async def create(self, types: Any = None, token: str | None = GOOD) -> str:
        reply = await self.call(Operation.CREATE, token, body=b"" if types is None else json.dumps(types).encode())
        try:
            return str(reply.document["requestId"])
        except (ValueError, TypeError, KeyError):
            held = self.service.store.all()
            return held[-1].id if held else NOBODY

    async def public(self) -> None:
        for _ in range(5):
            await self.call(Operation.SETTINGS, None)
            await self.call(Operation.DATA, None)
        for language in ("nl-BE, en;q=0.5", "de", "xx", "xx", "xx", "xx"):
            await self.call(Operation.DATA, None, headers={"Accept-Language": language}, query={"lang": language})
        await self.call(Operation.DATA, None, query={"lang": "nl"})
        await self.call(Operation.SETTINGS, None, headers=ABROAD)
        for token in (GOOD, BAD[0]):
            await self.call(Operation.SETTINGS, token)
            await self.call(Operation.DATA, token)
        for token in (GOOD, None):
            await self.call(Operation.DATA_ME, token)

    async def rounds(self) -> None:
        known = [each.type for each in self.service.types]
        asked: list[Any] = [None, *([each] for each in known), known[:2], known[::-1], known[:1] * 2, *[None] * 6]
        for types in asked[:18]:
            name = await self.create(types)
            for _ in range(2):
                await self.call(Operation.READ, request_id=name)
            for operation in (Operation.DELETE, Operation.READ, Operation.DELETE):
                await self.call(operation, request_id=name)
        await self.call(Operation.DELETE, request_id=await self.create())

    async def refused(self) -> None:
        first = next((each.type for each in self.service.types), "none")
        near = [first[:-1]], [f"{first}x"]
        for types in (["?"], [""], [first, "?"], ["?", first], [first, "?", first], *near, [], {}, 5, [1], None):
            await self.create(types)
        await self.call(Operation.CREATE, body=b'["unfinished')
        last = [each.type for each in self.service.types][-1:]
        await self.call(Operation.CREATE, body=json.dumps(last, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        for name in (NOBODY, "1", "a/b"):
            for operation in (Operation.READ, Operation.DELETE):
                await self.call(operation, request_id=name)

    async def foreign(self) -> None:
        """Ask for the request of the first user as the second one."""
        name = await self.create()
        for operation in (Operation.READ, Operation.DELETE, Operation.READ):
            await self.call(operation, OTHER, request_id=name)
        await self.call(Operation.READ, request_id=name)

    def outside(self) -> None:
        """Call what the interface does not name: another method, another path."""
        for condition in (Condition.METHOD, Condition.NO_PATH):
            call = Call(Operation.OTHER)
            self.replies.append(self.service.conclude(self.service.refuse(condition, call), call))

    async def limited(self) -> None:
        first = next((each.type for each in self.service.types), None)
        names = [await self.create([first] if n % 2 and first else None) for n in range(self.many())]
        await self.create(token=OTHER)
        for name in names[1::-1]:
            for operation in (Operation.READ, Operation.READ, Operation.DELETE, Operation.READ):
                await self.call(operation, request_id=name)
        for name in names:
            await self.call(Operation.READ, request_id=name)
        await self.create()
        await self.create()

    def many(self) -> int:
        return min(self.service.config.max_requests, 5) + 4

    async def unauthenticated(self) -> None:
        held = self.service.store.all()
        name = held[-1].id if held else NOBODY
        for token in (None, None, *BAD, IN_LOWER_CASE, self.unsigned()):
            await self.create(token=token)
            await self.create(["?"], token=token)
            for operation in (Operation.READ, Operation.DELETE):
                for each in (name, NOBODY):
                    await self.call(operation, token, request_id=each)
                    await self.call(Operation.READ, request_id=each)

    def unsigned(self) -> str:
        """Return what a JWT says, and that it is not signed; of another token, something of the same form."""
        _, claims, *_ = (*self.service.config.users[0].token.split("."), "")
        return f"Bearer eyJhbGciOiJub25lIn0.{claims}."

    def emptied(self) -> None:
        for each in self.service.store.all():
            self.service.store.remove(each.id)

    @property
    def good(self) -> tuple[str, ...]:
        return (f"Bearer {self.service.config.users[0].token}",)

    async def burst(self) -> None:
        """Create at the same time: what waits between counting and inserting lets too many in."""
        calls = (Call(Operation.CREATE, self.good) for _ in range(self.many()))
        self.replies += sorted(await asyncio.gather(*map(self.service.answer, calls)), key=lambda reply: reply.status)

    async def contested(self) -> None:
        """Create at the same time within the limit and read; delete and read one at the same time; create again."""
        made = await asyncio.gather(*(self.service.answer(Call(Operation.CREATE, self.good)) for _ in range(2)))
        self.replies += made
        for _ in made:
            name = await self.create()
        for each in self.service.store.all():
            await self.call(Operation.READ, request_id=each.id)
        calls = (
            Call(operation, self.good, request_id=name)
            for operation in (Operation.DELETE, Operation.READ, Operation.DELETE, Operation.READ)
        )
        self.replies += await asyncio.gather(*map(self.service.answer, calls))
        await self.call(Operation.READ, request_id=name)
        for _ in range(self.many()):
            await self.create()

    async def odd(self) -> None:
        """Ask for near-misses of types, send what is no array of strings, and look at what another user made."""
        known = [each.type for each in self.service.types]
        name = known[0] if known else "none"
        similar = (
            "constructor",
            "0",
            "*",
            "%",
            f"{name}s",
            name[:-1],
            name.translate(CYRILLIC),
            ",".join(known[:2]),
            name.upper(),
            f" {name}",
        )
        for string in (*similar, "x" * 3000, f"{name}\x01"):
            await self.create([string])
            self.emptied()
        for body in (b"[", b"{}", b'"x"'):
            await self.call(Operation.CREATE, body=body)
            self.emptied()
        for label in ("text/plain", "text/plain; charset=ISO-8859-1"):
            await self.call(Operation.CREATE, body=json.dumps([name]).encode(), headers={"content-type": label})
            self.emptied()
        await self.call(Operation.CREATE, headers={"content-type": "application/json"})
        await self.call(Operation.CREATE, body=json.dumps([name], indent=2).encode("utf-8", "surrogatepass"))
        self.emptied()
        for body in (writing.apart(known[:1]), writing.tight(known)):
            await self.call(Operation.CREATE, body=body)
            self.emptied()
        await self.call(Operation.SETTINGS, headers={"accept": "image/png", "range": "bytes=1-2"})
        await self.call(Operation.SETTINGS, f"Bearer {USERS[1].token}")
        self.emptied()
        for _ in range(self.many()):
            await self.create([name])
        await self.create(known[-1:])
        await self.call(Operation.SETTINGS, None)
        for each in self.service.store.all():
            await self.call(Operation.READ, request_id=each.id)
        self.emptied()
        for _ in range(self.many()):
            await self.create([name], OTHER)
        self.emptied()
        await self.create([name, "?"])
        await self.create(known[-1:])
        await self.create([each.described_in("en") for each in self.service.types][:1])
        self.emptied()
        first = await self.create([name])
        await self.call(Operation.READ, request_id=first.upper())
        await self.call(Operation.READ, request_id="a word")
        self.emptied()

    async def of_values(self) -> None:
        """Ask for names and identifiers in other letters and versions, and for all in each language."""
        name = next((each.type for each in self.service.types), "none")
        for string in (f"{name}\x00x", f"{name}\U0001f600", name.replace("-", "_"), "all", "driver's licence"):
            await self.create([string])
            self.emptied()
        for _ in range(2):
            await self.create(["no-such-type"])
        await self.call(Operation.DATA, None)
        await self.call(Operation.DATA_ME, OTHER)
        kept = await self.create([name])
        for version in "17":
            one = f"{NOBODY[:14]}{version}{NOBODY[15:-1]}a"
            for each in (one, one.upper()):
                await self.call(Operation.DELETE, request_id=each)
                await self.call(Operation.READ, request_id=each)
        for _ in range(4):
            await self.call(Operation.READ, request_id=kept)
        await self.call(Operation.READ, None, request_id=kept)
        for language in ("en", "de", "eo-US"):
            headers = {"Accept-Language": language, "accept-language": language}
            await self.call(Operation.SETTINGS, None, headers=headers)
            await self.call(Operation.DATA, None, headers=headers)
            for token in (None, BAD[0], GOOD):
                await self.call(Operation.READ, token, request_id=kept, headers=headers)
        await self.call(Operation.DELETE, request_id=kept)
        await self.call(Operation.DATA_ME)
        self.emptied()

    async def in_vain(self) -> None:
        """Delete what nobody has beside two, and what is completed beside what is not."""
        names = [await self.create() for _ in range(2)]
        await self.call(Operation.DELETE, request_id=NOBODY)
        for name in names:
            await self.call(Operation.READ, request_id=name)
        self._clock[0] += timedelta(minutes=1)
        await self.create()
        await self.call(Operation.DELETE, request_id=names[0])
        self.emptied()

    async def abroad(self) -> None:
        """Ask for everything, and be refused for every reason, in each language."""
        for language in ("nl", "de", "en"):
            spoken = {"Accept-Language": language, "accept-language": language}
            await self.call(Operation.CREATE, None, headers=spoken)
            await self.call(Operation.CREATE, body=b'["?"]', headers=spoken)
            for operation in (Operation.READ, Operation.DELETE):
                await self.call(operation, None, request_id=NOBODY, headers=spoken)
                await self.call(operation, request_id=NOBODY, headers=spoken)
            for _ in range(self.many()):
                await self.call(Operation.CREATE, headers=spoken)
            for each in self.service.store.all():
                for operation in (Operation.READ, Operation.DELETE):
                    await self.call(operation, request_id=each.id, headers=spoken)
            self.emptied()

    async def of_lists(self) -> None:
        """Ask for one type and for two at the limit, one after another and together; and for what is no list of types.

        Elements of another kind and identifiers of any length are what a handler may break down over.
        """
        known = [each.type for each in self.service.types]
        for _ in range(self.many()):
            await self.create(known[:1])
        await self.create(known[:2])
        self.emptied()
        for _ in range(self.many() - 2):
            await self.create(known[:1])
        bodies = [json.dumps(known[: 1 + index % 2]).encode() for index in range(6)]
        await asyncio.gather(*(self.call(Operation.CREATE, body=each) for each in bodies))
        self.emptied()
        for odd in (None, 7, {"type": "x"}, ["y"]):
            await self.create([odd])
        for operation in (Operation.READ, Operation.DELETE):
            await self.call(operation, request_id="x" * 300)
        self.emptied()

    async def interleaved(self) -> None:
        """Take a tour with two users: look at each other's, delete the middle one, again, and what nobody has."""
        known = [each.type for each in self.service.types]
        other = f"Bearer {USERS[1].token}"
        first = await self.create(known[:1])
        await self.call(Operation.READ, other, request_id=first)
        await self.call(Operation.READ, request_id=first)
        second = await self.create()
        third = await self.create(known[:2])
        others = await self.create(known[1:], other)
        for operation in (Operation.READ, Operation.DELETE, Operation.READ, Operation.DELETE):
            await self.call(operation, request_id=second)
        fourth = await self.create(known[:1])
        await self.create(known[:1])
        await self.call(Operation.DELETE, request_id=NOBODY)
        await self.call(Operation.DELETE, other, request_id=others)
        for name in (first, second, third, fourth):
            for operation in (Operation.READ, Operation.DELETE, Operation.READ):
                await self.call(operation, request_id=name)
        self.emptied()

    async def whole(self) -> None:
        await self.public()
        await self.rounds()
        await self.refused()
        self.outside()
        self.emptied()
        await self.foreign()
        self.emptied()
        await self.limited()
        await self.unauthenticated()
        self.emptied()
        await self.burst()
        self.emptied()
        await self.contested()


def transcript(service_class: type[Service], config: ReferenceConfig) -> list[Reply]:
    """Return the answers of the whole walk."""
    walk = Walk(service_class, config)
    asyncio.run(walk.whole())
    return walk.replies


def odd_transcript(service_class: type[Service], config: ReferenceConfig) -> list[Reply]:
    """Return the answers to what is asked beside the straight way: odd calls, and two users at once."""
    walk = Walk(service_class, config)
    asyncio.run(walk.interleaved())
    asyncio.run(walk.odd())
    asyncio.run(walk.abroad())
    asyncio.run(walk.of_values())
    asyncio.run(walk.of_lists())
    asyncio.run(walk.in_vain())
    return walk.replies


def differs(service_class: type[Service], config: ReferenceConfig) -> bool:
    """Tell whether a service answers anything otherwise than the reference does."""
    return any(answers(service_class, config) != answers(Service, config) for answers in (transcript, odd_transcript))
