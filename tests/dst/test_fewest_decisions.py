"""The fewest decisions explain a bug, whatever decisions found it."""

import pytest

from faultlab import dst
from faultlab.dst.attempt import ProgramTrial, Rule
from faultlab.dst.minimize import Minimizer
from faultlab.kernel import PAUSES_S, Tape
from faultlab.kernel.strategy import HOLD, HOLDS
from tests.dst.bugs import BUGS

(LEASE,) = (bug for bug in BUGS if bug.name == "lapsed_lease")
(RING,) = (bug for bug in BUGS if bug.name == "lock_ring")
ONE_SECOND = 2 + PAUSES_S.index(1.0)


def ring(master: int, **settings: int) -> dst.Finding:
    found = dst.check(RING.broken, RING.config(seeds=range(master, master + 256), **settings))
    assert found.finding is not None
    return found.finding


@pytest.mark.parametrize("master", [k * 1_000_003 for k in range(8)])
def test_whoever_finds_it_the_ring_of_locks_is_told_in_two_holds(master: int) -> None:
    found = ring(master)
    assert [decision.key[0] for decision in found.decisions] == ["hold", "hold"]
    assert found.minimality == "proven 1-minimal"
    assert found.reruns <= 100


def test_what_was_proven_stays_so_if_the_budget_ends_while_fewer_decisions_are_sought() -> None:
    told = [ring(3_000_009, minimize_runs_max=runs) for runs in (5, 20, 100)]
    assert [(found.minimality, len(found.decisions)) for found in told] == [
        ("smallest found, budget spent", 6),
        ("proven 1-minimal", 6),
        ("proven 1-minimal", 2),
    ]


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
