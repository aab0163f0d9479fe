"""Minimizing: which few decisions make the bug.

All passes go through `consider`, which runs a tape and keeps it if it breaks the same rule
and is simpler (`faultlab.kernel.simplicity`: shortlex). A search that only ever accepts
something simpler ends. It has proven its result 1-minimal when no single decision can be
set back to 0 without losing the bug.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from faultlab.dst.as_holds import as_holds
from faultlab.dst.attempt import Rule, Trial, decided
from faultlab.kernel import Key, Spoken, Tape, simplicity
from faultlab.kernel.strategy import HOLD, RELEASE, STEP

Minimality: TypeAlias = Literal[
    "proven 1-minimal", "smallest found, budget spent", "as the token has them"
]
"""How much a tape explains."""

STRUCTURE = ("node", "window", "node pause", "call")
"""Streams that say what there is, in the order in which they are tried without."""

POLISH_RUNS_MAX = (60, 240)
"""How many runs are spent on looking for an explanation that the first one does not contain:
of one decision, and then of two."""

_ASKING = Spoken(streams=frozenset({HOLD, RELEASE}))


@dataclass(frozen=True, kw_only=True)
class Minimum:
    """The simplest tape found.

    Attributes:
        tape: It breaks the same rule.
        minimality: `proven 1-minimal`: set any one decision to 0 and the rule holds.
        runs: How many runs it took.
        before: Decisions of the run that was found first.
    """

    tape: Tape
    minimality: Minimality
    runs: int
    before: int


class BudgetSpent(Exception):
    """No more runs are allowed."""


class Minimizer:
    """One minimization. It is used once.

    Args:
        trial: What is run.
        rule: What it must break.
        runs_max: How many runs it may take.
    """

    def __init__(self, trial: Trial, rule: Rule, runs_max: int) -> None:
        self._trial = trial
        self._rule = rule
        self._runs_max = runs_max
        self._seen: dict[Tape, bool] = {}
        self.runs = 0
        self.best = Tape()
        self._made = Tape()

    def minimize(self, tape: Tape) -> Minimum:
        """The simplest tape that this one leads to."""
        self.best = tape
        minimality: Minimality = "smallest found, budget spent"
        try:
            if not self.consider(Tape()):
                self._drop_structure()
                self._drop_streams()
                self._respell()
                self._drop_many()
                self._settle()
                minimality = "proven 1-minimal"  # and it stays so if polishing is cut short
                if len(self._scheduled()) > 1 and self._polish():
                    minimality = "smallest found, budget spent"
                    self._settle()
            minimality = "proven 1-minimal"
        except BudgetSpent:
            pass
        return Minimum(
            tape=self.best,
            minimality=minimality,
            runs=self.runs,
            before=decided(self._trial, tape),
        )

    def consider(self, tape: Tape, *, simpler: bool = True) -> bool:
        """Whether a tape breaks the rule; then it is the best, as it was really run.

        Raises:
            BudgetSpent: Before a run too many.
        """
        if simpler and simplicity(tape) >= simplicity(self.best):
            return False
        known = self._seen.get(tape)
        if known is not None:
            return known
        if self._attempt(tape):
            self.best = self._made
        return self._seen[tape]

    def _attempt(self, tape: Tape, asked: list[tuple[Key, int]] | None = None) -> bool:
        """Runs a tape, and says whether it breaks the rule.

        To `asked` every hold and release is appended that could have been decided.
        """
        if self.runs >= self._runs_max:
            raise BudgetSpent
        self.runs += 1
        strategy = None if asked is None else _ASKING
        attempt = self._trial.attempt(choices=tape, strategy=strategy, asked=asked)
        broke = attempt.broken is not None and attempt.broken.rule == self._rule
        self._seen[tape] = broke
        self._made = attempt.run.choices  # decisions that met nothing are gone
        return broke

    def _drop_structure(self) -> None:
        """Drops nodes, then windows and pauses, then calls: each takes much else with it."""
        for stream in STRUCTURE:
            keys = [key for key in self.best if key[0] == stream]
            size = max(1, len(keys) // 2)
            while keys:
                for start in range(0, len(keys), size):
                    self.consider(self.best.without(*keys[start : start + size]))
                keys = [key for key in self.best if key[0] == stream]
                if size == 1:
                    break
                size //= 2

    def _drop_streams(self) -> None:
        """Drops all decisions of one kind at once, and each process's of that kind."""
        streams = sorted(self.best.streams())
        if len(streams) < 2:
            return
        for stream in streams:
            self.consider(self.best.without(*[key for key in self.best if key[0] == stream]))

    def _respell(self) -> None:
        """Says runs of steps as holds: a stall of any length is then one decision."""
        if "step" in self.best.streams():
            if self.runs >= self._runs_max:
                raise BudgetSpent
            self.runs += 1
            self.consider(as_holds(self._trial, self.best), simpler=False)

    def _drop_many(self) -> None:
        """Drops halves, quarters, and so on of the decisions: delta debugging.

        Source: Zeller and Hildebrandt: Simplifying and Isolating Failure-Inducing Input,
        IEEE Transactions on Software Engineering 2002.
        """
        size = len(self.best) // 2
        while size > 1:
            keys = list(self.best)
            for start in range(0, len(keys), size):
                chunk = [key for key in keys[start : start + size] if key in self.best]
                if chunk:
                    self.consider(self.best.without(*chunk))
            size //= 2

    def _settle(self) -> None:
        """Drops and lowers single decisions until a whole pass changes nothing."""
        changed = True
        while changed:
            changed = False
            for key in _latest(self.best):
                changed |= self.consider(self.best.without(key))
            if not changed:
                for key in list(self.best):
                    changed |= self._lower(key)

    def _lower(self, key: Key) -> bool:
        value = self.best.get(key, 0)
        if not value:
            return False
        n = self.best.alternatives(key)
        smaller: Sequence[int] = range(1, value) if value <= 16 else (1, value // 2, value - 1)
        return any(self.consider(_with(self.best, key, lower, n)) for lower in smaller)

    def _scheduled(self) -> list[Key]:
        """The decisions of the best tape that say in which order steps run."""
        return [key for key in self.best if key[0] in (HOLD, RELEASE, STEP)]

    def _polish(self) -> bool:
        """Looks for one hold that does it, then for two, where more decisions were needed so far.

        Where a pause is among these, it may be a pause, of another task. What the best tape
        holds is tried first.
        """
        scheduled = self._scheduled()
        others = self.best.without(*scheduled)
        values = sorted({1, *(self.best[key] for key in scheduled if key[0] == HOLD)})
        asked: list[tuple[Key, int]] = []
        self._attempt(others, asked)
        level = [(others, asked)]
        for budget in POLISH_RUNS_MAX[: len(scheduled) - 1]:
            last = self.runs + budget
            following = []
            for tape in _one_hold_more(level, values, scheduled):
                if self.runs >= last:
                    break
                asked = []
                if self._attempt(tape, asked):
                    self.best = self._made
                    return True
                following.append((tape, asked))
            level = following
        return False


def _one_hold_more(
    level: Sequence[tuple[Tape, list[tuple[Key, int]]]],
    values: Sequence[int],
    known: Collection[Key],
) -> Iterator[Tape]:
    """Each tape with one hold more, asked for after its last one; those of `known` keys first."""
    options = []
    for tape, asked in level:
        last = max((place for place, (key, _) in enumerate(asked) if key in tape), default=-1)
        options += [(tape, key, n) for key, n in asked[last + 1 :] if key[0] == HOLD]
    options.sort(key=lambda option: sum(key not in known for key in (*option[0], option[1])))
    for tape, key, n in options:
        for value in values:
            yield _with(tape, key, value, n)


def _latest(tape: Tape) -> Iterator[Key]:
    """Keys in reverse order: what comes later is more often beside the point."""
    yield from reversed(list(tape))


def _with(tape: Tape, key: Key, value: int, n: int) -> Tape:
    picks = {known: (tape[known], tape.alternatives(known)) for known in tape}
    return Tape({**picks, key: (value, n)})
