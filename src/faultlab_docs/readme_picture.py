"""The README's lane picture of a saved run, as SVG files for light and for dark.

A README has no style sheet: the rules for lane pictures are taken from the site's own, and each
tone is replaced by its colour in one scheme.
"""

import re
from collections.abc import Iterator
from typing import Final

from faultlab.lab_runs import SavedRun
from faultlab_docs import pictures
from faultlab_docs.places import DOCS

SCHEMES: Final = ("light", "dark")
FONTS: Final = {"sans": "ui-sans-serif,system-ui,sans-serif", "code": "ui-monospace,monospace"}
MARGIN: Final = 14
NOT_HERE: Final = r"\.fl-lanes |\n"
# Whatever face is there may be wider than the site's: smaller heads keep apart.
OWN_RULES: Final = (
    "text{font-family:var(--fl-sans)}text.place{font-family:var(--fl-code)}"
    "text.head{font-size:10.5px}.w{display:none}.paper{fill:var(--fl-paper)}"
)


def files(run: SavedRun) -> Iterator[tuple[str, str]]:
    """Each picture's path below docs/, and its text."""
    sheet = (DOCS / "assets" / "faultlab.css").read_text(encoding="utf-8")
    for scheme in SCHEMES:
        yield f"assets/readme-{scheme}.svg", picture(run, style(sheet, scheme))


def picture(run: SavedRun, rules: str) -> str:
    """The run's picture as a file that stands alone, on paper of its own."""
    start, end, inner = pictures.trace(run).partition(">")
    width, height = (int(size) for size in re.findall(r'\b(?:width|height)="(\d+)"', start))
    label = re.sub(r'^.*(aria-label="[^"]*").*$', r"\1", start)
    width, height = width + 2 * MARGIN, height + 2 * MARGIN
    box = f'width="{width}" height="{height}" viewBox="{-MARGIN} {-MARGIN} {width} {height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {box} {label}{end}'
        f"<style>{rules}</style>"
        f'<rect class="paper" x="{-MARGIN}" y="{-MARGIN}" width="100%" height="100%" rx="6"/>'
        f"{inner}\n"
    )


def style(sheet: str, scheme: str) -> str:
    """The style sheet's rules for lane pictures, with one scheme's colours in them."""
    pairs = re.findall(r"--fl-(\w+): light-dark\((#\w+), (#\w+)\)", sheet)
    values = FONTS | {name: (light, dark)[scheme == "dark"] for name, light, dark in pairs}
    rules = re.findall(r"((?:^\.fl-lanes [^{}]+)+) \{\n(.*?)^\}", sheet, re.MULTILINE | re.DOTALL)
    taken = "".join(
        f"{re.sub(NOT_HERE, '', where)}{{{' '.join(body.split())}}}" for where, body in rules
    )
    return re.sub(r"var\(--fl-(\w+)\)", lambda found: values[found[1]], taken + OWN_RULES)
