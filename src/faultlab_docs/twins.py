"""A Markdown twin of each page, with the real outputs in place of the fences, and llms.txt."""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from faultlab_docs import extension, fences, figures
from faultlab_docs.places import DOCS


def text(page: str) -> str:
    """A page's Markdown with every fence replaced by what it shows."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    for line, (fence, twin) in sorted(extension.TWINS.get(page, {}).items(), reverse=True):
        length = fence.body.count("\n") + 3 if fence.body else 2
        lines[line - 1 : line - 1 + length] = twin.split("\n")
    whole = "\n".join(lines) + "\n"
    whole = re.sub(r"\A---\n.*?\n---\n+", "", whole, flags=re.DOTALL)
    return _LINK.sub(lambda match: f"]({_from_twin(page, match[1])}{match[2] or ''})", whole)


_LINK = re.compile(r"\]\(((?:run:)?[^)\s#:]+)(#[^)]*)?\)")


def _from_twin(page: str, target: str) -> str:
    """A page's relative link, or the address of a saved run, seen from the page's twin."""
    if target.startswith("run:"):
        target = figures.record_href(page, target.removeprefix("run:"))
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if path.endswith(".md"):
        path = twin_of(path)
    return posixpath.relpath(path, posixpath.dirname(twin_of(page)) or ".")


def twin_of(page: str) -> str:
    """Where the twin of a page is, relative to the site's root."""
    if posixpath.basename(page) == "index.md":
        return page
    return f"{page.removesuffix('.md')}/index.md"


def write(site: Path, config: MkDocsConfig) -> None:
    """Write every twin beside its page, and llms.txt with a line for each."""
    base = (config.site_url or "").rstrip("/")
    entries = []
    for page in fences.pages():
        source = (DOCS / page).read_text(encoding="utf-8")
        destination = twin_of(page)
        path = site / destination
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(page), encoding="utf-8")
        entries.append(f"- [{_title(source)}]({base}/{destination}): {_description(source)}")
    head = f"# {config.site_name}\n\n> {config.site_description}\n\n## Pages\n\n"
    (site / "llms.txt").write_text(head + "\n".join(entries) + "\n", encoding="utf-8")


def _title(source: str) -> str:
    found = re.search(r"^# (.+)$", source, flags=re.MULTILINE)
    return found[1] if found else "faultlab"


def _description(source: str) -> str:
    found = re.search(r"^description: (.+)$", source, flags=re.MULTILINE)
    return found[1] if found else ""
