"""Makes the site's font files below docs/assets/fonts/ from the complete OFL fonts.

    npm pack source-serif@4.5.1 source-sans@3.52.0 source-code-pro@2.42.0
    (unpack each into FOLDER/<name>, then)
    python -m faultlab_docs.fonts FOLDER

Each face is cut down to what the pages use, set free of the axes they don't, and renamed, as
the licence asks of a modified font. The glyphs of the lane pictures are drawn here, so that
the terminal account and the picture of one run use the same signs. Needs fonttools, brotli.
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from fontTools import subset
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from faultlab_docs.places import DOCS

TEXT: Final = (
    set(range(0x20, 0x7F))
    | set(range(0xA0, 0x100))
    | {ord(sign) for sign in "–—‘’‚“”„…•·→←↑↓↔≠≤≥≈−×∞†‡′″€™ŁłŠšŽžŒœČčĆćŘřĚě"}
    | {0x2002, 0x2003, 0x2009, 0x200A, 0x202F, 0x2010, 0x2011}
)
DISPLAY: Final = set(range(0x20, 0x7F)) | {ord(sign) for sign in "–—‘’“”…·→×≠ éèüöäßçñø\u202f"}
FEATURES: Final = ["kern", "liga", "ccmp", "locl", "mark", "onum", "lnum", "pnum", "tnum", "case"]

Polygon = list[tuple[float, float]]
Draw = Callable[[float, float], list[Polygon]]


class Face(NamedTuple):
    """One font file: whence it comes, what of it stays, and which of its axes."""

    file: str
    source: str
    axes: dict[str, float | tuple[float, float]]
    unicodes: set[int]
    family: str
    cell: int = 760


SERIF: Final = "source-serif/VAR/SourceSerif4Variable-{}.ttf"
SANS: Final = "source-sans/VF/SourceSans3VF-Upright.ttf"
CODE: Final = "source-code-pro/VF/SourceCodeVF-Upright.ttf"
FACES: Final = (
    Face("serif", SERIF.format("Roman"), {"opsz": 17, "wght": 400}, TEXT, "Faultlab Serif"),
    Face("serif-italic", SERIF.format("Italic"), {"opsz": 17, "wght": 400}, TEXT, "Faultlab Serif"),
    Face("serif-bold", SERIF.format("Roman"), {"opsz": 17, "wght": 620}, DISPLAY, "Faultlab Serif"),
    Face("display", SERIF.format("Roman"), {"opsz": 44, "wght": 400}, DISPLAY, "Faultlab Display"),
    Face(
        "sans",
        "source-sans/VF/SourceSans3VF-Upright.ttf",
        {"wght": (400, 650)},
        TEXT,
        "Faultlab Sans",
    ),
    Face(
        "code",
        CODE,
        {"wght": (400, 600)},
        TEXT | {ord(sign) for sign in "─│┌┐└┘├┤┬┴┼▏▕▁✓"},
        "Faultlab Code",
        cell=600,
    ),
)


def _square(x: float, y: float, half: float) -> Polygon:
    return [(x - half, y - half), (x - half, y + half), (x + half, y + half), (x + half, y - half)]


def _diamond(x: float, y: float, half: float) -> Polygon:
    return [(x - half, y), (x, y + half), (x + half, y), (x, y - half)]


def _circle(x: float, y: float, radius: float) -> Polygon:
    turns = [2 * math.pi * step / 32 for step in range(32)]
    return [(x - radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def _hole(polygon: Polygon) -> Polygon:
    return polygon[::-1]


def _cross(x: float, y: float) -> list[Polygon]:
    arm, thick = 235.0, 66.0
    rising = [
        (x - arm, y - arm + thick),
        (x + arm - thick, y + arm),
        (x + arm, y + arm - thick),
        (x - arm + thick, y - arm),
    ]
    falling = [(2 * x - px, py) for px, py in reversed(rising)]
    return [rising, falling]


def _hatch(x: float, y: float) -> list[Polygon]:
    left, right, low, high, thick = x - 280, x + 280, y - 420, y + 420, 55.0
    strokes = []
    for start in range(int(low) - 560, int(high), 187):
        stroke = [
            (left, start),
            (left, start + thick),
            (right, start + 560 + thick),
            (right, start + 560),
        ]
        strokes.append([(px, min(max(py, low), high)) for px, py in stroke])
    return strokes


DRAWN: Final[dict[str, Draw]] = {
    "◇": lambda x, y: [_diamond(x, y, 290), _hole(_diamond(x, y, 190))],
    "◆": lambda x, y: [_diamond(x, y, 290)],
    "●": lambda x, y: [_circle(x, y, 225)],
    "○": lambda x, y: [_circle(x, y, 235), _hole(_circle(x, y, 165))],
    "◎": lambda x, y: [_circle(x, y, 275), _hole(_circle(x, y, 205)), _circle(x, y, 105)],
    "■": lambda x, y: [_square(x, y, 225)],
    "□": lambda x, y: [_square(x, y, 230), _hole(_square(x, y, 160))],
    "✕": _cross,
    "░": _hatch,
    "▸": lambda x, y: [[(x - 130, y - 190), (x - 130, y + 190), (x + 190, y)]],
}
"""The signs of the lane pictures, around a middle, in thousandths of the type size."""


def _draw(font: TTFont, cell: int) -> None:
    scale = font["head"].unitsPerEm / 1000
    middle = font["OS/2"].sCapHeight / 2
    table = font["glyf"]
    order = font.getGlyphOrder()
    for sign, draw in DRAWN.items():
        name = f"lane{ord(sign):04X}"
        pen = TTGlyphPen(None)
        for polygon in draw(cell / 2, middle / scale):
            points = [(round(x * scale), round(y * scale)) for x, y in polygon]
            pen.moveTo(points[0])
            for point in points[1:]:
                pen.lineTo(point)
            pen.closePath()
        table[name] = pen.glyph()
        table[name].recalcBounds(table)
        font["hmtx"][name] = (round(cell * scale), table[name].xMin)
        order = [*[old for old in order if old != name], name]
        for cmap in font["cmap"].tables:
            if cmap.isUnicode():
                cmap.cmap[ord(sign)] = name
        if "gvar" in font:
            font["gvar"].variations[name] = []
    font.setGlyphOrder(order)
    if "HVAR" in font:  # says again what gvar says, and does not know the new glyphs
        del font["HVAR"]


def _rename(font: TTFont, face: Face) -> None:
    names = font["name"]
    for record in list(names.names):
        if record.nameID not in (0, 13, 14):
            names.removeNames(nameID=record.nameID)
    style = "Italic" if "italic" in face.file else "Regular"
    for number, text in {
        1: face.family,
        2: style,
        3: f"{face.family} {face.file}",
        4: f"{face.family} {style}",
        6: f"{face.family.replace(' ', '')}-{style}",
    }.items():
        names.setName(text, number, 3, 1, 0x409)


def make(face: Face, sources: Path, target: Path) -> int:
    """Write one face and return its size in bytes."""
    font: Any = TTFont(sources / face.source, recalcTimestamp=False)
    options = subset.Options()
    options.layout_features = FEATURES
    options.hinting = False
    options.name_IDs = ["*"]
    options.notdef_outline = True
    cut = subset.Subsetter(options)
    cut.populate(unicodes=face.unicodes)
    cut.subset(font)
    font = instancer.instantiateVariableFont(font, face.axes)
    _draw(font, face.cell)
    _rename(font, face)
    font.flavor = "woff2"
    path = target / f"{face.file}.woff2"
    font.save(path)
    return path.stat().st_size


def main(arguments: list[str]) -> None:
    """Make every face from the folder that holds the unpacked packages."""
    sources, target = Path(arguments[0]), DOCS / "assets" / "fonts"
    for face in FACES:
        print(f"{make(face, sources, target):6d}  {face.file}.woff2")


if __name__ == "__main__":
    main(sys.argv[1:])
