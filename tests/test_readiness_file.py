"""A filled-in checklist: what is read, what keeps it open, and how that is told."""

import datetime
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faultlab.readiness import BY_ID, CONSEQUENCES, ITEMS
from faultlab.readiness_file import (
    RESPONSES,
    Answer,
    Checklist,
    ReadinessError,
    check,
    empty,
    markdown,
    read,
    summary,
    to_json,
)

TODAY = datetime.date(2026, 12, 1)
DAY = datetime.timedelta(days=1)
FIRST = ITEMS[0]

DAYS = st.one_of(st.none(), st.dates())
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ANSWERS = st.builds(
    Answer,
    answer=st.sampled_from(RESPONSES),
    reason=TEXT,
    owner=TEXT,
    evidence=TEXT,
    note=TEXT,
    waived_until=DAYS,
)
CHECKLISTS = st.builds(
    Checklist,
    operation=TEXT,
    answers=st.fixed_dictionaries({item.id: ANSWERS for item in ITEMS}),
)


def all_yes(**changed: Answer) -> Checklist:
    """A checklist in which everything is answered yes with evidence, but for what is given."""
    answers = {item.id: Answer(answer="yes", evidence="a test") for item in ITEMS}
    given_answers = {name.replace("_", "-"): answer for name, answer in changed.items()}
    assert set(given_answers) <= set(answers)
    return Checklist(operation="Charge a card", answers=answers | given_answers)


def first(answer: Answer) -> Checklist:
    return all_yes(**{FIRST.id.replace("-", "_"): answer})


def problems(answer: Answer, today: datetime.date = TODAY) -> list[str]:
    return [found.problem for found in check(first(answer), today=today)]


def file_with(answer: Any, **keys: Any) -> str:
    whole = {"format": "faultlab-readiness/1", "operation": "x", "items": {FIRST.id: answer}}
    return json.dumps({**whole, **keys})


def refusal(text: str) -> str:
    with pytest.raises(ReadinessError) as caught:
        read(text)
    return str(caught.value)


# The rules, each with what passes beside what doesn't


def test_a_yes_passes_with_evidence_or_without() -> None:
    assert problems(Answer(answer="yes", evidence="a test")) == []
    assert problems(Answer(answer="yes")) == []


def test_a_yes_without_evidence_is_named_in_the_summary() -> None:
    assert f"`{FIRST.id}`" in summary(first(Answer(answer="yes", evidence=" \n")), today=TODAY)
    assert FIRST.id not in summary(all_yes(), today=TODAY)


def test_a_no_is_open() -> None:
    assert problems(Answer(answer="no")) == ["answered no"]


def test_dont_know_is_open() -> None:
    assert problems(Answer(answer="unknown")) == ["not known"]


def test_an_item_without_an_answer_is_open() -> None:
    answers = {item.id: Answer(answer="yes") for item in ITEMS[1:]}
    found = check(Checklist(operation="x", answers=answers), today=TODAY)
    assert [(finding.id, finding.problem) for finding in found] == [(FIRST.id, "not known")]


def test_not_applicable_needs_a_reason() -> None:
    assert problems(Answer(answer="not-applicable")) == ["not applicable, but no reason is given"]
    assert problems(Answer(answer="not-applicable", reason=" \t\n")) != []
    assert problems(Answer(answer="not-applicable", reason="There is no retry.")) == []


@pytest.mark.parametrize("answer", ["no", "unknown"])
def test_a_waiver_needs_a_reason(answer: Any) -> None:
    waived = Answer(answer=answer, waived_until=TODAY, reason="A pilot.")
    assert problems(waived) == []
    (found,) = problems(Answer(answer=answer, waived_until=TODAY, reason=" "))
    assert found.endswith(", and waived without a reason")


@pytest.mark.parametrize("answer", ["no", "unknown"])
def test_a_waiver_holds_on_its_last_day_and_not_on_the_next(answer: Any) -> None:
    waived = Answer(answer=answer, waived_until=TODAY, reason="A pilot.")
    assert problems(waived, TODAY - DAY) == []
    assert problems(waived, TODAY) == []
    (found,) = problems(waived, TODAY + DAY)
    assert found.endswith(", and its waiver expired on 2026-12-01")


def test_a_waiver_makes_no_difference_to_what_is_not_applicable() -> None:
    assert problems(Answer(answer="not-applicable", waived_until=TODAY)) != []


def test_an_id_that_no_item_has_is_found_and_the_nearest_is_named() -> None:
    text = json.dumps(to_json(all_yes()))
    renamed = text.replace('"retention-by-time"', '"retention-by-tim"')
    found = check(read(renamed), today=TODAY)
    assert [finding.id for finding in found] == ["retention-by-time", "retention-by-tim"]
    assert found[1].problem.endswith("Did you mean 'retention-by-time'?")
    assert "**Unknown id: 1 open**" in summary(read(renamed), today=TODAY)
    assert check(read(text), today=TODAY) == []


def test_an_empty_checklist_is_open_everywhere() -> None:
    found = check(empty("Charge a card"), today=TODAY)
    assert [finding.id for finding in found] == [item.id for item in ITEMS]
    assert {finding.consequence for finding in found} == set(CONSEQUENCES)


# The file


@settings(max_examples=60, deadline=None)
@given(CHECKLISTS)
def test_what_is_written_is_read_again_as_it_was(checklist: Checklist) -> None:
    assert read(json.dumps(to_json(checklist))) == checklist


def test_a_written_file_names_every_item_with_every_key() -> None:
    written = to_json(empty("x"))
    assert list(written) == ["format", "operation", "items"]
    assert list(written["items"]) == list(BY_ID)
    keys = ["answer", "reason", "owner", "evidence", "note", "waived_until"]
    assert all(list(answer) == keys for answer in written["items"].values())


def test_missing_items_and_keys_and_null_are_unknown_and_empty() -> None:
    nothing = dict.fromkeys(["reason", "owner", "evidence", "note", "waived_until"])
    for answer in ({}, {"answer": "unknown"}, nothing, {"waived_until": ""}):
        assert read(file_with(answer)).answers == empty("x").answers


@pytest.mark.parametrize("text", ["", "{", "NaN", '{"a": Infinity}', "[" * 100_000, "\ufeff{}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    assert refusal(text).startswith("this is no JSON.")


@pytest.mark.parametrize("text", ["[]", "1", "null", "{}", '{"format": "faultlab-readiness/2"}'])
def test_json_of_another_format_is_refused(text: str) -> None:
    assert '"format": "faultlab-readiness/1"' in refusal(text)


@pytest.mark.parametrize(
    "keys", [{"items": []}, {"items": None}, {"operation": None}, {"operation": 7}]
)
def test_a_file_without_operation_or_items_is_refused(keys: dict[str, Any]) -> None:
    assert refusal(file_with({}, **keys)).startswith('a checklist needs "operation"')


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("yes", "is no object"),
        (None, "is no object"),
        ({"answr": "yes"}, 'has a key "answr". Known: answer, reason, owner'),
        ({"answer": "maybe"}, 'is "maybe". Write one of yes, no, unknown, not-applicable.'),
        ({"answer": None}, "is no text. Write one of yes"),
        ({"answer": ["yes"]}, "is no text. Write one of yes"),
        ({"owner": 7}, "owner of identity-names-the-intent is no text"),
        ({"reason": False}, "reason of identity-names-the-intent is no text"),
        ({"waived_until": "soon"}, 'is "soon". Write a day as YYYY-MM-DD'),
        ({"waived_until": "20261201"}, "Write a day as YYYY-MM-DD"),
        ({"waived_until": "2026-W49-2"}, "Write a day as YYYY-MM-DD"),
        ({"waived_until": "2026-02-30"}, "Write a day as YYYY-MM-DD"),
        ({"waived_until": "٢٠٢٦-12-01"}, "Write a day as YYYY-MM-DD"),
        ({"waived_until": 20261201}, "Write a day as YYYY-MM-DD"),
    ],
)
def test_an_answer_that_cant_be_used_is_refused_by_the_name_of_its_item(
    answer: Any, told: str
) -> None:
    text = refusal(file_with(answer))
    assert told in text
    assert FIRST.id in text


# Markdown


def test_the_summary_names_each_failure_that_stays_open_with_its_owner() -> None:
    checklist = all_yes(
        delivery_acknowledged_last=Answer(answer="no", owner="Ann"),
        retention_by_time=Answer(),
        evidence_read_back=Answer(answer="no", reason="A pilot.", waived_until=TODAY, owner="Bo"),
    )
    question = BY_ID["delivery-acknowledged-last"].question
    other = BY_ID["retention-by-time"].question
    assert summary(checklist, today=TODAY) == (
        "## Replay readiness: Charge a card\n\n"
        "**Effect twice: 1 open**\n\n"
        f"- {other} *not known* (`retention-by-time`)\n\n"
        "**Effect lost: 1 open**\n\n"
        f"- {question} *answered no* · Ann (`delivery-acknowledged-last`)\n\n"
        "Waived:\n\n- until 2026-12-01: A pilot. · Bo (`evidence-read-back`)\n"
    )


def test_a_summary_without_findings_says_so_and_gives_no_score() -> None:
    assert summary(all_yes(), today=TODAY) == (
        "## Replay readiness: Charge a card\n\nNo item is open.\n"
    )


def test_a_checklist_without_a_name_says_so() -> None:
    told = summary(Checklist(operation=" \n", answers={}), today=TODAY)
    assert told.startswith("## Replay readiness: no operation is named\n")


def test_the_whole_holds_every_question_and_every_text() -> None:
    answer = Answer(
        answer="no",
        reason="A pilot.",
        owner="Ann",
        evidence="https://e.example",
        note="soon",
        waived_until=TODAY,
    )
    told = markdown(first(answer))
    assert told.startswith("# Replay readiness: Charge a card\n\n## Identity\n\n### ")
    assert [line[4:] for line in told.splitlines() if line.startswith("### ")] == [
        item.question for item in ITEMS
    ]
    lines = told.partition("- Answer: no\n")[2].splitlines()[:5]
    assert lines == [
        "- Reason: A pilot.",
        "- Owner: Ann",
        "- Evidence: https://e.example",
        "- Note: soon",
        "- Waived until: 2026-12-01",
    ]


@settings(max_examples=60, deadline=None)
@given(CHECKLISTS)
def test_no_text_of_the_reader_can_break_the_markdown(checklist: Checklist) -> None:
    plain = markdown(empty("x")).splitlines()
    told = markdown(checklist)
    heads = [line for line in told.split("\n") if line.startswith("#")]
    assert heads[1:] == [line for line in plain if line.startswith("#")][1:]
    assert "<" not in told
    assert "<" not in summary(checklist, today=TODAY)
    assert told.endswith("\n")
    assert not told.endswith("\n\n")


@settings(max_examples=60, deadline=None)
@given(CHECKLISTS, st.dates())
def test_the_summary_lists_what_check_finds_and_nothing_else(
    checklist: Checklist, today: datetime.date
) -> None:
    found = [finding.id for finding in check(checklist, today=today)]
    told = summary(checklist, today=today).partition("Waived:")[0]
    listed = [item.id for item in ITEMS if f"(`{item.id}`)" in told]
    assert sorted(listed) == sorted(found)
