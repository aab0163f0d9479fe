"""The Async Failure Lab's page: its controls, two runs in full, and the data that its script shows.

As on the Failure Lab's page, everything that is said of a run is written here, at build time. The
script chooses, asks, steps and hides; it knows no fault by name and no rule of the model.
"""

from html import escape
from typing import Any, Final

from faultlab.async_lab import FAULTS, MODES, AsyncRun, combinations, saved_run
from faultlab.async_lab.account import ALWAYS
from faultlab.async_lab.runs import ASSUMPTIONS, NOT_MODELLED
from faultlab.cli import to_json
from faultlab_docs import async_code, async_pictures, async_steps
from faultlab_docs.async_axis import COUNTS, counts
from faultlab_docs.async_keys import RUN_KEYS

COMMAND: Final = "faultlab async --fault {fault} --mode {mode} --json"

WHAT: Final[dict[str, str]] = {
    "none": "nothing interrupts",
    "crash-before-effect": "the worker crashes; its request never arrives",
    "crash-after-effect": "the receiver acts, then the worker crashes",
    "response-lost": "the receiver acts; its answer is lost",
    "duplicate-delivery": "all is done; the broker delivers again",
    "crash-after-record": "the result is stored, then the worker crashes",
}
"""What each fault means, in the words of its radio button."""

_NAMES: Final[dict[str, str]] = {
    "deliveries": "deliveries",
    "dispatch_attempts": "dispatch attempts",
    "effects": "effects",
    "results_recorded": "results recorded",
}


def data() -> dict[str, Any]:
    """What the page's script shows, beside the saved runs themselves.

    Returns:
        `keys` (per key of a saved run, whether the worker can see it), and per fault its
        pictures, tables, steps, answers to a prediction, headlines and counts.
    """
    return {
        "keys": {name: key.seen_by for name, key in RUN_KEYS.items()},
        "faults": {fault: _shown(fault) for fault in FAULTS},
    }


def _shown(fault: str) -> dict[str, Any]:
    runs = {mode: saved_run(fault, mode) for mode in MODES}
    pictures = async_pictures.pair(*runs.values())
    return {
        "svg": dict(zip(MODES, pictures, strict=True)),
        "table": {mode: async_pictures.table(run) for mode, run in runs.items()},
        **async_steps.data(runs),
    }


def html(run: AsyncRun, other: AsyncRun, *, assets: str) -> str:
    """Controls, code, and both runs of one fault in full.

    Args:
        run: The run whose JSON stands on the page before another is chosen.
        other: The run of the same fault in the other mode.
        assets: The way from the published page to the site's folder of assets.
    """
    runs = {found["mode"]: found for found in (run, other)}
    runs = {mode: runs[mode] for mode in MODES}
    codes = {mode: async_code.html(mode) + _counts(found) for mode, found in runs.items()}
    return (
        f'<link rel="stylesheet" href="{assets}/async.css">'
        f'<div class="fl-async" tabindex="-1" data-fault="{run["fault"]}" '
        f'data-mode="{run["mode"]}" data-view="everything" data-command="{COMMAND}">'
        f"<template>{_choose(run)}</template>"
        f'<div class="fl-async-body">{_columns("fl-async-codes", codes)}'
        f"<template>{_ask()}</template>"
        # The script follows what it asks at once, so that nothing is shown before the question.
        f'<script src="{assets}/async.js"></script>'
        f"<noscript>{_noscript(run)}</noscript>"
        '<p class="fl-async-live fl-unseen" role="status"></p>'
        '<p class="fl-async-error" hidden>The saved runs could not be fetched, so this page can’t '
        "show another fault. The table below still names the end of all twelve, and the command "
        "prints any of them on your machine.</p>"
        f'<div class="fl-async-result"><template>{_stepper()}</template>'
        f"{_columns('fl-async-runs', _runs(runs))}{async_pictures.key()}"
        f"<template>{_why()}</template></div></div>{_saved(run)}</div>"
    )


def _columns(name: str, parts: dict[str, str]) -> str:
    columns = "".join(
        f'<div class="fl-async-column" data-mode="{mode}">{part}</div>'
        for mode, part in parts.items()
    )
    return f'<div class="fl-async-columns {name}">{columns}</div>'


def _choose(run: AsyncRun) -> str:
    choices = "".join(
        f'<label><input type="radio" name="fault" value="{fault}"'
        f"{' checked' if fault == run['fault'] else ''}><span><code>{fault}</code> "
        f'<span class="fl-what">{WHAT[fault]}</span></span></label>'
        for fault in FAULTS
    )
    return (
        '<form class="fl-async-choose" autocomplete="off" aria-label="The fault"><fieldset>'
        '<legend>Fault <span class="fl-what">strikes once, in both runtimes</span></legend>'
        f'<div class="fl-choices">{choices}</div></fieldset></form>'
    )


def _ask() -> str:
    parts = {mode: _guess(mode) for mode in MODES}
    return (
        '<form class="fl-async-ask" autocomplete="off" aria-label="Your prediction">'
        f"{_columns('fl-async-guesses', parts)}"
        '<div class="fl-async-actions"><div class="fl-async-buttons">'
        '<button type="submit" class="fl-async-button">Show what happened</button>'
        '<button type="button" class="fl-async-button" data-do="skip">Skip</button></div>'
        '<label><input type="checkbox" name="quiet"> Don’t ask again on this page</label>'
        "</div></form>"
    )


def _guess(mode: str) -> str:
    choices = "".join(
        f'<label><input type="radio" name="guess-{mode}" value="{guess}">'
        f"<span>{guess}</span></label>"
        for guess in async_steps.GUESSES
    )
    return (
        f"<fieldset><legend><code>{mode}</code>: how often is the account "
        f'debited?</legend><div class="fl-choices">{choices}</div></fieldset>'
        f'<p class="fl-async-verdict" data-part="verdict"></p>'
    )


def _stepper() -> str:
    buttons = "".join(
        f'<button type="button" class="fl-async-button" data-step="{step}">{text}</button>'
        for step, text in (("first", "First"), ("back", "Back"), ("next", "Next"), ("all", "All"))
    )
    return (
        '<div class="fl-async-bar"><div class="fl-async-stepper fl-async-buttons" role="group" '
        'aria-label="Step through both runs; arrow keys, Home and End work too">'
        f'{buttons}</div><p class="fl-async-told"><span data-part="told"></span> '
        '<span class="fl-async-tally m" data-part="tally"></span></p>'
        '<button type="button" class="fl-async-button" aria-pressed="false" '
        'aria-describedby="fl-async-why" data-do="view">Worker’s view</button></div>'
    )


def _runs(runs: dict[str, AsyncRun]) -> dict[str, str]:
    pictures = async_pictures.pair(*runs.values())
    return {
        mode: _run(run, picture)
        for (mode, run), picture in zip(runs.items(), pictures, strict=True)
    }


def _run(run: AsyncRun, picture: str) -> str:
    mode = run["mode"]
    condition = f'<p class="fl-async-condition">{ALWAYS}</p>' if mode == "durable" else ""
    return (
        f'<p class="fl-async-headline"><code>{mode}</code> '
        f'<span class="m" data-part="headline">{escape(run["headline"])}</span></p>'
        f'<div class="fl-async-picture" data-part="svg">{picture}</div>{condition}'
        '<details class="fl-behind"><summary>The same as a table</summary>'
        f'<div data-part="table">{async_pictures.table(run)}</div></details>'
    )


def _counts(run: AsyncRun) -> str:
    cells = "".join(
        f'<div class="n-{name}{_model(name)}"><dt>{_NAMES[name]}</dt>'
        f'<dd><span data-count="{name}">{count}</span>'
        '<span class="fl-async-veil">?</span></dd></div>'
        for name, count in zip(COUNTS, counts(run["events"]), strict=True)
    )
    return f'<dl class="fl-async-counts">{cells}</dl>'


def _model(name: str) -> str:
    return " m" if RUN_KEYS[name].seen_by == "model" else ""


def _why() -> str:
    return (
        '<p class="fl-async-why" id="fl-async-why">The worker’s view: a running worker sees its '
        "delivery, its own calls and their answers. It can’t see the receiver or the journal act, "
        "nor that a fault was planned; so its view leaves those out, and hatches where they may "
        "be.</p>"
    )


def _saved(run: AsyncRun) -> str:
    choices = "".join(
        f'<label><input type="radio" name="mode" value="{mode}"'
        f"{' checked' if mode == run['mode'] else ''}><code>{mode}</code></label>"
        for mode in MODES
    )
    return (
        '<div class="fl-async-result fl-async-saved"><template><form class="fl-async-mode" '
        'autocomplete="off" aria-label="Whose saved run"><fieldset><legend>Saved run of</legend>'
        f'<div class="fl-choices">{choices}</div></fieldset></form></template>'
        '<p class="fl-async-label" data-copy="command">The command that prints it</p>'
        f'<pre tabindex="0" aria-label="The command"><code data-part="command">'
        f"{COMMAND.format(**run)}</code></pre>"
        '<p class="fl-async-label" data-copy="json">What it prints '
        '<span class="fl-what" data-part="filtered" hidden>without what no running worker can '
        "know</span></p>"
        f'<pre tabindex="0" aria-label="The saved run as JSON"><code data-part="json">'
        f"{escape(to_json(run), quote=False)}</code></pre></div>"
    )


def _noscript(run: AsyncRun) -> str:
    return (
        '<p class="fl-async-noscript">Without JavaScript you see one fault here, '
        f"<code>{run['fault']}</code>, in both runtimes. The table below names the end of all "
        "twelve combinations, and the command runs any of them.</p>"
    )


def table() -> str:
    """The table of all combinations: what each counted, and its headline. Each row is a link."""
    rows = "".join(_row(saved_run(fault, mode)) for fault, mode in combinations())
    heads = "".join(f'<th scope="col">{_NAMES[name]}</th>' for name in COUNTS)
    return (
        '<div class="fl-scroll" role="region" aria-label="All twelve combinations" tabindex="0">'
        '<table class="fl-async-table"><thead><tr><th scope="col">fault</th>'
        f'<th scope="col">runtime</th>{heads}<th scope="col">what became of it</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(run: AsyncRun) -> str:
    fault, mode = run["fault"], run["mode"]
    name = f"{fault}.{mode}"
    first = mode == MODES[0]
    head = f'<th scope="rowgroup" rowspan="{len(MODES)}"><code>{fault}</code></th>' if first else ""
    link = f'<a href="#{name}" data-scenario="{name}">'
    cells = "".join(_cell(count, run[count]) for count in COUNTS)
    return (
        f'<tr id="{name}"{" class=first" if first else ""}>{head}<th scope="row">{link}'
        f"<code>{mode}</code></a></th>{cells}<td>{link}{escape(run['headline'])}</a></td></tr>"
    )


def _cell(name: str, count: int) -> str:
    if name != "effects":
        return f"<td>{count}</td>"
    squares = f'<span class="fl-glyph g-happened" aria-hidden="true">{"■" * count}</span>'
    return f'<td class="n-effects{" twice" if count > 1 else ""}">{count}{squares}</td>'


def assumptions() -> str:
    """What the model assumes and what it leaves out, as Markdown."""
    assumed = "\n".join(f"- {line}" for line in ASSUMPTIONS)
    left_out = "\n".join(f"- {line}" for line in NOT_MODELLED)
    return f"{assumed}\n\nNot modelled:\n\n{left_out}"
