"""The checklist's page: every question as a form to print, and what its script fills in.

Without the script the page is a paper form. The script puts controls in place of the empty boxes;
its texts and rules come from `faultlab.readiness_words`, so that page and command say the same.
"""

import json
import posixpath
from html import escape
from typing import Any, Final

from faultlab import snippets
from faultlab.readiness import CONSEQUENCES, GROUPS, ITEMS, Item
from faultlab.readiness_file import KEYS, RESPONSES, TEXTS
from faultlab.readiness_words import FORMAT, WORDS
from faultlab_docs.cases import Case, asked_by

COMMAND: Final = "faultlab checklist"

_FIELDS: Final = (
    ("owner", "Owner", "text", "a person or a team"),
    ("evidence", "Link to evidence", "text", "a test, a trace, a contract"),
    ("reason", "Reason", "text", "why it’s not applicable, or why it’s waived"),
    ("waived_until", "Waived until", "date", "the last day"),
    ("note", "Note", "lines", ""),
)


def data() -> dict[str, Any]:
    """What the page's script needs to say the same as the command."""
    return {
        "format": FORMAT,
        "words": WORDS,
        "responses": list(RESPONSES),
        "texts": TEXTS,
        "keys": list(KEYS),
        "groups": list(GROUPS),
        "consequences": list(CONSEQUENCES),
        "items": [
            {
                "id": item.id,
                "group": item.group,
                "question": item.question,
                "consequence": item.consequence,
            }
            for item in ITEMS
        ],
    }


def html(page: str, assets: str) -> str:
    """The whole form.

    Args:
        page: The page's path below docs/.
        assets: The way from the published page to the site's folder of assets.
    """
    text = json.dumps(data(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<link rel="stylesheet" href="{assets}/checklist.css">'
        '<form class="fl-check" autocomplete="off" novalidate aria-label="The checklist">'
        f'<script type="application/json">{text}</script>'
        f"<template>{_bar()}</template>"
        '<noscript><p class="fl-check-aside">Without JavaScript this page is a form to print. To '
        f"fill it in as a file, run <code>{COMMAND} --new &quot;your operation&quot;</code>, edit "
        f"what it prints, and run <code>{COMMAND} --check</code> on it.</p></noscript>"
        '<p class="fl-check-error fl-check-aside" role="alert"></p>'
        '<p class="fl-check-live fl-unseen" role="status"></p>'
        '<div class="fl-check-operation"><label for="fl-check-operation">Operation</label>'
        '<p class="fl-check-line"></p></div>'
        f"{''.join(_group(group, page) for group in GROUPS)}"
        f"<template>{_answer()}</template><template>{_open()}</template>"
        f'{_signature()}<script src="{assets}/checklist.js"></script></form>'
    )


def _bar() -> str:
    buttons = "".join(
        f'<button type="button" class="fl-check-button" data-do="{do}">{text}</button>'
        for do, text in (
            ("json", "Save as JSON"),
            ("markdown", "Save as Markdown"),
            ("summary", "Copy summary"),
            ("print", "Print"),
        )
    )
    return (
        '<div class="fl-check-bar"><p class="fl-check-counts" data-part="counts"></p>'
        '<div class="fl-check-buttons"><label class="fl-check-button fl-check-file">Open a file'
        '<input type="file" accept=".json,application/json" data-do="open" '
        f'aria-label="Open a file that was saved before"></label>{buttons}</div></div>'
        '<datalist id="fl-check-owners"></datalist>'
    )


def _group(group: str, page: str) -> str:
    name = group.replace(" ", "-")
    items = "".join(_item(item, page) for item in ITEMS if item.group == group)
    return f'<h2 id="{name}">{group.capitalize()}</h2>{items}'


def _item(item: Item, page: str) -> str:
    rows = [("Find out", escape(item.test)), ("If not", item.consequence)]
    rows.append(("See it fail", _experiment(item, page)))
    cases = asked_by(item.id)
    if cases:
        rows.append(("It happened", ", ".join(_case(case, page) for case in cases)))
    told = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in rows)
    return (
        f'<div class="fl-check-item" role="group" id="{item.id}" data-item="{item.id}" '
        f'aria-labelledby="q-{item.id}"><div class="fl-check-words">'
        f'<h3 id="q-{item.id}">{escape(item.question)}</h3>'
        f"<p>{escape(item.why)}</p><dl>{told}</dl></div>"
        f"{_paper()}</div>"
    )


def _experiment(item: Item, page: str) -> str:
    home = snippets.get(item.experiment).page
    return f'<a href="{_to(page, f"{home}.md#{item.experiment}")}">{item.experiment}</a>'


def _case(case: Case, page: str) -> str:
    href = _to(page, f"review/cases/{case.page}")
    return f'<a href="{href}">{escape(case.name)}</a>'


def _to(page: str, target: str) -> str:
    """The way from one published page to another, which directory URLs put one level deeper."""
    file, hash_, anchor = target.partition("#")
    way = posixpath.relpath(file.removesuffix(".md"), page.removesuffix(".md"))
    return escape(f"{way}/{hash_}{anchor}")


def _paper() -> str:
    """An answer to be given with a pen."""
    boxes = "".join(f'<span class="fl-check-box">{WORDS[name]}</span>' for name in RESPONSES)
    lines = "".join(
        f'<p class="fl-check-line"><span>{label}</span></p>' for _, label, _, _ in _FIELDS
    )
    return f'<p class="fl-check-boxes">{boxes}</p><div class="fl-check-lines">{lines}</div>'


def _answer() -> str:
    """An answer to be given on the screen; the script puts the item's id into names."""
    choices = "".join(
        f'<label><input type="radio" value="{name}"><span>{WORDS[name]}</span></label>'
        for name in RESPONSES
    )
    fields = "".join(
        f'<label class="k-{key}"><span>{label} <span class="fl-what">{what}</span></span>'
        f'{_field(key, kind)}<span class="fl-check-told" aria-hidden="true"></span></label>'
        for key, label, kind, what in _FIELDS
    )
    return (
        f'<div class="fl-check-answer"><div class="fl-check-choices">{choices}</div>'
        '<p class="fl-check-state" data-part="state"></p>'
        '<button type="button" class="fl-check-button fl-check-toggle" aria-expanded="false" '
        'data-do="more">Owner, evidence, note</button></div>'
        f'<div class="fl-check-more">{fields}</div>'
    )


def _field(key: str, kind: str) -> str:
    if kind == "lines":
        return f'<textarea rows="1" data-key="{key}"></textarea>'
    owners = ' list="fl-check-owners"' if key == "owner" else ""
    return f'<input type="{kind}" data-key="{key}"{owners}>'


def _open() -> str:
    return (
        '<section class="fl-check-open" aria-labelledby="what-stays-open">'
        '<h2 id="what-stays-open">What stays open</h2><div data-part="open"></div></section>'
    )


def _signature() -> str:
    lines = "".join(
        f'<p class="fl-check-line"><span>{name}</span></p>'
        for name in ("Answered by", "Reviewed by", "Day")
    )
    return f'<div class="fl-check-signature">{lines}</div>'


def twin() -> str:
    """The questions as Markdown, for the page's Markdown twin."""
    return "\n".join(f"- `{item.id}`: {item.question}" for item in ITEMS)
