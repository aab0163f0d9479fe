"""The simulator finds every planted bug, explains it in few decisions, and clears its twin."""

from functools import cache
from pathlib import Path

import pytest

from faultlab import dst
from faultlab.dst import (
    PCT,
    Exhaustive,
    Fifo,
    Finding,
    Holds,
    HoldsByPlace,
    RandomStep,
    Report,
    SimulationConfig,
)
from faultlab.dst.attempt import ProgramTrial, Rule
from faultlab.dst.strategies import Search
from faultlab.kernel import Tape
from tests.dst.bugs import BUGS, Bug

pytestmark = pytest.mark.long

EVERY_BUG = pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
DECIDED = pytest.mark.parametrize(
    "bug", [bug for bug in BUGS if bug.decides], ids=lambda bug: bug.name
)

RERUNS_MAX = 100


@cache
def report(bug: Bug) -> Report:
    return dst.check(bug.broken, bug.config())


def finding(bug: Bug) -> Finding:
    found = report(bug).finding
    assert found is not None, f"{bug.name} was not found within 256 seeds"
    return found


def broken_by(bug: Bug, tape: Tape) -> Rule | None:
    """What a tape breaks in the broken program: one run, neither search nor minimizer."""
    trial = ProgramTrial(program=bug.broken, steps_max=bug.steps_max)
    broken = trial.attempt(choices=tape).broken
    return None if broken is None else broken.rule


def test_there_are_dozens_and_most_of_them_hide_from_asyncios_own_order() -> None:
    assert len(BUGS) >= 24
    assert len([bug for bug in BUGS if bug.decides]) >= 20
    rooms = {path.stem for path in (Path(__file__).parent / "bugs").glob("[!_]*.py")}
    assert rooms == {bug.name for bug in BUGS}


@EVERY_BUG
def test_the_bug_is_found_within_256_seeds_and_is_the_one_that_was_planted(bug: Bug) -> None:
    found = finding(bug)
    assert (found.rule.kind, found.seed is not None) == (bug.kind, True)
    assert bug.says in f"{found.rule.name} {found.message}"


@EVERY_BUG
@pytest.mark.parametrize("master", [k * 1_000_003 for k in range(1, 6)])
def test_it_is_found_from_other_master_seeds_too(bug: Bug, master: int) -> None:
    config = bug.config(seeds=range(master, master + 256), minimize_runs_max=0)
    if bug.kind != "leaked-task":  # which every run shows, in 40,000 steps each
        assert dst.check(bug.broken, config).verdict == "violated"


@DECIDED
def test_asyncios_own_order_does_not_show_it(bug: Bug) -> None:
    config = bug.config(seeds=range(1), search=Fifo())
    assert dst.check(bug.broken, config).verdict == "clean"


@EVERY_BUG
def test_as_few_decisions_explain_it_as_it_needs(bug: Bug) -> None:
    found = finding(bug)
    assert found.minimality == "proven 1-minimal"
    assert len(found.decisions) == len(found.tape) == bug.needs
    assert found.reruns <= RERUNS_MAX


@DECIDED
def test_each_decision_names_a_function_and_a_line_of_the_program(bug: Bug) -> None:
    source = Path(f"tests/dst/bugs/{bug.name}.py")
    lines = source.read_text(encoding="utf-8").splitlines()
    for decision in finding(bug).decisions:
        where = decision.where
        assert where is not None
        assert where.file == source.as_posix()
        assert where.source == lines[where.number - 1].strip()
        assert bug.decides in f"{decision.words} in {where.function}: {where.source}"
        assert f"{where.file}:{where.number}" in decision.words
        assert decision.words in report(bug).format()


@DECIDED
def test_the_kind_of_decision_is_the_one_that_the_bug_needs(bug: Bug) -> None:
    for decision in finding(bug).decisions:
        assert decision.words.startswith("pause" if bug.pauses else "hold")


@DECIDED
def test_without_any_one_decision_the_program_passes(bug: Bug) -> None:
    found = finding(bug)
    assert broken_by(bug, found.tape) == found.rule
    for key in found.tape:
        assert broken_by(bug, found.tape.without(key)) is None


@EVERY_BUG
def test_its_token_makes_the_same_run_again(bug: Bug) -> None:
    found = finding(bug)
    again = dst.check(bug.broken, SimulationConfig.reproduce(found.token)).finding
    assert again is not None
    assert (again.rule, again.message, again.tape) == (found.rule, found.message, found.tape)
    assert again.steps == found.steps


@EVERY_BUG
def test_the_report_of_a_stuck_program_says_where_each_task_waits(bug: Bug) -> None:
    found = finding(bug)
    if bug.kind in ("exception", "background-exception"):
        assert found.traceback[-1].file == f"tests/dst/bugs/{bug.name}.py"
    else:
        assert all(f"{bug.name}.py:" in task.doing for task in found.tasks)
        assert found.tasks


@EVERY_BUG
def test_the_repaired_twin_is_clean_over_1000_seeds(bug: Bug) -> None:
    done = dst.check(bug.repaired, bug.config(seeds=range(1_000)))
    assert (done.verdict, done.seeds_run) == ("clean", 1_000), done.format()


@DECIDED
def test_trying_every_run_finds_it_with_as_few_decisions_and_not_with_fewer(bug: Bug) -> None:
    search = Exhaustive(decisions_max=bug.needs, pauses=bug.pauses)
    found = dst.check(bug.broken, bug.config(search=search)).finding
    assert found is not None
    assert (found.rule, len(found.decisions)) == (finding(bug).rule, bug.needs)


@EVERY_BUG
def test_the_repaired_twin_is_clean_in_all_its_runs_with_two_decisions(bug: Bug) -> None:
    done = dst.check(bug.repaired, bug.config(search=Exhaustive(decisions_max=2)))
    assert done.verdict == "clean", done.format()
    whole = (
        "this program has one run" if done.runs == 1 else f"all {done.runs} runs of this program"
    )
    assert done.statement.startswith(f"{whole} with at most 2 decisions")


@pytest.mark.parametrize(
    "search",
    [PCT(depth=3), Holds(), Holds(pauses=True), HoldsByPlace(), RandomStep()],
    ids=lambda search: search.label,
)
@EVERY_BUG
def test_no_search_raises_a_false_alarm_over_the_repaired_twin(bug: Bug, search: Search) -> None:
    done = dst.check(bug.repaired, bug.config(search=search))
    assert done.verdict == "clean", done.format()
