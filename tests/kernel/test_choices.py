"""The sparse tape: drawing, recording, feeding back, simplicity."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultlab.errors import FaultlabError
from faultlab.kernel import ALTERNATIVES_MAX, Choices, Tape, TapeError, simplicity

names = st.text(max_size=6)
keys = st.tuples(names, names, names, st.integers(0, 50))
picks = st.integers(2, 9).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n)))
tapes = st.dictionaries(keys, picks, max_size=8).map(Tape)

few = settings(max_examples=40, deadline=None)


def test_with_neither_seed_nor_tape_every_pick_is_zero():
    choices = Choices()
    assert [choices.pick("x", 5) for _ in range(20)] == [0] * 20
    assert choices.tape() == {}


def test_same_seed_draws_the_same():
    assert drawn(7) == drawn(7)


def test_another_seed_draws_something_else():
    assert drawn(7) != drawn(8)


def drawn(seed):
    choices = Choices(seed=seed)
    return [choices.pick("x", 100, process=p) for p in ("a", "b") for _ in range(40)]


def test_draws_are_spread_evenly():
    choices = Choices(seed=1)
    counts = [0] * 8
    for _ in range(8000):
        counts[choices.pick("x", 8)] += 1
    assert min(counts) > 800
    assert max(counts) < 1200


def test_a_draw_depends_on_its_key_alone():
    alone = Choices(seed=3)
    expected = [alone.pick("fault", 50, process="b", call="k") for _ in range(30)]
    crowded = Choices(seed=3)
    noise = random.Random(0)
    found = []
    for _ in range(30):
        for _ in range(noise.randrange(4)):
            crowded.pick("fault", 50, process="a", call="k")
            crowded.pick("latency", 64, process="b", call="k")
        found.append(crowded.pick("fault", 50, process="b", call="k"))
    assert found == expected


def test_twin_one_shared_generator_lets_a_dropped_pick_move_all_others():
    shared = random.Random(3)
    expected = [shared.randrange(50) for _ in range(30)]
    shared = random.Random(3)
    shared.randrange(50)
    assert [shared.randrange(50) for _ in range(30)] != expected


def test_names_that_run_together_are_different_channels():
    choices = Choices(seed=1)
    one = [choices.pick("ab", 1000, process="c") for _ in range(8)]
    other = [choices.pick("a", 1000, process="bc") for _ in range(8)]
    assert one != other


def test_only_decisions_are_recorded_with_their_number_of_alternatives():
    choices = Choices(seed=5)
    values = [choices.pick("x", 2, process="p", call="c") for _ in range(50)]
    tape = choices.tape()
    assert 0 < len(tape) < 50
    assert tape == {("x", "p", "c", nth): 1 for nth, value in enumerate(values) if value}
    assert {tape.alternatives(key) for key in tape} == {2}


@few
@given(st.integers(), st.lists(st.tuples(names, names, names, st.integers(1, 9)), max_size=30))
def test_a_recorded_tape_fed_back_gives_the_same_picks(seed, asked):
    first = Choices(seed=seed)
    values = [first.pick(s, n, process=p, call=c) for s, p, c, n in asked]
    second = Choices(tape=first.tape())
    assert [second.pick(s, n, process=p, call=c) for s, p, c, n in asked] == values
    assert second.tape() == first.tape()


@few
@given(tapes)
def test_a_tape_survives_json(tape):
    assert Tape.from_json(json.loads(json.dumps(tape.to_json()))) == tape


@few
@given(st.dictionaries(keys, picks, max_size=8))
def test_json_is_in_key_order_whatever_the_order_of_making(picked):
    backwards = dict(reversed(picked.items()))
    rows = Tape(picked).to_json()
    assert rows == Tape(backwards).to_json() == sorted(rows)


def test_setting_a_pick_to_zero_leaves_the_others():
    tape = Tape({("x", "", "", 0): (1, 2), ("x", "", "", 7): (1, 2)})
    assert tape.without(("x", "", "", 0)) == {("x", "", "", 7): 1}


def test_a_fed_value_out_of_range_reads_as_the_uneventful_one():
    choices = Choices(tape=Tape({("x", "", "", 0): (5, 9)}))
    assert choices.pick("x", 3) == 0
    assert choices.tape() == {}


def test_what_a_strategy_decides_is_on_the_tape_and_comes_back_from_it():
    first = Choices(seed=1)
    assert [first.decide("hold", 3, value, call="a") for value in (0, 2, 1)] == [0, 2, 1]
    assert first.tape() == {("hold", "", "a", 1): 2, ("hold", "", "a", 2): 1}
    second = Choices(tape=first.tape())
    assert [second.decide("hold", 3, 0, call="a") for _ in range(3)] == [0, 2, 1]


@pytest.mark.parametrize("n", [0, -1, ALTERNATIVES_MAX + 1])
def test_a_pick_from_an_impossible_list_is_an_error(n):
    with pytest.raises(TapeError, match="between 1 and"):
        Choices(seed=1).pick("x", n)


@pytest.mark.parametrize("value", [-1, 3])
def test_a_value_outside_its_alternatives_is_an_error(value):
    with pytest.raises(TapeError, match=r"0\.\.n-1"):
        Tape({("x", "", "", 0): (value, 3)})
    with pytest.raises(FaultlabError):
        Choices(seed=1).decide("x", 3, value)


@pytest.mark.parametrize("row", [[], ["x", "", "", 0, 1], ["x", "", "", "0", 1, 2], None, 3])
def test_a_malformed_row_is_an_error(row):
    with pytest.raises(TapeError, match="no pick"):
        Tape.from_json([row])


def test_seed_and_tape_together_are_an_error():
    with pytest.raises(TapeError, match="one or"):
        Choices(seed=1, tape=Tape())


def test_fewer_decisions_are_simpler_than_smaller_ones():
    one_big = Tape({("x", "", "", 0): (8, 9)})
    two_small = Tape({("x", "", "", 0): (1, 9), ("x", "", "", 1): (1, 9)})
    assert simplicity(one_big) < simplicity(two_small)


def test_of_equally_many_the_smaller_values_are_simpler():
    assert simplicity({("x", "", "", 5): 1}) < simplicity({("x", "", "", 0): 2})


def test_of_equal_values_the_earlier_key_is_simpler():
    assert simplicity({("x", "", "", 0): 1}) < simplicity({("x", "", "", 5): 1})


@few
@given(tapes, tapes)
def test_only_equal_tapes_are_equally_simple(one, other):
    assert (simplicity(one) == simplicity(other)) == (one == other)


@few
@given(tapes)
def test_dropping_any_decision_is_simpler(tape):
    for key in tape:
        assert simplicity(tape.without(key)) < simplicity(tape)
