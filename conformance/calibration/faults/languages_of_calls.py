"""Faults that hang on the language a call asks for, where it must not matter: clauses 1.4, 2.3, 4.2 and 7."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call, Operation, Reply
from conformance.reference.errors import Condition
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

_DUTCH = "Dit kan niet worden uitgevoerd."


def _reads(call: Call, tag: str) -> bool:
    return call.headers.get("accept-language", "").lower().startswith(tag)


def _translated(slug: str, condition: Condition, tag: str, *, token: bool | None = None) -> None:
    """Declare the fault that one message has a translation into one language, for calls with or without a token."""

    class Changed(Service):
        def error(self, given: Condition, call: Call) -> Any:
            told = super().error(given, call)
            mine = given is condition and token in (None, bool(call.authorization))
            return told | {"message": _DUTCH} if mine and _reads(call, tag) else told

    whose = {None: "", True: "-with-a-token", False: "-without-a-token"}[token]
    fault_table(
        f"7-{slug}-message",
        (
            f"{slug}-message-translated-for-{tag}{whose}",
            f"Of all messages one has a translation{whose.replace('-', ' ')}: who reads {tag} gets it.",
            Changed,
        ),
    )


_translated("unauthorized", Condition.UNAUTHORIZED, "nl")
_translated("unauthorized", Condition.UNAUTHORIZED, "de", token=False)
_translated("unauthorized", Condition.UNAUTHORIZED, "en", token=True)
_translated("unauthorized", Condition.UNAUTHORIZED, "en", token=False)
for _tag in ("en", "nl"):
    _translated("limit-reached", Condition.LIMIT, _tag)


class _NotFoundTranslated(Service):
    operation, tag = Operation.DELETE, "nl"

    def error(self, condition: Condition, call: Call) -> Any:
        told = super().error(condition, call)
        mine = condition is Condition.NO_REQUEST and call.operation is self.operation and _reads(call, self.tag)
        return told | {"message": _DUTCH} if mine else told


class _NotFoundTranslatedForReadings(_NotFoundTranslated):
    operation, tag = Operation.READ, "de"


for _handler, _slug in ((_NotFoundTranslated, "deletions"), (_NotFoundTranslatedForReadings, "readings")):
    fault_table(
        "7-not-found-message",
        (
            f"not-found-message-translated-for-{_slug}-in-one-language",
            "Handlers have messages of their own, and one has a translation into one language.",
            _handler,
        ),
    )


@fault("2.1-createdAt", "4.2-agrees-with-creation")
class _MomentOfCreationAsTheLanguageWritesIt(Service):
    """The answer to a creation is formatted for who is to read it: the moment as the Dutch write it."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        if call.operation is Operation.CREATE and _reads(call, "nl"):
            document["createdAt"] = request.created_at.strftime("%d-%m-%Y %H:%M")
        return document


@fault("2.1-dataRequested-known", "4.1-body-omitted", "4.1-requested-types", "4.2-agrees-with-creation")
class _DataRequestedTranslatedWhenCreated(Service):
    """What a creation answers is for people: it names the types in the language they read."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        if call.operation is Operation.CREATE and _reads(call, "de"):
            document["dataRequested"] = [each.described_in("de") for each in self.types if each.type in request.types]
        return document


@fault("4.3-answers-ok")
class _OkTranslated(Service):
    """The confirmation is a text like others, and translated."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        done = call.operation is Operation.DELETE and reply.status == 200
        return replace(reply, body=b"Erledigt") if done and _reads(call, "de") else reply


class _Untranslated(Service):
    tag = "nl"

    def settings(self, call: Call) -> Any:
        settings = super().settings(call)
        return settings | {"legalEntity": None} if _reads(call, self.tag) else settings


class _UntranslatedFirst(_Untranslated):
    tag = "en"


for _class, _which in ((_Untranslated, "second"), (_UntranslatedFirst, "first")):
    fault_table(
        "2.3-legalEntity",
        (
            f"legal-entity-null-in-the-{_which}-language",
            "The names of the entity are kept by language, and one language has none.",
            _class,
        ),
        consequences=("1.4-every-parameter",),
    )


@fault("4.2-agrees-with-creation", "2.1-dataRequested-known")
class _DataRequestedTranslatedWhenRead(Service):
    """The texts of the types are filled in for who reads German, in the place of their identifiers."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        document = super().document(request, call)
        if call.operation is Operation.READ and _reads(call, "de"):
            by_type = {each.type: each.described_in("de") for each in self.types}
            document["dataRequested"] = [by_type[each] for each in request.types]
        return document


@fault("7-language-not-supported-message")
class _LanguageWithARegionRefusedByTheLibrary(Service):
    """What has a region is looked up in the locales of the library, which has a message of its own."""

    def error(self, condition: Condition, call: Call) -> Any:
        told = super().error(condition, call)
        region = condition is Condition.LANGUAGE and "-" in self.language_asked(call)
        return told | {"message": f"Unknown locale {self.language_asked(call)}"} if region else told


@fault("7-language-not-supported")
class _LanguageWithARegionFallsBack(Service):
    """A tag with a region is no key of the table, and what is no tag of two letters is taken for none."""

    def language(self, call: Call) -> str:
        return self.config.languages[0] if "-" in self.language_asked(call) else super().language(call)
