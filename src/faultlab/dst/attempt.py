"""One attempt: a trial run once, and what was broken in it."""

import os
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from faultlab.dst.errors import SimulationError
from faultlab.dst.places import Line, lines_of
from faultlab.dst.token import Token
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
    events: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One finished run and its judgement; `broken` is None if nothing was broken.

    Attributes:
        run: The run.
        broken: The first rule that it broke.
        exercised: Labels of what struck or was reached.
        undecided: Checks that gave up, in words.
        calls: The calls of its workload, in words.
        seen: What the first look learns from it, by name.
    """

    run: Run
    broken: Broken | None
    exercised: frozenset[str] = field(default_factory=frozenset)
    undecided: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    seen: Mapping[str, Any] = field(default_factory=dict)


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

    def restored(self, token: Token) -> "Trial":
        """The trial as it was when it made this token: its budget, and what befell it.

        Raises:
            SimulationError: The token holds what makes no sense.
        """
        ...

    @property
    def befalls(self) -> Mapping[str, Any]:
        """For a token: what of the config a run is made of, as plain JSON."""
        ...

    def prepared(self, seed: int) -> "Trial":
        """The trial with what has to be known before the first look; `seed` is the first one.

        Raises:
            SimulationError: Trial and config do not fit.
        """
        ...

    @property
    def base(self) -> Tape:
        """The decisions of an uneventful run: a workload, and nothing that befalls it."""
        ...

    def looked_at(self, first: Attempt) -> "Trial":
        """The trial with what the first look has shown."""
        ...

    def never_struck(self, exercised: Collection[str]) -> tuple[str, ...]:
        """What was declared and is not among the labels that a whole sweep exercised."""
        ...

    def words(self, key: Key, value: int) -> str | None:
        """A pick in words; empty: it is told elsewhere; None: it is not this trial's own."""
        ...


def decided(trial: Trial, tape: Tape) -> int:
    """How many decisions of a tape befall a run, rather than say what there is."""
    return sum(trial.words(key, value) != "" for key, value in tape.items())


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

    def restored(self, token: Token) -> "ProgramTrial":
        """With the token's step budget."""
        return replace(self, steps_max=token.steps_max)

    @property
    def befalls(self) -> Mapping[str, Any]:
        """Nothing befalls a program but its schedule."""
        return {}

    def prepared(self, seed: int) -> "ProgramTrial":
        """Nothing has to be known."""
        return self

    @property
    def base(self) -> Tape:
        """A program makes its own workload."""
        return Tape()

    def looked_at(self, first: Attempt) -> "ProgramTrial":
        """A first look shows nothing that later runs need."""
        return self

    def never_struck(self, exercised: Collection[str]) -> tuple[str, ...]:
        """Nothing is declared for a program."""
        return ()

    def words(self, key: Key, value: int) -> str | None:
        """A program has no picks of its own."""
        return None


def first_broken(made: Run) -> Broken | None:
    """What a run broke: the exception that the program raised, else what the kernel found."""
    if made.error is not None:
        return raised(made.error, "exception")
    for violation in made.violations:
        if violation.error is not None:
            found = raised(violation.error, violation.kind)
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


def raised(error: BaseException, kind: str) -> Broken:
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
    return f"{module_name(module)}:{attribute}"


def module_name(module: str) -> str:
    """The name by which others can import a module: that of a script is its file's."""
    if module != "__main__":
        return module
    main = sys.modules[module]
    spec = getattr(main, "__spec__", None)
    file = getattr(main, "__file__", None)
    if spec is not None and spec.name != module:
        return str(spec.name)
    return os.path.basename(file).removesuffix(".py") if file else module
