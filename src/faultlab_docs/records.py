"""Writes the saved runs and schemas below docs/ from real calls. Run by `nox -s records`."""

from collections.abc import Iterator
from typing import Any, Final

from faultlab import async_lab, idempotency_account
from faultlab.cli import to_json
from faultlab.lab_runs import Scenario, lab_map, saved_run
from faultlab_docs import (
    async_schemas,
    contract_keys,
    readiness_records,
    readiness_schema,
    readme_picture,
    schemas,
    simulation_schema,
)
from faultlab_docs.places import DOCS

LAB: Final[dict[str, Scenario]] = {
    "success": Scenario(fault="none", cancel_at="none", observation="match"),
    "final_write": Scenario(fault="final_write", cancel_at="none", observation="match"),
    "native_reply": Scenario(fault="native_reply", cancel_at="none", observation="match"),
    "before_send": Scenario(fault="none", cancel_at="before_send", observation="match"),
    "unexercised": Scenario(fault="final_write", cancel_at="after_prepare", observation="match"),
}
"""The five runs that the pages quote, by the name of their file."""


def files() -> Iterator[tuple[str, str]]:
    """Every file that is computed: its path below docs/, and its text."""
    for name, scenario in LAB.items():
        yield f"records/lab/{name}.json", _text(saved_run(scenario))
    yield "records/lab/map.json", _text(lab_map())
    for fault, mode in async_lab.combinations():
        yield f"records/async/{fault}.{mode}.json", _text(async_lab.saved_run(fault, mode))
    yield "records/idempotency/map.json", _text(idempotency_account.saved_map())
    yield from readme_picture.files(saved_run(LAB["native_reply"]))
    yield "schemas/lab-run.schema.json", _text(schemas.lab_run())
    yield "schemas/lab-map.schema.json", _text(schemas.lab_map())
    yield "schemas/async-run.schema.json", _text(async_schemas.async_run())
    yield "schemas/idempotency-run.schema.json", _text(contract_keys.contract_run())
    yield "schemas/idempotency-map.schema.json", _text(contract_keys.contract_map())
    for name, value in readiness_records.files():
        yield name, _text(value)
    yield "schemas/readiness.schema.json", _text(readiness_schema.readiness())
    yield "schemas/simulation-report.schema.json", _text(simulation_schema.simulation_report())


def _text(value: Any) -> str:
    return to_json(value) + "\n"


def main() -> None:
    """Write every file that differs, and say which."""
    for name, text in files():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            print(f"unchanged  docs/{name}")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"written    docs/{name}")


if __name__ == "__main__":
    main()
