"""Saved runs: the scenario space, its map, their words, their files and their schemas."""

import ast
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from faultlab import lab_account
from faultlab.lab import CANCELLATIONS, FAULTS, OBSERVATIONS, Lab
from faultlab.lab_runs import (
    PATH,
    RECORD_KEYS,
    SCENARIO_KEYS,
    Scenario,
    end_state,
    lab_map,
    never_reached,
    saved_run,
    scenario_id,
    scenarios,
    stop,
    stopped_at,
)

DOCS = Path(__file__).parents[1] / "docs"
FIVE = {
    "success": "none.none.match",
    "final_write": "final_write.none.match",
    "native_reply": "native_reply.none.match",
    "before_send": "none.before_send.match",
    "unexercised": "final_write.after_prepare.match",
}
STOPS = [
    ("prepare_write fault", 12),
    ("after_prepare cancel", 15),
    ("dispatch_write fault", 9),
    ("before_send cancel", 12),
    ("after_send cancel", 12),
    ("native_reply fault", 3),
    ("verification fault", 3),
    ("observation mismatch", 2),
    ("observation unavailable", 2),
    ("final_write fault", 1),
    ("none", 1),
]
KINDS = {"asked", "reached", "happened", "known"}


def scenario(fault: str = "none", cancel_at: str = "none", observation: str = "match") -> Scenario:
    return Scenario(fault=fault, cancel_at=cancel_at, observation=observation)


def saved(name: str) -> Any:
    return json.loads((DOCS / name).read_text(encoding="utf-8"))


def schema(name: str) -> Any:
    return saved(f"schemas/{name}.schema.json")


# The scenario space and its map


def test_the_scenarios_are_72_different_ones_in_the_order_of_the_vocabularies() -> None:
    every = list(scenarios())
    assert len(every) == 72
    assert len({scenario_id(one) for one in every}) == 72
    assert [scenario_id(one) for one in every[:2]] == ["none.none.match", "none.none.mismatch"]
    assert scenario_id(every[-1]) == "final_write.after_send.unavailable"


def test_a_saved_run_holds_its_scenario_and_the_record_of_a_real_run() -> None:
    run = saved_run(scenario("final_write"))
    assert list(run) == ["scenario", "record"]
    assert run["scenario"] == {"fault": "final_write", "cancel_at": "none", "observation": "match"}
    assert run["record"] == Lab(fault="final_write").run()


def test_a_scenario_that_does_not_exist_is_refused_as_the_lab_refuses_it() -> None:
    with pytest.raises(ValueError) as caught:
        saved_run(scenario(fault="finalwrite"))
    assert str(caught.value) == "INVALID_SCENARIO"


def test_the_path_names_every_place_at_which_a_run_can_stop_in_the_order_of_the_walk() -> None:
    assert set(FAULTS) | set(CANCELLATIONS) <= {*PATH, "none"}
    assert len(PATH) == len(set(PATH)) == 11
    for run in lab_map()["runs"]:
        places = [name.removeprefix("cancel:") for name in run["record"]["trace"]]
        assert places == sorted(places, key=PATH.index)
        unjudged = run["record"]["error"] == "result_not_verified"
        last = "observation" if unjudged else places[-1]
        succeeded = run["record"]["status"] == "succeeded"
        assert stopped_at(run) == (len(PATH) if succeeded else PATH.index(last))


def test_the_map_names_the_11_end_states_in_the_order_of_the_path_with_success_last() -> None:
    everything = lab_map()
    states = everything["end_states"]
    assert [(state["stop"], state["scenarios"]) for state in states] == STOPS
    assert [state["number"] for state in states] == list(range(1, 12))
    assert sum(state["scenarios"] for state in states) == 72
    for run in everything["runs"]:
        state = states[run["end_state"] - 1]
        assert state["state"] == end_state(run["record"])
        assert state["stop"] == stop(run)
        assert run["never_reached"] == never_reached(run)


def test_the_maps_summary_carries_the_counts() -> None:
    assert lab_map()["summary"] == {
        "scenarios": 72,
        "end_states": 11,
        "status": {"succeeded": 1, "cancelled": 27, "needs_review": 23, "failed": 21},
        "asked": {"fault": 60, "cancel_at": 54, "observation": 48},
        "never_reached": {"fault": 32, "cancel_at": 15, "observation": 44},
        "most_sends": 1,
    }


def test_an_end_state_is_the_record_without_the_echoed_request_and_its_exercise() -> None:
    record = Lab(fault="final_write").run()
    assert set(record) - set(end_state(record)) == {"fault_requested", "fault_exercised"}
    early, late = (
        Lab(fault=fault, cancel_at="after_prepare").run() for fault in ("none", "final_write")
    )
    assert early != late
    assert end_state(early) == end_state(late)


@pytest.mark.parametrize(
    ("asked", "unmet"),
    [
        (scenario(), []),
        (scenario("final_write"), []),
        (scenario("final_write", "after_prepare"), ["fault"]),
        (scenario("prepare_write", "after_send"), ["cancel_at"]),
        (scenario("native_reply", observation="mismatch"), ["observation"]),
        (scenario("final_write", observation="mismatch"), ["fault"]),
        (scenario("final_write", "before_send", "unavailable"), ["fault", "observation"]),
        (scenario("dispatch_write", "after_send", "mismatch"), ["cancel_at", "observation"]),
    ],
    ids=str,
)
def test_what_was_asked_for_and_never_met_is_no_evidence(asked: Scenario, unmet: list[str]) -> None:
    assert never_reached(saved_run(asked)) == unmet


# Their words


def sentences(told: str) -> list[str]:
    """The account's four sentences, each on one line again, however wide the terminal."""
    head, _, _ = told.partition("\n\n")
    return head.replace("\n" + " " * 11, " ").splitlines()


def test_the_account_tells_the_four_things_apart() -> None:
    told = lab_account.account(saved_run(scenario("final_write", "after_prepare", "mismatch")))
    assert max(map(len, told.splitlines())) <= 90
    assert sentences(told) == [
        "Asked for  fault final_write, cancellation after_prepare, observation mismatch",
        "Reached    stopped at after_prepare; asked for and never reached: fault, observation",
        "Happened   0 sends, 0 effects, 0 reads",
        "Known      status cancelled, outcome not_dispatched, error cancelled, "
        "checkpoints prepared, final receipt not written",
    ]


def test_equal_checkpoints_and_opposite_effects_are_told_as_such() -> None:
    before, after = (
        lab_account.conclusion(saved_run(scenario(**inputs)))
        for inputs in ({"cancel_at": "before_send"}, {"fault": "native_reply"})
    )
    assert "checkpoints prepared, dispatched" in before["known"]
    assert "checkpoints prepared, dispatched" in after["known"]
    assert before["happened"].startswith("0 sends, 0 effects")
    assert after["happened"].startswith("1 send, 1 effect")


def test_the_steps_show_the_whole_path_and_the_unknown_only_between_send_and_judgement() -> None:
    whole = lab_account.steps(saved_run(scenario()))
    assert [step.place for step in whole] == list(PATH)
    assert all(step.reached and not step.stopped for step in whole)
    unknown = [step.place for step in whole if step.effect_unknown]
    assert unknown == ["synthetic_send", "after_send", "native_reply", "read", "verification"]

    lost = lab_account.steps(saved_run(scenario("native_reply")))
    assert [step.place for step in lost if step.stopped] == ["native_reply"]
    assert [step.place for step in lost if not step.reached] == list(PATH[7:])
    assert [step.place for step in lost if step.effect_unknown] == unknown[:3]


def test_an_unavailable_read_leaves_the_unknown_open_and_a_mismatch_closes_it() -> None:
    for sight, still_unknown in (("unavailable", True), ("mismatch", False)):
        steps = lab_account.steps(saved_run(scenario(observation=sight)))
        judged = next(step for step in steps if step.place == "observation")
        assert judged.stopped
        assert judged.effect_unknown == still_unknown


def test_the_account_of_every_run_has_a_row_for_each_place_and_a_legend_for_each_glyph() -> None:
    for run in lab_map()["runs"]:
        words, lanes, legend = lab_account.account(run).split("\n\n")
        assert len(sentences(words)) == 4
        assert [line.split()[0] for line in lanes.splitlines()[1:]] == list(PATH)
        assert all(glyph in legend for glyph in lab_account.GLYPHS.values())


def test_the_maps_account_has_72_cells_and_11_end_states() -> None:
    lines = lab_account.map_account(lab_map()).splitlines()
    cells = [number for line in lines[4:10] for number in line.split()[1:]]
    assert len(cells) == 72
    assert set(cells) == {str(number) for number in range(1, 12)}
    assert [line.split()[0] for line in lines[12:23]] == [str(n) for n in range(1, 12)]


# What each key means


def test_each_key_of_scenario_and_record_has_a_kind_a_witness_and_a_meaning() -> None:
    assert list(SCENARIO_KEYS) == ["fault", "cancel_at", "observation"]
    assert list(RECORD_KEYS) == list(Lab().inspect())
    every = {**SCENARIO_KEYS, **RECORD_KEYS}
    assert {key.kind for key in every.values()} == KINDS
    for key in every.values():
        assert key.seen_by in ("worker", "model")
        assert key.meaning.endswith(".")
        assert len(key.meaning) > 20
    assert len({key.meaning for key in every.values()}) == len(every)


def test_the_worker_cannot_see_the_effect_nor_what_was_asked_for() -> None:
    hidden = {
        name for name, key in {**SCENARIO_KEYS, **RECORD_KEYS}.items() if key.seen_by == "model"
    }
    assert hidden == {
        "fault",
        "cancel_at",
        "observation",
        "fault_requested",
        "fault_exercised",
        "simulated_effect_count",
    }


# Files and schemas


@pytest.mark.parametrize(("name", "wanted"), FIVE.items())
def test_a_saved_run_on_disk_is_what_a_real_call_returns(name: str, wanted: str) -> None:
    run = saved_run(scenario(*wanted.split(".")))
    text = json.dumps(run, indent=2, ensure_ascii=False) + "\n"
    assert (DOCS / f"records/lab/{name}.json").read_text(encoding="utf-8") == text


def test_the_map_on_disk_is_what_72_real_calls_return() -> None:
    text = json.dumps(lab_map(), indent=2, ensure_ascii=False) + "\n"
    assert (DOCS / "records/lab/map.json").read_text(encoding="utf-8") == text


def test_no_other_run_of_the_lab_is_saved() -> None:
    names = {path.stem for path in (DOCS / "records/lab").iterdir()}
    assert names == {*FIVE, "map"}


@pytest.mark.parametrize("path", sorted(DOCS.glob("schemas/*.json")), ids=lambda path: path.name)
def test_a_published_schema_is_a_valid_schema(path: Path) -> None:
    Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


def test_the_schemas_accept_the_saved_runs_all_72_records_and_the_map() -> None:
    for name in FIVE:
        Draft202012Validator(schema("lab-run")).validate(saved(f"records/lab/{name}.json"))
    for one in scenarios():
        Draft202012Validator(schema("lab-run")).validate(saved_run(one))
    Draft202012Validator(schema("lab-map")).validate(saved("records/lab/map.json"))


BREAKS: dict[str, Any] = {
    "a missing key": lambda run: run["record"].pop("send_count"),
    "a missing scenario": lambda run: run.pop("scenario"),
    "an unknown key": lambda run: run["record"].update(retries=0),
    "an unknown input": lambda run: run["scenario"].update(seed=1),
    "an unknown key at the top": lambda run: run.update(version=1),
    "a wrong status": lambda run: run["record"].update(status="ok"),
    "a wrong type": lambda run: run["record"].update(send_count="1"),
    "a second send": lambda run: run["record"].update(send_count=2),
    "a flag as number": lambda run: run["record"].update(final_receipt_written=1),
    "an unknown fault": lambda run: run["scenario"].update(fault="read"),
    "an unknown place": lambda run: run["record"]["trace"].append("retry"),
    "a claimed durable receipt": lambda run: run["record"].update(durable_receipt_verified=True),
    "a replay": lambda run: run["record"].update(automatic_replay=True),
    "an error by number": lambda run: run["record"].update(error=409),
}


@pytest.mark.parametrize("what", BREAKS)
def test_the_schemas_refuse_a_broken_run(what: str) -> None:
    run = saved("records/lab/final_write.json")
    broken = copy.deepcopy(run)
    BREAKS[what](broken)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema("lab-run")).validate(broken)

    whole = saved("records/lab/map.json")
    BREAKS[what](whole["runs"][0])
    with pytest.raises(ValidationError):
        Draft202012Validator(schema("lab-map")).validate(whole)


def test_every_key_in_the_schemas_is_marked_with_one_of_the_four_things() -> None:
    run = schema("lab-run")["properties"]
    in_map = schema("lab-map")["properties"]
    places = [
        run["scenario"],
        run["record"],
        in_map["runs"]["items"]["properties"]["scenario"],
        in_map["runs"]["items"]["properties"]["record"],
        in_map["end_states"]["items"]["properties"]["state"],
    ]
    assert [len(place["properties"]) for place in places] == [3, 18, 3, 18, 16]
    meanings = {**SCENARIO_KEYS, **RECORD_KEYS}
    for place in places:
        for name, key in place["properties"].items():
            assert key["x-faultlab-kind"] == meanings[name].kind
            assert key["x-faultlab-kind"] in KINDS
            assert key["x-faultlab-seen-by"] == meanings[name].seen_by
            assert key["description"] == meanings[name].meaning
        assert place["required"] == list(place["properties"])
        assert place["additionalProperties"] is False


def test_the_schemas_names_are_the_labs_vocabularies() -> None:
    asked = schema("lab-run")["properties"]["scenario"]["properties"]
    assert asked["fault"]["enum"] == list(FAULTS)
    assert asked["cancel_at"]["enum"] == list(CANCELLATIONS)
    assert asked["observation"]["enum"] == list(OBSERVATIONS)


# The tests of the lab itself


def test_the_lab_has_exactly_28_tests_and_none_takes_parameters() -> None:
    tree = ast.parse(Path(__file__).with_name("test_lab.py").read_text(encoding="utf-8"))
    tests = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    assert len(tests) == 28
    assert all(node in tree.body for node in tests)
    assert len({node.name for node in tests}) == 28
    for node in tests:
        assert node.decorator_list == []
        assert ast.unparse(node.args) == ""
    assert not [
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node in tree.body
    ]
