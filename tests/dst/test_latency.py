"""Latencies are the quantiles of their distributions, 0 is the median, and each leg has its own."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import pytest

from faultlab.dst import LatencyProfile, SimulationConfig, SimulationError
from faultlab.dst.befalling import LATENCY
from faultlab.dst.latency import QUANTILES
from faultlab.dst.workload import Call
from faultlab.kernel import Fifo
from tests.dst.ports_of_own import Opened, pay, saw, send

PROFILES: dict[str, tuple[LatencyProfile, Callable[[float], float]]] = {
    "uniform": (LatencyProfile.uniform(0.01, 0.03), lambda t: (t - 0.01) / 0.02),
    "exponential": (
        LatencyProfile.exponential(0.005),
        lambda t: 1 - math.exp(-math.log(2) * t / 0.005),
    ),
    "lognormal": (
        LatencyProfile.lognormal(0.02, 0.7),
        lambda t: NormalDist().cdf(math.log(t / 0.02) / 0.7),
    ),
    "pareto": (LatencyProfile.pareto(0.01, 1.5), lambda t: 1 - (0.01 / t) ** 1.5),
}
"""A profile and its cumulative distribution, written the other way round than in the package."""

EACH = pytest.mark.parametrize("name", PROFILES)


@EACH
def test_a_profile_is_the_quantiles_of_its_distribution(name: str) -> None:
    profile, cumulative = PROFILES[name]
    assert len(profile.quantiles_s) == QUANTILES
    for i, value in enumerate(profile.quantiles_s):
        assert cumulative(value) == pytest.approx((i + 0.5) / QUANTILES, abs=1e-5)


@EACH
def test_pick_0_is_the_median_and_larger_picks_lie_further_from_it(name: str) -> None:
    profile, cumulative = PROFILES[name]
    assert profile.median_s == profile.at(0)
    assert cumulative(profile.at(0)) == pytest.approx(0.5, abs=0.01)
    shorter = [profile.at(pick) for pick in range(1, QUANTILES, 2)]
    longer = [profile.at(pick) for pick in range(0, QUANTILES, 2)]
    assert all(left > right for left, right in pairwise(shorter))
    assert all(left < right for left, right in pairwise(longer))
    assert shorter[0] < profile.median_s < longer[1]


@EACH
def test_every_quantile_is_one_pick(name: str) -> None:
    profile, _ = PROFILES[name]
    assert sorted(map(profile.at, range(QUANTILES))) == list(profile.quantiles_s)


def test_a_constant_makes_no_pick_and_takes_as_long_as_it_says() -> None:
    attempt = Opened([Call(pay)]).attempt(seed=5, latency=LatencyProfile.constant(0.25))
    assert LATENCY not in attempt.run.choices.streams()
    assert saw(attempt.run.history) == [("paid", 0.5)]


def took_s(latency: LatencyProfile | Mapping[str, LatencyProfile], seed: int) -> list[float]:
    trial = Opened([Call(pay), Call(send)], concurrency=1).simulation.trial(
        SimulationConfig(latency=latency)
    )
    attempt = trial.attempt(seed=seed, strategy=Fifo())
    return [took for _, took in saw(attempt.run.history)]


def test_request_and_reply_are_picked_apart_and_differ_from_seed_to_seed() -> None:
    attempt = Opened([Call(pay)]).attempt(seed=3, latency=LatencyProfile.uniform(1.0, 2.0))
    legs = {key[2].split()[0] for key in attempt.run.choices if key[0] == LATENCY}
    assert legs == {"request", "reply"}
    both = [took_s(LatencyProfile.uniform(1.0, 2.0), seed) for seed in range(20)]
    totals = [each for run in both for each in run]
    assert all(2.0 < each < 4.0 for each in totals)
    assert len(set(totals)) > 20


def test_profiles_go_by_surface_and_the_empty_name_is_for_all_others() -> None:
    latency = {"": LatencyProfile.constant(1.0), "till": LatencyProfile.constant(2.0)}
    attempt = Opened([Call(pay), Call(send)], concurrency=1).attempt(seed=1, latency=latency)
    told = dict(saw(attempt.run.history))
    assert told == {"paid": 4.0, "put": 2.0}


def test_without_a_profile_for_all_others_these_take_the_usual_5_ms_median() -> None:
    trial = Opened([Call(send)]).simulation.trial(
        SimulationConfig(latency={"till": LatencyProfile.constant(2.0)})
    )
    attempt = trial.attempt(choices=trial.prepared(0).base)
    usual_s = LatencyProfile.exponential(0.005).median_s
    assert [took for _, took in saw(attempt.run.history)] == [pytest.approx(2 * usual_s, abs=2e-6)]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: LatencyProfile.uniform(2.0, 1.0), "give the smaller one first"),
        (lambda: LatencyProfile.uniform(-1.0, 1.0), "has a value that is no time"),
        (lambda: LatencyProfile.constant(-0.1), "has a value that is no time"),
        (lambda: LatencyProfile.constant(math.nan), "has a value that is no time"),
        (lambda: LatencyProfile.constant(math.inf), "has a value that is no time"),
        (lambda: LatencyProfile.exponential(0.0), "median_s is 0.0; give a positive"),
        (lambda: LatencyProfile.exponential(math.inf), "median_s is inf"),
        (lambda: LatencyProfile.lognormal(1.0, 0.0), "sigma is 0.0"),
        (lambda: LatencyProfile.pareto(1.0, -1.0), "alpha is -1.0"),
        (lambda: LatencyProfile.pareto(0.0), "least_s is 0.0"),
        (lambda: LatencyProfile(name="mine", quantiles_s=(1.0, 2.0)), "has 2 quantiles"),
        (lambda: SimulationConfig(latency=0.01), "latency is 0.01; give a LatencyProfile"),  # type: ignore[arg-type]
    ],
)
def test_a_latency_that_is_no_time_is_refused(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(SimulationError, match=says):
        make()
