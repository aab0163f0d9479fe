"""What a port carries beside coroutine methods, and how it gets out of the way outside of a run."""

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import pytest

from faultlab.kernel import Run, current
from faultlab.mock import Crash, LostReply, OneFault, PortError, port
from tests.mock.helpers import process, simulate


class Entered:
    def __init__(self, log: list[str]) -> None:
        self.log = log
        self.status = 200

    async def __aenter__(self) -> Self:
        self.log.append("enter")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.log.append("exit" if error is None else f"exit {type(error).__name__}")

    async def send(self, text: str) -> int:
        self.log.append(text)
        return len(text)

    def close(self) -> str:
        return "closed"


@dataclass(frozen=True, kw_only=True)
class Odd:
    number: int
    thing: object


class Client:
    """A user's own client, with everything that clients have."""

    base = "https://example.org"

    def __init__(self) -> None:
        self.log: list[str] = []
        self.timeout_s = 5

    async def get(self, key: str, /, default: int = 0, *rest: int, **more: Any) -> int:
        self.log.append(key)
        return default

    async def stream(self, n: int) -> AsyncIterator[int]:
        try:
            for item in range(n):
                yield item
        finally:
            self.log.append("closed")

    async def echo(self) -> Any:
        got = yield "ready"
        while got is not None:
            got = yield got

    @asynccontextmanager
    async def opened(self, name: str) -> AsyncIterator[Entered]:
        self.log.append(f"open {name}")
        try:
            yield Entered(self.log)
        finally:
            self.log.append(f"close {name}")

    @asynccontextmanager
    async def number(self) -> AsyncIterator[int]:
        yield 7

    def connect(self) -> Entered:
        return Entered(self.log)

    def later(self, key: str) -> Awaitable[int]:
        return self.get(key)

    def plain(self) -> int:
        return 7

    async def odd(self) -> Odd:
        return Odd(number=1, thing=object())

    async def bare(self) -> object:
        return object()

    async def rows(self) -> list[Odd]:
        return [Odd(number=1, thing=("t",))]


def wrapped(client: Client) -> Client:
    return port(client, surface="http", route="users")


def calls(made: Run) -> list[tuple[str, dict[str, Any]]]:
    return [(e.fields["op"], e.fields.get("asked", {})) for e in made.history.of("call")]


def test_plain_arguments_enter_the_history_under_their_parameters_names() -> None:
    async def program() -> None:
        client = wrapped(Client())
        await client.get("k", 3)
        await client.get("k", default=4, more={"a": [1, object()]}, tags=("t",))
        await client.get("k", 5, 6)
        await client.get("k", odd=Odd(number=1, thing=2))

    assert calls(simulate(program)) == [
        ("get", {"key": "k", "default": 3}),
        ("get", {"key": "k", "default": 4, "more": {"a": [1, "<object>"]}}),
        ("get", {"key": "k", "default": 5}),
        ("get", {"key": "k", "odd": {"number": 1, "thing": 2}}),
    ]


def test_results_enter_the_history_as_json_and_nothing_that_differs_between_runs_does() -> None:
    async def program() -> None:
        client = wrapped(Client())
        await client.odd()
        await client.bare()
        await client.rows()

    made = simulate(program)
    known = [event.fields["known"] for event in made.history.of("return")]
    assert known == [
        {"number": 1, "thing": "<object>"},
        None,
        [{"number": 1, "thing": ["t"]}],
    ]
    assert made.digest


def test_what_is_asked_is_kept_as_it_was_when_it_was_asked() -> None:
    class Store:
        async def put(self, body: dict[str, int]) -> None:
            body["n"] = 2

    async def program() -> None:
        await port(Store(), surface="store", route="s").put({"n": 1})

    assert calls(simulate(program)) == [("put", {"body": {"n": 1}})]


def test_each_item_of_a_stream_is_a_call_and_so_is_its_end() -> None:
    client = Client()

    async def program() -> list[int]:
        return [item async for item in wrapped(client).stream(2)]

    made = simulate(program, policy=OneFault(None))
    assert made.result == [0, 1]
    assert calls(made) == [("stream", {"n": 2})] * 3
    assert [event.fields["known"] for event in made.history.of("return")] == [0, 1, None]
    assert client.log == ["closed"]


def test_a_stream_that_is_left_early_is_closed() -> None:
    client = Client()

    async def program() -> None:
        async for _ in wrapped(client).stream(9):
            break

    simulate(program)
    assert client.log == ["closed"]


def test_closing_a_stream_closes_it_before_anything_else_runs() -> None:
    client = Client()

    async def program() -> None:
        stream: Any = wrapped(client).stream(9)
        assert await anext(stream) == 0
        await stream.aclose()
        assert client.log == ["closed"]

    simulate(program)


def test_values_can_be_sent_into_a_stream() -> None:
    async def program() -> list[str]:
        stream = wrapped(Client()).echo()
        return [await anext(stream), await stream.asend("a"), await stream.asend("b")]

    assert simulate(program).result == ["ready", "a", "b"]


def test_a_crash_strikes_in_the_middle_of_a_stream() -> None:
    client = Client()
    got: list[int] = []

    async def node() -> None:
        async for item in wrapped(client).stream(3):
            got.append(item)  # noqa: PERF401

    class SecondItem(OneFault):
        calls = 0

        async def after(self, call: Any) -> None:
            self.calls += 1
            if self.calls == 2:
                await super().after(call)

    async def program() -> str:
        return await process("node", node)

    logs: list[list[str]] = []
    made = simulate(
        program,
        policy=SecondItem(Crash(), surface="http", op="stream"),
        judge=lambda _: logs.append(list(client.log)),
    )
    assert made.result == "crashed"
    assert len(made.history.of("crash")) == 1
    assert got == [0]
    assert logs == [[]], "nothing is cleaned up in a power cut"


def test_entering_leaving_and_the_methods_of_what_is_handed_out_are_calls() -> None:
    client = Client()

    async def program() -> None:
        async with wrapped(client).opened("a") as opened:
            assert await opened.send("hello") == 5
            assert (opened.status, opened.close()) == (200, "closed")
        with pytest.raises(RuntimeError):  # noqa: PT012
            async with wrapped(client).connect() as connected:
                await connected.send("x")
                raise RuntimeError
        async with wrapped(client).number() as number:
            assert number == 7

    made = simulate(program)
    assert calls(made) == [
        ("opened.enter", {"name": "a"}),
        ("send", {"text": "hello"}),
        ("opened.exit", {}),
        ("connect.enter", {}),
        ("send", {"text": "x"}),
        ("connect.exit", {}),
        ("number.enter", {}),
        ("number.exit", {}),
    ]
    assert client.log == ["open a", "hello", "close a", "enter", "x", "exit RuntimeError"]


def test_a_lost_reply_to_leaving_leaves_all_the_same() -> None:
    client = Client()
    policy = OneFault(LostReply(), surface="http", op="opened.exit")

    async def program() -> None:
        with pytest.raises(TimeoutError):
            async with wrapped(client).opened("a"):
                pass

    simulate(program, policy=policy)
    assert policy.exercised
    assert client.log == ["open a", "close a"]


def test_an_object_that_is_itself_entered_or_iterated_over_can_be_a_port() -> None:
    class Consumer(Entered):
        def __aiter__(self) -> Self:
            return self

        async def __anext__(self) -> str:
            if len(self.log) > 2:
                raise StopAsyncIteration
            self.log.append("item")
            return "item"

    async def program() -> list[str]:
        async with port(Consumer([]), surface="topic", route="t") as consumer:
            return [item async for item in consumer]

    made = simulate(program)
    assert made.result == ["item", "item"]
    assert [op for op, _ in calls(made)] == ["enter", "next", "next", "next", "exit"]
    assert asyncio.run(program()) == ["item", "item"]


def test_a_plain_method_that_gives_something_to_await_is_a_call() -> None:
    async def program() -> int:
        return await wrapped(Client()).later("k")

    assert calls(simulate(program)) == [("later", {"key": "k"})]


def test_inside_of_a_run_what_can_not_cross_the_gate_is_refused() -> None:
    async def program() -> None:
        client = wrapped(Client())
        with pytest.raises(PortError, match=r"Client\.plain is no async method: it ran past"):
            client.plain()
        with pytest.raises(PortError, match=r"Client has no method 'gett'.* Did you mean 'get'\?"):
            client.gett  # type: ignore[attr-defined]  # noqa: B018
        with pytest.raises(PortError, match=r"Client\.base is no async method"):
            _ = client.base
        with pytest.raises(PortError, match="timeout_s was set on the port http/users"):
            client.timeout_s = 1

    assert calls(simulate(program)) == []


def test_outside_of_a_run_a_wrapped_client_is_the_client() -> None:
    client = Client()
    users = wrapped(client)

    async def use() -> None:
        assert await users.get("k", 3) == 3
        assert [item async for item in users.stream(2)] == [0, 1]
        async with users.opened("a") as opened:
            assert type(opened) is Entered
        async with users.connect() as connected:
            assert type(connected) is Entered

    asyncio.run(use())
    assert (users.plain(), users.base, users.timeout_s) == (7, "https://example.org", 5)
    users.timeout_s = 1
    assert client.timeout_s == 1
    setattr(users, "plain", 8)  # noqa: B010
    assert getattr(users, "plain") == 8  # noqa: B009
    with pytest.raises(AttributeError, match="no attribute 'gett'"):
        _ = users.gett  # type: ignore[attr-defined]
    assert copy.copy(users) is not users
    assert isinstance(users, Client)
    assert not isinstance(users, Entered)
    assert "port http/users" in repr(users)


def test_a_client_wrapped_and_used_outside_of_a_run_is_gated_inside_of_one() -> None:
    users = wrapped(Client())
    get = users.get
    asyncio.run(get("before"))

    async def program() -> None:
        await users.get("inside")
        await get("kept")

    assert calls(simulate(program)) == [("get", {"key": "inside"}), ("get", {"key": "kept"})]


def test_operations_can_belong_to_another_surface() -> None:
    async def program() -> None:
        client = port(Client(), surface="write", route="r", surface_by_op={"get": "read"})
        await client.get("k")
        await client.odd()

    calls = simulate(program).history.of("call")
    assert [call.fields["surface"] for call in calls] == ["read", "write"]


def test_a_crashed_process_reaches_nothing_through_any_kind_of_port() -> None:
    client = Client()

    async def node() -> None:
        users = wrapped(client)
        try:
            current().processes["node"].crash()
            await asyncio.sleep(0)
        finally:
            async with users.opened("late") as opened:
                await opened.send("late")
            async for _ in users.stream(1):
                pass

    async def program() -> str:
        return await process("node", node)

    made = simulate(program)
    assert made.result == "crashed"
    assert len(made.history.of("crash")) == 1
    assert client.log == []
