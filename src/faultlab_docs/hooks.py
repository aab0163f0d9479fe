"""What the build adds around the pages: programs to download, pictures for the lab page,
a Markdown twin of each page, llms.txt, and a line that counts what was executed."""

import json
import logging
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from faultlab import snippets
from faultlab_docs import (
    async_page,
    contract_page,
    extension,
    lab_page,
    pictures,
    quotes,
    report_page,
    twins,
)

log = logging.getLogger("mkdocs.plugins.faultlab")

UNUSED = ("assets/javascripts/", "assets/stylesheets/", "assets/images/")
"""The theme's own script, sheet and pictures: no page loads them, so the site leaves them out."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Start the counts anew: `mkdocs serve` builds many times in one process."""
    extension.TALLY.__init__()  # type: ignore[misc]
    extension.TWINS.clear()
    extension.PUBLISHED_FILES.clear()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Publish the snippets and the lab's pictures as files of the site."""
    for file in list(files):
        if file.src_uri.startswith(UNUSED):
            files.remove(file)
    for snippet in snippets.snippets().values():
        stem = f"snippets/{snippet.id.replace('-', '_')}"
        files.append(File.generated(config, f"{stem}.py", content=snippet.program))
        files.append(File.generated(config, f"{stem}.expected.txt", content=snippet.expected))
    for path, snippet_id in report_page.PUBLISHED.items():
        files.append(File.generated(config, path, content=report_page.page(snippet_id)))
    for name, shown in (
        ("lab", lab_page.data()),
        ("async", async_page.data()),
        ("contract", contract_page.data()),
    ):
        text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
        files.append(File.generated(config, f"assets/{name}-pictures.json", content=text))
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Count a figure's ids among the page's anchors: MkDocs sees only those in its Markdown."""
    page.present_anchor_ids = (page.present_anchor_ids or set()) | set(
        re.findall(r'<[a-z]+ [^>]*\bid="([^"]+)"', html)
    )
    return html


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Any
) -> dict[str, Any]:
    """Tell the template where the page's Markdown twin is."""
    context["twin"] = twins.twin_of(page.file.src_uri)
    if "hero" in page.meta:
        run = quotes.resolve(f"{page.meta['hero']}#", f"docs/{page.file.src_uri}")
        context["opener"] = pictures.opener(run)
    return context


def on_post_build(config: MkDocsConfig) -> None:
    """Write twins and llms.txt, and count."""
    site = Path(config.site_dir)
    for name, text in extension.PUBLISHED_FILES.items():
        path = site / "files" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    twins.write(site, config)
    tally = extension.TALLY
    for difference in tally.differing:
        log.warning("an example prints something else: %s", difference)
    log.info(
        "%d pages, %d examples executed, %d quotes compared, %d differ",
        tally.pages,
        tally.examples,
        tally.quotes,
        len(tally.differing),
    )
