"""What a stranger reads in the reports of the planted bugs."""

import asyncio

from faultlab import dst
from faultlab.dst import Finding, SimulationConfig
from faultlab.dst.lanes import rows_of
from faultlab.kernel import Program, Tape
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
