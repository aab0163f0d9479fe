"""The run on a page: its lanes, the source beside them, and where each task stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faultlab.dst.event_rows import tells_events
from faultlab.dst.html_rows import fewer
from faultlab.dst.html_text import data, many, text
from faultlab.dst.lanes import GLYPHS, Lane, Row, State, lanes_of, states
from faultlab.dst.sources import Source

if TYPE_CHECKING:
    from faultlab.dst.report import Finding

TEXT_MAX = 160
"""How many characters of a line a row shows; the source beside it has all of them."""

LANES_MAX = 60
"""How many lanes are drawn; rows of later tasks share the last one, and name their task."""

CONTROLS = (
    ("first", "First", "First row"),
    ("back", "Previous", "Previous row"),
    ("next", "Next", "Next row"),
    ("last", "Last", "Last row"),
)
SAID = {
    "reached": "ran",
    "asked": "decided for",
    "raised": "raised in",
    "happened": "happened at",
    "known": "known to",
    "unknown": "not known to",
}
LINE_KEY = (
    ("reached", "ran"),
    ("asked", "decided by the simulator"),
    ("raised", "raised here"),
)
EVENT_KEY = (
    ("reached", "reached"),
    ("happened", "happened"),
    ("known", "known"),
    ("unknown", "unknown"),
    ("asked", "decided by the simulator"),
    ("raised", "crashed"),
)
CLASSES = {
    "reached": "r",
    "asked": "a",
    "raised": "x",
    "happened": "h",
    "known": "k",
    "unknown": "u",
}
VARIABLES: dict[State, str] = {
    "begins": "b",
    "begins held": "f",
    "goes on": "g",
    "is caught": "c",
    "is held": "h",
    "ends": "e",
}
BUTTONS_MAX = 9
"""Up to so many decisions have a button each; more are in a list."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What a page shows of a run.

    Attributes:
        rows: The rows.
        lanes: Their lanes; those that are drawn.
        numbers: The number of each of these, by name.
        shared: How many tasks share the last lane.
        lines: Position of each line among all lines of the sources, by file and number.
        file: The one file of all rows; empty if there are several.
    """

    rows: Sequence[Row]
    lanes: Sequence[Lane]
    numbers: dict[str, int]
    shared: int
    lines: dict[tuple[str, int], int]
    file: str

    def lane(self, row: Row) -> int:
        """The number of a row's lane; the last one for tasks that share it; -1 for none."""
        if not row.lane:
            return -1
        return self.numbers.get(row.lane, len(self.lanes))

    def place(self, row: Row) -> str:
        """Where a row is; its line's number alone where all are of one file."""
        return str(row.line.number) if row.line and self.file else row.place

    def source(self, row: Row) -> int:
        """The position of its line; -1 if its source is not there."""
        return self.lines.get((row.line.file, row.line.number), -1) if row.line else -1


def run_figure(found: "Finding", rows: Sequence[Row]) -> tuple[str, str]:
    """The section with the run and its styles; empty if no line of the program's own ran."""
    if not rows:
        return "", ""
    shown = fewer(rows)
    lanes = lanes_of(shown, found.tasks)
    files = {row.line.file for row in shown if row.line}
    drawing = Drawing(
        rows=shown,
        lanes=lanes[:LANES_MAX],
        numbers={lane.name: number for number, lane in enumerate(lanes[:LANES_MAX])},
        shared=len(lanes[LANES_MAX:]),
        lines=_positions(found.sources),
        file=next(iter(files)) if len(files) == 1 else "",
    )
    left = _left_out(found, len(rows), len(shown))
    events = tells_events(shown)
    what = "one event" if events else "a line of source"
    table, style = _rows(drawing)
    return (
        '<section class="run" id="run" aria-labelledby="ran"><h2 id="ran">What ran</h2>'
        f"<p>Time runs down; a row is {what}. {left}</p>{_key(events=events)}"
        f"{_controls(drawing)}"
        f'<div class="panes">{table}'
        f'<div class="beside">{_sources(found.sources)}{_stands(drawing)}</div></div>'
        f'<script type="application/json" id="told">{data(_data(drawing))}</script></section>',
        style,
    )


def _positions(sources: Sequence[Source]) -> dict[tuple[str, int], int]:
    lines = [
        (source.file, source.first + offset)
        for source in sources
        for offset in range(len(source.lines))
    ]
    return {line: position for position, line in enumerate(lines)}


def _left_out(found: "Finding", rows: int, shown: int) -> str:
    parts = []
    before = found.steps[0].number - 1
    if before:
        parts.append(f"The first {many(before, 'step')} are left out.")
    if shown < rows:
        parts.append(
            f"{many(rows - shown, 'row')} of {rows:,} are left out: a step shows its last lines."
        )
    return " ".join(parts)


def _key(*, events: bool) -> str:
    return (
        '<ul class="key" aria-label="Signs">'
        + "".join(
            f'<li><i class="{CLASSES[kind]}" aria-hidden="true">{GLYPHS[kind]}</i> {words}</li>'
            for kind, words in (EVENT_KEY if events else LINE_KEY)
        )
        + '<li><b class="held" aria-hidden="true"></b> held back</li></ul>'
    )


def _controls(drawing: Drawing) -> str:
    buttons = "".join(
        f'<button type="button" data-go="{go}" aria-label="{label}">{word}</button>'
        for go, word, label in CONTROLS
    )
    asked = [(row.decision, number) for number, row in enumerate(drawing.rows) if row.decision]
    if len(asked) <= BUTTONS_MAX:
        jumps = "".join(
            f'<button type="button" class="jump" data-row="{row}" '
            f'aria-label="Jump to decision {number}"><i class="a" aria-hidden="true">◇</i> '
            f"{number}</button>"
            for number, row in asked
        )
    else:
        options = "".join(f'<option value="{row}">{number}</option>' for number, row in asked)
        jumps = (
            '<label>Decision <select id="jump"><option value="">…</option>'
            f"{options}</select></label>"
        )
    last = len(drawing.rows) - 1
    return (
        '<div class="controls" role="group" aria-label="Step through the run" hidden>'
        f'<div class="buttons">{buttons}{jumps}</div>'
        f'<input type="range" id="at" min="0" max="{last}" value="{last}" step="1" '
        'aria-label="Row of the run"><p id="said" role="status"></p></div>'
    )


def _rows(drawing: Drawing) -> tuple[str, str]:
    lanes = len(drawing.lanes) + bool(drawing.shared)
    names = [lane.name for lane in drawing.lanes]
    if drawing.shared:
        names.append(f"{drawing.shared} more")
    tall = len(names) > 4 or max(map(len, names), default=0) > 8
    heads = "".join(
        f'<span style="--x:{number}">{text(name)}</span>' for number, name in enumerate(names)
    )
    looks: dict[tuple[State, ...], int] = {}
    items = "".join(_items(drawing, looks))
    wide = max(len(drawing.place(row)) for row in drawing.rows)
    far = 1 + max((len(name) for name in names), default=0) * 0.55
    times = "4rem" if len({row.time_s for row in drawing.rows}) > 1 else "0rem"
    label = f"{drawing.file} line" if drawing.file else "line"
    table = (
        f'<div class="lanes{" tall" if tall else ""}" role="region" tabindex="0" '
        f'aria-label="The rows of the run" style="--n:{max(lanes, 1)};'
        f"--p:{min(wide, 24) * 0.46 + 0.2:.2f}rem;"
        f'--t:{times};--tall:{far:.1f}em" data-file="{text(drawing.file)}">'
        f'<div class="heads" aria-hidden="true"><div class="l">{heads}</div>'
        f"<div>{text(label)}</div></div>"
        f'<ol class="rows">{items}</ol></div>'
    )
    return table, "".join(_look(lanes, looks))


def _items(drawing: Drawing, looks: dict[tuple[State, ...], int]) -> Iterator[str]:
    times = [row.time_s for row in drawing.rows]
    time_s, alone = None, drawing.rows[0].time_s if len({*times}) == 1 else None
    for number, (row, state) in enumerate(
        zip(drawing.rows, states(drawing.rows, drawing.lanes), strict=True)
    ):
        look = looks.setdefault(state, len(looks))
        when = "" if row.time_s in (time_s, alone) else f"{row.time_s:.3f} s"
        time_s = row.time_s
        yield _item(drawing, number, row, look, when)


def _item(drawing: Drawing, number: int, row: Row, look: int, when: str) -> str:
    lane = drawing.lane(row)
    said = (
        f"{row.lane} {SAID[row.kind]}" if row.kind == "reached" else f"{SAID[row.kind]} {row.lane}"
    )
    glyph = (
        f'<i class="{CLASSES[row.kind]}" style="--x:{max(lane, 0)}" role="img" '
        f'aria-label="{text(said)}">{GLYPHS[row.kind]}</i>'
    )
    words = row.text if len(row.text) <= TEXT_MAX else f"{row.text[:TEXT_MAX]}…"
    named = f"<b>{text(row.lane)}</b> " if drawing.shared and lane == len(drawing.lanes) else ""
    told = f"<em>{text(words)}</em>" if row.decision else f"<code>{text(words)}</code>"
    anchor = f' id="d{row.decision}"' if row.decision else ""
    last = ' class="now"' if number == len(drawing.rows) - 1 else ""
    return (
        f'<li{anchor}{last}><span class="t">{when}</span><span class="l s{look}">{glyph}</span>'
        f'<span class="p">{text(drawing.place(row))}</span>'
        f'<span class="c">{named}{told}</span></li>\n'
    )


def _look(lanes: int, looks: dict[tuple[State, ...], int]) -> Iterator[str]:
    """The lines of the lanes, as backgrounds: one rule for each look that a row has."""
    names = "".join(
        f"--x{n}:calc(var(--w)*{n}.5 - .75px);"
        f"--g{n}:linear-gradient(var(--line) 0 0) var(--x{n}) 0/1.5px 100% no-repeat;"
        f"--b{n}:linear-gradient(var(--line) 0 0) var(--x{n}) 100%/1.5px "
        "calc(100% - var(--half)) no-repeat;"
        f"--e{n}:linear-gradient(var(--line) 0 0) var(--x{n}) 0/1.5px var(--half) no-repeat;"
        f"--h{n}:repeating-linear-gradient(var(--asked) 0 3px,transparent 3px 7px) "
        f"var(--x{n}) 0/1.5px 100% no-repeat;"
        f"--f{n}:repeating-linear-gradient(var(--asked) 0 3px,transparent 3px 7px) "
        f"var(--x{n}) 100%/1.5px calc(100% - var(--half)) no-repeat;--c{n}:var(--e{n}),var(--f{n});"
        for n in range(lanes)
    )
    yield f".rows .l{{{names}}}"
    for state, look in looks.items():
        drawn = ",".join(
            f"var(--{VARIABLES[what]}{n})" for n, what in enumerate(state) if what in VARIABLES
        )
        if drawn:
            yield f".rows .s{look}{{background:{drawn}}}"


def _sources(sources: Sequence[Source]) -> str:
    parts = []
    position = 0
    for source in sources:
        lines = []
        for offset, line in enumerate(source.lines):
            number = source.first + offset
            lines.append(
                f'<div id="s{position}"><span class="no">{number}</span>'
                f"<code>{text(line) or ' '}</code></div>"
            )
            position += 1
        name = f"{source.file}, {source.function}" if source.function else source.file
        parts.append(f'<h3>{text(name)}</h3><div class="source">{"".join(lines)}</div>')
    if not parts:
        return ""
    return (
        '<div class="sources" role="region" tabindex="0" aria-label="Source">'
        f"{''.join(parts)}</div>"
    )


def _stands(drawing: Drawing) -> str:
    """Where each task stands at the last row; the script tells it for every other."""
    items = []
    for lane in drawing.lanes:
        row = drawing.rows[lane.rows[-1]]
        told = f"waits at {row.place}" if lane.waits else f"ended after {row.place}"
        if row.kind == "raised":
            told = f"raised in {row.place}"
        items.append(f"<div><dt>{text(lane.name)}</dt><dd>{text(told)}</dd></div>")
    return (
        '<h3 id="stand">Where each task stands</h3>'
        '<div class="where" role="region" tabindex="0" aria-labelledby="stand">'
        f'<dl class="stands">{"".join(items)}</dl></div>'
    )


def _data(drawing: Drawing) -> dict[str, Any]:
    """What the script needs: lanes, and for each row its lane, its line and whether it holds."""
    return {
        "lanes": [
            [lane.name, lane.rows[0], lane.rows[-1], int(lane.waits)] for lane in drawing.lanes
        ],
        "rows": [[drawing.lane(row), drawing.source(row), int(row.holds)] for row in drawing.rows],
    }
