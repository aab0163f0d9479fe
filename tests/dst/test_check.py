"""`check`: what it finds, how small it becomes, what it says, and what it refuses."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import faultlab
from faultlab.dst import (
    Exhaustive,
    Fifo,
    NondeterminismError,
    RandomStep,
    Report,
    SimulationConfig,
    SimulationError,
    SimulationFailed,
    check,
)
from faultlab.kernel import RealWorldCall, Tape, run
from tests.dst import programs

SOURCE = Path(faultlab.__file__).parents[1]


def found(report: Report) -> list[str]:
    assert report.finding is not None
    return [decision.words for decision in report.finding.decisions]


def test_a_lost_update_is_found_and_explained_by_one_hold() -> None:
    report = check(programs.lost_update)
    assert (report.verdict, report.exit_code) == ("violated", 1)
    assert report.finding is not None
    assert report.finding.minimality == "proven 1-minimal"
    [decision] = report.finding.decisions
    assert re.fullmatch(
        r"hold Task-2 \(withdraw\) at \S*programs\.py:\d+ until nothing else can run",
        decision.words,
    )
    assert decision.where is not None
    assert decision.where.source == "await asyncio.sleep(0)"
    assert report.finding.message == "AssertionError: the balance is 70"


def test_the_repaired_twin_is_clean() -> None:
    report = check(programs.locked_update)
    assert (report.verdict, report.exit_code, report.finding) == ("clean", 0, None)
    assert report.seeds_run == report.runs == 256
    report.assert_clean()


def test_asyncios_own_order_alone_finds_nothing() -> None:
    assert check(programs.lost_update, SimulationConfig(search=Fifo())).verdict == "clean"


@pytest.mark.parametrize(
    ("program", "decisions"),
    [
        (programs.lost_update, 1),
        (programs.stall, 1),
        (programs.lock_order, 1),
        (programs.late_lease, 1),
        (programs.three_windows, 4),
        (programs.always_fails, 0),
    ],
)
def test_no_decision_can_be_taken_away(program: Any, decisions: int) -> None:
    finding = check(program).finding
    assert finding is not None
    assert finding.minimality == "proven 1-minimal"
    assert len(finding.tape) <= decisions
    assert finding.reruns <= 200
    broken = run(program, choices=finding.tape)
    assert broken.error or broken.violations
    for key in finding.tape:
        repaired = run(program, choices=finding.tape.without(key))
        assert not repaired.error
        assert not repaired.violations


def test_what_needs_no_decision_says_so() -> None:
    text = check(programs.always_fails).explain()
    assert "Seed 0 found it. It takes no decision: it fails in asyncio's own order." in text


def test_a_deadlock_names_who_waits_where() -> None:
    report = check(programs.lock_order)
    assert report.finding is not None
    assert report.finding.rule.kind == "deadlock"
    doing = {task.name: task.doing for task in report.finding.tasks}
    assert "in lock_order.<locals>.left, awaiting Lock.acquire" in doing["Task-2"]
    assert "in lock_order.<locals>.right, awaiting Lock.acquire" in doing["Task-3"]


def test_a_slow_owner_takes_a_pause() -> None:
    [words] = found(check(programs.late_lease))
    assert re.fullmatch(r"pause main \(late_lease\) in owner at \S+:\d+ for 10 s", words)


def test_the_text_tells_the_interleaving_in_lanes() -> None:
    lines = check(programs.lost_update).explain().splitlines()
    [head] = [line for line in lines if "Task-2" in line and "where" in line]
    hold = next(line for line in lines if "◇" in line and "hold" in line)
    raised = next(line for line in lines if "✕" in line and "assert" in line)
    assert hold.index("◇") == head.index("Task-2")
    assert raised.index("✕") == head.index("main")
    assert lines.index(hold) < lines.index(raised)


def test_the_token_makes_the_same_run_again() -> None:
    finding = check(programs.lost_update).finding
    assert finding is not None
    again = check(programs.lost_update, SimulationConfig.reproduce(finding.token))
    assert again.finding is not None
    assert again.finding.tape == finding.tape
    assert [step.to_json() for step in again.finding.steps] == [
        step.to_json() for step in finding.steps
    ]
    assert again.finding.minimality == "as the token has them"
    repaired = check(programs.locked_update, SimulationConfig.reproduce(finding.token))
    assert repaired.verdict == "clean"


def test_two_checks_give_the_same_report() -> None:
    assert check(programs.three_windows).to_json() == check(programs.three_windows).to_json()


def test_a_failed_report_raises_its_own_text() -> None:
    report = check(programs.lost_update)
    with pytest.raises(SimulationFailed, match=r"hold Task-2 \(withdraw\)"):
        report.assert_clean()


def test_a_program_that_remembers_is_named_nondeterministic() -> None:
    programs.SURVIVES.clear()
    with pytest.raises(NondeterminismError) as caught:
        check(programs.remembers)
    text = str(caught.value)
    assert re.search(r"step \d+, first the run had ended, then main at \S*programs\.py", text)
    assert "survives a run" in text


def test_a_real_call_is_refused_and_not_reported_as_a_bug() -> None:
    async def reaches_out() -> None:
        await asyncio.get_running_loop().run_in_executor(None, print)

    with pytest.raises(RealWorldCall, match="run_in_executor"):
        check(reaches_out)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda: None, "no async function"),
        (print, "no async function"),
        (asyncio.sleep, "takes delay; give a function without arguments"),
    ],
)
def test_what_is_no_program_is_refused(program: Any, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        check(program)


def test_ctrl_c_gives_the_report_so_far() -> None:
    def stop(progress: Any) -> None:
        if progress.seeds_run == 7:
            raise KeyboardInterrupt

    report = check(programs.locked_update, SimulationConfig(progress=stop))
    assert report.interrupted
    assert report.seeds_run == 7
    assert "7 of 256 seeds, then stopped by hand" in report.explain()
    with pytest.raises(SimulationFailed):
        report.assert_clean()


def test_a_spent_budget_is_said() -> None:
    report = check(programs.three_windows, SimulationConfig(minimize_runs_max=3))
    assert report.finding is not None
    assert report.finding.minimality == "smallest found, budget spent"
    assert report.finding.reruns <= 3
    found_as_is = check(
        programs.lost_update, SimulationConfig(search=RandomStep(), minimize_runs_max=0)
    ).finding
    assert found_as_is is not None
    assert len(found_as_is.tape) == found_as_is.decisions_before > 1


def test_progress_is_told_seed_by_seed() -> None:
    told: list[tuple[int, int]] = []
    config = SimulationConfig(
        seeds=range(5), progress=lambda now: told.append((now.seeds_run, now.seeds))
    )
    check(programs.locked_update, config)
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_all_runs_with_few_decisions_are_counted_and_run() -> None:
    report = check(programs.locked_update, SimulationConfig(search=Exhaustive(decisions_max=2)))
    assert report.verdict == "clean"
    assert report.statement == (
        f"all {report.runs} runs of this program with at most 2 decisions (holds, releases) "
        "were run, and none broke anything"
    )


def test_an_exhaustive_search_finds_the_fewest_decisions_and_says_which_run_it_was() -> None:
    report = check(programs.three_windows, SimulationConfig(search=Exhaustive(decisions_max=4)))
    random = check(programs.three_windows, SimulationConfig(search=RandomStep(), seeds=range(999)))
    assert report.finding is not None
    assert random.finding is not None
    assert len(report.finding.tape) <= len(random.finding.tape)


def test_an_exhaustive_search_without_budget_is_no_proof() -> None:
    search = Exhaustive(decisions_max=2, runs_max=5)
    report = check(programs.locked_update, SimulationConfig(search=search))
    assert (report.verdict, report.exit_code) == ("unexercised", 3)
    assert re.match(r"5 of more than \d+ runs", report.unexercised[0])


def test_a_script_names_its_own_file(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "from faultlab.dst import check\n"
        "async def works(): pass\n"
        "if __name__ == '__main__': print(check(works).program)\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert done.stdout == "mine:works\n"


def test_the_tape_of_a_finding_is_plain_and_small() -> None:
    finding = check(programs.stall).finding
    assert finding is not None
    assert Tape.from_json(finding.tape.to_json()) == finding.tape
    assert len(finding.token) < 200
