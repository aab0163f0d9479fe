"""The idempotency contract's page: controls, one run in full, and the data that its script shows.

Everything that is said of a run is written here, at build time, for each of the 64 combinations.
The script reads two numbers, compares them as whole milliseconds, and shows the run whose
condition holds; it knows no name and no rule of the model.
"""

from html import escape
from typing import Any, Final

from faultlab.cli import to_json
from faultlab.contracts import PRESETS, Contract
from faultlab.idempotency import (
    ASSUMPTIONS,
    GRAMMAR,
    KEY_SCOPES,
    NOT_MODELLED,
    REFUSALS,
    SECOND_REQUESTS,
    SECONDS_MAX,
    ContractRun,
    combinations,
    experiment,
)
from faultlab.idempotency_account import combination_id, intent, verdict
from faultlab.receiver import CONFLICT_POLICIES
from faultlab_docs.contract_map import sign
from faultlab_docs.contract_pictures import picture

COMMAND: Final = (
    "faultlab idempotency --key-scope {key_scope} --second-request {second_request} "
    "--conflict-policy {conflict_policy} --retention-s {retention_s} --after-s {after_s} --json"
)

_GROUPS: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "key_scope": ("Key scope", "what the key names", KEY_SCOPES),
    "second_request": ("Second request", "what it means", SECOND_REQUESTS),
    "conflict_policy": ("Conflict policy", "under a kept key", CONFLICT_POLICIES),
}
WHAT: Final[dict[str, str]] = {
    "tenant-and-operation": "one order of one tenant",
    "operation": "the order, whoever sends it",
    "tenant": "the tenant, whatever it orders",
    "attempt": "each try has a key of its own",
    "same-intent": "the same debit again",
    "changed-amount": "another amount",
    "other-operation": "another order",
    "other-tenant": "another tenant’s order",
    "enforce": "another payload is refused",
    "ignore": "the payload isn’t looked at",
}
_NUMBERS: Final[dict[str, tuple[str, str]]] = {
    "retention_s": ("Retention", "seconds that the record is kept"),
    "after_s": ("Second request after", "seconds since the first"),
}
_EDGES: Final = ((-1, "1 ms before the end"), (0, "At the end"), (1, "1 ms after"))
"""Milliseconds from the end of retention, and what the button says that goes there."""


def data() -> dict[str, Any]:
    """What the page's script shows, beside the saved runs themselves."""
    return {
        "grammar": GRAMMAR,
        "seconds_max": SECONDS_MAX,
        "refusals": REFUSALS,
        "runs": {
            combination_id(run): {"html": shown(run), "said": said(run)} for run in combinations()
        },
    }


def said(run: ContractRun) -> str:
    """What a screen reader hears of a run."""
    return f"{run['headline']}. {run['second_disposition']}: {verdict(run)}."


def html(*, assets: str) -> str:
    """Controls, and the run that stands on the page before another is chosen.

    Args:
        assets: The way from the published page to the site's folder of assets.
    """
    run = experiment()
    return (
        f'<link rel="stylesheet" href="{assets}/contract.css">'
        f'<div class="fl-contract" tabindex="-1" data-combination="{combination_id(run)}" '
        f'data-command="{COMMAND}"><template>{_controls(run)}</template>'
        # The script follows its controls at once, so that they are there before the first paint.
        f'<script src="{assets}/contract.js"></script>'
        '<noscript><p class="fl-contract-note">Without JavaScript you see one combination here. '
        "The map below names the disposition of all 64, and the command runs any of them.</p>"
        "</noscript>"
        '<p class="fl-contract-live fl-unseen" role="status"></p>'
        '<p class="fl-contract-note fl-contract-error" hidden>The saved runs could not be '
        "fetched, so this page can’t show another combination. The map below still names the "
        "disposition of each, and the command runs any of them on your machine.</p>"
        '<p class="fl-contract-note fl-contract-stale" hidden><strong>Not current.</strong> What '
        "you typed can’t be used. Below stands the last result: kept for "
        '<code data-part="retention_s"></code> s, second request after '
        '<code data-part="after_s"></code> s.</p>'
        f'<div class="fl-contract-result" data-part="shown">{shown(run)}</div>{_saved(run)}</div>'
    )


def _controls(run: ContractRun) -> str:
    groups = "".join(_group(name, run) for name in _GROUPS)
    numbers = "".join(_number(name, run) for name in _NUMBERS)
    presets = "".join(_preset(contract) for contract in PRESETS)
    return (
        '<form class="fl-contract-controls" autocomplete="off" novalidate '
        f'aria-label="The two requests and their contract">{groups}{numbers}'
        '<div class="fl-contract-presets" role="group" aria-labelledby="fl-contract-presets">'
        '<p class="fl-contract-label" id="fl-contract-presets">Published contracts '
        '<span class="fl-what">set retention, and the policy if it is said</span></p>'
        f'<div class="fl-contract-buttons">{presets}</div></div></form>'
    )


def _group(name: str, run: ContractRun) -> str:
    title, what, values = _GROUPS[name]
    choices = "".join(
        f'<label><input type="radio" name="{name}" value="{value}"'
        f"{' checked' if value == run['inputs'][name] else ''}><span><code>{value}</code> "
        f'<span class="fl-what">{WHAT[value]}</span></span></label>'
        for value in values
    )
    return (
        f'<fieldset><legend>{title} <span class="fl-what">{what}</span></legend>'
        f'<div class="fl-choices">{choices}</div></fieldset>'
    )


def _number(name: str, run: ContractRun) -> str:
    title, what = _NUMBERS[name]
    edges = "".join(
        f'<button type="button" class="fl-contract-button" data-edge="{ms}">{text}</button>'
        for ms, text in _EDGES
    )
    buttons = f'<div class="fl-contract-buttons">{edges}</div>' if name == "after_s" else ""
    return (
        f'<div class="fl-contract-number"><label for="fl-{name}">{title} '
        f'<span class="fl-what">{what}</span></label>'
        f'<input type="text" inputmode="decimal" spellcheck="false" id="fl-{name}" name="{name}" '
        f'value="{run["inputs"][name]}" aria-describedby="fl-{name}-wrong">'
        f'<p class="fl-contract-wrong" id="fl-{name}-wrong"></p>{buttons}</div>'
    )


def _preset(contract: Contract) -> str:
    policy = contract.conflict_policy
    told = f"{contract.retention_s:,} s" + (f", {policy}" if policy else "")
    data_policy = f' data-policy="{policy}"' if policy else ""
    return (
        f'<button type="button" class="fl-contract-button" aria-pressed="false" '
        f'data-preset="{contract.id}" data-retention="{contract.retention_s}"{data_policy}>'
        f'{contract.system} <span class="fl-what">{told}</span></button>'
    )


def shown(run: ContractRun) -> str:
    """Headline, facts, picture and the table of both requests."""
    effects = run["total_effects"]
    squares = f'<span class="fl-glyph g-happened" aria-hidden="true">{"■" * effects}</span>'
    facts = (
        ("Record at the second request", run["record_at_second_request"], ""),
        ("Second disposition", run["second_disposition"], ""),
        ("For the intent", f"{sign(right=run['right_for_intent'])} {verdict(run)}", " judged"),
        ("Total effects", f"{effects} {squares}", " effects"),
    )
    rows = "".join(f'<div class="fact{c}"><dt>{k}</dt><dd>{v}</dd></div>' for k, v, c in facts)
    return (
        f'<p class="fl-contract-headline">{escape(run["headline"])}</p>'
        f'<div class="fl-contract-columns"><div><dl class="fl-contract-facts">{rows}</dl>'
        f'<p class="fl-contract-intent">{intent(run)}</p></div>'
        f'<div class="fl-contract-picture">{picture(run)}</div></div>{_requests(run)}'
    )


def _requests(run: ContractRun) -> str:
    first, second = run["requests"]
    rows = "".join(
        f'<tr><th scope="row">{row["attempt"]}</th>'
        + "".join(
            f"<td{_changed(name, row, first)}>{_value(name, row[name])}</td>"
            for name in ("business_identity", "amount_minor", "receiver_key", "fingerprint")
        )
        + "</tr>"
        for row in (first, second)
    )
    return (
        '<div class="fl-scroll" role="region" aria-label="Both requests" tabindex="0">'
        '<table class="fl-contract-requests"><thead><tr><th scope="col">Attempt</th>'
        '<th scope="col">Business identity</th><th scope="col">Amount (minor units)</th>'
        '<th scope="col">Receiver key</th><th scope="col">Fingerprint tuple</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _changed(name: str, row: Any, first: Any) -> str:
    return "" if row[name] == first[name] else ' class="changed"'


def _value(name: str, value: str | int) -> str:
    text = escape(str(value), quote=False)
    return f"<code>{text}</code>" if name in ("receiver_key", "fingerprint") else text


def _saved(run: ContractRun) -> str:
    return (
        '<div class="fl-contract-saved"><p class="fl-contract-label" data-copy="command">'
        "The command that prints it</p>"
        '<pre tabindex="0" aria-label="The command"><code data-part="command">'
        f"{COMMAND.format(**run['inputs'])}</code></pre>"
        '<p class="fl-contract-label" data-copy="json">What it prints</p>'
        '<pre tabindex="0" aria-label="The saved run as JSON"><code data-part="json">'
        f"{escape(to_json(run), quote=False)}</code></pre></div>"
    )


def assumptions() -> str:
    """What the experiment assumes and what it leaves out, as Markdown."""
    assumed = "\n".join(f"- {line}" for line in ASSUMPTIONS)
    left_out = "\n".join(f"- {line}" for line in NOT_MODELLED)
    return f"{assumed}\n\nNot modelled:\n\n{left_out}"
