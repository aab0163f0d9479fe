"""The loop: each asyncio primitive in virtual time, and where the simulation ends."""

import asyncio
import contextvars
import gc
import sys
import threading

import pytest

from faultlab.errors import FaultlabError
from faultlab.kernel import KernelError, RealWorldCall, VirtualLoop, current, record, run
from faultlab.kernel.forbidden import REMEDIES

SEEDS = range(12)


def results(program):
    """What the program returns under FIFO and under some random schedules."""
    runs = [run(program), *(run(program, seed=seed) for seed in SEEDS)]
    for made in runs:
        assert made.error is None
        assert made.violations == ()
    return [made.result for made in runs]


def test_time_starts_at_zero_and_moves_only_by_waiting():
    async def program():
        loop = asyncio.get_running_loop()
        times = [loop.time()]
        for _ in range(1000):
            await asyncio.sleep(0)
        times.append(loop.time())
        await asyncio.sleep(3600.5)
        times.append(loop.time())
        return times

    assert run(program).result == [0.0, 0.0, 3600.5]


def test_sleep_returns_its_result():
    async def program():
        return await asyncio.sleep(5, "slept")

    assert results(program) == ["slept"] * 13


def test_time_stands_still_while_anything_is_ready():
    async def program():
        order = []

        async def spin():
            for _ in range(500):
                await asyncio.sleep(0)
            order.append("spun")

        async def nap():
            await asyncio.sleep(1e-9)
            order.append("napped")

        await asyncio.gather(spin(), nap())
        return order

    assert results(program) == [["spun", "napped"]] * 13


def test_gather_wait_shield_and_as_completed():
    async def program():
        async def after(delay, value):
            await asyncio.sleep(delay)
            return value

        gathered = await asyncio.gather(after(2, "a"), after(1, "b"))
        tasks = [asyncio.create_task(after(delay, delay)) for delay in (3, 1, 2)]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        firsts = sorted(task.result() for task in done)
        completed = [await each for each in asyncio.as_completed(pending)]
        inner = asyncio.create_task(after(1, "shielded"))
        outer = asyncio.shield(inner)
        outer.cancel()
        return gathered, firsts, completed, await inner

    assert results(program) == [(["a", "b"], [1], [2, 3], "shielded")] * 13


def test_timeouts_strike_at_their_virtual_time():
    async def program():
        loop = asyncio.get_running_loop()
        times = []
        for block in (
            lambda: asyncio.wait_for(asyncio.sleep(10), 1.5),
            lambda: asyncio.wait_for(asyncio.get_running_loop().create_future(), 0),
        ):
            try:
                await block()
            except TimeoutError:
                times.append(loop.time())
        try:
            async with asyncio.timeout(2):
                await asyncio.sleep(10)
        except TimeoutError:
            times.append(loop.time())
        try:
            async with asyncio.timeout_at(5):
                await asyncio.Event().wait()
        except TimeoutError:
            times.append(loop.time())
        times.append(await asyncio.wait_for(asyncio.sleep(1, "in time"), 2))
        return times

    assert results(program) == [[1.5, 1.5, 3.5, 5.0, "in time"]] * 13


def test_a_task_group_cancels_the_rest():
    async def program():
        log = []

        async def worker(number):
            try:
                await asyncio.sleep(number)
                raise ValueError(number)
            except asyncio.CancelledError:
                log.append(number)
                raise

        try:
            async with asyncio.TaskGroup() as group:
                for number in (3, 1, 2):
                    group.create_task(worker(number))
        except* ValueError as caught:
            log.append([str(error) for error in caught.exceptions])
        return sorted(log[:2]), log[2]

    assert results(program) == [([2, 3], ["1"])] * 13


def test_queue_lock_event_condition_and_semaphore():
    async def program():
        queue, lock, event = asyncio.Queue(1), asyncio.Lock(), asyncio.Event()
        condition, semaphore = asyncio.Condition(), asyncio.Semaphore(2)
        got, inside, most = [], 0, 0

        async def produce():
            for number in range(5):
                await queue.put(number)
            event.set()

        async def consume():
            while len(got) < 5:
                got.append(await queue.get())
                queue.task_done()
                async with condition:
                    condition.notify_all()

        async def critical():
            nonlocal inside, most
            async with semaphore:
                inside += 1
                most = max(most, inside)
                async with lock:
                    await asyncio.sleep(0.1)
                inside -= 1

        async def watch():
            async with condition:
                await condition.wait_for(lambda: len(got) == 5)
            await event.wait()

        await asyncio.gather(produce(), consume(), watch(), *(critical() for _ in range(5)))
        await queue.join()
        return got, most

    assert results(program) == [([0, 1, 2, 3, 4], 2)] * 13


def test_context_variables_follow_their_task():
    variable = contextvars.ContextVar("variable", default="outer")

    async def program():
        async def child(value):
            variable.set(value)
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(lambda: seen.append(variable.get()))
            await asyncio.sleep(1)
            return variable.get()

        seen = []
        values = await asyncio.gather(child("a"), child("b"))
        return values, sorted(seen), variable.get()

    assert results(program) == [(["a", "b"], ["a", "b"], "outer")] * 13


def test_handles_can_be_cancelled_wherever_they_wait():
    async def program():
        loop, log = asyncio.get_running_loop(), []
        soon = loop.call_soon(log.append, "soon")
        later = loop.call_later(1, log.append, "later")
        kept = loop.call_at(2, log.append, "kept")
        soon.cancel()
        later.cancel()
        assert soon.cancelled()
        assert later.cancelled()
        assert not kept.cancelled()
        assert (later.when(), kept.when()) == (1.0, 2.0)
        with pytest.raises(TypeError):
            soon.when()
        same = [loop.call_at(3, log.append, number) for number in range(3)]
        loop.call_at(3, same[2].cancel)
        loop.call_at(2.5, same[0].cancel)
        await asyncio.sleep(5)
        kept.cancel()
        return log

    assert run(program).result == ["kept", 1, 2]


def test_cancelled_timers_do_not_pile_up():
    async def program():
        loop = asyncio.get_running_loop()
        for _ in range(2000):
            loop.call_later(1000, print).cancel()
        return len(loop.agenda.timers)

    assert run(program).result < 200


def test_dropped_async_generators_are_closed_during_the_run():
    async def program():
        log = []

        async def numbers():
            try:
                yield 1
                yield 2
            finally:
                await asyncio.sleep(1)
                log.append("closed")

        async for _ in numbers():
            break
        await asyncio.sleep(2)
        return log

    assert results(program) == [["closed"]] * 13


def test_open_async_generators_are_closed_at_the_end():
    log, kept = [], []

    async def program():
        async def numbers():
            try:
                yield 1
            finally:
                await asyncio.sleep(1)
                log.append("closed")

        kept.append(numbers())
        await anext(kept[0])

    run(program)
    assert log == ["closed"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks are new in Python 3.12")
def test_eager_tasks_start_at_once():
    async def program():
        loop, log = asyncio.get_running_loop(), []
        loop.set_task_factory(asyncio.eager_task_factory)

        async def child():
            log.append("child")
            await asyncio.sleep(1)

        task = asyncio.create_task(child())
        log.append("parent")
        await task
        return log

    assert results(program) == [["child", "parent"]] * 13


def test_tasks_are_named_after_their_number_in_their_process():
    async def program():
        async def name():
            return asyncio.current_task().get_name()

        async def node():
            record("named", names=[await asyncio.create_task(name()) for _ in range(2)])

        await current().start("node", node).ended()
        return [asyncio.current_task().get_name(), await asyncio.create_task(name())]

    made = run(program)
    assert made.result == ["main", "Task-2"]
    assert made.history.of("named")[0].fields == {"names": ["Task-2", "Task-3"]}


def test_the_order_of_a_set_of_tasks_follows_from_their_numbers():
    async def program():
        tasks = {asyncio.create_task(asyncio.sleep(1), name=str(n)) for n in range(50)}
        await asyncio.wait(tasks)
        return [task.get_name() for task in tasks]

    assert run(program).result == [str(n) for n in range(50)]


def test_twin_tasks_that_hash_by_address_are_not(monkeypatch):
    from faultlab.kernel.handles import Task

    monkeypatch.setattr(Task, "__hash__", object.__hash__)

    async def program():
        ballast = []
        tasks = set()
        for number in range(200):
            ballast.append(bytearray(number * 7 % 400))
            tasks.add(asyncio.create_task(asyncio.sleep(1), name=str(number)))
        await asyncio.wait(tasks)
        return [task.get_name() for task in tasks]

    assert run(program).result != [str(n) for n in range(200)]


@pytest.mark.parametrize("name", sorted(REMEDIES))
def test_what_reaches_outside_raises_an_error_that_names_it(name):
    async def program():
        getattr(asyncio.get_running_loop(), name)(None, None)

    with pytest.raises(RealWorldCall, match=rf"loop\.{name}\(\)") as caught:
        run(program)
    assert isinstance(caught.value, FaultlabError)
    assert REMEDIES[name] in str(caught.value)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: asyncio.to_thread(print), "run_in_executor"),
        (lambda: asyncio.open_connection("localhost", 80), "create_connection"),
        (lambda: asyncio.start_server(print, "localhost", 80), "create_server"),
        (lambda: asyncio.create_subprocess_exec("true"), "subprocess_exec"),
        (lambda: asyncio.create_subprocess_shell("true"), "subprocess_shell"),
    ],
)
def test_high_level_calls_that_reach_outside_raise_too(call, named):
    async def program():
        await call()

    with pytest.raises(RealWorldCall, match=named):
        run(program)


def test_swallowing_the_error_does_not_make_the_run_count():
    async def program():
        try:
            await asyncio.to_thread(print)
        except Exception:
            return "fine"

    with pytest.raises(RealWorldCall):
        run(program)


def test_scheduling_from_another_thread_is_refused():
    caught = []

    async def program():
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(lambda: None)

        def elsewhere():
            try:
                loop.call_soon_threadsafe(print)
            except RealWorldCall as error:
                caught.append(error)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    with pytest.raises(RealWorldCall, match="another thread"):
        run(program)
    assert len(caught) == 1


async def small():
    await asyncio.gather(*(asyncio.wait_for(asyncio.sleep(n), 10) for n in range(3)))
    return asyncio.current_task().get_name()


def test_a_run_inside_a_running_loop_leaves_it_as_it_was():
    async def outer():
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        assert run(small).result == "main"
        assert asyncio.current_task() is task
        assert asyncio.get_running_loop() is loop
        await asyncio.sleep(0.001)
        assert await asyncio.wait_for(asyncio.sleep(0, "still works"), 5) == "still works"
        return asyncio.current_task() is task

    assert asyncio.run(outer()) is True


def test_a_run_inside_a_run():
    async def outer():
        await asyncio.sleep(1)
        inner = run(small, seed=2)
        await asyncio.sleep(1)
        return inner.result, inner.time_s, asyncio.get_running_loop().time()

    assert run(outer).result == ("main", 2.0, 2.0)


def test_runs_in_two_threads_at_once_do_not_meet():
    digests = {}

    async def program():
        for _ in range(50):
            await asyncio.wait_for(asyncio.sleep(0.5), 1)
            record("tick")

    def work(name):
        digests[name] = [run(program, seed=seed).digest for seed in range(5)]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert digests[0] == digests[1] == [run(program, seed=seed).digest for seed in range(5)]


@pytest.mark.parametrize("collecting", [True, False])
def test_garbage_collection_is_off_during_a_run_and_as_before_afterwards(collecting):
    async def program():
        return gc.isenabled()

    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        assert run(program).result is False
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if before else gc.disable)()


def test_everything_is_put_back_when_the_run_is_interrupted():
    async def program():
        raise KeyboardInterrupt

    hooks, wait_for = sys.get_asyncgen_hooks(), asyncio.wait_for
    with pytest.raises(KeyboardInterrupt):
        run(program)
    assert sys.get_asyncgen_hooks() == hooks
    assert asyncio.wait_for is wait_for
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()


def test_a_timer_without_a_finite_time_is_an_error():
    async def program():
        asyncio.get_running_loop().call_later(float("nan"), print)

    error = run(program).error
    assert isinstance(error, KernelError)
    assert "finite" in str(error)


def test_a_custom_exception_handler_is_told_instead_of_the_run():
    async def program():
        told = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
        loop.call_soon(int, "no number")
        await asyncio.sleep(1)
        return len(told)

    made = run(program)
    assert made.result == 1
    assert made.violations == ()


def test_current_outside_of_a_run_is_an_error():
    with pytest.raises(KernelError, match="no simulated process"):
        current()


def test_the_loop_is_an_asyncio_loop():
    async def program():
        loop = asyncio.get_running_loop()
        return isinstance(loop, VirtualLoop), loop.is_running(), loop.get_debug()

    assert run(program).result == (True, True, False)
    assert issubclass(VirtualLoop, asyncio.AbstractEventLoop)


def test_a_program_that_is_no_async_function_is_an_error():
    with pytest.raises(KernelError, match="async def"):
        run(lambda: 3)
