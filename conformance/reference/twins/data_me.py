"""Twins of GET /data/me, of which clause 4.6 shows two names only."""

from __future__ import annotations

from typing import Any

from conformance.reference.bend import twin
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.config import User
from conformance.reference.service import Service


@twin("4.6")
class _DataMeAsArray(Service):
    """An array of records, each with account and types: the shape is not shown."""

    def data_me(self, call: Call) -> Any:
        record = super().data_me(call)
        return [record, {"account": None, "types": {}}]


_NO_DATA_ME = dict.fromkeys(("4.6-account", "4.6-types"), ("inconclusive", "not-applicable"))


@twin("4.6", _NO_DATA_ME)
class _DataMeForbidden(Service):
    """GET /data/me answers 403 to these tokens: its authentication is not shown."""

    status = 403

    async def perform(self, call: Call) -> Reply:
        reply = await super().perform(call)
        return Reply.json({"error": "Other"}, self.status) if call.operation is Operation.DATA_ME else reply


@twin("4.6", _NO_DATA_ME)
class _DataMeWantsAnotherToken(_DataMeForbidden):
    """GET /data/me answers 401 to these tokens: its authentication is not shown."""

    status = 401


@twin("4.6")
class _DataMeOpen(Service):
    """GET /data/me answers without a token as well."""

    def authenticate(self, call: Call) -> User | None:
        user = super().authenticate(call)
        return self.config.users[0] if user is None and call.operation is Operation.DATA_ME else user
