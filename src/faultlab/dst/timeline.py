"""The lanes as text: what of a run matters, in at most 100 columns."""

from collections.abc import Sequence
from string import ascii_lowercase
from textwrap import wrap

from faultlab.dst.event_rows import key_of, rows_of
from faultlab.dst.lanes import GLYPHS, Lane, Row, State, Told, lanes_of, states

COLUMNS = 100
"""How wide the text is at most."""

TEXT_MIN = 36
"""Columns for the source text below which the lanes are drawn narrow, under letters."""

AROUND = 6
"""How many rows are shown before and after a decision."""

AT_THE_END = 24
"""How many rows are shown of the end."""

PLACE_MAX = 20
"""Columns above which a place is told without its folders."""

LETTERS = ascii_lowercase
OTHERS = "+"
STROKES: dict[State, str] = {
    "": "",
    "is held": "┊",
    "is caught": "┊",
    "begins held": "┊",
    "ends": "",
    "only": "",
}
"""What is drawn below a row's own sign, and in all other lanes."""


def timeline(told: Told) -> str:
    """The rows around the decisions and those at the end; empty without any."""
    rows = rows_of(told)
    kept = _kept(rows)
    if not kept:
        return ""
    lanes = _shown(lanes_of(rows, told.tasks), rows, kept)
    where = max(len(_place(rows[number])) for number in kept)
    width = max(8, *(len(lane.name) + 2 for lane in lanes)) if lanes else 8
    if 10 + width * len(lanes) + where + 2 + TEXT_MIN > COLUMNS:
        return "\n".join(_narrow(rows, kept, lanes, where))
    head = f"{'time':>8}  " + "".join(f"{lane.name:<{width}}" for lane in lanes)
    head = head + "where" if where else head.rstrip()
    return "\n".join([head, *_lines(rows, kept, lanes, width, where, "")])


def _narrow(
    rows: Sequence[Row], kept: Sequence[int], lanes: Sequence[Lane], where: int
) -> list[str]:
    """Lanes of two columns under letters, and what the letters stand for."""
    most = max(4, min(len(LETTERS), (COLUMNS - TEXT_MIN - where - 14) // 2))
    own, others = lanes[:most], lanes[most:]
    letters = dict(zip((lane.name for lane in own), LETTERS, strict=False))
    legend = [f"{letter} {name}" for name, letter in letters.items()]
    if others:
        legend.append(f"{OTHERS} {len(others)} more tasks, named in their rows")
    heads = "".join(f"{letter} " for letter in letters.values())
    extra = OTHERS if others else ""
    return [
        *_wrapped(legend),
        f"{'time':>8}  {heads}{f'{extra} ' if extra else ''}{'where' if where else ''}".rstrip(),
        *_lines(rows, kept, own, 2, where, extra),
    ]


def _wrapped(parts: Sequence[str]) -> list[str]:
    """Parts side by side, as many as fit."""
    lines = [""]
    for part in parts:
        longer = f"{lines[-1]}   {part}" if lines[-1] else part
        if len(longer) > COLUMNS and lines[-1]:
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


def _lines(
    rows: Sequence[Row],
    kept: Sequence[int],
    lanes: Sequence[Lane],
    width: int,
    where: int,
    others: str,
) -> list[str]:
    """A line for each row that is kept, and for each gap; then the key."""
    drawn = list(states(rows, lanes))
    names = {lane.name for lane in lanes}
    lines: list[str] = []
    before = -1
    for number in kept:
        row = rows[number]
        if number > before + 1:
            lines.append(f"{'':>8}  … {_many(number - before - 1)}")
        before = number
        cells = "".join(
            f"{GLYPHS[row.kind] if lane.name == row.lane else _stroke(state):<{width}}"
            for lane, state in zip(lanes, drawn[number], strict=True)
        )
        below = "".join(f"{_stroke(state):<{width}}" for state in drawn[number])
        text = row.text
        if others:
            other = row.lane not in names
            cells += f"{GLYPHS[row.kind] if other else '':<2}"
            text = f"{row.lane}: {text}" if other and row.kind != "asked" else text
        place = f"{_place(row):<{where}}  " if where else ""
        start = f"{row.time_s:>7.3f}s  {cells}{place}"
        first, *more = _fitted(text, COLUMNS - len(start), row)
        lines.append((start + first).rstrip())
        lines += [f"{'':>8}  {below}".ljust(len(start)) + part for part in more]
    if rows and kept[-1] < len(rows) - 1:
        lines.append(f"{'':>8}  … {_many(len(rows) - 1 - kept[-1])}")
    return [*lines, key_of(rows)]


def _place(row: Row) -> str:
    """Where a row is: if that is long without its folders, and without the name's beginning."""
    if len(row.place) <= PLACE_MAX:
        return row.place
    name = row.place.rpartition("/")[2]
    return name if len(name) <= 2 * PLACE_MAX else f"…{name[1 - 2 * PLACE_MAX :]}"


def _stroke(state: State) -> str:
    return STROKES.get(state, "│")


def _fitted(text: str, room: int, row: Row) -> list[str]:
    """Source text as far as it fits; a decision's words and what was raised are wrapped."""
    room = max(room, TEXT_MIN // 2)
    if row.kind in ("asked", "raised"):
        return wrap(text, room) or [""]
    return [text if len(text) <= room else text[: room - 1] + "…"]


def _kept(rows: Sequence[Row]) -> list[int]:
    """Which rows are shown."""
    asked = [number for number, row in enumerate(rows) if row.kind == "asked"]
    near = {n for place in asked for n in range(place - AROUND, place + AROUND + 1)}
    first = len(rows) - AT_THE_END
    kept = {number for number in range(len(rows)) if number in near or number >= first}
    kept |= {n for n in range(len(rows)) if {n - 1, n + 1} <= kept | {-1}}  # no gap of one row
    return sorted(kept)


def _shown(lanes: Sequence[Lane], rows: Sequence[Row], kept: Sequence[int]) -> list[Lane]:
    """The lanes that have a row there, or wait until the end."""
    names = {rows[number].lane for number in kept}
    return [lane for lane in lanes if lane.name in names or lane.waits]


def _many(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
