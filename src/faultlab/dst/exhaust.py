"""Bounded-exhaustive search: all runs with at most k decisions."""

from collections.abc import Callable
from dataclasses import dataclass

from faultlab.dst.attempt import Attempt, Trial
from faultlab.dst.befalling import CRASH, FAULT
from faultlab.dst.strategies import Exhaustive
from faultlab.dst.sweep import UNDECIDED_MAX, Swept, Violating
from faultlab.kernel import Key, Spoken, Tape
from faultlab.kernel.strategy import HOLD, RELEASE

BEFALLS = {CRASH: "crashes", FAULT: "faults"}
"""Decisions about port calls that it makes too; latencies are too many, and stay the median."""

_WORDS = Spoken(streams=frozenset({HOLD, RELEASE}))


@dataclass(frozen=True, kw_only=True)
class Exhausted:
    """What an exhaustive search did.

    Attributes:
        swept: Runs, steps and the first violating tape.
        known: How many runs there are with at most so many decisions; a lower bound if the
            budget was spent before the last level.
        complete: Whether all of them were run.
        exact: Whether `known` is the exact number.
        befalls: What befell port calls and was a decision too: `crashes`, `faults`.
    """

    swept: Swept
    known: int
    complete: bool
    exact: bool
    befalls: tuple[str, ...] = ()


def exhaust(
    trial: Trial, search: Exhaustive, progress: Callable[[int, int], None] | None = None
) -> Exhausted:
    """Runs all tapes with at most `search.decisions_max` decisions, fewest first.

    Each tape is extended by one decision that was asked for after its last one, so that no
    run is made twice. It ends at the first tape that breaks something, which then has the
    fewest decisions of all that do; at the budget; or with all of them run.
    """
    level = [trial.base]
    known = 1
    tally = _Tally()
    interrupted = False
    depth = 0
    try:
        for depth in range(search.decisions_max + 1):
            following: list[Tape] = []
            for tape in level:
                if tally.ran >= search.runs_max:
                    break
                asked: list[tuple[Key, int]] = []
                attempt = trial.attempt(choices=tape, strategy=_WORDS, asked=asked)
                tally.add(attempt, asked)
                if tally.violating is not None:
                    break
                if depth < search.decisions_max:
                    following += _extended(tape, asked, pauses=search.pauses)
                if progress is not None:
                    progress(tally.ran, known + len(following))
            known += len(following)
            if tally.violating is not None or tally.ran >= search.runs_max or not following:
                break
            level = following
    except KeyboardInterrupt:
        interrupted = True
    complete = tally.violating is None and not interrupted and tally.ran == known
    return Exhausted(
        swept=tally.swept(interrupted=interrupted),
        known=known,
        complete=complete,
        exact=depth >= search.decisions_max or complete,
        befalls=tuple(BEFALLS[stream] for stream in sorted(tally.befalls)),
    )


class _Tally:
    """What came of the runs so far."""

    def __init__(self) -> None:
        self.ran = self.steps = 0
        self.violating: Violating | None = None
        self.befalls: set[str] = set()
        self._exercised: dict[str, int] = {}
        self._undecided: dict[str, None] = {}

    def add(self, attempt: Attempt, asked: list[tuple[Key, int]]) -> None:
        """Counts one run."""
        self.ran += 1
        self.steps += attempt.run.steps
        for label in attempt.exercised:
            self._exercised[label] = self._exercised.get(label, 0) + 1
        self._undecided |= dict.fromkeys(f"run {self.ran}: {text}" for text in attempt.undecided)
        self.befalls.update(key[0] for key, _ in asked if key[0] in BEFALLS)
        if attempt.broken is not None:
            self.violating = Violating(seed=None, tape=attempt.run.choices)

    def swept(self, *, interrupted: bool) -> Swept:
        """As what came of a sweep."""
        return Swept(
            seeds=self.ran,
            steps=self.steps,
            violating=self.violating,
            exercised=self._exercised,
            undecided=tuple(self._undecided)[:UNDECIDED_MAX],
            interrupted=interrupted,
        )


def _extended(tape: Tape, asked: list[tuple[Key, int]], *, pauses: bool) -> list[Tape]:
    """The tape with one decision more, made after its last one."""
    picks = {key: (tape[key], tape.alternatives(key)) for key in tape}
    last = max((place for place, (key, _) in enumerate(asked) if key in tape), default=-1)
    return [
        Tape({**picks, key: (value, n)})
        for key, n in asked[last + 1 :]
        for value in _values(key, n, pauses=pauses)
    ]


def _values(key: Key, n: int, *, pauses: bool) -> range:
    if key[0] == HOLD:
        return range(1, n if pauses else 2)
    return range(1, n) if key[0] == RELEASE or key[0] in BEFALLS else range(0)


def statement(done: Exhausted, search: Exhaustive) -> str:
    """What the search has proven, in words."""
    kinds = ["holds", "releases", *(["pauses"] if search.pauses else []), *done.befalls]
    what = f"with {search.bound} ({', '.join(kinds)})"
    if done.complete:
        if done.known == 1:
            return f"this program has one run {what}: it was run, and broke nothing"
        return f"all {done.known:,} runs of this program {what} were run, and none broke anything"
    if done.swept.violating is not None:
        return f"run {done.swept.seeds:,} is the first {what} that breaks something"
    total = f"{done.known:,}" if done.exact else f"more than {done.known:,}"
    return f"{done.swept.seeds:,} of {total} runs {what} were run; raise runs_max for the rest"
