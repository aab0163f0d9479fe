"""The history: order, canonical bytes, sealing."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultlab.kernel import Event, History, HistoryError, record, run

few = settings(max_examples=40, deadline=None)


def a_history(*kinds):
    history = History(lambda: 1.5)
    for kind in kinds:
        history.record("p", "t", kind, {"b": 1, "a": [True, None]})
    return history


def test_events_are_numbered_in_order():
    history = a_history("x", "y", "z")
    assert [event.seq for event in history] == [0, 1, 2]
    assert [event.kind for event in history] == ["x", "y", "z"]
    assert history[-1] == history[2]
    assert history[1:] == [history[1], history[2]]
    assert history.of("x", "z") == [history[0], history[2]]
    assert history[0] == Event(
        seq=0, time_s=1.5, process="p", task="t", kind="x", fields={"b": 1, "a": [True, None]}
    )


def test_the_encoding_is_canonical():
    assert a_history("x").encode() == (
        b'{"fields":{"a":[true,null],"b":1},"kind":"x","process":"p","seq":0,"task":"t",'
        b'"time_s":1.5}\n'
    )


def test_the_digest_follows_the_bytes():
    assert a_history("x", "y").digest() == a_history("x", "y").digest()
    assert a_history("x", "y").digest() != a_history("y", "x").digest()
    assert len(a_history().digest()) == 32


def test_order_of_fields_does_not_matter():
    one, other = History(float), History(float)
    one.record("", "", "k", {"a": 1, "b": 2})
    other.record("", "", "k", {"b": 2, "a": 1})
    assert one.encode() == other.encode()


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@few
@given(st.lists(st.dictionaries(st.text(), plain, max_size=3), max_size=5))
def test_bytes_and_plain_json_say_the_same(all_fields):
    history = History(float)
    for fields in all_fields:
        history.record("p", "t", "k", fields)
    lines = history.encode().decode("ascii").splitlines()
    assert [json.loads(line) for line in lines] == history.to_json()


@pytest.mark.parametrize("value", [object(), float("nan"), float("inf"), {1, 2}, b"bytes"])
def test_a_field_without_canonical_json_is_an_error_that_names_the_event(value):
    async def program():
        record("fine")
        record("bad", field=value)

    with pytest.raises(HistoryError, match=r"event 1 \('bad'\)"):
        run(program).history.encode()


def test_a_sealed_history_takes_nothing_more():
    history = a_history("x")
    history.seal()
    assert history.record("p", "t", "late", {}) == -1
    assert len(history) == 1
    assert history.sealed


def test_events_carry_virtual_time_process_and_task():
    async def program():
        async def child():
            await asyncio.sleep(2)
            record("here", value=1)

        await asyncio.create_task(child(), name="child")

    made = run(program)
    assert made.history.sealed
    assert made.history[0].to_json() == {
        "seq": 0, "time_s": 2.0, "process": "", "task": "child", "kind": "here",
        "fields": {"value": 1},
    }  # fmt: skip
