"""A filled-in checklist: read, checked, and told as Markdown.

A checklist gives no score. It says which failures stay open, and who looks after them.
"""

import datetime
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from faultlab.errors import FaultlabError
from faultlab.naming import nearest
from faultlab.readiness import BY_ID, CONSEQUENCES, GROUPS, ITEMS, Item
from faultlab.readiness_words import FORMAT, WORDS

Response = Literal["yes", "no", "unknown", "not-applicable"]
RESPONSES: Final[tuple[str, ...]] = get_args(Response)

TEXTS: Final = {"reason": "reason", "owner": "owned", "evidence": "evidence", "note": "note"}
"""The keys of an answer that hold a text, each with the name of its line in `WORDS`."""
KEYS: Final = ("answer", *TEXTS, "waived_until")


class ReadinessError(FaultlabError):
    """A file is no checklist. The text says where it is wrong and what to write there."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What somebody says of one item.

    Attributes:
        answer: `unknown` says "don't know" and counts as open.
        reason: Why the item is not applicable, or why it is waived.
        owner: Who looks after it.
        evidence: A link to what shows that the answer is true.
        note: Anything else.
        waived_until: Up to and including this day the open item is accepted; None if it isn't.
    """

    answer: Response = "unknown"
    reason: str = ""
    owner: str = ""
    evidence: str = ""
    note: str = ""
    waived_until: datetime.date | None = None


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """All answers for one named operation; an item without one is unknown.

    Attributes:
        operation: What is reviewed, for example "charge the card for an order".
        answers: By item id, in the order of the checklist.
        strange: Ids in the file that no item has.
    """

    operation: str
    answers: Mapping[str, Answer]
    strange: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One reason why a checklist does not pass.

    Attributes:
        id: The item's id, or the id that no item has.
        problem: What is wrong, in a few words.
        consequence: What a user may suffer, or an empty string.
        owner: Who looks after it, or an empty string.
    """

    id: str
    problem: str
    consequence: str
    owner: str


def empty(operation: str) -> Checklist:
    """A checklist in which everything is still unknown."""
    return Checklist(operation=operation, answers={item.id: Answer() for item in ITEMS})


def to_json(checklist: Checklist) -> dict[str, Any]:
    """The checklist as plain JSON, every item with every key."""
    return {
        "format": FORMAT,
        "operation": checklist.operation,
        "items": {
            item.id: _answer_json(checklist.answers.get(item.id, Answer())) for item in ITEMS
        },
    }


def _answer_json(answer: Answer) -> dict[str, Any]:
    until = answer.waived_until
    return {
        "answer": answer.answer,
        **{name: getattr(answer, name) for name in TEXTS},
        "waived_until": until.isoformat() if until else None,
    }


def read(text: str) -> Checklist:
    """Read a checklist from JSON text. Missing items and keys are unknown and empty.

    Raises:
        ReadinessError: The text is no JSON, or not of this format, or a value is not usable.
    """
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _wrong("no_json") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _wrong("no_checklist", format=FORMAT)
    items = data.get("items")
    if not isinstance(items, dict) or not isinstance(data.get("operation"), str):
        raise _wrong("no_items")
    answers = {item.id: _read_answer(item.id, items.get(item.id, {})) for item in ITEMS}
    strange = tuple(name for name in items if name not in BY_ID)
    return Checklist(operation=data["operation"], answers=answers, strange=strange)


def _no_number(name: str) -> None:
    raise ValueError(name)  # NaN and the like, which Python would take


def _wrong(name: str, **values: str) -> ReadinessError:
    return ReadinessError(WORDS[name].format(**values))


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else WORDS["no_string"]


def _read_answer(name: str, value: Any) -> Answer:
    if not isinstance(value, dict):
        raise _wrong("no_object", id=name)
    for key in value:
        if key not in KEYS:
            raise _wrong("no_key", id=name, value=_shown(key), known=", ".join(KEYS))
    response = value.get("answer", "unknown")
    if response not in RESPONSES:
        raise _wrong("no_answer", id=name, value=_shown(response), known=", ".join(RESPONSES))
    texts = {key: "" if value.get(key) is None else value[key] for key in TEXTS}
    for key, words in texts.items():
        if not isinstance(words, str):
            raise _wrong("no_text", key=key, id=name, value=_shown(words))
    return Answer(answer=response, waived_until=_date(name, value.get("waived_until")), **texts)


def _date(name: str, value: Any) -> datetime.date | None:
    if value is None or value == "":
        return None
    try:
        # Python would take 20261201 and 2026-W49-2 as well; a browser's field would not.
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            raise ValueError(value)
        return datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        raise _wrong("no_date", id=name, value=_shown(value)) from None


def check(checklist: Checklist, *, today: datetime.date) -> list[Finding]:
    """What keeps the checklist from passing: open items, expired waivers, unknown ids."""
    findings = []
    for item in ITEMS:
        answer = checklist.answers.get(item.id, Answer())
        problem = _problem(answer, today)
        if problem:
            findings.append(
                Finding(
                    id=item.id,
                    problem=problem,
                    consequence=item.consequence,
                    owner=answer.owner,
                )
            )
    return findings + [
        Finding(id=name, problem=WORDS["strange"] + nearest(name, BY_ID), consequence="", owner="")
        for name in checklist.strange
    ]


def _problem(answer: Answer, today: datetime.date) -> str:
    if answer.answer == "yes":
        return ""
    if answer.answer == "not-applicable":
        return "" if _line(answer.reason) else WORDS["bare"]
    state = WORDS["state_no"] if answer.answer == "no" else WORDS["state_unknown"]
    if answer.waived_until is None:
        return state
    if answer.waived_until < today:
        return WORDS["expired"].format(state=state, until=answer.waived_until.isoformat())
    return "" if _line(answer.reason) else WORDS["unreasoned"].format(state=state)


def _line(text: str) -> str:
    """A text of the reader's as one line of Markdown that can't open an HTML element."""
    return re.sub(r"[ \t\r\n]+", " ", text).strip(" ").replace("<", "&lt;")


def _operation(checklist: Checklist) -> str:
    return _line(checklist.operation) or WORDS["unnamed"]


def summary(checklist: Checklist, *, today: datetime.date) -> str:
    """Markdown for a pull request: which failures stay open, and what is only claimed."""
    findings = check(checklist, today=today)
    lines = [WORDS["summary"].format(operation=_operation(checklist)), ""]
    if not findings:
        lines += [WORDS["none"], ""]
    for consequence in (*CONSEQUENCES, ""):
        chosen = [finding for finding in findings if finding.consequence == consequence]
        if chosen:
            head = (consequence or "unknown id").capitalize()
            told = WORDS["open"].format(consequence=head, count=len(chosen))
            lines += [f"**{told}**", "", *map(_finding_line, chosen), ""]
    lines += _waived_lines(checklist, today)
    lines += _claimed_lines(checklist)
    return "\n".join(lines)


def _finding_line(finding: Finding) -> str:
    known = BY_ID.get(finding.id)
    return WORDS["open_item"].format(
        id=_line(finding.id),
        owner=_owner(finding.owner),
        problem=finding.problem,
        question=f"{known.question} " if known else "",
    )


def _owner(owner: str) -> str:
    return WORDS["owner"].format(owner=_line(owner)) if _line(owner) else ""


def _waived_lines(checklist: Checklist, today: datetime.date) -> list[str]:
    waived = [
        WORDS["waived_item"].format(
            id=name,
            until=answer.waived_until.isoformat(),
            owner=_owner(answer.owner),
            reason=_line(answer.reason),
        )
        for name, answer in checklist.answers.items()
        if answer.answer in ("no", "unknown")
        and answer.waived_until
        and not _problem(answer, today)
    ]
    return [WORDS["waived"], "", *waived, ""] if waived else []


def _claimed_lines(checklist: Checklist) -> list[str]:
    claimed = [
        f"`{name}`"
        for name, answer in checklist.answers.items()
        if answer.answer == "yes" and not _line(answer.evidence)
    ]
    return [WORDS["claimed"].format(ids=", ".join(claimed)), ""] if claimed else []


def markdown(checklist: Checklist) -> str:
    """The whole checklist as Markdown, with its answers."""
    lines = [WORDS["title"].format(operation=_operation(checklist)), ""]
    for group in GROUPS:
        lines += [WORDS["group"].format(group=group.capitalize()), ""]
        for item in ITEMS:
            if item.group == group:
                lines += _item_lines(item, checklist.answers.get(item.id, Answer()))
    return "\n".join(lines)


def _item_lines(item: Item, answer: Answer) -> list[str]:
    lines = [
        WORDS["question"].format(question=item.question),
        "",
        WORDS["item"].format(id=item.id, consequence=item.consequence),
        "",
        WORDS["answer"].format(answer=WORDS[answer.answer]),
    ]
    said = {line: _line(getattr(answer, name)) for name, line in TEXTS.items()}
    lines += [WORDS[line].format(text=text) for line, text in said.items() if text]
    if answer.waived_until:
        lines.append(WORDS["until"].format(text=answer.waived_until.isoformat()))
    return [*lines, ""]
