"""The kernel's speed against its peers and two floors, in one run.

    python bench/bench_kernel.py [--rounds 7] [--runs 100] [--only faultlab,detangle]

Every contestant runs the same coroutines (workload.py). Rounds are interleaved, so that
whatever else the machine does meets all of them; times are CPU times, and the table
shows medians. Peers that are not installed are named as missing.
"""

import argparse
import asyncio
import importlib.metadata
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

from bare import BareLoop, trampoline
from workload import clean, empty

Runs = Callable[[int, int], None]
"""Runs the workload for `count` seeds from `start` on."""


def faultlab(workload: Any, strategy: Any = None) -> Runs:
    from faultlab import kernel

    def runs(start: int, count: int) -> None:
        for seed in range(start, start + count):
            draw = Random(seed).random
            made = kernel.run(lambda draw=draw: workload(draw), seed=seed, strategy=strategy)
            if made.error or made.violations:
                raise AssertionError(made)

    return runs


def faultlab_fifo(workload: Any) -> Runs:
    from faultlab import kernel

    return faultlab(workload, kernel.Fifo())


def bare_loop(workload: Any) -> Runs:
    def runs(start: int, count: int) -> None:
        for seed in range(start, start + count):
            BareLoop(seed).run(workload(Random(seed).random))

    return runs


def bare_trampoline(workload: Any) -> Runs:
    if workload is not clean:
        raise NotImplementedError

    def runs(start: int, count: int) -> None:
        for seed in range(start, start + count):
            trampoline(seed, Random(seed).random)

    return runs


def stock_asyncio(workload: Any) -> Runs:
    def runs(start: int, count: int) -> None:
        for seed in range(start, start + count):
            draw = Random(seed).random
            loop = asyncio.new_event_loop()
            try:
                loop.run_until_complete(workload(lambda draw=draw: draw() * 0.0))
            finally:
                loop.close()

    return runs


def detangle(workload: Any) -> Runs:
    import detangle

    async def program() -> None:
        await workload(random.random)  # which it seeds for every run

    def runs(start: int, count: int) -> None:
        detangle.explore(
            program, runs=count, strategy="random", seed=start, database=False, shrink=False
        )

    return runs


def seedloop(workload: Any) -> Runs:
    import seedloop

    async def scenario(world: Any) -> None:
        await workload(world.rng.random)

    def runs(start: int, count: int) -> None:
        seedloop.check(scenario, seeds=range(start, start + count))

    return runs


def simloom(workload: Any) -> Runs:
    import simloom

    async def program() -> None:
        await workload(random.random)

    def runs(start: int, count: int) -> None:
        simloom.explore(
            program, runs=count, start_seed=start, scheduler="random", virtual_time=True,
            seed_randomness=True,
        )  # fmt: skip

    return runs


def simloop(workload: Any) -> Runs:
    import simloop

    async def program() -> None:
        await workload(simloop.sim.random.random)

    def runs(start: int, count: int) -> None:
        simloop.explore(program, range(start, start + count), policy="random")

    return runs


CONTESTANTS: dict[str, tuple[Callable[[Any], Runs], str]] = {
    "faultlab": (faultlab, "random step, choices recorded"),
    "faultlab-fifo": (faultlab_fifo, "first in, first out"),
    "bare-trampoline": (bare_trampoline, "no asyncio: the physical limit"),
    "bare-loop": (bare_loop, "the least loop asyncio runs on, random step"),
    "asyncio": (stock_asyncio, "stock loop, every sleep 0"),
    "seedloop": (seedloop, "FIFO"),
    "detangle": (detangle, "random"),
    "simloop": (simloop, "random"),
    "simloom": (simloom, "random"),
}


def steps_of(name: str, runs: Runs) -> float:
    """Steps in a run, averaged over ten seeds; a step is one callback the loop runs."""
    if name.startswith("faultlab"):
        from faultlab import kernel

        strategy = kernel.Fifo() if name.endswith("fifo") else None
        return statistics.mean(
            kernel.run(
                lambda seed=seed: clean(Random(seed).random), seed=seed, strategy=strategy
            ).steps
            for seed in range(10)
        )
    if name == "bare-trampoline":
        return statistics.mean(trampoline(seed, Random(seed).random) for seed in range(10))
    if name == "bare-loop":
        loops = [BareLoop(seed) for seed in range(10)]
        for seed, loop in enumerate(loops):
            loop.run(clean(Random(seed).random))
        return statistics.mean(loop.steps for loop in loops)
    counted = 0
    original = asyncio.Handle._run  # type: ignore[attr-defined]

    def counting(self: Any) -> Any:
        nonlocal counted
        counted += 1
        return original(self)

    asyncio.Handle._run = counting  # type: ignore[attr-defined]
    try:
        runs(0, 10)
    finally:
        asyncio.Handle._run = original  # type: ignore[attr-defined]
    return counted / 10


def contest(makers: dict[str, Runs], rounds: int, count: int) -> dict[str, float]:
    """Runs per second of each, the median of interleaved rounds."""
    rates: dict[str, list[float]] = {name: [] for name in makers}
    for runs in makers.values():
        runs(0, max(count // 5, 10))  # warm up
    for round_ in range(rounds):
        for name, runs in makers.items():
            # About equal time for each: the slow ones get fewer runs.
            fair = count if not rates[name] else max(10, int(rates[name][0] * 0.15))
            begun = time.process_time()
            runs(1000 * (round_ + 1), fair)
            rates[name].append(fair / (time.process_time() - begun))
    return {name: statistics.median(found) for name, found in rates.items()}


def version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def table(rates: dict[str, float], steps: dict[str, float]) -> list[str]:
    """The medians as a Markdown table, fastest first."""
    lines = [
        "| contestant | schedule | runs/s | steps/run | steps/s | us/step | faultlab is |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name in sorted(rates, key=lambda name: -rates[name]):
        rate, per_run = rates[name], steps[name]
        ratio = rates.get("faultlab", float("nan")) / rate
        lines.append(
            f"| {name} {version(name)} | {CONTESTANTS[name][1]} | {rate:,.0f} | {per_run:.0f} "
            f"| {rate * per_run / 1000:,.0f}k | {1e6 / rate / per_run:.2f} | {ratio:.2f} x |"
        )
    return lines


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--runs", type=int, default=100)
    arguments.add_argument("--only", default=",".join(CONTESTANTS))
    options = arguments.parse_args()
    makers, missing = {}, []
    for name in options.only.split(","):
        try:
            makers[name] = CONTESTANTS[name][0](clean)
        except ImportError as error:
            missing.append(f"{name}: {error}")
    steps = {name: steps_of(name, runs) for name, runs in makers.items()}
    rates = contest(makers, options.rounds, options.runs)
    print(f"{platform.python_implementation()} {platform.python_version()}, the clean workload\n")
    print("\n".join(table(rates, steps)))
    for line in missing:
        print(f"\nmissing, not measured: {line}")
    fixed = {n: CONTESTANTS[n][0](empty) for n in makers if n in ("faultlab", "bare-loop")}
    for name, rate in contest(fixed, options.rounds, options.runs * 5).items():
        print(f"\nan empty run on {name}: {1e6 / rate:.0f} us")
    sys.exit(0)


if __name__ == "__main__":
    main()
