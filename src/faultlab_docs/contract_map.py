"""The map of the 64 combinations, and the table of published contracts."""

from faultlab.contracts import CONTRACTS, Contract
from faultlab.idempotency import KEY_SCOPES, SECOND_REQUESTS, ContractRun, combinations
from faultlab.idempotency_account import COLUMNS, SIGNS, combination_id
from faultlab.receiver import CONFLICT_POLICIES


def map_html() -> str:
    """The map of 64 as a table. The script turns its cells into buttons."""
    runs = {combination_id(run): run for run in combinations()}
    policies = "".join(
        f'<th scope="colgroup" colspan="2">policy <code>{policy}</code></th>'
        for policy in CONFLICT_POLICIES
    )
    kept = "".join(f'<th scope="col">{name}</th>' for _, name in COLUMNS)
    bodies = "".join(_scope(scope, runs) for scope in KEY_SCOPES)
    return (
        '<div class="fl-scroll" role="region" aria-label="All 64 combinations" tabindex="0">'
        '<table class="fl-contract-map"><thead><tr><th scope="col" rowspan="2">'
        f"second request</th>{policies}</tr><tr>{kept}</tr></thead>{bodies}</table></div>"
        f'<ul class="fl-key"><li>{sign(right=True)} right for the intent</li>'
        f"<li>{sign(right=False)} wrong for it</li></ul>"
    )


def sign(*, right: bool) -> str:
    """The sign of right or wrong; the words stand beside it."""
    kind = "right" if right else "wrong"
    return f'<span class="fl-contract-sign {kind}" aria-hidden="true">{SIGNS[right]}</span>'


def _scope(scope: str, runs: dict[str, ContractRun]) -> str:
    rows = "".join(
        f'<tr><th scope="row"><code>{second}</code></th>'
        + "".join(
            _cell(name, runs[name])
            for policy, kept in COLUMNS
            if (name := f"{scope}.{second}.{policy}.{kept}")
        )
        + "</tr>"
        for second in SECOND_REQUESTS
    )
    return (
        f'<tbody><tr class="scope"><th scope="rowgroup" colspan="5">key names '
        f"<code>{scope}</code></th></tr>{rows}</tbody>"
    )


def _cell(name: str, run: ContractRun) -> str:
    kind = "right" if run["right_for_intent"] else "wrong"
    return (
        f'<td class="{kind}" id="{name}" data-combination="{name}">'
        f'<span class="cell">{run["second_disposition"]} {sign(right=run["right_for_intent"])}'
        f'<span class="fl-unseen">, {kind} for the intent</span></span></td>'
    )


def contracts() -> str:
    """The published contracts as a Markdown table, marked as cited."""
    rows = [
        f"| {contract.system} | {_retention(contract)} | {contract.says} | {contract.read} |"
        for contract in CONTRACTS
    ]
    return "\n".join(
        [
            "| system, the source | a key is kept for | what it publishes | read in |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
            '<span class="fl-kind fl-cited">cited</span> from what each system '
            "publishes about itself. Nothing here was tried against any of them.",
        ]
    )


def _retention(contract: Contract) -> str:
    return "not said" if contract.retention_s is None else f"{contract.retention_s:,} s"
