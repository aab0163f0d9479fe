"""The lane picture of two requests: sender and receiver, and how long the record is kept."""

from html import escape
from typing import Final

from faultlab.idempotency import ContractRun
from faultlab.idempotency_account import combination_id
from faultlab_docs.async_marks import arrow, n

WIDTH: Final = 332
HEIGHT: Final = 218
SENDER: Final = 56
RECEIVER: Final = 142
RECORDS: Final = (164, 180)
"""Where the records of the first and of another key stand, right of the receiver's lane."""
TEXT: Final = 195
FIRST: Final = 44
SECOND: Final = 132
TRAVEL: Final = 14
END: Final = 204
_ENDS: Final = {"retained": 188, "expired": 104}
"""Where the first record ends: the picture is to no scale, only before or after counts."""


def picture(run: ContractRun) -> str:
    """Both requests of a run as an SVG element. Its text says the same in one sentence."""
    body = "".join(
        [
            f'<text class="head r" x="{SENDER}" y="14" text-anchor="middle">sender</text>',
            f'<text class="head h" x="{RECEIVER}" y="14" text-anchor="middle">receiver</text>',
            f'<text class="head k" x="{RECORDS[0] - 6}" y="32">record</text>',
            f'<path class="lane r" d="M{SENDER} 24V{END}"/>',
            f'<path class="lane" d="M{RECEIVER} 24V{END}"/>',
            *_records(run),
            *_request("first", FIRST, run["requests"][0]["amount_minor"], "applied", 1),
            *_request(
                "second",
                SECOND,
                run["requests"][1]["amount_minor"],
                run["second_disposition"],
                run["total_effects"],
            ),
        ]
    )
    return (
        f'<svg class="fl-lanes fl-contract-lanes" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" aria-label="{escape(label(run))}">{body}</svg>'
    )


def label(run: ContractRun) -> str:
    """The picture in one sentence."""
    record = {
        "retained": "comes while its idempotency record is kept",
        "expired": "comes when its idempotency record has ended",
        "none under that key": "comes under another key",
    }[run["record_at_second_request"]]
    what = {
        "applied": "takes effect too",
        "reused": "is answered from it",
        "conflict": "is refused",
    }
    return (
        f"The first request takes effect. The second {record}, and "
        f"{what[run['second_disposition']]}."
    )


def _records(run: ContractRun) -> list[str]:
    kept = combination_id(run).rpartition(".")[2]
    top, bottom = FIRST + TRAVEL, _ENDS[kept]
    other = run["record_at_second_request"] == "none under that key"
    drawn = [_bar(RECORDS[0], top, bottom, ended=bottom < END)]
    under_another = other and kept == "retained"
    note = "kept under another key" if under_another else "here the record ends"
    y = SECOND + TRAVEL - 34 if under_another else bottom + 4
    drawn.append(f'<text class="note" x="{TEXT}" y="{y}">{note}</text>')
    if run["second_disposition"] == "applied":
        drawn.append(_bar(RECORDS[1 if other else 0], SECOND + TRAVEL, END, ended=False))
    return drawn


def _bar(x: int, top: int, bottom: int, *, ended: bool) -> str:
    cap = f'<path class="cap" d="M{x - 9} {bottom}h18"/>' if ended else ""
    return f'<rect class="kept" x="{x - 5}" y="{top}" width="10" height="{bottom - top}"/>{cap}'


def _request(name: str, y: int, amount: int, disposition: str, effect: int) -> list[str]:
    at = y + TRAVEL
    told = {
        "applied": f"effect {effect}",
        "reused": "answered from effect 1",
        "conflict": "refused as a conflict",
    }[disposition]
    return [
        f'<text class="place" x="{SENDER - 12}" y="{y + 4}" text-anchor="end">{name}</text>',
        arrow(SENDER, y, RECEIVER - 13, at - 1),
        arrow(RECEIVER - 13, at + 6, SENDER + 10, at + 18),
        f'<text class="note" x="{(SENDER + RECEIVER) / 2 - 6}" y="{y - 2}" '
        f'text-anchor="middle">{amount}</text>',
        f'<circle class="mark r" cx="{SENDER}" cy="{y}" r="4.5"/>',
        *_disposition(disposition, at, effect),
        f'<circle class="ring k" cx="{SENDER}" cy="{at + 19}" r="7.5"/>'
        f'<circle class="mark k" cx="{SENDER}" cy="{at + 19}" r="2.8"/>',
        f'<text x="{TEXT}" y="{at + 4}">{told}</text>',
    ]


def _disposition(disposition: str, y: int, effect: int) -> list[str]:
    x = RECEIVER
    if disposition == "conflict":
        return [f'<path class="cross r" d="M{x - 6} {y - 6}l12 12m0 -12l-12 12"/>']
    kind, number = ("mark h effect", effect) if disposition == "applied" else ("mark h found", 1)
    return [
        f'<rect class="{kind}" x="{x - 10}" y="{n(y - 10)}" width="20" height="20"/>',
        f'<text class="number" x="{x}" y="{n(y + 5)}" text-anchor="middle">{number}</text>',
    ]
