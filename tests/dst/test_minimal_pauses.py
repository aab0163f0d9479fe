"""A bug that one pause explains is told as one pause, whatever decisions found it."""

from faultlab.dst.attempt import ProgramTrial, Rule
from faultlab.dst.minimize import Minimizer
from faultlab.kernel import PAUSES_S, Tape
from faultlab.kernel.strategy import HOLD, HOLDS
from tests.dst.bugs import BUGS

(LEASE,) = (bug for bug in BUGS if bug.name == "lapsed_lease")
ONE_SECOND = 2 + PAUSES_S.index(1.0)


def test_a_hold_and_a_pause_of_the_other_task_become_the_one_pause_that_does_it() -> None:
    trial = ProgramTrial(program=LEASE.broken, steps_max=LEASE.steps_max)
    first_is_late = {(HOLD, "", "Task-2", 0): (1, HOLDS)}
    second_is_slow = {(HOLD, "", "Task-3", 0): (ONE_SECOND, HOLDS)}
    broken = trial.attempt(choices=Tape(first_is_late | second_is_slow)).broken
    assert broken is not None
    for part in (first_is_late, second_is_slow):
        assert trial.attempt(choices=Tape(part)).broken is None
    minimum = Minimizer(trial, broken.rule, 1_000).minimize(Tape(first_is_late | second_is_slow))
    assert list(minimum.tape.values()) == [ONE_SECOND]
    assert minimum.minimality == "proven 1-minimal"
    assert _breaks(trial, minimum.tape) == broken.rule


def _breaks(trial: ProgramTrial, tape: Tape) -> Rule | None:
    broken = trial.attempt(choices=tape).broken
    return None if broken is None else broken.rule
