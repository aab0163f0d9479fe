"""Holds by place hit the same window every time, which single draws hardly ever do."""

import pytest

from faultlab import dst
from faultlab.dst import PCT, HoldsByPlace, Portfolio, SimulationConfig, SimulationError
from faultlab.dst.strategies import Search
from faultlab.kernel import run
from tests.dst.bugs import BUGS

(CONFLICTS,) = (bug for bug in BUGS if bug.name == "third_conflict")


def verdict(search: Search, master: int) -> str:
    config = SimulationConfig(search=search, seeds=range(master, master + 256), minimize_runs_max=0)
    return dst.check(CONFLICTS.broken, config).verdict


@pytest.mark.parametrize("master", [0, 1_000_003, 2_000_006])
def test_three_windows_in_a_row_are_found_by_place(master: int) -> None:
    assert verdict(HoldsByPlace(), master) == "violated"
    assert verdict(Portfolio(), master) == "violated"
    assert verdict(PCT(depth=3), master) == "clean"


def test_whoever_is_held_at_an_await_is_held_there_each_time() -> None:
    strategy = HoldsByPlace().strategy(0, 1)
    counts = set()
    for seed in range(256):
        made = run(CONFLICTS.broken, seed=seed, strategy=strategy)
        if made.error is not None:
            counts.add(len(made.choices))
    assert counts
    assert min(counts) == 3  # the one place, three times


def test_the_same_seed_holds_the_same_places() -> None:
    strategy = HoldsByPlace().strategy(7, 1)
    one, other = (run(CONFLICTS.broken, seed=7, strategy=strategy) for _ in range(2))
    assert (one.choices, one.steps) == (other.choices, other.steps)


def test_a_probability_that_is_none_is_refused() -> None:
    with pytest.raises(SimulationError, match="give one in"):
        HoldsByPlace(probability=1)
