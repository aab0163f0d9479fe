"""The crash fence: a crash is a power cut, so nothing of the process reaches anything.

Each way of reaching out gets one program. It is run crashed and, as its twin, cancelled
instead: the twin must reach the store, or the test would prove nothing. Every crashed
run shows its 'crash' event.
"""

import asyncio
import contextlib
import contextvars
import gc
import weakref

import pytest

from faultlab.kernel import KernelError, current, record, run


class Store:
    """A port, and beside it a plain list that bypasses the gate."""

    def __init__(self):
        self.written = []
        self.bypassed = []

    async def write(self, text):
        async def body():
            self.written.append(text)

        await current().gate.call("store", "s", "write", body, asked={"text": text})

    def touch(self, text):
        self.bypassed.append(text)
        record("touched", text=text)


async def in_finally(store):
    try:
        await asyncio.sleep(10)
    finally:
        store.touch("finally")
        await store.write("finally")


async def in_except_base_exception(store):
    try:
        await asyncio.sleep(10)
    except BaseException:
        store.touch("except")
        await store.write("except")


async def in_async_with(store):
    class Manager:
        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            store.touch("aexit")
            await store.write("aexit")

    async with Manager():
        await asyncio.sleep(10)


async def in_sibling_task(store):
    async def sibling():
        await asyncio.sleep(2)
        store.touch("sibling")
        await store.write("sibling")

    keep = asyncio.create_task(sibling())
    await asyncio.sleep(10)
    await keep


async def in_ready_sibling(store):
    """A sibling that is ready in the very instant of the crash."""

    async def sibling():
        while asyncio.get_running_loop().time() < 1.5:
            await asyncio.sleep(0.5)
        await asyncio.sleep(0)
        store.touch("sibling")
        await store.write("sibling")

    keep = asyncio.create_task(sibling())
    await asyncio.sleep(10)
    await keep


async def in_call_later(store):
    asyncio.get_running_loop().call_later(2, store.touch, "timer")
    await asyncio.sleep(10)


async def in_call_soon(store):
    loop = asyncio.get_running_loop()

    def again():
        if loop.time() > 1.2:
            store.touch("callback")
        else:
            loop.call_later(0.5, again)

    loop.call_soon(again)
    await asyncio.sleep(10)


SHARED = []


async def in_future_callback(store):
    """A callback on a future that somebody else resolves later."""
    future = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda _: store.touch("future"))
    SHARED.append(future)
    await asyncio.sleep(10)


async def in_waiter_of_future(store):
    future = asyncio.get_running_loop().create_future()
    SHARED.append(future)
    await asyncio.shield(asyncio.ensure_future(waits(future, store)))


async def waits(future, store):
    await future
    store.touch("waiter")
    await store.write("waiter")


async def in_task_callback(store):
    task = asyncio.create_task(asyncio.sleep(3))
    task.add_done_callback(lambda _: store.touch("task callback"))
    await task


async def in_async_generator(store):
    async def numbers():
        try:
            yield 1
            await asyncio.sleep(10)
            yield 2
        finally:
            store.touch("generator")
            await store.write("generator")

    async for _ in numbers():
        pass


async def in_suspended_generator(store):
    """A generator that is suspended at its yield while its reader waits elsewhere."""

    async def numbers():
        try:
            yield 1
        finally:
            store.touch("generator")

    async for _ in numbers():
        await asyncio.sleep(10)


async def in_del(store):
    class Held:
        def __del__(self):
            store.touch("del")

    async def holding():
        held = Held()
        await asyncio.sleep(10)
        del held

    with contextlib.suppress(asyncio.CancelledError):  # its traceback would keep the frame
        await holding()


async def in_del_of_timer_argument(store):
    class Held:
        def __del__(self):
            store.touch("del")

    asyncio.get_running_loop().call_later(2, lambda held: None, Held())
    await asyncio.sleep(10)


async def in_task_group(store):
    async def child():
        try:
            await asyncio.sleep(10)
        finally:
            store.touch("child")
            await store.write("child")

    async with asyncio.TaskGroup() as group:
        group.create_task(child())
        group.create_task(child())


async def in_empty_context(store):
    async def sibling():
        await asyncio.sleep(2)
        store.touch("sibling")

    keep = asyncio.create_task(sibling(), context=contextvars.Context())
    asyncio.get_running_loop().call_later(2, store.touch, "timer", context=contextvars.Context())
    await asyncio.sleep(10)
    await keep


async def in_timeout(store):
    try:
        async with asyncio.timeout(2):
            await asyncio.sleep(10)
    finally:
        store.touch("timeout")


async def in_lock(store):
    lock = asyncio.Lock()
    async with lock:
        try:
            await asyncio.sleep(10)
        finally:
            store.touch("released")


WAYS = [
    in_finally, in_except_base_exception, in_async_with, in_sibling_task, in_ready_sibling,
    in_call_later, in_call_soon, in_future_callback, in_waiter_of_future, in_task_callback,
    in_async_generator, in_suspended_generator, in_del, in_del_of_timer_argument,
    in_task_group, in_empty_context, in_timeout, in_lock,
]  # fmt: skip


def strike(way, how):
    """Runs the program in a process and at 1.0 s crashes or cancels it. Returns what it saw."""
    store = Store()
    seen = {}
    SHARED.clear()

    async def program():
        process = current().start("node", lambda: way(store))
        await asyncio.sleep(1)
        if how == "crash":
            process.crash()
        else:
            process.root.cancel()
        for future in SHARED:
            if not future.done():
                future.set_result(None)
        await asyncio.sleep(20)

    def judge(made):
        seen["bypassed"] = list(store.bypassed)

    made = run(program, judge=judge)
    assert made.error is None
    touched = [event.fields["text"] for event in made.history.of("touched")]
    calls = made.history.of("call")
    return made, store, seen["bypassed"], touched, calls


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_of_a_crashed_process_reaches_anything(way):
    made, store, bypassed, touched, calls = strike(way, "crash")
    assert [event.fields["process"] for event in made.history.of("crash")] == ["node"]
    assert bypassed == []
    assert touched == []
    assert calls == []
    assert store.written == []
    assert made.violations == ()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_twin_a_cancelled_process_does_reach_the_store(way):
    made, _, bypassed, touched, _ = strike(way, "cancel")
    assert made.history.of("crash") == []
    assert bypassed
    assert touched


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_crash_is_the_same_whoever_collects_garbage(way):
    made, *_ = strike(way, "crash")
    gc.collect()
    again, *_ = strike(way, "crash")
    assert made.history.encode() == again.history.encode()


class CrashAt:
    """A policy that crashes the calling process at one hook of its first call."""

    def __init__(self, hook):
        self.hook = hook
        self.struck = 0

    def latency_s(self, call, leg):
        self.strike(call, leg)
        return 0.25

    async def before(self, call):
        self.strike(call, "before")

    async def after(self, call):
        self.strike(call, "after")

    def strike(self, call, hook):
        if hook == self.hook and call.process.name == "node" and not self.struck:
            self.struck += 1
            call.process.crash()


@pytest.mark.parametrize(
    ("hook", "effects"), [("request", 0), ("before", 0), ("after", 1), ("reply", 1)]
)
def test_the_call_in_flight_never_returns(hook, effects):
    store = Store()
    policy = CrashAt(hook)

    async def node():
        try:
            await store.write("one")
            record("returned")
        except BaseException:
            record("raised")
            raise
        finally:
            record("cleaned up")
            await store.write("two")

    async def program():
        return await current().start("node", node).ended()

    made = run(program, policy=policy, judge=lambda _: None)
    assert policy.struck == 1
    assert made.result == "crashed"
    assert len(made.history.of("crash")) == 1
    assert store.written == ["one"] * effects
    assert [event.kind for event in made.history if event.process == "node"] == [
        "call", *["happened"] * effects, "crash",
    ]  # fmt: skip


def test_twin_without_a_crash_the_call_returns_and_cleans_up():
    store = Store()

    async def node():
        try:
            await store.write("one")
        finally:
            await store.write("two")

    async def program():
        return await current().start("node", node).ended()

    assert run(program, policy=CrashAt("nowhere")).result == "returned"
    assert store.written == ["one", "two"]


def test_a_process_that_crashes_itself_reaches_nothing_afterwards():
    store = Store()

    async def node():
        current().processes["node"].crash()
        record("after the crash")
        asyncio.get_running_loop().call_soon(store.touch, "callback")
        asyncio.create_task(store.write("task"))  # noqa: RUF006
        await store.write("call")
        record("never here")

    async def program():
        process = current().start("node", node)
        return await process.ended()

    made = run(program)
    assert made.result == "crashed"
    assert [event.kind for event in made.history] == ["start", "crash"]
    assert store.written == store.bypassed == []


def test_the_next_incarnation_starts_over_the_same_store():
    store = Store()

    async def node():
        await store.write(f"by {current().processes['node'].incarnation}")
        await asyncio.sleep(5)
        await store.write("finished")

    async def program():
        first = current().start("node", node)
        await asyncio.sleep(1)
        first.crash()
        assert await first.ended() == "crashed"
        second = current().start("node", node)
        assert second.incarnation == 2
        return await second.ended()

    assert run(program).result == "returned"
    assert store.written == ["by 1", "by 2", "finished"]


def test_a_running_process_is_not_started_twice():
    async def program():
        current().start("node", lambda: asyncio.sleep(1))
        current().start("node", lambda: asyncio.sleep(1))

    made = run(program)
    assert isinstance(made.error, KernelError)
    assert "still running" in str(made.error)


def test_crashing_twice_is_crashing_once():
    async def program():
        process = current().start("node", lambda: asyncio.sleep(9))
        await asyncio.sleep(0)
        process.crash()
        process.crash()

    assert len(run(program).history.of("crash")) == 1


def test_the_program_itself_cannot_crash():
    async def program():
        current().main.crash()

    assert "start what is to crash" in str(run(program).error)


def test_another_process_goes_on():
    store = Store()

    async def node():
        for number in range(5):
            await asyncio.sleep(1)
            await store.write(f"{current().main is not None} {number}")

    async def program():
        one = current().start("one", node)
        other = current().start("other", node)
        await asyncio.sleep(2.5)
        one.crash()
        return await other.ended()

    assert run(program).result == "returned"
    assert len(store.written) == 7


def test_a_pause_stops_a_process_and_its_timers_for_a_while():
    async def node():
        for _ in range(3):
            await asyncio.sleep(1)
            record("tick")

    async def program():
        process = current().start("node", node)
        await asyncio.sleep(1.5)
        process.pause(10)
        return await process.ended()

    made = run(program)
    assert made.result == "returned"
    assert [event.time_s for event in made.history.of("tick")] == [1.0, 11.5, 12.5]


def test_overlapping_pauses_end_with_the_later_one():
    async def node():
        await asyncio.sleep(1)
        record("tick")

    async def program():
        process = current().start("node", node)
        await asyncio.sleep(0.5)
        process.pause(10)
        process.pause(1)
        await process.ended()

    assert [event.time_s for event in run(program).history.of("tick")] == [10.5]


def test_a_crash_during_a_pause_is_final():
    store = Store()

    async def program():
        process = current().start("node", lambda: in_finally(store))
        await asyncio.sleep(1)
        process.pause(10)
        await asyncio.sleep(1)
        process.crash()
        await asyncio.sleep(30)
        assert store.bypassed == []

    made = run(program)
    assert made.error is None
    assert len(made.history.of("crash")) == 1


def test_frames_of_the_dead_are_closed_after_judging_and_then_let_go():
    class Witness:
        pass

    witnesses = []
    alive_while_judged = []

    async def node():
        witness = Witness()
        witnesses.append(weakref.ref(witness))
        await asyncio.sleep(9)

    async def program():
        process = current().start("node", node)
        await asyncio.sleep(1)
        process.crash()

    run(program, judge=lambda _: alive_while_judged.append(witnesses[0]() is not None))
    assert alive_while_judged == [True]
    assert witnesses[0]() is None


def test_a_frame_that_refuses_to_close_ends_the_run_all_the_same():
    async def stubborn():
        while True:
            try:
                await asyncio.sleep(9)
            except BaseException:
                record("still here")

    async def program():
        process = current().start("node", stubborn)
        await asyncio.sleep(1)
        process.crash()

    made = run(program)
    assert made.error is None
    assert made.history.of("still here") == []


def test_twin_without_the_fence_finally_reaches_the_store(monkeypatch):
    """The broken twin: a crash that only forgets the process's coroutines."""
    from faultlab.kernel.process import Process

    def forget(self):
        self.root.get_coro().close()

    monkeypatch.setattr(Process, "crash", forget)
    _, _, bypassed, _, _ = strike(in_except_base_exception_sync, "crash")
    assert bypassed == ["except"]


async def in_except_base_exception_sync(store):
    try:
        await asyncio.sleep(10)
    except BaseException:
        store.touch("except")
        raise
