"""What must come about in time after the faults, and what a sweep must have seen."""

import asyncio
from typing import Any

import pytest

from faultlab.dst.invariants import (
    Broken,
    InvariantError,
    eventually,
    judge,
    reached,
    reached_labels,
    unreached,
)
from faultlab.kernel import History, current, record, run
from tests.dst.histories import Row, history


def worker_crashes(*, supervised: bool, patience_s: float = 1.0) -> History:
    """A worker crashes before it ships; a supervisor starts it again, or nobody does."""

    async def worker() -> None:
        await asyncio.sleep(2)
        record("shipped", order=1)
        reached("shipped at last")

    async def program() -> None:
        record("accepted", order=1)
        first = current().start("worker", worker)
        await asyncio.sleep(1)
        first.crash()
        if supervised:
            reached("took over")
            await asyncio.sleep(patience_s)
            await current().start("worker", worker).ended()

    made = run(program)
    assert made.error is None
    assert len(made.history.of("crash")) == 1
    return made.history


def test_a_worker_that_nobody_starts_again_never_ships() -> None:
    (found,) = judge(worker_crashes(supervised=False), [eventually("shipped", within_s=10)])
    assert found == Broken(
        name="eventually(shipped within 10 s)",
        message=(
            "shipped did not come about within 10 s of 1 s: it never came; the last event is at "
            "1 s (the last fault was crash #2 at 1 s)"
        ),
        events=(2,),
    )


def test_twin_a_supervised_worker_ships_after_the_crash() -> None:
    assert judge(worker_crashes(supervised=True), [eventually("shipped", within_s=10)]) == []


def test_too_late_is_not_in_time() -> None:
    (found,) = judge(
        worker_crashes(supervised=True, patience_s=9), [eventually("shipped", within_s=10)]
    )
    assert "it came #5 at 12 s" in found.message
    assert found.events == (2, 5)
    assert (
        judge(worker_crashes(supervised=True, patience_s=8), [eventually("shipped", within_s=10)])
        == []
    )


def test_each_event_needs_a_goal_of_its_own() -> None:
    served = eventually("shipped", within_s=10, for_each="accepted", by=("order",))
    assert judge(worker_crashes(supervised=True), [served]) == []
    (found,) = judge(worker_crashes(supervised=False), [served])
    assert found.message.startswith("shipped for accepted of main (#0 at 0 s) did not come about")
    rows: list[Row] = [("p", "accepted", {"order": n}) for n in (1, 2)]
    rows += [("p", "shipped", {"order": 2})]
    (found,) = judge(history(*rows), [served])
    assert found.events == (0,)
    assert "no fault struck" in found.message


def test_the_time_runs_from_the_later_of_event_and_last_fault() -> None:
    served = eventually("shipped", within_s=0.6, for_each="accepted")
    accepted: Row = ("p", "accepted", {})
    fault: Row = ("", "fault", {"fault": "crash"})
    other: Row = ("p", "other", {})
    shipped: Row = ("p", "shipped", {})
    assert judge(history(accepted, other, fault, shipped), [served]) == []
    assert judge(history(fault, other, accepted, shipped), [served]) == []
    assert judge(history(fault, accepted, other, shipped), [served]) != []
    assert judge(history(accepted, fault, other, shipped), [served]) != []


def test_a_goal_before_its_event_does_not_count_for_it() -> None:
    rows: list[Row] = [("p", "shipped", {"order": 1}), ("p", "accepted", {"order": 1})]
    assert judge(history(*rows), [eventually("shipped", within_s=9, for_each="accepted")]) != []


def test_what_was_reached_before_the_fault_stays_reached_unless_it_must_be_anew() -> None:
    rows: list[Row] = [
        ("p", "elected", {}),
        ("", "fault", {"fault": "partition"}),
        ("p", "end", {}),
    ]
    assert judge(history(*rows), [eventually("elected", within_s=5)]) == []
    assert judge(history(*rows), [eventually("elected", within_s=5, anew=True)]) != []
    rows.insert(2, ("p", "elected", {}))
    assert judge(history(*rows), [eventually("elected", within_s=5, anew=True)]) == []


def test_a_pause_heals_when_it_ends() -> None:
    async def program() -> None:
        async def slow() -> None:
            await asyncio.sleep(1)
            record("shipped")

        node = current().start("node", slow)
        await asyncio.sleep(0.5)
        node.pause(60)
        await node.ended()

    made = run(program).history
    assert made.of("shipped")[0].time_s > 60
    assert judge(made, [eventually("shipped", within_s=1)]) == []
    assert judge(made, [eventually("shipped", within_s=1, after="start")]) != []


def test_the_goal_may_be_a_state_that_is_observed() -> None:
    rows: list[Row] = [("p", "observed", {"open": n}) for n in (2, 1, 0)]
    drained = eventually(
        lambda made: [e for e in made.of("observed") if e.fields["open"] == 0], within_s=2
    )
    assert judge(history(*rows), [drained]) == []
    assert judge(history(*rows[:2]), [drained]) != []


@pytest.mark.parametrize("within_s", [0, -1, float("inf"), float("nan")])
def test_a_time_that_bounds_nothing_is_an_error(within_s: float) -> None:
    with pytest.raises(InvariantError, match="within_s is"):
        eventually("x", within_s=within_s)


def test_fields_without_events_to_match_are_an_error() -> None:
    with pytest.raises(InvariantError, match="Give for_each too"):
        eventually("x", within_s=1, by=("order",))


# reached


def test_a_label_is_seen_in_the_runs_that_reach_it() -> None:
    assert reached_labels(worker_crashes(supervised=True)) == {"took over", "shipped at last"}
    assert reached_labels(worker_crashes(supervised=False)) == frozenset()


def test_a_mark_may_carry_detail() -> None:
    async def program() -> None:
        reached("took over", node=2)

    (event,) = run(program).history.of("reached")
    assert event.fields == {"label": "took over", "detail": {"node": 2}}


def test_a_dead_process_reaches_nothing() -> None:
    async def program() -> None:
        async def node() -> None:
            current().processes["node"].crash()
            reached("after the end")
            await asyncio.sleep(1)

        await current().start("node", node).ended()

    made = run(program).history
    assert made.of("crash")
    assert reached_labels(made) == frozenset()


def test_outside_of_a_run_a_mark_does_nothing() -> None:
    reached("took over")


def test_targets_that_no_run_reached_are_told_with_the_nearest_label() -> None:
    seen = reached_labels(worker_crashes(supervised=True))
    assert unreached(["took over"], seen) == {}
    assert unreached(["took ovr", "xyz"], seen) == {
        "took ovr": "'took ovr' was never reached. Did you mean 'took over'?",
        "xyz": "'xyz' was never reached.",
    }


def test_a_target_that_is_text_is_one_target() -> None:
    text: Any = "took over"
    with pytest.raises(InvariantError, match="list of labels"):
        unreached(text, ["took over"])
