"""The schema of the Async Failure Lab's saved runs: it takes each of them, and no broken one."""

import copy
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from faultlab.async_lab import combinations, saved_run
from faultlab_docs import async_schemas
from faultlab_docs.async_keys import EVENT_KEYS, RUN_KEYS
from faultlab_docs.places import DOCS
from faultlab_docs.schemas import KIND, SEEN_BY

SCHEMA = json.loads((DOCS / "schemas" / "async-run.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert async_schemas.async_run() == SCHEMA


@pytest.mark.parametrize(("fault", "mode"), list(combinations()))
def test_every_saved_run_validates(fault: str, mode: str) -> None:
    path = DOCS / "records" / "async" / f"{fault}.{mode}.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    VALIDATOR.validate(saved)
    assert saved == saved_run(fault, mode)


def test_every_key_is_marked_as_one_of_four_things_and_by_who_can_see_it() -> None:
    assert list(SCHEMA["properties"]) == list(RUN_KEYS) == list(saved_run("none", "naive"))
    for key in SCHEMA["properties"].values():
        assert key[KIND] in ("asked", "reached", "happened", "known")
        assert key[SEEN_BY] in ("worker", "model")
        assert key["description"]
    event = SCHEMA["properties"]["events"]["items"]
    assert list(event["properties"]) == list(EVENT_KEYS)
    assert list(EVENT_KEYS) == list(saved_run("none", "naive")["events"][0])


def _without(run: Any) -> None:
    del run["headline"]


def _more(run: Any) -> None:
    run["outcome"] = "fine"


def _negative(run: Any) -> None:
    run["effects"] = -1


def _text(run: Any) -> None:
    run["deliveries"] = "2"


def _fault(run: Any) -> None:
    run["fault"] = "crash-after-efect"


def _mode(run: Any) -> None:
    run["mode"] = "careful"


def _lane(run: Any) -> None:
    run["events"][0]["lane"] = "customer"


def _kind(run: Any) -> None:
    run["events"][0]["kind"] = "guessed"


def _call(run: Any) -> None:
    run["events"][1]["call"] = "debit"


def _seen(run: Any) -> None:
    effect = next(event for event in run["events"] if event["lane"] == "receiver")
    effect["seen_by"] = "worker"


def _known(run: Any) -> None:
    known = next(event for event in run["events"] if event["kind"] == "known")
    known["lane"] = "receiver"


def _asked(run: Any) -> None:
    asked = next(event for event in run["events"] if event["kind"] == "asked")
    asked["seen_by"] = "worker"


def _exercised(run: Any) -> None:
    run["fault"] = "none"


def _no_events(run: Any) -> None:
    run["events"] = []


BREAKS: list[Callable[[Any], None]] = [
    _without,
    _more,
    _negative,
    _text,
    _fault,
    _mode,
    _lane,
    _kind,
    _call,
    _seen,
    _known,
    _asked,
    _exercised,
    _no_events,
]


@pytest.mark.parametrize("spoil", BREAKS, ids=lambda spoil: spoil.__name__.strip("_"))
def test_a_broken_run_does_not_validate(spoil: Callable[[Any], None]) -> None:
    run = copy.deepcopy(saved_run("crash-after-effect", "durable"))
    VALIDATOR.validate(run)
    spoil(run)
    assert not VALIDATOR.is_valid(run)
