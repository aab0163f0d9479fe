"""The state that holds all stores, ports by surface and route, and the clock."""

import ast
import asyncio
import importlib
import inspect
from pathlib import Path

import pytest

from faultlab import mock
from faultlab.kernel import current
from faultlab.mock import SURFACES, Clock, MockDepsModule, MockState, Queue, StateError
from faultlab.mock.common import now_s
from tests.mock.helpers import process, simulate

FOLDER = Path(mock.__file__).parent


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_reaches_a_store_that_has_its_operations(surface: str) -> None:
    store = MockState().store(surface, "route")
    for op in SURFACES[surface] - {"begin", "commit"}:
        assert inspect.iscoroutinefunction(getattr(store, op)), op


def test_operations_belong_to_one_surface_of_a_store() -> None:
    for kind in ("document", "queue"):
        assert not SURFACES[f"{kind}_query"] & SURFACES[f"{kind}_command"]


def test_a_store_is_made_once_for_each_route_and_shared_by_those_who_share_the_state() -> None:
    state = MockState()

    async def program() -> None:
        one, other = MockDepsModule(state=state), MockDepsModule(state=state)
        await one.port("document_command", "orders").insert("o", {})
        assert await other.port("document_query", "orders").get("o") is not None
        assert await other.port("document_query", "users").get("o") is None
        await one.port("queue_command", "mail").put("m")
        assert (await other.port("queue_query", "mail").receive()).message == "m"
        assert one.port("lock", "l") is one.port("lock", "l")

    calls = simulate(program).history.of("call")
    assert [(call.fields["surface"], call.fields["route"]) for call in calls] == [
        ("document_command", "orders"),
        ("document_query", "orders"),
        ("document_query", "users"),
        ("queue_command", "mail"),
        ("queue_query", "mail"),
    ]


def test_a_call_stands_under_the_surface_of_its_operation_whichever_port_made_it() -> None:
    async def program() -> None:
        orders = MockDepsModule().port("document_query", "orders")
        async with orders.transaction() as tx:
            await tx.insert("o", {})
            await tx.get("o")

    calls = simulate(program).history.of("call")
    assert [(call.fields["surface"], call.fields["op"]) for call in calls] == [
        ("document_command", "begin"),
        ("document_command", "insert"),
        ("document_query", "get"),
        ("document_command", "commit"),
    ]


def test_each_kind_of_store_has_its_own_accessor() -> None:
    state = MockState()
    for kind in ("documents", "queue", "locks", "register", "outbox", "inbox", "journal"):
        assert getattr(state, kind)("r") is getattr(state, kind)("r")
    assert state.receiver("r") is state.store("receiver", "r")
    assert state.clock("r") is state.store("clock", "r")
    assert state.documents("a").database is state.outbox("b").database is state.inbox("c").database
    assert state.documents("a") is not state.documents("b")


def test_a_store_can_be_put_before_its_first_use_and_not_after() -> None:
    state = MockState()
    queue = Queue(visibility_timeout_s=1)
    state.put("queue_command", "mail", queue)
    assert state.store("queue_query", "mail") is queue
    with pytest.raises(StateError, match="queue_query/mail is there already"):
        state.put("queue_query", "mail", Queue())
    state.documents("orders")
    with pytest.raises(StateError, match="is there already"):
        state.put("document_command", "orders", object())


def test_a_surface_of_ones_own_can_be_put() -> None:
    class Psp:
        async def charge(self, amount_minor: int) -> int:
            return amount_minor

    async def program() -> int:
        state = MockState()
        state.put("psp", "cards", Psp())
        with pytest.raises(StateError, match=r"no surface 'pps'\. Did you mean 'psp'"):
            MockDepsModule(state=state).port("pps", "cards")
        charged: int = await MockDepsModule(state=state).port("psp", "cards").charge(7)
        return charged

    made = simulate(program)
    assert made.result == 7
    assert made.history.of("call")[0].fields["asked"] == {"amount_minor": 7}


def test_a_clock_is_right_unless_its_process_is_skewed() -> None:
    clock = Clock(skew_s={"fast": 2.5})
    told: dict[str, float] = {}

    async def node() -> None:
        name = next(name for name, each in current().processes.items() if each.running)
        told[name] = await clock.now_s()

    async def program() -> None:
        await asyncio.sleep(10)
        for name in ("fast", "right", "slow"):
            await process(name, node)
            clock.skew("slow", -1)
        assert await clock.now_s() == now_s() == 10

    simulate(program)
    assert told == {"fast": 12.5, "right": 10, "slow": 9}


def test_each_room_imports_only_those_listed_before_it() -> None:
    listed = (mock.__doc__ or "").split("before it: ")[1].rstrip(". \n")
    rooms = [room.split("(")[0].strip() for room in _outside_parentheses(listed).split(",")]
    assert set(rooms) == {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    for place, room in enumerate(rooms):
        tree = ast.parse((FOLDER / f"{room}.py").read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("faultlab.mock"):
                assert (node.module or "").split(".")[2] in rooms[:place], (room, node.module)


def _outside_parentheses(text: str) -> str:
    while "(" in text:
        text = text[: text.index("(")] + text[text.index(")") + 1 :]
    return text


def test_the_face_names_everything_it_shows_and_all_of_it_is_described() -> None:
    assert len(mock.__all__) == len(set(mock.__all__))
    for name in mock.__all__:
        shown = getattr(mock, name)
        if inspect.isclass(shown) or inspect.isfunction(shown):
            assert shown.__doc__, name
    assert importlib.import_module("faultlab.mock.state").MockState is MockState
