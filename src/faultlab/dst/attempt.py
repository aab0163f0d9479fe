"""One attempt: a trial run once, and what was broken in it."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from faultlab.dst.errors import SimulationError
from faultlab.dst.places import Line, lines_of
from faultlab.kernel import Key, Program, Run, Strategy, Tape, Violation, run
from faultlab.kernel.strategy import Watch


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What a run broke. Two runs that break the same rule show the same bug.

    Attributes:
        kind: `exception`, or a kind of violation that the kernel finds by itself:
            `deadlock`, `step-limit`, `background-exception`, `leaked-task`.
        name: For an exception its type and the line that raised it; else the kind again.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        """The name."""
        return self.name


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A broken rule, with the evidence."""

    rule: Rule
    message: str
    where: Line | None = None
    error: BaseException | None = None
    violation: Violation | None = None


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One finished run and its judgement; `broken` is None if nothing was broken."""

    run: Run
    broken: Broken | None
    exercised: frozenset[str] = field(default_factory=frozenset)


class Trial(Protocol):
    """What a sweep runs again and again: a program with everything that judges it."""

    @property
    def name(self) -> str:
        """`module:attribute` of what is tried."""
        ...

    def attempt(
        self,
        *,
        seed: int | None = None,
        choices: Tape | None = None,
        strategy: Strategy | None = None,
        watch: Watch | None = None,
        asked: list[tuple[Key, int]] | None = None,
    ) -> Attempt:
        """Runs it once; arguments as for `faultlab.kernel.run`."""
        ...


@dataclass(frozen=True, kw_only=True)
class ProgramTrial:
    """A zero-argument async function, in which an exception is the violation."""

    program: Program
    steps_max: int

    @property
    def name(self) -> str:
        """`module:attribute`."""
        return name_of(self.program)

    def attempt(
        self,
        *,
        seed: int | None = None,
        choices: Tape | None = None,
        strategy: Strategy | None = None,
        watch: Watch | None = None,
        asked: list[tuple[Key, int]] | None = None,
    ) -> Attempt:
        """Runs the program once."""
        made = run(
            self.program,
            seed=seed,
            choices=choices,
            strategy=strategy,
            steps_max=self.steps_max,
            watch=watch,
            asked=asked,
        )
        return Attempt(run=made, broken=first_broken(made))


def first_broken(made: Run) -> Broken | None:
    """What a run broke: the exception that the program raised, else what the kernel found."""
    if made.error is not None:
        return _raised(made.error, "exception")
    for violation in made.violations:
        if violation.error is not None:
            found = _raised(violation.error, violation.kind)
            return Broken(
                rule=found.rule,
                message=violation.message,
                where=found.where,
                error=violation.error,
                violation=violation,
            )
        rule = Rule(kind=violation.kind, name=violation.kind)
        return Broken(rule=rule, message=violation.message, violation=violation)
    return None


def _raised(error: BaseException, kind: str) -> Broken:
    """A broken rule for an exception; of a group, the first exception in it."""
    leaf = error
    for _ in range(100):
        if not isinstance(leaf, BaseExceptionGroup):
            break
        leaf = leaf.exceptions[0]
    where = None
    for where in lines_of(leaf.__traceback__):  # noqa: B007  (the last one is wanted)
        pass
    kind_of_error = type(leaf).__qualname__
    place = f" at {where.file}:{where.number}" if where else ""
    text = str(leaf)
    return Broken(
        rule=Rule(kind=kind, name=f"{kind_of_error}{place}"),
        message=f"{kind_of_error}: {text}" if text else kind_of_error,
        where=where,
        error=leaf,
    )


def name_of(program: Callable[..., Any]) -> str:
    """`module:attribute` of a function; raises SimulationError for what has no name."""
    module = getattr(program, "__module__", None)
    attribute = getattr(program, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(attribute, str):
        raise SimulationError(
            f"{program!r} has no module and name, so that no report could say what was run; "
            "give an async function"
        )
    return f"{_module_name(module)}:{attribute}"


def _module_name(module: str) -> str:
    """The name by which others can import a module: that of a script is its file's."""
    if module != "__main__":
        return module
    main = sys.modules[module]
    spec = getattr(main, "__spec__", None)
    file = getattr(main, "__file__", None)
    if spec is not None and spec.name != module:
        return str(spec.name)
    return os.path.basename(file).removesuffix(".py") if file else module
