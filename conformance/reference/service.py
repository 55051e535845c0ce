"""The reference service: each method is one decision, which a fault or a twin can override alone."""

from __future__ import annotations

import hmac
import itertools
import json
import random
import threading
import uuid
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from email.utils import format_datetime
from typing import Any, ClassVar

from conformance.reference.call import PROBLEMS, TEXT, Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.clock import ServiceClock
from conformance.reference.config import DataType, ReferenceConfig, User
from conformance.reference.store import DataRequest, Store

_NEEDS_TOKEN = frozenset({Action.CREATE, Action.READ, Action.DELETE, Action.DATA_ME})


class Service:
    """A service that meets every requirement. Raises only RefusedError, which becomes the error object."""

    further_paths: ClassVar[Mapping[str, Mapping[str, Action]]] = {}
    """Paths beyond those of the interface, or in place of them, with the action of each method."""

    def __init__(self, config: ReferenceConfig) -> None:
        """Begin without any request."""
        self.config = config
        self.types = config.data_types
        self.type_names = frozenset(each.type for each in self.types)
        self.store = Store()
        self.clock = ServiceClock(config.clock_offset, config.clock_step, config.clock_begins)
        # A seed of small numbers alone is one that the suite guesses.
        seed = f"service {config.seed}"
        self._random = random.SystemRandom() if config.seed is None else random.Random(seed)
        self._turns: defaultdict[Hashable, itertools.count[int]] = defaultdict(itertools.count)
        self._turns_lock = threading.Lock()
        self.kept: dict[Hashable, Any] = {}
        """What a variant keeps between calls."""

    def turn(self, what: Hashable) -> int:
        """Return the number of earlier calls with `what`: variants that change some answers count with it."""
        with self._turns_lock:
            return next(self._turns[what])

    # ------------------------------------------------------------------ the way of a call

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        try:
            reply = await self.shortcut(call) or await self.perform(call)
        except RefusedError as refused:
            reply = self.refuse(refused.condition, call)
        return self.conclude(reply, call)

    async def shortcut(self, call: Call) -> Reply | None:  # noqa: ARG002 variants override it
        """Answer before any other step, or return None."""
        return None

    async def perform(self, call: Call) -> Reply:
        """Check the token if the operation needs one, then perform the operation."""
        call.user = self.authenticate(call)
        if call.user is None and call.operation in _NEEDS_TOKEN:
            raise RefusedError(ErrorCondition.UNAUTHORIZED)
        match call.operation:
            case Action.CREATE:
                return await self.create(call)
            case Action.READ:
                return self.read(call)
            case Action.DELETE:
                return await self.delete(call)
            case Action.SETTINGS:
                return Reply.json(self.settings(call))
            case Action.DATA:
                return Reply.json(self.data(call))
            case Action.DATA_ME:
                return Reply.json(self.data_me(call))
        raise RefusedError(ErrorCondition.NO_PATH)

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        """Return the error answer of `condition`."""
        call.condition = condition
        reply = Reply.json(self.error(condition, call), PROBLEMS[condition].status)
        if condition is ErrorCondition.UNAUTHORIZED:
            reply.headers["www-authenticate"] = "Bearer"
        return reply

    def error(self, condition: ErrorCondition, call: Call) -> Any:  # noqa: ARG002 variants override it
        """Return the error object of `condition` (2.4, 7)."""
        return {"error": PROBLEMS[condition].error, "message": PROBLEMS[condition].message}

    def finish(self, reply: Reply, call: Call) -> Reply:  # noqa: ARG002 variants override it
        """Return the final form of the answer: the last place to change anything."""
        return reply

    def conclude(self, reply: Reply, call: Call) -> Reply:
        """Finish the answer and date it by the service's clock."""
        reply = self.finish(reply, call)
        reply.headers.setdefault("date", format_datetime(self.now(), usegmt=True))
        return reply

    # ------------------------------------------------------------------ outside of the interface

    def complete_request(self, request_id: str) -> None:
        """Complete a request in progress."""
        request = self.store.get(request_id)
        if request is not None and request.completed_at(self.now()) is None:
            age = (self.now() - request.created_at).total_seconds()
            self.store.replace(replace(request, complete_after=age))

    def reset(self) -> None:
        """Remove every request."""
        for each in self.store.all():
            self.store.remove(each.id)

    # ------------------------------------------------------------------ moments

    def now(self) -> datetime:
        """Return the moment by the service's clock."""
        return self.clock.now()

    def timestamp(self, moment: datetime) -> str:
        """Write a moment as an RFC 3339 date-time."""
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    # ------------------------------------------------------------------ authentication (5)

    def authenticate(self, call: Call) -> User | None:
        """Return the user of the call's token, or None."""
        token = self.token(call)
        return self.accept(token) if token else None

    def token(self, call: Call) -> str | None:
        """Return the bearer token of the call, or None; the scheme is compared without regard to case."""
        if len(call.authorization) != 1:
            return None
        scheme, _, token = call.authorization[0].partition(" ")
        return token.strip(" ") if scheme.lower() == "bearer" else None

    def accept(self, token: str) -> User | None:
        """Return the user of `token`, or None if it is invalid."""
        given = token.encode("utf-8", "surrogateescape")
        return next((user for user in self.config.users if hmac.compare_digest(user.token.encode(), given)), None)

    # ------------------------------------------------------------------ settings and data types (4.4, 4.5, 4.6)

    def settings(self, call: Call) -> Any:  # noqa: ARG002 variants override it
        """Return the settings (2.3)."""
        return {
            "forgotPasswordLink": "https://shop.example/password/forgotten",
            "legalEntity": "Example Retail B.V.",
            "maxNumberOfRequests": self.config.max_requests,
            "oAuthClientId": "example-retail-citizen",
            "oAuthUrl": "https://auth.shop.example/oauth",
            "organisationName": "Example Retail",
            "privacyPolicy": "https://shop.example/privacy",
            "privacyContactEmail": "privacy@shop.example",
            "supportedLanaguages": list(self.config.languages),
            "termsOfService": "https://shop.example/terms",
        }

    def data(self, call: Call) -> Any:
        """Return the data type list in the language of the call."""
        language = self.language(call)
        return [self.data_type(each, language, call) for each in self.types]

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:  # noqa: ARG002 variants override it
        """Return one data type (2.2)."""
        return {
            "type": data_type.type,
            "description": data_type.described_in(language),
            "context": "https://schema.org/Person",
            "processingGround": data_type.processing_ground,
            "isErasable": data_type.is_erasable,
            "isRectifiable": data_type.is_rectifiable,
        }

    def language(self, call: Call) -> str:
        """Return the language to answer in; raise RefusedError for one that is not supported.

        Only the first language range counts, and of it only the primary subtag: the selector is a choice between
        languages, not a negotiation.
        """
        default = self.config.languages[0] if self.config.languages else "en"
        wanted = self.language_asked(call).partition(",")[0].partition(";")[0].strip().lower()
        if wanted in ("", "*"):
            return default
        primary = wanted.partition("-")[0]
        found = next((each for each in self.config.languages if each.lower() in (wanted, primary)), None)
        if found is None:
            raise RefusedError(ErrorCondition.LANGUAGE)
        return found

    def language_asked(self, call: Call) -> str:
        """Return the language that the call names, or ""."""
        kind, _, name = (self.config.language_selector or "").partition(":")
        return {"header": call.headers, "query": call.query}.get(kind, {}).get(name, "")

    def data_me(self, call: Call) -> Any:
        """Return the account of the user and the types that the service holds about them."""
        return {"account": call.owner or "nobody", "types": [each.type for each in self.types]}

    # ------------------------------------------------------------------ data requests (4.1 to 4.3)

    async def create(self, call: Call) -> Reply:
        """Create a data request and return it."""
        return Reply.json(self.document(await self.admit(self.wanted_types(call), call), call))

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        """Return the types of the body, without repetition; raise RefusedError unless all are available."""
        if not call.body:
            return tuple(each.type for each in self.types)
        try:
            wanted = json.loads(call.body.decode())
        except (ValueError, RecursionError):
            raise RefusedError(ErrorCondition.DATA_TYPES) from None
        if not isinstance(wanted, list) or not wanted or not self.types_match(wanted):
            raise RefusedError(ErrorCondition.DATA_TYPES)
        return tuple(dict.fromkeys(wanted))

    def types_match(self, wanted: list[Any]) -> bool:
        """Tell whether every element is an available type."""
        return all(isinstance(each, str) and each in self.type_names for each in wanted)

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        """Store a new request for `types`; raise RefusedError if the user may have no more."""
        request = self.new_request(types, call)
        if not self.store.add(request, lambda existing: self.has_room(existing, request)):
            raise RefusedError(ErrorCondition.LIMIT)
        return request

    def new_request(self, types: tuple[str, ...], call: Call) -> DataRequest:
        """Return a new request without storing it."""
        return DataRequest(self.new_id(call), call.owner, self.now(), types, self.config.complete_after)

    def new_id(self, call: Call) -> str:  # noqa: ARG002 variants override it
        """Return a new identifier (2.1): a version 4 UUID."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:
        """Tell whether one more request fits beside the existing ones (8)."""
        return sum(self.holds_place(each, request.owner) for each in existing) < self.config.max_requests

    def holds_place(self, request: DataRequest, owner: str) -> bool:
        """Tell whether `request` counts against the limit of `owner`."""
        return request.owner == owner and request.completed_at(self.now()) is None

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:  # noqa: ARG002 variants override it
        """Return a data request as the interface shows it (2.1)."""
        completed_at = request.completed_at(self.now())
        document: dict[str, Any] = {
            "requestId": request.id,
            "createdAt": self.timestamp(request.created_at),
            "isCompleted": completed_at is not None,
            "dataRequested": list(request.types),
        }
        if completed_at is not None:
            document["completedAt"] = self.timestamp(completed_at)
        return document

    def find(self, call: Call) -> DataRequest:
        """Return the request that the call names; raise RefusedError if this user has none with this identifier."""
        request = self.store.get(call.request_id)
        if request is None or call.user is None or request.owner != call.user.name:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return request

    def read(self, call: Call) -> Reply:
        """Return the request that the call names."""
        request = self.find(call)
        if not self.config.completed_readable and request.completed_at(self.now()) is not None:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return Reply.json(self.document(request, call))

    async def delete(self, call: Call) -> Reply:
        """Remove the request that the call names, in any state."""
        if self.remove(self.find(call)) is None:
            raise RefusedError(ErrorCondition.NO_REQUEST)
        return Reply(200, b"OK", {"content-type": TEXT})

    def remove(self, request: DataRequest) -> DataRequest | None:
        """Remove `request`; return None if it no longer exists."""
        return self.store.remove(request.id)
