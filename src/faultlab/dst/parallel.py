"""Sweeping on executors: the same report, whichever of them ran the seeds."""

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass, replace
from typing import Any, Protocol

from faultlab.dst.attempt import Trial
from faultlab.dst.errors import SimulationError
from faultlab.dst.strategies import SeededSearch
from faultlab.dst.sweep import UNDECIDED_MAX, Swept, sweep_here
from faultlab.kernel import virtual_world

CHUNKS_MIN = 16
"""Seeds are cut into at least so many chunks, so that a violation stops the rest early."""

CHUNK_MAX = 64
"""Seeds in one chunk, at most: what is lost or repeated when a worker dies."""


IN_FLIGHT_MAX = 64
"""Chunks that are handed to an executor and not yet back."""

DEAD_WORKER = frozenset({"KilledWorker", "CommClosedError"})
"""Names of the errors by which Dask says that a worker is gone; this module can't import them."""


class OnProgress(Protocol):
    """What is told how far a sweep is."""

    def __call__(self, done: int, violating: int | None = None) -> None:
        """Takes the seeds done and the lowest violating one."""
        ...


def sweep_chunk(trial: Trial, search: SeededSearch, contested: int, seeds: Sequence[int]) -> Swept:
    """What a worker does: a few seeds, up to the first that breaks something."""
    with virtual_world():
        return sweep_here(trial, search, contested, seeds)


def check_importable(program: Callable[..., object]) -> None:
    """Makes sure that a worker can import a program by its name.

    Raises:
        SimulationError: It is a lambda, a closure, or defined in another function.
    """
    found: Any = sys.modules.get(program.__module__)
    for part in program.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not program:
        raise SimulationError(
            f"workers can't import {program.__module__}:{program.__qualname__}; define the "
            "program at the top level of a module, for it is sent to them by its name"
        )


def chunks_of(seeds: Sequence[int]) -> list[Sequence[int]]:
    """The seeds in order, cut into chunks."""
    size = max(1, min(CHUNK_MAX, len(seeds) // CHUNKS_MIN))
    return [seeds[start : start + size] for start in range(0, len(seeds), size)]


@dataclass(frozen=True, kw_only=True)
class Task:
    """What every chunk of a sweep has in common."""

    trial: Trial
    search: SeededSearch
    contested: int


class Gathering:
    """The chunks of a sweep on one executor, and what came of them.

    Args:
        task: What to run.
        chunks: Seeds by chunk number, lower numbers first.

    Attributes:
        done: What came of the chunks that came back.
        broken: The chunks that went down with their worker, and the executor's error.
        interrupted: Whether somebody stopped it.
    """

    def __init__(self, task: Task, chunks: dict[int, Sequence[int]]) -> None:
        self._task = task
        self._chunks = chunks
        self._futures: dict[Future[Swept], int] = {}
        self.done: dict[int, Swept] = {}
        self.broken: dict[int, str] = {}
        self.interrupted = False

    def gather(self, executor: Executor, progress: OnProgress) -> None:
        """Runs the chunks, as many of them as it takes to know the lowest violating seed."""
        ahead = iter(self._chunks)
        try:
            self._hand_in(executor, ahead)
            while self._futures:
                returned, _ = wait(self._futures, return_when=FIRST_COMPLETED)
                for future in sorted(returned, key=self._futures.__getitem__):
                    self._take(future, self._futures.pop(future))
                self._drop_what_comes_after(self.lowest)
                self._hand_in(executor, ahead)
                progress(sum(part.seeds for part in self.done.values()), self._violating)
        except BrokenExecutor as error:  # it broke while chunks were being handed in
            handed_in = self.done.keys() | self.broken.keys()
            for number in self._chunks.keys() - handed_in:
                self.broken[number] = type(error).__name__
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            for future in self._futures:
                future.cancel()

    def _hand_in(self, executor: Executor, ahead: Iterator[int]) -> None:
        """Keeps the executor busy, until a violation says that no later chunk matters."""
        task = self._task
        while len(self._futures) < IN_FLIGHT_MAX and self.lowest is None:
            number = next(ahead, None)
            if number is None:
                return
            future = executor.submit(
                sweep_chunk, task.trial, task.search, task.contested, self._chunks[number]
            )
            self._futures[future] = number

    def _drop_what_comes_after(self, number: int | None) -> None:
        if number is not None:
            for future in [f for f, other in self._futures.items() if other > number]:
                future.cancel()
                del self._futures[future]

    @property
    def lowest(self) -> int | None:
        """The first chunk with a violation, so far."""
        found = (number for number, part in self.done.items() if part.violating is not None)
        return min(found, default=None)

    @property
    def _violating(self) -> int | None:
        lowest = self.lowest
        violating = None if lowest is None else self.done[lowest].violating
        return None if violating is None else violating.seed

    def _take(self, future: "Future[Swept]", number: int) -> None:
        error = future.exception()
        if error is None:
            self.done[number] = future.result()
        elif isinstance(error, BrokenExecutor) or type(error).__name__ in DEAD_WORKER:
            self.broken[number] = type(error).__name__
        else:
            raise error


def sweep_on_executor(
    executor: Executor, task: Task, seeds: Sequence[int], *, progress: OnProgress
) -> Swept:
    """Sweeps on any executor. Chunks of a worker that died are named as lost."""
    chunks = chunks_of(seeds)
    gathering = Gathering(task, dict(enumerate(chunks)))
    gathering.gather(executor, progress)
    lost = tuple(
        f"{_named(chunks[number])}: the worker died ({error})"
        for number, error in sorted(gathering.broken.items())
    )
    return _together(gathering.done, lost, interrupted=gathering.interrupted)


def sweep_on_processes(
    jobs: int, task: Task, seeds: Sequence[int], *, progress: OnProgress
) -> Swept:
    """Sweeps on processes of this machine.

    When a worker dies, the chunks that went down with it are run again, each in a process
    of its own, and then the seeds of the chunk that kills its process again: so the seed
    that does it is named, and all others are run.
    """
    chunks = dict(enumerate(chunks_of(seeds)))
    gathering = Gathering(task, chunks)
    with _pool(jobs) as pool:
        gathering.gather(pool, progress)
    lost: list[str] = []
    for number in sorted(gathering.broken):
        lowest = gathering.lowest
        if gathering.interrupted or (lowest is not None and lowest < number):
            break
        part, dead = _alone(task, chunks[number])
        gathering.done[number] = part
        gathering.interrupted = part.interrupted
        lost += [f"seed {seed}: its worker process died" for seed in dead]
    return _together(gathering.done, tuple(lost), interrupted=gathering.interrupted)


def _pool(jobs: int) -> Executor:
    from concurrent.futures import ProcessPoolExecutor  # loads multiprocessing: only if needed

    return ProcessPoolExecutor(max_workers=jobs, initializer=_leave_interrupts_to_the_caller)


def _leave_interrupts_to_the_caller() -> None:
    """Ctrl-C reaches the whole process group; only the one that reports should act on it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _alone(task: Task, chunk: Sequence[int]) -> tuple[Swept, list[int]]:
    """Runs a chunk in a process of its own, and if that dies too, its seeds one by one."""
    again = _in_new_process(task, chunk)
    if not again.broken:
        return _together(again.done, (), interrupted=again.interrupted), []
    parts: dict[int, Swept] = {}
    dead: list[int] = []
    for number, seed in enumerate(chunk):
        again = _in_new_process(task, [seed])
        if again.broken:
            dead.append(seed)
        parts |= {number + place: part for place, part in again.done.items()}
        if again.interrupted or again.lowest is not None:
            break
    return _together(parts, (), interrupted=again.interrupted), dead


def _in_new_process(task: Task, chunk: Sequence[int]) -> Gathering:
    gathering = Gathering(task, {0: chunk})
    with _pool(1) as pool:
        gathering.gather(pool, lambda *_: None)
    return gathering


def _together(done: dict[int, Swept], lost: tuple[str, ...], *, interrupted: bool) -> Swept:
    """One result: of the chunks in order, up to the first with a violation."""
    whole = Swept(lost=lost, interrupted=interrupted)
    for number in sorted(done):
        part = done[number]
        exercised = dict(whole.exercised)
        for label, count in part.exercised.items():
            exercised[label] = exercised.get(label, 0) + count
        whole = replace(
            whole,
            seeds=whole.seeds + part.seeds,
            steps=whole.steps + part.steps,
            exercised=exercised,
            undecided=(*whole.undecided, *part.undecided)[:UNDECIDED_MAX],
            violating=part.violating,
            interrupted=whole.interrupted or part.interrupted,
        )
        if part.violating is not None:
            break
    return whole


def _named(chunk: Sequence[int]) -> str:
    return f"seed {chunk[0]}" if len(chunk) == 1 else f"seeds {chunk[0]} to {chunk[-1]}"
