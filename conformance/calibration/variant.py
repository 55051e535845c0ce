"""A variant of the reference service: a fault violates a requirement, a twin conforms and looks wrong."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache, partial
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from pkgutil import iter_modules
from traceback import extract_tb, format_exception_only
from typing import Any, ClassVar, Final, TypeVar

from starlette.applications import Starlette

from conformance.calibration.operators import answering, changing
from conformance.calibration.sources import is_source
from conformance.model.errors import ConfigurationFault
from conformance.model.requirements import Requirement, UnknownRequirement, catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Level, Verdict
from conformance.reference.app import OnError, build_app
from conformance.reference.config import ReferenceConfig
from conformance.reference.service import Service

Made = TypeVar("Made", bound=Callable[..., Any])
"""What is declared: a subclass of Service, or a function."""


class Given(StrEnum):
    """What a tester may give a run beside the command of README, by the options of `check`."""

    COMPLETE_COMMAND = "complete-command"
    RESET_COMMAND = "reset-command"
    EXPIRED_TOKEN = "expired-token"  # noqa: S105 the name of an option
    FOREIGN_TOKEN = "foreign-token"  # noqa: S105 the name of an option


class Kind(StrEnum):
    """The kind of a service that is tried."""

    FAULT = "fault"
    TWIN = "twin"
    COMBINATION = "combination"
    LIKE = "like"


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A variant: `service` overrides one decision, `config` holds the changed settings of the service.

    `summary` describes the mistake of a fault, or the permitted peculiarity of a twin. `run` holds options of the run
    that checks it, by the names of `Target`.
    """

    kind: ClassVar[Kind]
    name: str
    summary: str
    service: type[Service] = Service
    config: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[Given, ...] = ()
    """What only the organisation of the service can give: the run of this service has it."""
    is_in_use: bool = False
    """Whether the account has requests of others, so that the run lacks --empty-account of the command of README."""
    acceptable: Mapping[str, tuple[Verdict, ...]] = field(default_factory=dict)
    """By requirement, the verdicts other than pass that are right for the service, which a twin declares."""
    source: str = ""
    """Of a class: what shows that somebody ships such a service, or the place in the specification that it lives on."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults of the service."""
        return ()

    def accepts(self, requirement: str, verdict: Verdict) -> bool:
        """Tell whether this verdict is right for the service, although it is no pass."""
        return verdict in self.acceptable.get(requirement, ())

    @property
    def has_more_options(self) -> bool:
        """Whether the run has options beside those of the command in README, without which it decides less."""
        return bool(self.run or self.given)

    def configured(self, config: ReferenceConfig) -> ReferenceConfig:
        """Return `config` with the settings that the variant replaces."""
        return replace(config, **self.config)

    def app(self, config: ReferenceConfig, on_error: OnError = lambda _: None) -> Starlette:
        """Return a fresh application of the variant; `on_error` is as for `build_app`."""
        return build_app(self.configured(config), self.service, on_error=on_error)

    def wrong(self, mistake: object) -> ConfigurationFault:
        """Return the exception for a mistake in the declaration."""
        what = f"The declaration of {self.kind} {self.name} is wrong: {mistake}"
        return ConfigurationFault(what, remedy="Correct it, and try again.")

    def row(self, requirement: str) -> Requirement:
        """Return a row of the catalogue; raise ConfigurationFault with the closest ids for a wrong id."""
        try:
            return catalogue()[requirement]
        except UnknownRequirement as error:
            raise self.wrong(error) from None

    def check(self) -> None:
        """Refuse a missing summary, a source that is none, and settings that the service does not have."""
        if self.source and not is_source(self.source):
            raise self.wrong(
                f"its source is neither a place of the catalogue nor a name with an address: {self.source}."
            )
        if not self.summary:
            raise self.wrong("it has no docstring; say in a sentence which mistake or oddity it is.")
        if unknown := self.config.keys() - {each.name for each in fields(ReferenceConfig)}:
            raise self.wrong(f"the reference service has no setting {' and no setting '.join(sorted(unknown))}.")


@dataclass(frozen=True, kw_only=True)
class Fault(Variant):
    """A service that violates `requirement`; `consequences` are other ids that may be reported because of it.

    `undetectable` is the reason why no client can detect it, if there is one.
    """

    kind = Kind.FAULT
    requirement: str
    consequences: tuple[str, ...] = ()
    undetectable: str = ""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Itself."""
        return (self,)

    @property
    def broken(self) -> tuple[str, ...]:
        """The requirements that may be reported because of it, its own first."""
        return (self.requirement, *self.consequences)

    @property
    def sought(self) -> Verdict:
        """The verdict of its requirement with which it counts as found."""
        return VERDICT_WHEN_BROKEN[catalogue()[self.requirement].level]

    def __post_init__(self) -> None:
        """Refuse an id that the catalogue does not have, or that no service can violate."""
        for each in self.broken:
            if self.row(each).id not in detectable_requirements():
                raise self.wrong(f"it names {each}, which is open or untestable: no service violates it.")


@dataclass(frozen=True, kw_only=True)
class Twin(Variant):
    """A conforming service that looks wrong; `clause` is what allows it.

    `alerts` names the requirements for which a run raises an alert; it raises no other.
    """

    kind = Kind.TWIN
    clause: str
    alerts: tuple[str, ...] = ()
    in_part: bool = False
    """Whether the outcome is conforms-in-part, because only the tester can say how the language is chosen."""

    def __post_init__(self) -> None:
        """Refuse an id that the catalogue does not have, a fail, and an alert that the catalogue does not declare."""
        for each, verdicts in self.acceptable.items():
            if self.row(each).level is Level.MUST and Verdict.FAIL in verdicts:
                raise self.wrong(f"it accepts a fail of {each}, but a conforming service is never failed.")
        for each in self.alerts:
            if not self.row(each).alert:
                raise self.wrong(f"it raises an alert, but the catalogue declares no alert for it: {each}.")


REFERENCE: Final = Twin(
    name="reference",
    summary="The reference service itself.",
    clause="1",
    # It completes no requests by itself.
    acceptable=dict.fromkeys(catalogue().rows, (Verdict.NOT_APPLICABLE,)),
)
FAULTS: dict[str, Fault] = {}
"""All faults by name. Import it from conformance.calibration.faults, which fills it."""
TWINS: dict[str, Twin] = {}
"""All twins by name. Import it from conformance.calibration.twins, which fills it."""
DECLARED_IN: dict[str, str] = {}
"""The module that declares each fault and twin."""


@cache
def detectable_requirements() -> tuple[str, ...]:
    """Return the ids that a service can violate and a client can see."""
    return tuple(row.id for row in catalogue().rows.values() if row.level is not Level.OPEN and not row.untestable)


def _matching(name: str) -> list[str]:
    """Return the ids of the requirements that a name stands for, in which * is any text."""
    return fnmatch.filter(detectable_requirements(), name) or [name]


def fault(requirement: str, *consequences: str, **options: Any) -> Callable[[Made], Made]:
    """Declare a subclass of Service, or a function, as a fault of `requirement`; its docstring is the summary.

    A function answers some calls in place of the service, or changes them before it does: before any other step, or in
    the method that `at` names, whose arguments it gets. With `of`, the name of a method, it gets the service, the
    result and the arguments, and returns the result to use. `base` is the service that it changes. With `by`, an
    operator makes the service of the function.

    In a consequence, * stands for any text. The other options are those of `add_fault`. A class needs a `source`: a
    constant of `sources.py`, or a place in the specification.
    """
    return _declaring(partial(add_fault, requirement, consequences=consequences), **options)


def twin(
    clause: str, acceptable: Mapping[str, tuple[str, ...]] | None = None, **options: Any
) -> Callable[[Made], Made]:
    """Declare a subclass of Service, or a function, as a twin that `clause` allows, as `fault` declares a fault."""
    return _declaring(partial(add_twin, clause, acceptable=acceptable), **options)


def _declaring(
    add: Callable[..., None],
    *,
    at: str = "shortcut",
    of: str = "",
    base: type[Service] = Service,
    by: Callable[[Any], type[Service]] | None = None,
    **options: Any,
) -> Callable[[Made], Made]:
    make = by or (partial(changing, of, base=base) if of else partial(answering, method=at, base=base))

    def declare(made: Made) -> Made:
        service = made if isinstance(made, type) else make(made)
        demanded = {"source": "none"} if service is made else {}  # which is refused
        add(kebab(made.__name__), cleandoc(made.__doc__ or ""), service=service, **(demanded | options))
        return made

    return declare


def add_fault(
    requirement: str,
    name: str,
    summary: str,
    service: type[Service],
    consequences: Iterable[str] = (),
    **options: Any,
) -> None:
    """Declare a fault of `requirement`; the options are fields of `Fault`, and settings of the service."""
    broken = tuple(id for each in consequences for id in _matching(each) if id != requirement)
    given = {"requirement": requirement, "name": name, "summary": summary, "service": service, "consequences": broken}
    _add(Fault, FAULTS, options, **given)


Acceptable = dict[str, tuple[str, ...]]
"""Words of Verdict by id of the requirement; in an id, * stands for any text."""

_UNDECIDED: Final = ("inconclusive", "not-applicable")


def undecided(*ids: str) -> Acceptable:
    """Return the verdicts of a service that gives no opportunity to test some requirements; * is any text."""
    return dict.fromkeys(ids, _UNDECIDED)


def _verdicts(words: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[Verdict, ...]]:
    """Return the verdicts of each id that a name stands for."""
    return {id: tuple(map(Verdict, verdicts)) for name, verdicts in words.items() for id in _matching(name)}


LIMIT_NOT_MET: Final = undecided("7-limit-reached*", "8-*", "3-frees-the-limit*", "4.1-refused-creates-nothing")
"""The limit exceeds what a run creates, or requests complete before the run reaches it."""
_NOT_IN_PROGRESS: Final = undecided(
    "3-in-progress-no-completedAt", "4.2-answers-200", "4.2-object", "4.2-agrees-with-creation"
)
"""The run sees no request in progress."""
_HIDDEN: Final = undecided("3-deletes-no-other", "3-removed")
"""A request that is completed can no longer be read."""
_NEVER_COMPLETES: Final[Acceptable] = dict.fromkeys(
    ("2.1-completedAt", "2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count"),
    ("not-applicable",),
)
_NEVER_ESTIMATES: Final = undecided("2.1-expectedCompletion")
_SOON: Final = 0.1
"""Seconds within which a request completes before a run has looked at it."""


def add_twin(
    clause: str,
    name: str,
    summary: str,
    acceptable: Mapping[str, tuple[str, ...]] | None = None,
    service: type[Service] = Service,
    **options: Any,
) -> None:
    """Declare a twin that `clause` allows; the options are fields of `Twin`, and settings of the service.

    It need not declare verdicts that follow from its settings: most twins never complete a request, some do at once.
    """
    after = options.get("complete_after")
    right = _verdicts(_NEVER_ESTIMATES)
    if after is None and Given.COMPLETE_COMMAND not in options.get("given", ()):
        right |= _verdicts(_NEVER_COMPLETES)
    if after is not None and after < _SOON:
        right |= _verdicts(LIMIT_NOT_MET | _NOT_IN_PROGRESS)
        if not options.get("completed_readable", True):
            right |= _verdicts(_HIDDEN)
    # What the twin declares prevails over the patterns before.
    right |= _verdicts(acceptable or {})
    _add(Twin, TWINS, options, clause=clause, name=name, summary=summary, acceptable=right, service=service)


AnyVariant = TypeVar("AnyVariant", bound=Variant)


def _add(kind: type[AnyVariant], every: dict[str, AnyVariant], options: Mapping[str, Any], **given: Any) -> None:
    """Declare a variant; the options that are no fields of its kind are settings of the service."""
    own = {each.name for each in fields(kind)}
    config = {name: value for name, value in options.items() if name not in own}
    made = kind(config=config, **{name: value for name, value in options.items() if name in own}, **given)
    made.check()
    if made.name in every:
        raise made.wrong("the name is taken; give it another name.")
    every[made.name] = made


def kebab(name: str) -> str:
    """Return the name of a class or function in lower case, with a hyphen between its words."""
    return re.sub(r"(?<=[^-])(?=[A-Z])", "-", name.lstrip("_")).replace("_", "-").lower()


def raised(error: BaseException) -> str:
    """Return an exception in words, with the innermost place in a fault, a twin or their building blocks."""
    frames = extract_tb(error.__traceback__)
    last = [each for each in frames if Path(each.filename).is_relative_to(Path(__file__).parent)] or frames
    return f"{''.join(format_exception_only(error)).strip()} at {last[-1].filename}:{last[-1].lineno}"


def load(package: str, folders: Iterable[str], every: Mapping[str, Variant]) -> None:
    """Import every module of a package of faults or twins, and note which of `every` it declares."""
    for module in iter_modules(folders):
        known = set(every)
        import_module(name := f"{package}.{module.name}")
        DECLARED_IN.update(dict.fromkeys(every.keys() - known, name))
