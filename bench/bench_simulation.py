"""Port calls per second of a whole simulation, against forze's simulator on the same work.

    python bench/bench_simulation.py [--rounds 7] [--seeds 20]

The work of a seed: 20 calls, four at once, each of 10 calls to a counter, with exponential
latency at every port call, and nothing that fails. faultlab draws two legs a call from quantiles
and records them as decisions; forze draws one delay a call. Rounds are interleaved, times are
CPU times, the table shows medians. A peer that is not installed is named as missing. The
peer's rows need Python 3.13: `pip install forze==0.16.2` in a scratch environment.
"""

import argparse
import importlib.metadata
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

CALLS, PORT_CALLS, CONCURRENCY = 20, 10, 4
MEDIAN_S = 0.005

Sweep = Callable[[int, int], int]
"""Runs so many seeds from a first one on; returns the port calls that were really made."""


class Counter:
    def __init__(self) -> None:
        self.count = 0

    async def incr(self) -> int:
        self.count += 1
        return self.count


def faultlab(search: str) -> Sweep:
    from faultlab.dst import Call, Context, RandomStep, Simulation, SimulationConfig

    counters: list[Counter] = []

    def opened() -> Counter:
        counters.append(Counter())
        return counters[-1]

    async def work(ctx: Context) -> None:
        for _ in range(PORT_CALLS):
            await ctx.port("counter", "c").incr()

    simulation = Simulation(
        calls=[Call(work)] * CALLS,
        concurrency=CONCURRENCY,
        state_factory=opened,
        deps=lambda counter: {("counter", "c"): counter},
    )
    chosen = {"search": RandomStep()} if search == "random" else {}

    def sweep(start: int, seeds: int) -> int:
        counters.clear()
        report = simulation.run(SimulationConfig(seeds=range(start, start + seeds), **chosen))
        if report.verdict != "clean":
            raise AssertionError(report.format())
        return sum(counter.count for counter in counters)

    return sweep


def forze() -> Sweep:
    from forze.application.contracts.counter import CounterSpec
    from forze.application.execution.operations.registry import OperationRegistry
    from forze_dst import OperationCase, Simulation, SimulationConfig, Strategy
    from forze_dst.latency import Exponential, LatencyProfile, LatencyRule
    from forze_mock import MockDepsModule

    made = [0]

    class Work:
        def __init__(self, ctx: Any) -> None:
            self._ctx = ctx

        async def __call__(self, _: Any) -> None:
            counter = self._ctx.counter(CounterSpec(name="c"))
            for _ in range(PORT_CALLS):
                await counter.incr()
                made[0] += 1

    simulation = Simulation(
        operations=OperationRegistry(handlers={"work": Work}).freeze(),
        deps=lambda: MockDepsModule(),
    )
    latency = LatencyProfile(rules=(LatencyRule(dist=Exponential(mean=MEDIAN_S * 2 / 0.693)),))

    def sweep(start: int, seeds: int) -> int:
        made[0] = 0
        config = SimulationConfig(
            seeds=range(start, start + seeds),
            strategy=Strategy.OP_CASE,
            count=CALLS,
            concurrency=CONCURRENCY,
            latency=latency,
        )
        report = simulation.run(config, cases=[OperationCase(op="work", inputs=lambda _: None)])
        if report is not None:
            raise AssertionError(report)
        return made[0]

    return sweep


CONTESTANTS: dict[str, Callable[[], Sweep]] = {
    "faultlab, portfolio": lambda: faultlab("portfolio"),
    "faultlab, random step": lambda: faultlab("random"),
    "forze, random step": forze,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    sweeps: dict[str, Sweep] = {}
    for name, make in CONTESTANTS.items():
        try:
            sweeps[name] = make()
        except ImportError as error:
            print(f"missing: {name} ({error})")
    found: dict[str, list[float]] = {name: [] for name in sweeps}
    for nth in range(options.rounds + 1):
        for name, sweep in sweeps.items():
            began = time.process_time()
            calls = sweep(nth * options.seeds, options.seeds)
            took_s = time.process_time() - began
            if calls < options.seeds * CALLS * PORT_CALLS:
                raise AssertionError(f"{name} made {calls} port calls")
            if nth:  # the first round warms up
                found[name].append(calls / took_s)
    medians = {name: statistics.median(each) for name, each in found.items()}
    peer = medians.get("forze, random step")
    versions = f"CPython {platform.python_version()}"
    if peer:
        versions += f", forze {importlib.metadata.version('forze')}"
    print(f"port calls per second, {versions}")
    for name, median in medians.items():
        ratio = f"{median / peer:8.1f} x forze" if peer else ""
        print(f"{name:<24}{median:>10,.0f}{ratio}")


if __name__ == "__main__":
    main()
