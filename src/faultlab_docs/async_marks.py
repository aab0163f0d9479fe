"""The marks that make a picture of the Async Failure Lab: lines, hatching, arrows, glyphs."""

from math import sqrt
from typing import Final

from faultlab.mock import LaneEvent
from faultlab_docs.async_axis import effect, is_timeout, stops

X: Final[dict[str, int]] = {"broker": 66, "worker": 111, "journal": 155, "receiver": 202}
"""Where each lane stands."""
TONES: Final[dict[str, str]] = {"asked": "a", "reached": "r", "happened": "h", "known": "k"}


def n(number: float) -> str:
    """A number as SVG writes it, without needless digits."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def line(kind: str, x: float, top: float, bottom: float) -> str:
    """A piece of a lane."""
    return f'<path class="lane {kind}" d="M{n(x)} {n(top)}V{n(bottom)}"/>'


def hatch(x: float, half: float, top: float, bottom: float) -> str:
    """A hatched bar: what is unknown."""
    left, right, wide, gap = x - half, x + half, 2 * half, 5
    strokes, low = [], top + gap
    while low < bottom + wide:  # each stroke rises from the left edge to the right, cut to fit
        x0, y0 = (left, low) if low <= bottom else (left + low - bottom, bottom)
        x1, y1 = (right, low - wide) if low - wide >= top else (left + low - top, top)
        strokes.append(f"M{n(x0)} {n(y0)}L{n(x1)} {n(y1)}")
        low += gap
    return (
        f'<rect x="{n(left)}" y="{n(top)}" width="{n(wide)}" height="{n(bottom - top)}"/>'
        f'<path d="{"".join(strokes)}"/>'
    )


def arrow(x0: float, y0: float, x1: float, y1: float, kind: str = "") -> str:
    """A line with a head at its end; none if the message is lost on the way."""
    shaft = f"M{n(x0)} {n(y0)}L{n(x1)} {n(y1)}"
    name = " ".join(["arrow", *kind.split()])
    if "lost" in name:
        return f'<path class="{name}" d="{shaft}"/>'
    length = sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
    along, across = (x1 - x0) / length, (y1 - y0) / length
    wings = []
    for side in (-1, 1):
        x = x1 - 7 * along + 3.5 * side * across
        y = y1 - 7 * across - 3.5 * side * along
        wings.append(f"M{n(x)} {n(y)}L{n(x1)} {n(y1)}")
    return f'<path class="{name}" d="{shaft}{"".join(wings)}"/>'


def mark(event: LaneEvent, y: float) -> str:
    """The glyph of an event, and the circle that is drawn round it when it is the current one."""
    x, tone = X[event["lane"]], TONES[event["kind"]]
    halo = f'<circle class="halo" cx="{x}" cy="{n(y)}" r="14.5"/>'
    found = effect(event)
    if found:
        return halo + _effect(x, y, *found)
    if stops(event):
        return halo + f'<path class="cross r" d="M{x - 6} {n(y - 6)}l12 12m0 -12l-12 12"/>'
    match event["kind"]:
        case "asked":
            return halo + f'<path class="mark {tone} met" d="M{x} {n(y - 8)}l8 8l-8 8l-8 -8z"/>'
        case "reached":
            return halo + f'<circle class="mark {tone}" cx="{x}" cy="{n(y)}" r="4.5"/>'
        case "known":
            return halo + _ring(x, y, hatched=is_timeout(event))
        case _:
            return halo + (
                f'<rect class="mark {tone}" x="{x - 5.5}" y="{n(y - 5.5)}" width="11" height="11"/>'
            )


def _effect(x: float, y: float, number: int, new: bool) -> str:
    """A large square with the effect's number: full for a new one, hollow for one found."""
    kind = "mark h effect" if new else "mark h found"
    return (
        f'<rect class="{kind}" x="{x - 10}" y="{n(y - 10)}" width="20" height="20"/>'
        f'<text class="number" x="{x}" y="{n(y + 5)}" text-anchor="middle">{number}</text>'
    )


def _ring(x: float, y: float, *, hatched: bool) -> str:
    """What the worker knows; what it knows it can't know, hatched."""
    ring = f'<circle class="ring k" cx="{x}" cy="{n(y)}" r="7.5"/>'
    if not hatched:
        return ring + f'<circle class="mark k" cx="{x}" cy="{n(y)}" r="2.8"/>'
    strokes = []
    for offset in (-5.5, 0, 5.5):  # distances from the middle, along the falling diagonal
        half = sqrt((7.5**2 - offset**2) / 2)
        shift = offset / sqrt(2)
        strokes.append(f"M{n(x + shift - half)} {n(y + shift + half)}l{n(2 * half)} {n(-2 * half)}")
    return f'{ring}<path class="hatched k" d="{"".join(strokes)}"/>'
