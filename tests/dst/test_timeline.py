"""The lanes as text: they begin, are held, stay open or end, and fit in 100 columns."""

from dataclasses import replace

import pytest

from faultlab.dst import Fifo, Report, SimulationConfig, Step, TaskAt, check
from faultlab.dst.event_rows import KEYS, rows_of
from faultlab.dst.lanes import lanes_of, states
from faultlab.dst.timeline import COLUMNS
from tests.dst import report_programs as programs

ONE_RUN = SimulationConfig(seeds=[0], search=Fifo(), minimize_runs_max=0)


def drawn(report: Report) -> list[str]:
    lines = report.timeline().splitlines()
    assert lines[-1] == KEYS["lines"]
    return lines[:-1]


def test_few_tasks_have_a_lane_under_their_name_and_a_hold_is_dotted() -> None:
    lines = drawn(check(programs.transfer_race))
    assert lines[0].split() == ["time", "main", "Task-2", "Task-3", "where"]
    column = lines[0].index("Task-2")
    lane = "".join(line.ljust(column + 1)[column] for line in lines[1:])
    assert lane.partition("◇")[2].startswith("┊")
    held = lane.replace("●", "").replace("◇", "").strip()
    assert set(held) <= {"┊", "│"}
    assert lane.rstrip().endswith("┊●")
    raised = next(line for line in lines if "✕" in line)
    assert raised[lines[0].index("main")] == "✕"


def test_many_tasks_with_long_names_stay_within_the_columns() -> None:
    lines = drawn(check(programs.shipments))
    assert max(map(len, lines)) <= COLUMNS
    assert "   c shipment worker 1" in "\n".join(lines)
    assert any(line.split()[:4] == ["time", "a", "b", "c"] for line in lines)


def test_more_tasks_than_letters_share_a_column_and_are_named_in_their_rows() -> None:
    lines = drawn(check(programs.crowd, ONE_RUN))
    assert max(map(len, lines)) <= COLUMNS
    assert any(" more tasks, named in their rows" in line for line in lines)
    assert any(line.endswith("Task-81: await asyncio.sleep(0)") for line in lines)
    assert any("✕" in line and "RuntimeError" in line for line in lines)


def test_processes_are_part_of_the_names() -> None:
    report = check(programs.transfer_race)
    assert report.finding is not None
    steps = tuple(
        replace(step, process="node 1" if step.task == "Task-3" else step.process)
        for step in report.finding.steps
    )
    told = replace(report, finding=replace(report.finding, steps=steps)).timeline()
    assert "node 1/Task-3" in told
    assert max(map(len, told.splitlines())) <= COLUMNS


def test_the_lane_of_a_task_that_waits_stays_open_and_that_of_one_that_ended_does_not() -> None:
    report = check(programs.lock_order)
    found = report.finding
    assert found is not None
    rows = rows_of(found)
    lanes = lanes_of(rows, found.tasks)
    assert [lane.waits for lane in lanes] == [True, True, True]
    assert list(states(rows, lanes))[-1].count("") == 0
    ended = lanes_of(rows, ())
    assert list(states(rows, ended))[-1].count("") == 2
    named = lanes_of(rows, [TaskAt(name="Task-2 (post)", doing="")])
    assert [lane.name for lane in named if lane.waits] == ["Task-2"]


def test_a_deadlock_shows_no_line_that_ran_when_the_run_was_over() -> None:
    found = check(programs.lock_order).finding
    assert found is not None
    last = found.steps[-1]
    assert {line.function.rpartition(".")[2] for line in last.lines} == {"post"}
    assert last.lines[-1].source == "async with audit:"


def test_only_what_is_near_a_decision_and_the_end_is_shown() -> None:
    report = check(programs.long_run, ONE_RUN)
    lines = drawn(report)
    assert len(lines) < 40
    assert any("… " in line and line.endswith("rows") for line in lines)
    assert not any(line.endswith("… 1 row") for line in lines)


def test_a_long_line_of_source_is_cut_and_what_was_raised_is_not() -> None:
    report = check(programs.transfer_race)
    assert report.finding is not None

    def longer(step: Step) -> Step:
        lines = tuple(
            replace(line, source=line.source + " # " + "x" * 90)
            if line.source.startswith("for")
            else line
            for line in step.lines
        )
        return replace(step, lines=lines)

    found = replace(report.finding, steps=tuple(map(longer, report.finding.steps)))
    lines = replace(report, finding=found).timeline().splitlines()
    assert any(line.endswith("x…") and len(line) == COLUMNS for line in lines)
    assert not any("x" * 80 in line for line in lines)


@pytest.mark.parametrize("program", [programs.careful])
def test_a_clean_report_has_no_timeline(program: object) -> None:
    assert check(program).timeline() == ""  # type: ignore[arg-type]
