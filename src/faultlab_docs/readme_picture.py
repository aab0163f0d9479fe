"""The README's lane picture of a saved run, as SVG files for light and for dark.

A picture in a README has no style sheet: its colours stand in the file.
"""

from collections.abc import Iterator
from typing import Final

from faultlab.lab_runs import SavedRun
from faultlab_docs import pictures

WIDTH: Final = 430
FONT: Final = "ui-sans-serif, system-ui, sans-serif"
CODE_FONT: Final = "ui-monospace, monospace"

COLOURS: Final[dict[str, dict[str, str]]] = {
    "light": {
        "ink": "#221e19",
        "soft": "#5b5449",
        "rule": "#8f8472",
        "asked": "#7d5200",
        "happened": "#a8321b",
        "known": "#146048",
    },
    "dark": {
        "ink": "#e6dfd1",
        "soft": "#aaa596",
        "rule": "#737d8c",
        "asked": "#d6a546",
        "happened": "#f08a6c",
        "known": "#6cc3a0",
    },
}


def files(run: SavedRun) -> Iterator[tuple[str, str]]:
    """Each picture's path below docs/, and its text."""
    for scheme, colours in COLOURS.items():
        yield f"assets/readme-{scheme}.svg", picture(run, colours)


def picture(run: SavedRun, colours: dict[str, str]) -> str:
    """The run's picture as a file that stands alone."""
    start, end, inner = pictures.trace(run).partition(">")
    height = start.partition('height="')[2].partition('"')[0]
    label = start.partition('aria-label="')[2].partition('"')[0]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" aria-label="{label}"{end}'
    )
    return f"{head}<style>{_style(colours)}</style>{inner}\n"


def _style(colours: dict[str, str]) -> str:
    return (
        f"text{{font:13px {FONT};fill:{colours['ink']}}}"
        f".head{{font-size:10px;fill:{colours['soft']}}}"
        f".place{{font-family:{CODE_FONT}}}.note{{font-size:12px;fill:{colours['soft']}}}"
        f".faint{{fill:{colours['soft']}}}.w{{display:none}}"
        f"path,.ring{{fill:none}}.arrow.lost{{stroke-dasharray:3 3}}"
        f".lane{{stroke:{colours['rule']};stroke-width:1.5}}"
        f".lane.r,.bar,.cross,.arrow{{stroke:{colours['ink']};fill:none;stroke-width:2}}"
        f".arrow{{stroke-width:1.5}}circle.r{{fill:{colours['ink']}}}"
        f".mark.a{{stroke:{colours['asked']};stroke-width:2}}.met{{fill:{colours['asked']}}}"
        f".after{{stroke:{colours['happened']};stroke-width:3}}"
        f".unmet{{stroke-dasharray:3 3}}.mark.h{{fill:{colours['happened']}}}"
        f".mark.k{{fill:{colours['known']}}}"
        f".ring{{fill:none;stroke:{colours['known']};stroke-width:2}}"
        f".unknown rect{{fill:none;stroke:{colours['known']}}}"
        f".unknown path{{stroke:{colours['known']};stroke-width:1.5}}"
    )
