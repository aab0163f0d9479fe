"""The pictures of the Async Failure Lab: one time axis, hatching where nothing is known, ends."""

import re
from collections import Counter
from itertools import pairwise, product
from typing import Any
from xml.etree import ElementTree

import pytest

from faultlab.async_lab import FAULTS, MODES, AsyncRun, combinations, saved_run
from faultlab.mock import ends_worker
from faultlab_docs import async_code, async_pictures, async_steps
from faultlab_docs.async_axis import COUNTS, ROW, axis, counts, is_delivery, lives, messages
from faultlab_docs.async_marks import X
from faultlab_docs.places import ROOT

EVERY_FAULT = pytest.mark.parametrize("fault", FAULTS)
EVERY_RUN = pytest.mark.parametrize(("fault", "mode"), list(combinations()))


def runs(fault: str) -> dict[str, AsyncRun]:
    return {mode: saved_run(fault, mode) for mode in MODES}


def drawn(run: AsyncRun, *beside: AsyncRun) -> ElementTree.Element:
    return ElementTree.fromstring(async_pictures.trace(run, axis(run, *beside)))


def groups(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in svg.iter() if name in (e.get("class") or "").split()]


def height(group: ElementTree.Element) -> float:
    """The middle of an event's row, from the band that marks it."""
    band = groups(group, "band")[0]
    return float(band.get("y") or 0) + float(band.get("height") or 0) / 2


def heights(svg: ElementTree.Element) -> dict[int, float]:
    return {int(group.get("data-n") or 0): height(group) for group in groups(svg, "ev")}


def clocks(svg: ElementTree.Element) -> dict[str, str | None]:
    return {e.text or "": e.get("y") for e in groups(svg, "clock") if e.text != "⋮"}


# Time


@EVERY_FAULT
def test_equal_times_stand_at_equal_heights_in_both_pictures(fault: str) -> None:
    naive, durable = (ElementTree.fromstring(p) for p in async_pictures.pair(*runs(fault).values()))
    left, right = clocks(naive), clocks(durable)
    assert left
    shared = left.keys() & right.keys()
    assert {time: left[time] for time in shared} == {time: right[time] for time in shared}
    assert naive.get("viewBox") == durable.get("viewBox")
    tops = [[float(e.get("y") or 0) for e in groups(svg, "break")] for svg in (naive, durable)]
    assert tops[0] == tops[1]


@EVERY_FAULT
def test_time_runs_down_and_each_event_has_a_row_of_its_own(fault: str) -> None:
    pair = async_pictures.pair(*runs(fault).values())
    for picture, run in zip(pair, runs(fault).values(), strict=True):
        found = heights(ElementTree.fromstring(picture))
        assert list(found) == [event["number"] for event in run["events"]]
        values = list(found.values())
        assert all(low + ROW <= high for low, high in pairwise(values))


@EVERY_FAULT
def test_a_moment_has_as_many_rows_as_the_fuller_run_needs_and_no_more(fault: str) -> None:
    both = list(runs(fault).values())
    shared = axis(*both)
    taken = [Counter(event["at_ms"] for event in run["events"]) for run in both]
    assert [moment.at_ms for moment in shared.moments] == sorted(set().union(*taken))
    for moment in shared.moments:
        assert moment.rows == max(count[moment.at_ms] for count in taken)


def test_the_axis_is_broken_where_much_time_passes_and_says_how_much() -> None:
    text = async_pictures.trace(saved_run("response-lost", "naive"))
    assert re.findall(r">([\d.]+) s pass<", text) == ["5.00", "24.99"]
    assert " s pass<" not in async_pictures.trace(saved_run("none", "naive"))


# What is unknown


def hatched_on_worker(svg: ElementTree.Element) -> list[tuple[float, float]]:
    """From where to where the worker's lane is hatched."""
    found = []
    for group in svg.iter("g"):
        if group.get("class") == "unknown":
            (bar,) = group.iter("rect")
            top = float(bar.get("y") or 0)
            found.append((top, top + float(bar.get("height") or 0)))
    return found


@EVERY_RUN
def test_hatching_runs_from_each_dispatch_to_its_answer_or_to_the_end_of_the_workers_lane(
    fault: str, mode: str
) -> None:
    run = saved_run(fault, mode)
    svg = drawn(run)
    at = heights(svg)
    expected = []
    for event in run["events"]:
        if event["text"].startswith("dispatch under"):
            later = run["events"][event["number"] :]
            end = next(e for e in later if e["text"].startswith("answer: ") or ends_worker(e))
            expected.append((at[event["number"]], at[end["number"]]))
    assert len(expected) == run["dispatch_attempts"] > 0
    assert hatched_on_worker(svg) == expected


@EVERY_RUN
def test_hatching_reaches_a_lanes_end_exactly_when_the_answer_is_missing(
    fault: str, mode: str
) -> None:
    run = saved_run(fault, mode)
    at = heights(drawn(run))
    ends = {at[event["number"]] for event in run["events"] if ends_worker(event)}
    unanswered = sum(bottom in ends for _, bottom in hatched_on_worker(drawn(run)))
    answers = sum(event["text"].startswith("answer: ") for event in run["events"])
    assert unanswered == run["dispatch_attempts"] - answers
    strikes = fault in ("crash-before-effect", "crash-after-effect", "response-lost")
    assert unanswered == (1 if strikes else 0)


@EVERY_RUN
def test_only_a_timeouts_ring_is_hatched(fault: str, mode: str) -> None:
    svg = drawn(saved_run(fault, mode))
    hatched = [group for group in groups(svg, "ev") if groups(group, "hatched")]
    texts = ["".join(text.text or "" for text in group.iter("text")) for group in hatched]
    assert texts == (["timeouteffect unknown"] if fault == "response-lost" else [])
    assert groups(svg, "ring")


# Lanes that end


@EVERY_RUN
def test_a_workers_lane_starts_at_a_delivery_and_ends_where_the_worker_does(
    fault: str, mode: str
) -> None:
    run = saved_run(fault, mode)
    svg = drawn(run)
    at = heights(svg)
    pieces = []
    for path in groups(svg, "lane"):
        if "r" in (path.get("class") or "").split() and "broken" not in (path.get("class") or ""):
            x, top, bottom = map(float, re.findall(r"[\d.]+", path.get("d") or ""))
            assert x == X["worker"]
            pieces.append((top, bottom))
    starts = [at[event["number"]] for event in run["events"] if is_delivery(event)]
    ends = [at[event["number"]] for event in run["events"] if ends_worker(event)]
    assert len(pieces) == run["deliveries"]
    assert pieces == list(zip(starts, ends, strict=True))


@EVERY_RUN
def test_a_crash_is_a_cross_and_any_other_end_a_bar(fault: str, mode: str) -> None:
    svg = drawn(saved_run(fault, mode))
    crashes = fault.startswith("crash")
    assert len(groups(svg, "cross")) == crashes
    assert len(groups(svg, "bar")) == saved_run(fault, mode)["deliveries"] - crashes


# What the eye is to find, and what the worker can't


@EVERY_RUN
def test_each_effect_is_a_full_square_with_its_number_and_leaves_a_line_to_the_end(
    fault: str, mode: str
) -> None:
    run = saved_run(fault, mode)
    svg = drawn(run)
    new = groups(svg, "new")
    assert [groups(g, "number")[0].text for g in new] == [str(n + 1) for n in range(run["effects"])]
    assert len(groups(svg, "effect")) == len(groups(svg, "after")) == run["effects"]
    assert len(groups(svg, "found")) == sum("found" in e["text"] for e in run["events"])
    ends = {re.findall(r"[\d.]+", e.get("d") or "")[-1] for e in groups(svg, "after")}
    assert ends == {svg.get("height")}


@EVERY_RUN
def test_what_only_the_model_sees_is_marked_and_nothing_else_is(fault: str, mode: str) -> None:
    run = saved_run(fault, mode)
    svg = drawn(run)
    marked = {g.get("data-n") for g in groups(svg, "ev") if "m" in (g.get("class") or "").split()}
    assert marked == {str(e["number"]) for e in run["events"] if e["seen_by"] == "model"}
    rows = re.findall(r'<tr data-n="(\d+)" class="m">', async_pictures.table(run))
    assert set(rows) == marked
    secret = async_pictures.label(run, worker=True)
    assert "effects" not in secret
    assert run["headline"] not in secret
    assert f"effects {run['effects']}" in async_pictures.label(run)


@pytest.mark.parametrize("mode", MODES)
def test_in_the_workers_view_a_crash_looks_the_same_before_and_after_the_effect(mode: str) -> None:
    """Up to the crash a worker sees the same, so the two pictures may not differ in it."""
    kept = []
    for fault in ("crash-before-effect", "crash-after-effect"):
        svg = drawn(saved_run(fault, mode))
        shown = [
            "".join(text.text or "" for text in group.iter("text"))
            for group in groups(svg, "ev")
            if "m" not in (group.get("class") or "").split()
        ]
        lost = [e for e in groups(svg, "lost") if "w" in (e.get("class") or "").split()]
        hatched = [g for g in groups(svg, "unknown") if "w" in (g.get("class") or "").split()]
        kept.append((shown[:2], len(lost), len(hatched)))
    assert kept[0] == kept[1]


@EVERY_RUN
def test_the_table_behind_a_picture_tells_every_event(fault: str, mode: str) -> None:
    run = saved_run(fault, mode)
    table = async_pictures.table(run)
    for event in run["events"]:
        row = re.search(rf'<tr data-n="{event["number"]}".*?</tr>', table)
        assert row
        for part in (f"{event['at_ms'] / 1000:.3f}", event["lane"], event["kind"], event["text"]):
            assert part in row[0]


@EVERY_RUN
def test_words_beside_the_lanes_have_room(fault: str, mode: str) -> None:
    for event in saved_run(fault, mode)["events"]:
        for words in async_pictures.two_lines(event):
            assert len(words) <= 24, words


# Steps


@EVERY_FAULT
def test_the_steps_are_all_events_of_both_runs_in_the_order_of_time(fault: str) -> None:
    both = runs(fault)
    steps = async_steps.steps(both)
    assert len(steps) == sum(len(run["events"]) for run in both.values())
    times = [both[step["mode"]]["events"][step["n"] - 1]["at_ms"] for step in steps]
    assert times == sorted(times)
    for mode in MODES:
        numbers = [step["n"] for step in steps if step["mode"] == mode]
        assert numbers == list(range(1, len(numbers) + 1))


@EVERY_FAULT
def test_each_steps_counts_are_those_of_the_events_up_to_it(fault: str) -> None:
    both = runs(fault)
    passed = dict.fromkeys(MODES, 0)
    before = {mode: [0, 0, 0, 0] for mode in MODES}
    for step in async_steps.steps(both):
        passed[step["mode"]] = step["n"]
        for mode in MODES:
            events = both[mode]["events"][: passed[mode]]
            assert step["counts"][mode] == list(counts(events))
            assert all(a <= b for a, b in zip(before[mode], step["counts"][mode], strict=True))
        before = step["counts"]
    for mode in MODES:
        assert before[mode] == [both[mode][name] for name in COUNTS]


def test_events_that_do_not_add_up_to_the_counts_are_refused() -> None:
    both = runs("crash-after-effect")
    broken: Any = {**both["naive"], "effects": 1}
    with pytest.raises(ValueError, match=r"crash-after-effect\.naive says"):
        async_steps.steps({**both, "naive": broken})


@EVERY_FAULT
def test_the_curtain_falls_below_what_has_taken_place_and_above_what_has_not(fault: str) -> None:
    both = runs(fault)
    shared = axis(*both.values())
    lines = {mode: shared.lines(run["events"]) for mode, run in both.items()}
    passed = dict.fromkeys(MODES, 0)
    for step in async_steps.steps(both):
        passed[step["mode"]] = step["n"]
        for mode in MODES:
            curtain = step["curtain"][mode]
            assert all(line < curtain for line in lines[mode][: passed[mode]])
            assert all(line > curtain for line in lines[mode][passed[mode] :])


# Code


def source_line(mode: str, number: int) -> str:
    path = ROOT / async_code.FOLDER / f"{mode}.py"
    return path.read_text("utf-8").splitlines()[number - 1].strip()


@EVERY_RUN
def test_an_event_of_a_call_stands_at_the_line_that_makes_it(fault: str, mode: str) -> None:
    for event in saved_run(fault, mode)["events"]:
        line = async_code.line(mode, event)
        call = event["call"] or ""
        if event["text"] == "a result is stored":
            assert line is not None
            assert source_line(mode, line) == "return"
        elif call.startswith(("receiver.", "journal.")):
            assert line is not None
            assert f"{call}(" in source_line(mode, line)
        else:
            assert line is None


@EVERY_RUN
def test_a_worker_waits_at_its_call_and_nowhere_once_its_lane_has_ended(
    fault: str, mode: str
) -> None:
    run = saved_run(fault, mode)
    for life, n in product(lives(run["events"]), range(len(run["events"]))):
        assert life.end is not None
        if n == life.end:
            assert async_steps.waits(run, n + 1) is None
    for message in messages(run["events"]):
        if message.to != "broker" and message.arrived is not None:
            line = async_steps.waits(run, message.arrived + 1)
            assert line == async_code.runtime(mode).calls[f"{message.to}.{message.op}"]


@pytest.mark.parametrize("mode", MODES)
def test_the_code_shown_is_the_body_of_the_handler_line_by_line(mode: str) -> None:
    code = async_code.runtime(mode)
    assert [source_line(mode, code.first + i) for i in range(len(code.lines))] == [
        line.strip() for line in code.lines
    ]
    html = async_code.html(mode)
    numbers = [int(number) for number in re.findall(r'data-line="(\d+)"', html)]
    assert numbers == list(range(code.first, code.first + len(code.lines)))


# Predictions


@EVERY_RUN
def test_a_prediction_is_called_right_exactly_if_it_is_the_number_of_effects(
    fault: str, mode: str
) -> None:
    run = saved_run(fault, mode)
    answers = async_steps.verdicts(run)
    assert [guess for guess in async_steps.GUESSES if answers[guess].startswith("Right")] == [
        str(run["effects"])
    ]
    assert sum(answers[guess].startswith("Wrong") for guess in async_steps.GUESSES) == 2
    assert not answers[""].startswith(("Right", "Wrong"))
    assert async_steps.TIMES[run["effects"]] in answers[""]
