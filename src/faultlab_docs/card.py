"""The picture that other sites show beside a link to this one: docs/assets/card.png.

`python -m faultlab_docs.card` draws it from a saved run, in the site's own faces and tones,
with the Chromium that is installed. The file is committed: a build needs no browser.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from faultlab_docs import pictures, quotes
from faultlab_docs.places import DOCS

RUN: Final = "lab/native_reply"
WIDTH: Final = 1200
HEIGHT: Final = 630
NAMES: Final = ("chromium", "chromium-browser", "google-chrome")

PAGE: Final = """<!doctype html><html data-scheme="light"><meta charset="utf-8">
<link rel="stylesheet" href="{css}"><style>
body {{ display: flex; gap: 40px; box-sizing: border-box; height: {height}px; margin: 0;
  padding: 64px 72px; overflow: hidden; }}
.words {{ flex: 1; display: flex; flex-direction: column; justify-content: space-between; }}
h1 {{ margin: 0; font: 400 72px/1.06 var(--fl-display); letter-spacing: -0.014em; }}
p {{ margin: 0; font: 400 40px/1 var(--fl-display); }}
em {{ display: block; margin-top: 28px; color: var(--fl-soft);
  font: italic 400 34px/1.3 var(--fl-serif); }}
.fl-lanes {{ flex: none; width: 455px; max-width: none; height: 573px; margin: -18px -40px 0 0; }}
</style><body><div class="words"><h1>The effect happened. The record of it did not.
<em>What is known now? May the next attempt act again?</em></h1><p>faultlab</p></div>
{picture}</body></html>
"""


def page() -> str:
    """The card as an HTML page of its exact size."""
    picture = pictures.trace(quotes.resolve(f"{RUN}#", "card.py"))
    css = (DOCS / "assets" / "faultlab.css").as_uri()
    return PAGE.format(css=css, height=HEIGHT, picture=picture)


def draw(browser: str, target: Path) -> None:
    """Let a Chromium paint the page into a PNG file."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "card.html"
        source.write_text(page(), encoding="utf-8")
        command = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--allow-file-access-from-files",
            "--hide-scrollbars",
            "--virtual-time-budget=2000",
            f"--window-size={WIDTH},{HEIGHT}",
            f"--screenshot={target}",
            source.as_uri(),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


def main() -> None:
    """Draw the card, or say what is missing."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        sys.exit("The card needs a Chromium to be drawn, and none was found. Install chromium.")
    draw(browser, DOCS / "assets" / "card.png")
    print("docs/assets/card.png")


if __name__ == "__main__":
    main()
