"""How many seeds it takes to find a planted race: ours and its peers, in one run.

    python bench/bench_find.py [--trials 20] [--cap 2000] [--only faultlab,detangle]

Every contestant searches the same coroutines (races.py) from the same first seeds, until it
finds the race or has spent `cap` runs. The table shows medians over the trials; ours with
decisions before and after minimizing, and its re-runs. Peers that are not installed are
named as missing.
"""

import argparse
import importlib.metadata
import platform
import random
import statistics
from collections.abc import Callable
from typing import Any

from races import RACES

Race = Callable[[Callable[[], float]], Any]
Seeds = Callable[[Race, int, int], int]
"""Seeds until the race was found, from a first seed on; more than the cap if it was not."""


def faultlab(search: Any) -> Seeds:
    from faultlab import dst

    def seeds(race: Race, first: int, cap: int) -> int:
        async def program() -> None:
            await race(random.random)

        config = dst.SimulationConfig(
            seeds=range(first, first + cap), search=search, minimize_runs_max=0
        )
        report = dst.check(program, config)
        return cap + 1 if report.finding is None else report.seeds_run

    return seeds


def ours(name: str) -> Callable[[], Seeds]:
    def make() -> Seeds:
        from faultlab import dst

        searches: dict[str, Any] = {
            "portfolio": dst.Portfolio(),
            "holds": dst.Holds(),
            "pct2": dst.PCT(depth=2),
            "pct3": dst.PCT(depth=3),
            "random": dst.RandomStep(),
        }
        return faultlab(searches[name])

    return make


def detangle(strategy: str) -> Callable[[], Seeds]:
    def make() -> Seeds:
        import detangle

        def seeds(race: Race, first: int, cap: int) -> int:
            async def program() -> None:
                await race(random.random)

            try:
                detangle.explore(
                    program, runs=cap, strategy=strategy, seed=first, database=False, shrink=False
                )
            except detangle.BugFound as found:
                return int(found.report.runs)
            return cap + 1

        return seeds

    return make


def simloom() -> Seeds:
    import simloom

    def seeds(race: Race, first: int, cap: int) -> int:
        async def program() -> None:
            await race(random.random)

        explored = simloom.explore(
            program, runs=cap, start_seed=first, scheduler="random", virtual_time=True,
            seed_randomness=True,
        )  # fmt: skip
        return int(explored.runs) if explored.failed else cap + 1

    return seeds


def seedloop() -> Seeds:
    import seedloop

    def seeds(race: Race, first: int, cap: int) -> int:
        async def scenario(world: Any) -> None:
            await race(world.rng.random)

        checked = seedloop.check(scenario, seeds=range(first, first + cap), on_failure="return")
        return int(checked.checked) if checked.failing_seed is not None else cap + 1

    return seeds


CONTESTANTS: dict[str, Callable[[], Seeds]] = {
    "faultlab portfolio (default)": ours("portfolio"),
    "faultlab holds": ours("holds"),
    "faultlab PCT, depth 2": ours("pct2"),
    "faultlab PCT, depth 3": ours("pct3"),
    "faultlab random step": ours("random"),
    "detangle auto (default)": detangle("auto"),
    "detangle random": detangle("random"),
    "detangle pct:3": detangle("pct:3"),
    "simloom random": simloom,
    "seedloop (FIFO)": seedloop,
}


def median(seeds: Seeds, race: Race, trials: int, cap: int) -> str:
    """The median over the trials; gives up early on a race that is never found."""
    found: list[int] = []
    for trial in range(trials):
        found.append(seeds(race, 1 + trial * 1_000_003, cap))
        if len(found) == 4 and min(found) > cap:
            break
    middle = statistics.median(found)
    return "never" if middle > cap else f"{middle:g}"


def minimized(race: Race, trials: int) -> str:
    """Decisions before and after minimizing, and re-runs: medians, with the default search."""
    from faultlab import dst

    before, after, reruns, proven = [], [], [], 0
    for trial in range(trials):

        async def program() -> None:
            await race(random.random)

        first = 1 + trial * 1_000_003
        finding = dst.check(program, dst.SimulationConfig(seeds=range(first, first + 2000))).finding
        if finding is None:
            continue
        before.append(finding.decisions_before)
        after.append(len(finding.tape))
        reruns.append(finding.reruns)
        proven += finding.minimality == "proven 1-minimal"
    middle = [f"{statistics.median(values):g}" for values in (before, after, reruns)]
    return f"{middle[0]} → {middle[1]} (at most {max(after)}), {middle[2]} re-runs (at most " + (
        f"{max(reruns)}), {proven} of {len(after)} proven 1-minimal"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--trials", type=int, default=20)
    arguments.add_argument("--cap", type=int, default=2_000)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    print(f"{platform.python_implementation()} {platform.python_version()}, seeds to find, medians")
    print(f"of {options.trials}, at most {options.cap} runs each\n")
    print("| contestant | " + " | ".join(race.__name__ for race in RACES) + " |")
    print("|---|" + "---:|" * len(RACES))
    missing = []
    for name, make in CONTESTANTS.items():
        if options.only and not any(part in name for part in options.only.split(",")):
            continue
        try:
            seeds = make()
        except ImportError as error:
            missing.append(f"{name}: {error}")
            continue
        cells = [median(seeds, race, options.trials, options.cap) for race in RACES]
        print(f"| {named(name)} | " + " | ".join(cells) + " |", flush=True)
    print()
    for race in RACES:
        print(f"{race.__name__}: decisions {minimized(race, options.trials)}", flush=True)
    for line in missing:
        print(f"missing, not measured: {line}")


def named(name: str) -> str:
    """The contestant with its version."""
    package = name.split()[0]
    try:
        return name.replace(package, f"{package} {importlib.metadata.version(package)}", 1)
    except importlib.metadata.PackageNotFoundError:
        return name


if __name__ == "__main__":
    main()
