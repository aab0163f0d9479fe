"""The schemas of the idempotency contract experiment: they take each run, and no broken one."""

import copy
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from faultlab.idempotency import combinations, experiment
from faultlab.idempotency_account import combination_id, saved_map
from faultlab_docs import contract_keys
from faultlab_docs.contract_keys import RUN_KEYS
from faultlab_docs.places import DOCS
from faultlab_docs.schemas import KIND, SEEN_BY


def published(name: str) -> Any:
    return json.loads((DOCS / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))


RUN = published("idempotency-run")
MAP = published("idempotency-map")
VALIDATOR = jsonschema.Draft202012Validator(RUN)
ALL = list(combinations())


def test_the_schemas_are_ones() -> None:
    for schema in (RUN, MAP):
        jsonschema.Draft202012Validator.check_schema(schema)
    assert contract_keys.contract_run() == RUN
    assert contract_keys.contract_map() == MAP


@pytest.mark.parametrize("run", ALL, ids=combination_id)
def test_every_run_validates(run: Any) -> None:
    VALIDATOR.validate(run)


def test_numbers_that_are_no_integers_validate_too() -> None:
    VALIDATOR.validate(experiment(retention_s=0.001, after_s=1_000_000_000))


def test_the_saved_map_validates_and_is_what_is_computed() -> None:
    saved = json.loads((DOCS / "records/idempotency/map.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(MAP).validate(saved)
    assert saved == saved_map()


def test_every_key_is_marked_as_one_of_four_things_and_by_who_can_see_it() -> None:
    assert list(RUN["properties"]) == list(RUN_KEYS) == list(experiment())
    for key in RUN["properties"].values():
        assert key[KIND] in ("asked", "reached", "happened", "known")
        assert key[SEEN_BY] in ("worker", "model")
        assert key["description"]


def _without(run: Any) -> None:
    del run["headline"]


def _more(run: Any) -> None:
    run["outcome"] = "fine"


def _negative(run: Any) -> None:
    run["inputs"]["after_s"] = -1


def _large(run: Any) -> None:
    run["inputs"]["retention_s"] = 1_000_000_001


def _text(run: Any) -> None:
    run["inputs"]["after_s"] = "3600"


def _scope(run: Any) -> None:
    run["inputs"]["key_scope"] = "account"


def _three_requests(run: Any) -> None:
    run["requests"].append(run["requests"][0])


def _attempt(run: Any) -> None:
    run["requests"][0]["business_identity"] = "attempt-1"


def _three_effects(run: Any) -> None:
    run["total_effects"] = 3


def _a_reuse_that_acts(run: Any) -> None:
    run["total_effects"] = 2


def _applied_without_effect(run: Any) -> None:
    run["second_disposition"] = "applied"


def _conflict_without_a_record(run: Any) -> None:
    run["second_disposition"] = "conflict"
    run["record_at_second_request"] = "expired"


BREAKS: list[Callable[[Any], None]] = [
    _without,
    _more,
    _negative,
    _large,
    _text,
    _scope,
    _three_requests,
    _attempt,
    _three_effects,
    _a_reuse_that_acts,
    _applied_without_effect,
    _conflict_without_a_record,
]


@pytest.mark.parametrize("spoil", BREAKS, ids=lambda spoil: spoil.__name__.strip("_"))
def test_a_broken_run_does_not_validate(spoil: Callable[[Any], None]) -> None:
    run = copy.deepcopy(experiment())
    VALIDATOR.validate(run)
    spoil(run)
    assert not VALIDATOR.is_valid(run)
