"""Runs of the idempotency contract experiment as text: one, all 64, and the presets."""

from typing import Any, Final

from faultlab.contracts import PRESETS, Contract
from faultlab.idempotency import (
    KEY_SCOPES,
    RIGHT,
    SECOND_REQUESTS,
    ContractRun,
    combinations,
)
from faultlab.receiver import CONFLICT_POLICIES

SIGNS: Final = {True: "✓", False: "×"}
COLUMNS: Final = tuple(
    (policy, kept) for policy in CONFLICT_POLICIES for kept in ("retained", "expired")
)
"""The columns of the map of 64: the policy, and what became of the first request's record."""
WHEN: Final[dict[str, dict[str, str]]] = {
    "retained": {"left": "after_s", "operator": "<", "right": "retention_s"},
    "expired": {"left": "after_s", "operator": ">=", "right": "retention_s"},
}
"""The condition under which a saved run stands for others that differ in their numbers alone."""


def combination_id(run: ContractRun) -> str:
    """The permanent name of a run's combination: its three names, and retained or expired."""
    asked = run["inputs"]
    kept = "retained" if float(asked["after_s"]) < float(asked["retention_s"]) else "expired"
    names = (asked["key_scope"], asked["second_request"], asked["conflict_policy"], kept)
    return ".".join(str(name) for name in names)


def verdict(run: ContractRun) -> str:
    """Whether the disposition serves the intent and, if not, which one would."""
    if run["right_for_intent"]:
        return "right for this intent"
    return f"wrong for this intent: {RIGHT[str(run['inputs']['second_request'])]} would be right"


def intent(run: ContractRun) -> str:
    """Whether both requests express one intent, as a sentence."""
    one = "Both requests express one intent"
    return f"{one}." if run["one_intent"] else "The second request expresses another intent."


def account(run: ContractRun) -> str:
    """One run as text for a terminal."""
    asked = run["inputs"]
    sign = SIGNS[run["right_for_intent"]]
    return "\n".join(
        [
            run["headline"],
            "",
            f"Asked for  {asked['second_request']} after {asked['after_s']} s; the key names "
            f"{asked['key_scope']};",
            f"           kept for {asked['retention_s']} s, conflict policy "
            f"{asked['conflict_policy']}",
            f"Found      record at the second request: {run['record_at_second_request']}",
            f"Happened   second disposition: {run['second_disposition']}; total effects: "
            f"{run['total_effects']}",
            f"Judged     {sign} {verdict(run)}. {intent(run)}",
            "",
            *_requests(run),
        ]
    )


def _requests(run: ContractRun) -> list[str]:
    rows = [("attempt", "business identity", "amount", "receiver key", "fingerprint")]
    rows += [
        (
            str(row["attempt"]),
            row["business_identity"],
            str(row["amount_minor"]),
            row["receiver_key"],
            row["fingerprint"],
        )
        for row in run["requests"]
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def table() -> str:
    """All 64 combinations: a row for scope and second request, a column for policy and record."""
    runs = {combination_id(run): run for run in combinations()}
    width = 18
    heads = "".join(f"{f'{policy}, {kept}':<{width}}" for policy, kept in COLUMNS)
    lines = [f"{'key names':<22}{'second request':<17}{heads}".rstrip()]
    for scope in KEY_SCOPES:
        for second in SECOND_REQUESTS:
            cells = [
                _cell(runs[f"{scope}.{second}.{policy}.{kept}"]).ljust(width)
                for policy, kept in COLUMNS
            ]
            lines.append(f"{scope:<22}{second:<17}{''.join(cells)}".rstrip())
    lines += ["", f"{SIGNS[True]} right for the intent, {SIGNS[False]} wrong for it"]
    return "\n".join(lines)


def _cell(run: ContractRun) -> str:
    return f"{run['second_disposition']} {SIGNS[run['right_for_intent']]}"


def presets() -> str:
    """The published contracts that give a number, with the options that set the experiment so."""
    return "\n\n".join(_preset(contract) for contract in PRESETS)


def _preset(contract: Contract) -> str:
    options = f"--retention-s {contract.retention_s}"
    if contract.conflict_policy is not None:
        options += f" --conflict-policy {contract.conflict_policy}"
    return f"{contract.system} (read {contract.read})\n  {contract.says}\n  {options}"


def saved_map() -> dict[str, Any]:
    """All 64 combinations as they are saved, each with the condition under which it holds."""
    runs = list(combinations())
    return {
        "summary": {
            "combinations": len(runs),
            **{
                disposition: {
                    name: sum(
                        run["second_disposition"] == disposition
                        and run["right_for_intent"] == right
                        for run in runs
                    )
                    for name, right in (("right", True), ("wrong", False))
                }
                for disposition in ("applied", "reused", "conflict")
            },
        },
        "runs": [
            {"id": (name := combination_id(run)), "when": WHEN[name.rpartition(".")[2]], "run": run}
            for run in runs
        ],
    }
