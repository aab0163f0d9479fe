"""What a run finds without being asked."""

import asyncio
import contextlib

import pytest

from faultlab.kernel import Fifo, KernelError, current, record, run


def kinds(made):
    return [violation.kind for violation in made.violations]


async def crossed():
    one, other = asyncio.Lock(), asyncio.Lock()

    async def takes(first, second):
        async with first:
            await asyncio.sleep(0)
            async with second:
                pass

    async with asyncio.TaskGroup() as group:
        group.create_task(takes(one, other), name="a")
        group.create_task(takes(other, one), name="b")


def test_a_deadlock_names_every_stuck_task_and_where_it_waits():
    made = run(crossed)
    assert kinds(made) == ["deadlock"]
    stuck = {task.name: task.position for task in made.violations[0].tasks}
    assert set(stuck) == {"main", "a", "b"}
    assert "test_violations.py" in stuck["a"]
    assert "in crossed.<locals>.takes, awaiting Lock.acquire" in stuck["a"]
    assert "a" in made.violations[0].message
    assert "Lock.acquire" in str(made.violations[0])
    assert made.result is None
    assert made.error is None


def test_twin_locks_taken_in_one_order_do_not_deadlock():
    async def program():
        one, other = asyncio.Lock(), asyncio.Lock()

        async def takes():
            async with one:
                await asyncio.sleep(0)
                async with other:
                    pass

        await asyncio.gather(takes(), takes())

    for seed in range(20):
        assert run(program, seed=seed).violations == ()


def test_a_violation_is_in_the_history_without_positions():
    event = run(crossed).history[-1]
    assert event.kind == "violation"
    assert event.fields["kind"] == "deadlock"
    assert sorted(event.fields["tasks"]) == [["", "a"], ["", "b"], ["", "main"]]


async def livelock():
    while True:
        await asyncio.sleep(0)


@pytest.mark.parametrize("seed", [None, 1])
def test_a_livelock_reaches_the_step_limit(seed):
    made = run(livelock, seed=seed, steps_max=500)
    assert kinds(made) == ["step-limit"]
    assert made.steps == 500
    assert "raise steps_max" in made.violations[0].message


async def polite():
    """Ends as soon as the setter gets a single step."""
    done = []

    async def setter():
        await asyncio.sleep(0)
        done.append(True)

    async def poll():
        while not done:
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        group.create_task(setter(), name="setter")
        group.create_task(poll(), name="poll")


class Unfair:
    """Never runs the oldest step while it has another."""

    holds = False

    def chooser(self, agenda, choices):
        def choose(waiting):
            names = [agenda.whose(entry)[1] for entry in agenda.ready]
            return next((i for i, name in enumerate(names) if name != "setter"), 0)

        return choose


def test_an_unfair_schedule_is_no_livelock_for_the_last_half_is_fair():
    made = run(polite, seed=1, strategy=Unfair(), steps_max=500)
    assert made.violations == ()
    assert 250 < made.steps < 300


def test_twin_without_a_fair_half_the_unfair_schedule_would_spend_any_budget():
    from faultlab.kernel.choices import Choices
    from faultlab.kernel.stage import Stage
    from faultlab.kernel.world import World

    world = World(Choices())
    with Stage(world.loop):
        main = world.boot(polite)
        choose = Unfair().chooser(world.loop.agenda, world.choices)
        assert world.loop.drive(main.done, choose, 500) == "spent"
        assert world.loop.drive(main.done, Fifo().chooser(None, None), 500) == "done"
        world.end()


def test_a_hold_cannot_outlast_the_unfair_half():
    from faultlab.kernel import Tape

    tape = Tape({("hold", "", "setter", 1): (1, 8)})
    made = run(polite, choices=tape, steps_max=500)
    assert made.violations == ()
    assert 250 < made.steps < 300


def test_an_exception_in_a_background_task_is_found():
    async def program():
        async def background():
            raise ValueError("lost")

        asyncio.create_task(background(), name="lost one")  # noqa: RUF006
        await asyncio.sleep(1)
        return "fine"

    made = run(program)
    assert made.result == "fine"
    assert kinds(made) == ["background-exception"]
    assert isinstance(made.violations[0].error, ValueError)
    assert "lost one" in made.violations[0].message


def test_twin_an_exception_that_somebody_retrieved_is_not():
    async def program():
        async def background():
            raise ValueError

        task = asyncio.create_task(background())
        await asyncio.wait([task])
        return type(task.exception()).__name__

    made = run(program)
    assert (made.result, made.violations) == ("ValueError", ())


def test_an_exception_in_a_callback_is_found():
    async def program():
        asyncio.get_running_loop().call_later(1, int, "no number")
        await asyncio.sleep(2)

    made = run(program)
    assert kinds(made) == ["background-exception"]
    assert isinstance(made.violations[0].error, ValueError)


def test_an_exception_in_a_process_is_found():
    async def node():
        raise ValueError

    async def program():
        return await current().start("node", node).ended()

    made = run(program)
    assert made.result == "raised"
    assert kinds(made) == ["background-exception"]
    assert "node/node" in made.violations[0].message


def test_a_task_that_ignores_its_cancellation_has_leaked():
    async def program():
        async def stubborn():
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    record("ignored")

        asyncio.create_task(stubborn(), name="stubborn")  # noqa: RUF006
        await asyncio.sleep(1)

    made = run(program)
    assert kinds(made) == ["leaked-task"]
    assert [task.name for task in made.violations[0].tasks] == ["stubborn"]
    assert made.history.of("ignored")


def test_a_task_that_spins_after_its_cancellation_has_leaked():
    async def program():
        async def spinning():
            while True:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(0.1)

        asyncio.create_task(spinning(), name="spinning")  # noqa: RUF006
        await asyncio.sleep(1)

    assert kinds(run(program)) == ["leaked-task"]


def test_twin_tasks_that_end_when_cancelled_have_not_leaked():
    log = []

    async def program():
        async def server():
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(1)
                log.append("closed")

        asyncio.create_task(server())  # noqa: RUF006
        current().start("node", server)
        await asyncio.sleep(1)

    made = run(program)
    assert made.violations == ()
    assert log == ["closed", "closed"]


def test_what_the_program_raises_is_its_error_and_no_violation():
    async def program():
        raise LookupError("mine")

    made = run(program)
    assert isinstance(made.error, LookupError)
    assert made.violations == ()


def test_a_cancelled_program_has_that_as_its_error():
    async def program():
        asyncio.current_task().cancel()
        await asyncio.sleep(1)

    assert isinstance(run(program).error, asyncio.CancelledError)


def test_arguments_that_make_no_sense_are_errors():
    with pytest.raises(KernelError, match="steps_max"):
        run(livelock, steps_max=1)
    with pytest.raises(KernelError, match="already decides"):
        run(livelock, choices=run(crossed).choices, seed=1)
