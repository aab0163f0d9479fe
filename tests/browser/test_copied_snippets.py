"""What a reader copies or downloads is the complete program, and it prints what the page says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from faultlab import snippets

if TYPE_CHECKING:
    from tests.browser.conftest import Visitor

ROOT: Final = Path(__file__).resolve().parents[2]
FIGURE: Final = "figure.fl-code[data-snippet]"


def printed(name: str, program: str, folder: Path) -> str:
    """What a program prints in a fresh interpreter, started somewhere else."""
    path = folder / f"{name.replace('-', '_')}.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(path)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_copy_and_download_give_the_same_program_and_it_prints_what_the_page_shows(
    visit: Visitor, page_with_snippets: str, tmp_path: Path
) -> None:
    page = visit(page_with_snippets, permissions=["clipboard-read", "clipboard-write"])
    seen = set()
    for figure in page.locator(FIGURE).all():
        name = figure.get_attribute("data-snippet") or ""
        href = figure.locator("a.fl-download").get_attribute("href") or ""
        downloaded = page.request.get(urljoin(page.url, href)).text()
        page.evaluate("navigator.clipboard.writeText('nothing yet')")
        figure.get_by_role("button", name="Copy the program").click()
        figure.locator(".fl-copied", has_text="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == downloaded == snippets.get(name).program, name
        if name not in seen:
            assert printed(name, copied, tmp_path) == snippets.get(name).expected, name
        seen.add(name)
    assert seen


def test_every_snippet_is_on_a_page_that_is_tested(sources: dict[str, str]) -> None:
    shown = " ".join(sources.values())
    assert snippets.snippets()
    for name in snippets.snippets():
        assert f'--8<-- "{name.replace("-", "_")}.py' in shown, name
