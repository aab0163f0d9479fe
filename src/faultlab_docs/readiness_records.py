"""What is saved of the checklist: its items, an example, and what is said of sample files.

The samples meet every rule of `faultlab.readiness_file` from both sides, so that a change of any
of them is seen in a saved file.
"""

import datetime
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from faultlab import readiness_file
from faultlab.readiness import CONSEQUENCES, GROUPS, ITEMS
from faultlab.readiness_words import FORMAT, WORDS
from faultlab_docs.places import SNIPPETS

TODAY: Final = datetime.date(2026, 12, 1)
EXAMPLE: Final = SNIPPETS / "readiness.json"


def files() -> Iterator[tuple[str, Any]]:
    """Every saved file: its path below docs/, and what is in it."""
    yield "records/readiness/items.json", items()
    example = readiness_file.read(EXAMPLE.read_text(encoding="utf-8"))
    yield "records/readiness/example.json", readiness_file.to_json(example)
    yield "records/readiness/samples.json", [*_samples()]


def items() -> dict[str, Any]:
    """All items, and every text that page and command share."""
    return {
        "format": FORMAT,
        "groups": list(GROUPS),
        "consequences": list(CONSEQUENCES),
        "items": [asdict(item) for item in ITEMS],
        "words": WORDS,
    }


def samples() -> list[str]:
    """Files that somebody may hand in: right, wrong, and odd."""
    empty = json.dumps(readiness_file.to_json(readiness_file.empty("Charge a card")))
    broken = ["{", "NaN", "[]", '{"format": "other"}', _file(items=[]), _file(operation=None)]
    odd = [_file(operation=" "), _file(items={"retention-by-tim": {}, "<b>": {}})]
    odd.append(_file(items={item.id: {"answer": "yes"} for item in ITEMS}))
    return [EXAMPLE.read_text(encoding="utf-8"), empty, *broken, *odd, *map(_answered, _answers())]


def _file(**keys: Any) -> str:
    return json.dumps({"format": FORMAT, "operation": "Charge a card", "items": {}, **keys})


def _answered(answer: Any) -> str:
    """A file in which the first item is answered so, and all others are fine."""
    others = {item.id: {"answer": "yes", "evidence": "a test"} for item in ITEMS[1:]}
    return _file(items={ITEMS[0].id: answer, **others})


def _answers() -> Iterator[Any]:
    waived = {"answer": "no", "reason": "A pilot.", "owner": "Ann", "waived_until": "2026-12-01"}
    yield {"answer": "yes"}
    yield {"answer": "yes", "evidence": " \n ", "note": "two\n\tlines <b>"}
    yield {"answer": "not-applicable"}
    yield {"answer": "not-applicable", "reason": "There is no retry."}
    yield {"answer": "no", "owner": " Ann  Li "}
    yield waived
    yield {**waived, "answer": "unknown"}
    yield {**waived, "answer": "yes"}
    yield {**waived, "waived_until": "2026-11-30"}
    yield {**waived, "answer": "unknown", "waived_until": "2026-11-30"}
    yield {**waived, "reason": "", "owner": ""}
    yield {**waived, "waived_until": ""}
    yield {**waived, "waived_until": None, "note": None}
    yield {**waived, "waived_until": "20261201"}
    yield {**waived, "waived_until": "2026-02-30"}
    yield {**waived, "waived_until": 7}
    yield {"answer": "maybe"}
    yield {"answer": "peut-être"}
    yield {"answer": "yes", "owner": "x and x"}
    yield {"answer": None}
    yield {"answr": "yes"}
    yield {"answer": "yes", "owner": 7}
    yield "yes"


def _samples() -> Iterator[dict[str, Any]]:
    for number, text in enumerate(samples()):
        told = _told(text)
        if number and "json" in told:  # but for the example, all is in the first item
            told["json"]["items"] = {ITEMS[0].id: told["json"]["items"][ITEMS[0].id]}
            told["markdown"] = told["markdown"][
                : told["markdown"].index(f"### {ITEMS[1].question}")
            ]
        yield told


def _told(text: str) -> dict[str, Any]:
    try:
        checklist = readiness_file.read(text)
    except readiness_file.ReadinessError as error:
        return {"file": text, "error": str(error)}
    return {
        "file": text,
        "json": readiness_file.to_json(checklist),
        "findings": [asdict(found) for found in readiness_file.check(checklist, today=TODAY)],
        "summary": readiness_file.summary(checklist, today=TODAY).splitlines(),
        "markdown": readiness_file.markdown(checklist).splitlines(),
    }
