"""What a stranger reads in the reports of the planted bugs."""

import asyncio

from faultlab import dst
from faultlab.dst import Finding, SimulationConfig
from faultlab.dst.event_rows import rows_of
from tests.dst.bugs import BUGS


def finding(name: str) -> Finding:
    (bug,) = (bug for bug in BUGS if bug.name == name)
    found = dst.check(bug.broken, bug.config()).finding
    assert found is not None
    return found


def test_a_deadlocks_timeline_ends_where_the_tasks_wait_and_not_with_their_frames_closing() -> None:
    found = finding("lock_order")
    assert found.rule.kind == "deadlock"
    last = rows_of(found)[-1]
    assert last.text == "await stack.enter_async_context(self.locks[name])"
    mains = [row.text for row in rows_of(found) if row.lane == "main"]
    assert mains[-1].startswith("await asyncio.gather(")


def test_a_pause_stands_in_the_timeline_at_the_time_when_it_begins() -> None:
    found = finding("timeout_race")
    (decision,) = found.decisions
    (row,) = (row for row in rows_of(found) if row.kind == "asked")
    assert decision.words.startswith("pause charge")
    assert row.time_s == decision.time_s == 0.4  # the next step of all is a later one
    assert found.steps[decision.step - 1].time_s > 0.4


def test_a_task_that_has_not_run_is_held_before_it_starts() -> None:
    (decision,) = finding("double_charge").decisions
    assert "(pay) before it starts at tests/dst/bugs/double_charge.py:" in decision.words
    assert decision.where is not None
    assert decision.where.source.startswith("async def pay")


def test_a_task_that_waits_in_its_own_function_is_not_said_to_be_there_twice() -> None:
    (decision,) = finding("lost_update").decisions
    assert decision.words.startswith("hold Task-2 (withdraw) at tests/dst/bugs/lost_update.py:")


def test_a_task_that_waits_in_another_function_is_said_to_be_there() -> None:
    (decision,) = finding("lost_exception").decisions
    assert decision.words.startswith("hold main (broken) in Shop.store at tests/dst/bugs/lost_")


async def overtaken() -> None:
    """Fails if `one` stands still in the function that it calls, until `other` is done."""
    seen: list[int] = []

    async def one() -> None:
        async def look() -> None:
            await asyncio.sleep(0)

        before = len(seen)
        await look()
        assert len(seen) == before, "somebody was faster"

    async def other() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        seen.append(1)

    async with asyncio.TaskGroup() as group:
        group.create_task(one())
        group.create_task(other())


def test_a_function_inside_of_another_is_named_without_its_surroundings() -> None:
    found = dst.check(overtaken, SimulationConfig()).finding
    assert found is not None
    (decision,) = found.decisions
    assert decision.words.startswith("hold Task-2 (one) in look at tests/dst/test_reports")
