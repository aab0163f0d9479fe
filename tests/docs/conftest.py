"""The site, built once for all tests of the documentation."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")

from mkdocs.commands.build import build as build_pages
from mkdocs.config import load_config

from faultlab_docs import extension
from faultlab_docs.places import RECORDS, ROOT


def build(site: Path, **changes: Any) -> None:
    """Build the site as `mkdocs build --strict` does, in this process."""
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(site), **changes)
    config.plugins.on_startup(command="build", dirty=False)
    build_pages(config)
    config.plugins.on_shutdown()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, extension.Tally]:
    """A strict build of the real pages: its folder, and what it counted."""
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder, replace(extension.TALLY, differing=list(extension.TALLY.differing))


@pytest.fixture(scope="session")
def site(built: tuple[Path, extension.Tally]) -> Path:
    """The folder of a strict build of the real pages."""
    return built[0]


@pytest.fixture
def build_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Builds a site of one page, strictly, with the site's own Markdown; returns its HTML.

    A plain theme and no plugins but the one that executes: what is tested is the reading.
    """
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "records").symlink_to(RECORDS, target_is_directory=True)
    # The extension reads a page again from its folder, for true line numbers.
    monkeypatch.setattr(extension, "DOCS", docs)

    def from_text(text: str) -> str:
        (docs / "page.md").write_text(text, encoding="utf-8")
        build(
            tmp_path / "site",
            docs_dir=str(docs),
            theme={"name": "mkdocs"},
            plugins=[{"markdown-exec": {"ansi": "off", "languages": []}}],
            hooks=[],
            nav=[{"Page": "page.md"}],
            validation={},
        )
        return (tmp_path / "site" / "page" / "index.html").read_text(encoding="utf-8")

    return from_text
