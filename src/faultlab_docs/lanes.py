"""The drawing of a saved run: its lanes as SVG.

One grammar for all of them: a lane for each actor, time running down, a glyph of its own for
each of the four things, hatching for what is unknown. Colours come from the style sheet;
marks of class `m` are what only the model knows, marks of class `w` are what takes their
place in the worker's view.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from faultlab.lab_account import Step, conclusion, steps
from faultlab.lab_runs import SavedRun, never_reached


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The measures of a drawing, in CSS pixels.

    Attributes:
        row: Height of one place on the worker's path.
        head: Height above the first place.
        lane: Distance between lanes; the first is half of it from the edge.
        size: Half the height of a diamond, to which all other glyphs are in proportion.
    """

    row: int
    head: int
    lane: int
    size: float

    def x(self, name: str) -> float:
        return self.lane * (LANES.index(name) + 0.5)

    def y(self, row: int) -> float:
        return self.head + self.row * (row + 0.5)

    def height(self, rows: int) -> int:
        return self.head + self.row * rows + self.row // 3


LANES: Final = ("asked", "worker", "receiver", "known")
KINDS: Final = {"asked": "a m", "worker": "r", "receiver": "h", "known": "k"}
FULL: Final = Sheet(row=37, head=26, lane=46, size=8)
SMALL: Final = Sheet(row=14, head=4, lane=20, size=4.5)
TEXT: Final = 192
WIDTH: Final = 360

SHORT: Final[dict[str, str]] = {
    "final receipt, checkpoint succeeded": "receipt, checkpoint succeeded",
    "cancellation: never reached": "cancel: never reached",
}
"""Remarks that are too long beside the lanes, and what stands for them there."""


def trace(run: SavedRun) -> str:
    """The lane picture of one run as an SVG element, 360 CSS pixels wide where there is room."""
    told = steps(run)
    height = FULL.height(len(told))
    sentences = conclusion(run)
    label = ". ".join(f"{kind.capitalize()}: {text}" for kind, text in sentences.items())
    body = "".join([*_rows(FULL, told), *_heads(FULL), *_drawing(FULL, run), *_words(run, told)])
    return (
        f'<svg class="fl-lanes" role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" aria-label="{escape(label)}.">{body}</svg>'
    )


def opener(run: SavedRun) -> str:
    """The same drawing small and without words: the ornament beside a page's title."""
    width, height = SMALL.lane * len(LANES), SMALL.height(len(steps(run)))
    return (
        f'<svg class="fl-lanes fl-lanes--small" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" aria-hidden="true" focusable="false">'
        f"{''.join(_drawing(SMALL, run))}</svg>"
    )


def _drawing(sheet: Sheet, run: SavedRun) -> Iterator[str]:
    told = steps(run)
    yield from _lines(sheet, told)
    yield from _unknown(sheet, told)
    yield from _marks(sheet, run, told)


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _rows(sheet: Sheet, told: list[Step]) -> Iterator[str]:
    reached = sum(step.reached for step in told)
    lines = "".join(f"M6 {_n(sheet.y(row))}H{TEXT - 8}" for row in range(reached))
    yield f'<path class="row" d="{lines}"/>'


def _heads(sheet: Sheet) -> Iterator[str]:
    for name in LANES:
        yield (
            f'<text class="head {KINDS[name]}" x="{_n(sheet.x(name))}" y="14" '
            f'text-anchor="middle">{name}</text>'
        )


def _line(kind: str, x: float, top: float, bottom: float) -> str:
    return f'<path class="lane {kind}" d="M{_n(x)} {_n(top)}V{_n(bottom)}"/>'


def _lines(sheet: Sheet, told: list[Step]) -> Iterator[str]:
    top, bottom = sheet.head - 4, sheet.height(len(told)) - sheet.size / 4
    last = max(row for row, step in enumerate(told) if step.reached)
    stopped = any(step.stopped for step in told)
    yield _line("a m", sheet.x("asked"), top, bottom)
    yield _line("r", sheet.x("worker"), top, sheet.y(last) if stopped else bottom)
    yield _line("h", sheet.x("receiver"), top, bottom)
    for row, step in enumerate(told):
        if "effect" in step.happened:  # it stays, whatever becomes of the worker
            yield _line("h m after", sheet.x("receiver"), sheet.y(row), bottom)
    yield _line("k", sheet.x("known"), top, bottom)
    if not stopped:
        x, half = sheet.x("worker"), sheet.size
        yield f'<path class="bar r" d="M{_n(x - half)} {_n(bottom)}H{_n(x + half)}"/>'


def _unknown(sheet: Sheet, told: list[Step]) -> Iterator[str]:
    """The hatched stretch of the known lane, and of the receiver's lane in the worker's view."""
    rows = [row for row, step in enumerate(told) if step.effect_unknown]
    if not rows:
        return
    to_the_end = not any(step.reached for step in told[rows[-1] + 1 :])
    top = sheet.y(rows[0]) - sheet.size
    bottom = sheet.height(len(told)) if to_the_end else sheet.y(rows[-1]) + sheet.row * 0.4
    yield f'<g class="unknown">{_hatch(sheet, "known", top, bottom)}</g>'
    yield f'<g class="unknown w">{_hatch(sheet, "receiver", top, bottom)}</g>'


def _hatch(sheet: Sheet, lane: str, top: float, bottom: float) -> str:
    half = sheet.size * 0.9
    left, right, wide = sheet.x(lane) - half, sheet.x(lane) + half, 2 * half
    gap = sheet.size * 0.72
    strokes = []
    low = top + gap
    while low < bottom + wide:  # each stroke rises from the left edge to the right, cut to fit
        x0, y0 = (left, low) if low <= bottom else (left + low - bottom, bottom)
        x1, y1 = (right, low - wide) if low - wide >= top else (left + low - top, top)
        strokes.append(f"M{_n(x0)} {_n(y0)}L{_n(x1)} {_n(y1)}")
        low += gap
    return (
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(wide)}" height="{_n(bottom - top)}"/>'
        f'<path d="{"".join(strokes)}"/>'
    )


def _marks(sheet: Sheet, run: SavedRun, told: list[Step]) -> Iterator[str]:
    unmet = never_reached(run)
    worker, receiver = sheet.x("worker"), sheet.x("receiver")
    for row, step in enumerate(told):
        y, half = sheet.y(row), sheet.size
        if step.asked:
            yield _diamond(sheet, y, met=_input(step) not in unmet)
        if step.reached:
            if step.place == "synthetic_send":
                yield _arrow(sheet, worker + half * 0.75, receiver - half * 1.1, y)
                yield _square(receiver, y, half * 0.8)
            if step.place == "native_reply" and step.stopped:
                yield _arrow(sheet, receiver - half * 0.3, (worker + receiver) / 2, y, "lost")
            elif step.place in ("native_reply", "read"):
                yield _arrow(sheet, receiver - half * 0.3, worker + half, y)
            yield _cross(worker, y, half * 0.75) if step.stopped else _dot(worker, y, half * 0.55)
        if step.known and not step.effect_unknown:
            yield _ring(sheet, y)


def _input(step: Step) -> str:
    return {"fault": "fault", "cancellation": "cancel_at"}.get(step.asked, "observation")


def _diamond(sheet: Sheet, y: float, *, met: bool) -> str:
    x, half = sheet.x("asked"), _n(sheet.size)
    kind = "met" if met else "unmet"
    return (
        f'<path class="mark a m {kind}" d="M{_n(x)} {_n(y - sheet.size)}'
        f'l{half} {half}l-{half} {half}l-{half} -{half}z"/>'
    )


def _square(x: float, y: float, half: float) -> str:
    side = _n(2 * half)
    place = f'x="{_n(x - half)}" y="{_n(y - half)}"'
    return f'<rect class="mark h m" {place} width="{side}" height="{side}"/>'


def _dot(x: float, y: float, radius: float) -> str:
    return f'<circle class="mark r" cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"/>'


def _cross(x: float, y: float, half: float) -> str:
    side = _n(2 * half)
    return (
        f'<path class="cross r" d="M{_n(x - half)} {_n(y - half)}l{side} {side}'
        f'm0 -{side}l-{side} {side}"/>'
    )


def _ring(sheet: Sheet, y: float) -> str:
    x, size = sheet.x("known"), sheet.size
    return (
        f'<circle class="ring k" cx="{_n(x)}" cy="{_n(y)}" r="{_n(size * 0.85)}"/>'
        f'<circle class="mark k" cx="{_n(x)}" cy="{_n(y)}" r="{_n(size * 0.32)}"/>'
    )


def _arrow(sheet: Sheet, start: float, end: float, y: float, kind: str = "") -> str:
    shaft = f"M{_n(start)} {_n(y)}H{_n(end)}"
    if kind:
        return f'<path class="arrow {kind}" d="{shaft}"/>'
    back = sheet.size * (-0.55 if end > start else 0.55)
    wing = sheet.size * 0.5
    return (
        f'<path class="arrow" d="{shaft}m{_n(back)} {_n(-wing)}l{_n(-back)} {_n(wing)}'
        f'l{_n(back)} {_n(wing)}"/>'
    )


def _words(run: SavedRun, told: list[Step]) -> Iterator[str]:
    unmet = never_reached(run)
    for row, step in enumerate(told):
        y = FULL.y(row)
        faint = "" if step.reached else " faint"
        note = _note(step, unmet)
        line = y - 2 if note else y + 4
        yield f'<text class="place{faint}" x="{TEXT}" y="{_n(line)}">{step.place}</text>'
        if note:
            yield f'<text class="note{faint}" x="{TEXT}" y="{_n(y + 13)}">{note}</text>'


def _note(step: Step, unmet: list[str]) -> str:
    """At most two short remarks under a place's name; what only the model knows is marked."""
    parts = []
    if step.asked:
        if _input(step) in unmet:
            text = f"{step.asked}: never reached"
            parts.append(f'<tspan class="m">{SHORT.get(text, text)}</tspan>')
        elif step.stopped and not step.known:
            parts.append({"fault": "fails here", "cancellation": "cancelled here"}[step.asked])
    if step.place == "synthetic_send" and step.reached:
        parts.append('<tspan class="m">the receiver takes effect</tspan>')
        parts.append('<tspan class="w">effect unknown</tspan>')
    elif step.known:
        parts.append(SHORT.get(step.known, step.known))
    return "".join(parts)
