"""The second door: `Simulation`, for operations over ports.

A run: set up, make the calls, let what crashed recover, observe, judge. Nothing befalls
set-up and observation but latency; what can go wrong may do so in calls and recovery.
"""

import asyncio
import sys
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

from faultlab.dst.attempt import Attempt, Broken, Rule, first_broken, module_name, raised
from faultlab.dst.befalling import Befalling, known_words
from faultlab.dst.check import investigate
from faultlab.dst.config import SimulationConfig
from faultlab.dst.context import Context, deps_of
from faultlab.dst.errors import SimulationError
from faultlab.dst.faults import CallFailed, Unreachable
from faultlab.dst.invariants import Invariant, Undecided, judge, reached_labels
from faultlab.dst.known import check_names, known_to
from faultlab.dst.report import Report
from faultlab.dst.settings import Settings, settings_of
from faultlab.dst.token import Token
from faultlab.dst.workload import Call, Made, Operation, OperationFunction, Workload
from faultlab.kernel import Fifo, Key, Run, Strategy, Tape, current, record, run
from faultlab.kernel.strategy import Watch
from faultlab.mock import (
    DocumentError,
    LockError,
    MockDepsModule,
    MockState,
    QueueError,
    RevisionConflict,
    SerializationError,
    StaleToken,
)
from faultlab.mock.plain import known_of, plain

APP = "app"
"""The name of the process that makes the calls."""

EXPECTED: tuple[type[Exception], ...] = (
    TimeoutError,
    Unreachable,
    CallFailed,
    RevisionConflict,
    SerializationError,
    DocumentError,
    LockError,
    StaleToken,
    QueueError,
)
"""Errors that an operation may end with: what stores and faults raise."""

Step: TypeAlias = Callable[[Context], Coroutine[Any, Any, Any]]
"""`async def step(ctx)`."""


class Simulation:
    """Operations over ports, in a hostile but honest environment.

    Args:
        operations: `async def operation(ctx, ...)`, or `Operation(function, argument=[...])`
            with the values that its arguments may take.
        deps: Takes the state, gives the ports: `MockDepsModule(state=state)` by default, or
            a mapping `{("surface", "route"): object}` over objects of your own.
        state_factory: Makes what outlives crashes, anew for each run.
        setup: Runs first, undisturbed.
        recover: Runs in the fresh process after each crash. May itself be disturbed.
        observe: Runs last, undisturbed; what it returns is recorded as the event 'observed'.
        invariants: Functions over the history that judge each run.
        calls: How many calls a run makes, or the calls: `[Call(pay, order="a"), ...]`.
        concurrency: How many of them run at once, at most.
        expected_errors: Errors that an operation may end with, beside those of stores and
            faults. Any other is a violation.
        targets: Labels that `ctx.reached(label)` must have marked in some run: else the
            verdict is unexercised.

    Raises:
        SimulationError: Something of it makes no sense.
    """

    def __init__(
        self,
        operations: Sequence[OperationFunction | Operation] = (),
        *,
        deps: Callable[[Any], Any] | None = None,
        state_factory: Callable[[], Any] = MockState,
        setup: Step | None = None,
        recover: Step | None = None,
        observe: Step | None = None,
        invariants: Sequence[Invariant] = (),
        calls: int | Sequence[Call] = 20,
        concurrency: int = 4,
        expected_errors: tuple[type[Exception], ...] = (),
        targets: Sequence[str] = (),
    ) -> None:
        if concurrency < 1:
            raise SimulationError(f"concurrency is {concurrency}; give at least 1")
        made = [each if isinstance(each, Operation) else Operation(each) for each in operations]
        self.workload = Workload(made, calls)
        self.deps = deps or (lambda state: MockDepsModule(state=state))
        self.state_factory = state_factory
        self.setup = setup
        self.recover = recover
        self.observe = observe
        self.invariants = tuple(invariants)
        self.messages = False
        self.concurrency = concurrency
        self.expected = EXPECTED + tuple(expected_errors)
        self.targets = tuple(targets)

    def run(self, config: SimulationConfig | None = None) -> Report:
        """Searches for a run that breaks an invariant, and explains the one it finds.

        Raises:
            SimulationError: Simulation and config do not fit.
            NondeterminismError: The same decisions gave two different runs.
        """
        return search_with(self, config or SimulationConfig())

    def trial(self, config: SimulationConfig) -> "SimulationTrial":
        """What a sweep with this config runs again and again."""
        return SimulationTrial(simulation=self, config=settings_of(config))

    def play(self, befalling: Befalling, settings: Settings) -> "Play":
        """One run of it.

        Raises:
            SimulationError: The config has a cluster, which a simulation has not.
        """
        if settings.cluster is not None:
            raise SimulationError(
                "the config has cluster=..., but a Simulation is one process; run a Cluster, or "
                "leave cluster out"
            )
        return Play(self, befalling)

    def is_workload(self, key: Key) -> bool:
        """Whether a pick says what there is, rather than what befalls it."""
        return self.workload.words(key)

    def declared(self, settings: Settings) -> list[str]:
        """Labels of the targets, which have to be reached in some run."""
        return [f"reached {target}" for target in self.targets]

    def words(self, key: Key, value: int, settings: Settings) -> str | None:
        """A pick in words; empty for one that is told as a call; None for another's."""
        return "" if self.workload.words(key) else None


class Subject(Protocol):
    """What can be played: a `Simulation` or a `Cluster`."""

    invariants: tuple[Invariant, ...]
    messages: bool
    """Whether there are nodes that can send each other messages."""

    def play(self, befalling: Befalling, settings: Settings) -> Any:
        """One run: has `program`, and afterwards `unexpected` and `calls`."""
        ...

    def is_workload(self, key: Key) -> bool:
        """Whether a pick says what there is, rather than what befalls it."""
        ...

    def declared(self, settings: Settings) -> list[str]:
        """Labels that have to be met in some run."""
        ...

    def words(self, key: Key, value: int, settings: Settings) -> str | None:
        """A pick in words."""
        ...


def search_with(subject: Subject, config: SimulationConfig) -> Report:
    """The search that `Simulation` and `Cluster` have in common."""
    return investigate(SimulationTrial(simulation=subject, config=settings_of(config)), config)


@dataclass(frozen=True, kw_only=True)
class SimulationTrial:
    """A simulation as what a sweep runs again and again."""

    simulation: Subject
    config: Settings
    crash_points: int = 0
    base: Tape = field(default_factory=Tape)

    @property
    def name(self) -> str:
        """`module:attribute` where the simulation stands, or `simulation`."""
        return name_in_modules(self.simulation) or "simulation"

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to workers by name, for a simulation holds functions that cannot be sent."""
        name = name_in_modules(self.simulation)
        if name is None:
            raise SimulationError(
                "workers can't import the simulation; assign it to a name at the top level of "
                "a module"
            )
        return _by_name, (name, self.config, self.crash_points, self.base)

    def attempt(
        self,
        *,
        seed: int | None = None,
        choices: Tape | None = None,
        strategy: Strategy | None = None,
        watch: Watch | None = None,
        asked: list[tuple[Key, int]] | None = None,
    ) -> Attempt:
        """Runs the simulation once and judges it."""
        befalling = Befalling(
            rules=self.config.faults,
            latency=self.config.latency,
            crash=self.config.crash,
            crash_points=self.crash_points,
        )
        play = self.simulation.play(befalling, self.config)
        made = run(
            play.program,
            seed=seed,
            choices=choices,
            strategy=strategy,
            policy=befalling,
            steps_max=self.config.steps_max,
            watch=watch,
            asked=asked,
        )
        return judged(made, play, self.simulation, befalling)

    def prepared(self, seed: int) -> "SimulationTrial":
        """With the workload of the first seed as the uneventful run to look at."""
        drawn = self.attempt(seed=seed, strategy=Fifo()).run.choices
        workload = {key for key in drawn if self.simulation.is_workload(key)}
        return replace(self, base=drawn.without(*[key for key in drawn if key not in workload]))

    def restored(self, token: Token) -> "SimulationTrial":
        """With what befell the run of the token, whatever this config says."""
        return replace(self, config=token.read_befalls(Settings.from_json))

    @property
    def befalls(self) -> dict[str, Any]:
        """For a token: what is not as usual, as plain JSON."""
        return self.config.to_json()

    def looked_at(self, first: Attempt) -> "SimulationTrial":
        """With the boundaries at which a crash can land.

        Raises:
            SimulationError: A rule, the crash or a latency names what the ports don't have.
        """
        if first.seen["deps"] is not None:
            messages = self.simulation.messages
            known = known_to(first.seen["deps"], first.seen["calls"], messages=messages)
            check_names(self.config, known)
        return replace(self, crash_points=max(1, first.seen["boundaries"]))

    def never_struck(self, exercised: Collection[str]) -> tuple[str, ...]:
        """Rules, crash and targets that no run met."""
        declared = [rule.label for rule in self.config.faults]
        declared += [self.config.crash.label] if self.config.crash else []
        declared += self.simulation.declared(self.config)
        return tuple(label for label in declared if label not in exercised)

    def words(self, key: Key, value: int) -> str | None:
        """A pick in words; empty for one that is told as a call; None if it is not its own."""
        told = self.simulation.words(key, value, self.config)
        return known_words(key, value, self.config.latency) if told is None else told


def _by_name(name: str, config: Settings, crash_points: int, base: Tape) -> SimulationTrial:
    import importlib

    module, _, attribute = name.partition(":")
    simulation = getattr(importlib.import_module(module), attribute)
    return SimulationTrial(
        simulation=simulation, config=config, crash_points=crash_points, base=base
    )


def name_in_modules(thing: object, *, own_name: bool = True) -> str | None:
    """`module:attribute` of an object that stands at the top level of a module.

    The module that was run as a script is `__main__`, unless its own name is asked for.
    """
    for module, loaded in list(sys.modules.items()):
        names = getattr(loaded, "__dict__", None)
        if isinstance(names, dict):
            for name, value in list(names.items()):
                if value is thing:
                    return f"{module_name(module) if own_name else module}:{name}"
    return None


class Play:
    """One run of a simulation: the program that the kernel runs, and what it noted.

    Args:
        simulation: What is run.
        befalling: What befalls its calls.
    """

    def __init__(self, simulation: Simulation, befalling: Befalling) -> None:
        self._simulation = simulation
        self._befalling = befalling
        self.deps: Any = None
        self.made: list[Made] = []
        self.unexpected: list[BaseException] = []
        self._over = False

    @property
    def calls(self) -> tuple[str, ...]:
        """The calls that were made."""
        return tuple(str(call) for call in self.made)

    async def program(self) -> None:
        """Sets up, calls, recovers, observes."""
        try:
            await self._phases()
        finally:
            self._over = True

    async def _phases(self) -> None:
        simulation, befalling = self._simulation, self._befalling
        world = current()
        befalling.begin(world.choices)
        self.made = simulation.workload.draw(world.choices)
        state = simulation.state_factory()
        self._state = state
        await self._undisturbed(simulation.setup)
        befalling.aim_crash()
        befalling.quiet = False
        process = world.start(APP, self._calls)
        while await process.ended() == "crashed":
            befalling.aim_crash()
            process = world.start(APP, self._recovers)
        befalling.quiet = True
        await self._undisturbed(simulation.observe, observed=True)

    def _context(self) -> Context:
        self.deps = deps_of(self._simulation.deps(self._state))
        return Context(self.deps)

    async def _undisturbed(self, step: Step | None, *, observed: bool = False) -> None:
        self._befalling.quiet = True
        if step is not None:
            found = await step(self._context())
            if observed:
                record("observed", value=known_of(found))

    async def _calls(self) -> None:
        """Makes the calls, so many at once as the simulation allows."""
        context = self._context()
        free = asyncio.Semaphore(self._simulation.concurrency)
        async with asyncio.TaskGroup() as group:
            for made in self.made:
                await free.acquire()
                name = f"call {made.number}"
                group.create_task(self._call(context, made, free), name=name)

    async def _call(self, context: Context, made: Made, free: asyncio.Semaphore) -> None:
        record("begin", call=made.number, op=made.operation.name, args=plain(dict(made.arguments)))
        try:
            result = await made.operation.function(context, **made.arguments)
        except self._simulation.expected as error:
            record("failed", call=made.number, op=made.operation.name, error=type(error).__name__)
        except Exception as error:
            if self._over:  # the frame of a crashed process is closed: nothing of it counts
                raise
            self.unexpected.append(error)
            record("failed", call=made.number, op=made.operation.name, error=type(error).__name__)
        else:
            record("end", call=made.number, op=made.operation.name, result=known_of(result))
        finally:
            free.release()

    async def _recovers(self) -> None:
        """What a fresh process does after a crash."""
        if self._simulation.recover is not None:
            try:
                await self._simulation.recover(self._context())
            except self._simulation.expected as error:
                record("failed", call=0, op="recover", error=type(error).__name__)
            except Exception as error:
                self.unexpected.append(error)
                record("failed", call=0, op="recover", error=type(error).__name__)


def judged(made: Run, play: Any, simulation: Subject, befalling: Befalling) -> Attempt:
    """What a run broke: an unexpected error, what the kernel found, an invariant."""
    broken: Broken | None = None
    undecided: tuple[str, ...] = ()
    if play.unexpected:
        broken = raised(play.unexpected[0], "exception")
    broken = broken or first_broken(made)
    if broken is None:
        findings = judge(made.history, simulation.invariants)
        undecided = tuple(
            f"{each.name}: {each.message}" for each in findings if isinstance(each, Undecided)
        )
        for each in findings:
            if not isinstance(each, Undecided):
                broken = Broken(
                    rule=Rule(kind="invariant", name=each.name),
                    message=each.message,
                    events=each.events,
                )
                break
    labels = {f"reached {label}" for label in reached_labels(made.history)}
    return Attempt(
        run=made,
        broken=broken,
        exercised=frozenset(befalling.exercised | labels),
        undecided=undecided,
        calls=play.calls,
        seen={
            "boundaries": befalling.boundaries,
            "calls": dict(befalling.calls),
            "deps": play.deps,
        },
    )
