"""The parts of a search: strategies, minimizing, exhaustion, tokens, configs, executors."""

import itertools
import math
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

import faultlab
from faultlab.dst import (
    PCT,
    Exhaustive,
    Fifo,
    Holds,
    Portfolio,
    RandomStep,
    SimulationConfig,
    SimulationError,
    Token,
    check,
)
from faultlab.dst.as_holds import as_holds
from faultlab.dst.attempt import ProgramTrial
from faultlab.dst.exhaust import exhaust
from faultlab.dst.minimize import Minimizer
from faultlab.dst.parallel import chunks_of
from faultlab.dst.watch import Watcher
from faultlab.kernel import Tape, run, simplicity
from tests.dst import programs

SOURCE = Path(faultlab.__file__).parents[1]
STRATEGIES = [
    Fifo(),
    RandomStep(),
    PCT(depth=1),
    PCT(depth=2),
    PCT(depth=4),
    Holds(),
    Holds(pauses=True),
    Portfolio(),
]
PROGRAMS = [
    programs.lost_update,
    programs.locked_update,
    programs.lock_order,
    programs.three_windows,
    programs.late_lease,
]


def trial(program: Any) -> ProgramTrial:
    return ProgramTrial(program=program, steps_max=10_000)


def order_of(program: Any, tape: Tape) -> list[tuple[str, str]]:
    seen: list[tuple[str, str]] = []
    run(program, choices=tape, watch=lambda process, task, _: seen.append((process, task)))
    return seen


@pytest.mark.parametrize("search", STRATEGIES, ids=lambda search: search.label)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_a_strategy_decides_can_be_fed_back_without_it(search: Any, program: Any) -> None:
    for seed in range(32):
        first = run(program, seed=seed, strategy=search.strategy(seed, 12))
        again = run(program, choices=first.choices)
        assert (again.steps, again.digest, again.time_s) == (
            first.steps,
            first.digest,
            first.time_s,
        )
        assert again.choices == first.choices
        assert repr(again.error) == repr(first.error)


@pytest.mark.parametrize("search", STRATEGIES[1:], ids=lambda search: search.label)
def test_a_strategy_depends_on_the_seed(search: Any) -> None:
    made = [
        run(programs.three_windows, seed=seed, strategy=search.strategy(seed, 12)).choices
        for seed in (*range(16), *range(16))
    ]
    assert made[:16] == made[16:]
    assert len(set(made)) > 1


def test_the_portfolio_takes_turns_and_pauses_only_if_it_may() -> None:
    members = [Portfolio().member(seed) for seed in range(16)]
    assert {member.label for member in members} == {
        "holds by place", "PCT, depth 2", "PCT, depth 3", "random step", "holds and pauses",
    }  # fmt: skip
    assert "holds and pauses" not in {
        Portfolio(pauses=False).member(seed).label for seed in range(16)
    }


def test_a_search_that_pauses_really_does() -> None:
    streams = {
        key[3] > -1 and tape.get(key, 0) >= 2
        for seed in range(64)
        for tape in [
            run(
                programs.late_lease, seed=seed, strategy=Holds(pauses=True).strategy(seed, 1)
            ).choices
        ]
        for key in tape
    }
    assert True in streams


def test_pct_of_depth_1_never_interrupts() -> None:
    for seed in range(64):
        order = order_of(
            programs.stall,
            run(programs.stall, seed=seed, strategy=PCT(depth=1).strategy(seed, 12)).choices,
        )
        tasks = [task for _, task in order if task in ("Task-2", "Task-3")]
        switches = sum(a != b for a, b in itertools.pairwise(tasks))
        assert switches <= 1


def test_pcts_bound_holds_where_it_is_measured() -> None:
    """The stall has depth 1: with two tasks PCT finds it in at least half of its seeds."""
    found = sum(
        run(programs.stall, seed=seed, strategy=PCT(depth=1).strategy(seed, 12)).error is not None
        for seed in range(400)
    )
    assert found / 400 > 0.4
    assert math.isclose(PCT(depth=1).missed_at_most(tasks=2, contested=12, seeds=3), 0.125)
    report = check(programs.locked_update, SimulationConfig(search=PCT(depth=2)))
    assert re.search(r"missed by all 256 seeds with probability at most \S+", report.statement)
    assert check(programs.locked_update).statement == ""


@pytest.mark.parametrize("program", PROGRAMS[:4], ids=lambda program: program.__name__)
def test_steps_can_be_said_as_holds(program: Any) -> None:
    """The same order in other words, never with a step decision but for callbacks."""
    fewer = 0
    for seed in range(64):
        steps = run(program, seed=seed).choices
        holds = as_holds(trial(program), steps)
        assert order_of(program, holds) == order_of(program, steps)
        fewer += len(holds) < len(steps)
    assert fewer


def test_a_long_stall_is_one_hold() -> None:
    steps = next(
        made.choices
        for seed in range(64)
        if (made := run(programs.stall, seed=seed, strategy=PCT(depth=1).strategy(seed, 12))).error
    )
    assert len(steps) > 15
    holds = as_holds(trial(programs.stall), steps)
    assert len(holds) < 4


def test_minimizing_only_ever_gets_simpler_and_keeps_to_its_budget() -> None:
    for seed in range(400):
        made = run(programs.three_windows, seed=seed)
        if made.error is None:
            continue
        attempt = trial(programs.three_windows).attempt(choices=made.choices)
        assert attempt.broken is not None
        for budget in (0, 1, 5, 20, 1000):
            minimizer = Minimizer(trial(programs.three_windows), attempt.broken.rule, budget)
            minimum = minimizer.minimize(made.choices)
            assert minimum.runs <= budget
            assert trial(programs.three_windows).attempt(choices=minimum.tape).broken
        assert simplicity(minimum.tape) < simplicity(made.choices)
        assert minimum.minimality == "proven 1-minimal"


def test_minimizing_keeps_to_the_rule_that_was_broken() -> None:
    async def two_bugs() -> None:
        import asyncio

        flag: list[int] = []

        async def a() -> None:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            if flag:
                raise ValueError("the late one")

        async def b() -> None:
            flag.append(1)

        first = asyncio.create_task(b())
        second = asyncio.create_task(a())
        await asyncio.gather(first, second)
        raise KeyError("the one that is always there")

    report = check(two_bugs)
    assert report.finding is not None
    assert report.finding.rule.name.startswith("ValueError at ")
    assert report.finding.tape == Tape()


def test_exhaustive_search_runs_no_run_twice_and_misses_none() -> None:
    """All tapes with at most two decisions, against a plain enumeration of the same."""
    ran: list[Tape] = []
    subject = trial(programs.lock_order)

    class Listening:
        name = subject.name
        base = Tape()

        def attempt(self, **arguments: Any) -> Any:
            made = subject.attempt(**arguments)
            ran.append(made.run.choices)
            return made

    done = exhaust(cast(Any, Listening()), Exhaustive(decisions_max=2))
    assert done.swept.violating is not None  # the lock order
    assert len(ran) == len(set(ran)) == done.swept.seeds

    ran.clear()
    subject = trial(programs.locked_update)
    done = exhaust(cast(Any, Listening()), Exhaustive(decisions_max=2))
    assert done.complete
    assert len(ran) == len(set(ran)) == done.known
    alphabet = sorted({(key, tape[key], tape.alternatives(key)) for tape in ran for key in tape})
    expected = {Tape()}
    for one in alphabet:
        for other in alphabet:
            asked_for = Tape({one[0]: one[1:], other[0]: other[1:]})
            expected.add(run(programs.locked_update, choices=asked_for).choices)
    assert {tape for tape in expected if len(tape) <= 2} == set(ran)


def test_a_token_survives_line_breaks_and_names_damage() -> None:
    token = Token(
        program="m:f", tape=Tape({("hold", "", "a", 1): (1, 8)}), steps_max=9, python="3.10"
    )
    text = str(token)
    assert Token.parse(f"  {text[:30]}\n{text[30:]} ") == token
    assert "3.10" in token.warning
    for damaged in (
        text[:-4],
        text.replace("faultlab1.", "faultlab9."),
        text[:20] + "!" + text[21:],
        "",
    ):
        with pytest.raises(SimulationError, match="token"):
            Token.parse(damaged)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seeds": []}, "there are no seeds"),
        ({"seeds": range(5, 5)}, "there are no seeds"),
        ({"seeds": [1, -1]}, "-1 is no seed"),
        ({"seeds": [True]}, "True is no seed"),
        ({"seeds": ["1"]}, "'1' is no seed"),
        ({"search": "pct"}, "'pct' is no search"),
        ({"steps_max": 1}, "steps_max is 1"),
        ({"jobs": 0}, "jobs is 0"),
        ({"minimize_runs_max": -1}, "minimize_runs_max is -1"),
        ({"token": "nonsense"}, "is no token"),
    ],
)
def test_a_config_that_makes_no_sense_is_refused(settings: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=re.escape(message)):
        SimulationConfig(**settings)


@pytest.mark.parametrize(
    "make",
    [
        lambda: PCT(depth=0),
        lambda: Holds(probability=1.0),
        lambda: Exhaustive(decisions_max=0),
        lambda: Exhaustive(runs_max=0),
        lambda: SimulationConfig.nightly(-1),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(make: Any) -> None:
    with pytest.raises(SimulationError):
        make()


def test_presets_differ_in_their_seeds_alone() -> None:
    quick, thorough = SimulationConfig.quick(), SimulationConfig.thorough(steps_max=50)
    assert (len(list(quick.seeds)), len(list(thorough.seeds))) == (64, 2048)
    assert (quick.steps_max, thorough.steps_max) == (100_000, 50)
    first, second = (set(SimulationConfig.nightly(night).seeds) for night in (0, 1))
    assert len(first) == len(second) == 50_000
    assert not first & second


def test_chunks_hold_every_seed_once_in_order() -> None:
    for count in (1, 2, 15, 16, 17, 100, 5_000):
        chunks = chunks_of(range(3, 3 + count))
        assert [seed for chunk in chunks for seed in chunk] == list(range(3, 3 + count))


@pytest.mark.parametrize("program", [programs.lost_update, programs.locked_update])
def test_the_report_is_the_same_whoever_ran_the_seeds(program: Any) -> None:
    here = check(program)
    with ProcessPoolExecutor(2) as pool:
        there = check(program, SimulationConfig(executor=pool))
    with ThreadPoolExecutor(2) as threads:
        beside = check(program, SimulationConfig(executor=threads))
    jobs = check(program, SimulationConfig(jobs=2))
    assert here.to_json() == there.to_json() == jobs.to_json() == beside.to_json()


def test_what_workers_cannot_import_is_refused_before_the_first_seed() -> None:
    async def closure() -> None:
        pass

    with pytest.raises(SimulationError, match="top level of a module"):
        check(closure, SimulationConfig(jobs=2))


def test_a_seed_that_kills_its_worker_is_named_and_no_other_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAULTLAB_TEST_KILL", str(os.getpid()))
    report = check(programs.kills_its_worker, SimulationConfig(seeds=range(24), jobs=2))
    dead = [
        seed
        for seed in range(24)
        if run(seeded_kill, seed=seed, strategy=Fifo().strategy(0, 1)).result
    ]
    assert dead
    assert report.lost == tuple(f"seed {seed}: its worker process died" for seed in dead)
    assert report.seeds_run == 24 - len(dead)
    assert (report.verdict, report.exit_code) == ("unexercised", 3)


async def seeded_kill() -> bool:
    return programs.in_a_sixteenth()


def test_on_somebody_elses_executor_lost_seeds_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTLAB_TEST_KILL", str(os.getpid()))
    with ProcessPoolExecutor(1) as pool:
        report = check(programs.kills_its_worker, SimulationConfig(executor=pool))
    assert report.verdict == "unexercised"
    assert all("the worker died (BrokenProcessPool)" in lost for lost in report.lost)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_over_processes_gives_the_report_so_far(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "import sys\n"
        "from faultlab.dst import SimulationConfig, check\n"
        "from tests.dst.programs import locked_update\n"
        "def told(now): print(now.seeds_run, file=sys.stderr, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    seeds = range(10_000_000)\n"
        "    config = SimulationConfig(seeds=seeds, jobs=2, progress=told)\n"
        "    report = check(locked_update, config)\n"
        "    print(report.interrupted, report.seeds_run > 0, flush=True)\n"
    )
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(SOURCE), str(root)])
    child = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert child.stderr is not None
    child.stderr.readline()
    os.killpg(child.pid, signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "True True\n"


def test_a_watcher_keeps_the_last_steps_of_a_long_run() -> None:
    watcher = Watcher()
    for _ in range(9_000):
        watcher("", "Task-2", None)
    steps = watcher.told()
    assert (steps[-1].number, len(steps)) == (9_000, 2_000)
