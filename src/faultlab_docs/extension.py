"""The site's Markdown: executed fences, checked quotes, pictures of saved runs.

A plain Python-Markdown extension, so that it depends on no site generator. Execution itself
goes through markdown-exec's `base_format`, with a runner that sees all that is printed.
"""

import os
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import WeakKeyDictionary
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown_exec import MarkdownConverter, base_format

from faultlab import snippets
from faultlab.naming import nearest
from faultlab_docs import figures, generated, quotes
from faultlab_docs.fences import OPTIONS, Fence, code, file_text, parse
from faultlab_docs.figures import (
    Rendered,
    code_figure,
    output,
    record_href,
    record_link,
    site_relative,
    twin_code,
)
from faultlab_docs.places import DOCS, DocsError
from faultlab_docs.running import Session, run_console


@dataclass
class PageState:
    """What the extension knows of the page that is being rendered.

    Attributes:
        page: Path below docs/.
        session: The namespace of its executed blocks.
        fences: Its fences that are still to be rendered, in order.
        shown: The snippets that stand on it already: the first figure of each is its anchor.
    """

    page: str
    session: Session
    fences: list[Fence] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)


@dataclass
class Tally:
    """Counts over one build: what was executed, and what printed something unexpected."""

    pages: int = 0
    examples: int = 0
    quotes: int = 0
    differing: list[str] = field(default_factory=list)


UNEXECUTED: Final = os.environ.get("FAULTLAB_UNEXECUTED") == "1"
"""Set by bench/bench_build.py alone, to measure what execution costs a build."""

TALLY: Final = Tally()
TWINS: Final[dict[str, dict[int, tuple[Fence, str]]]] = {}
"""Per page and line, what stands in a fence's place in the page's Markdown twin."""
PUBLISHED_FILES: Final[dict[str, str]] = {}
"""Files that pages show in full, by name: the build publishes them for download."""

_states: "WeakKeyDictionary[Markdown, PageState]" = WeakKeyDictionary()


def page_of(md: Markdown) -> str | None:
    """The page that an instance renders, or None if it renders a docstring.

    A caption is rendered by an instance of its own, which remembers the page's.
    """
    page_md: Markdown = getattr(md, "_original_md", md)
    if "relpath" not in page_md.treeprocessors:
        return None
    relpath: Any = page_md.treeprocessors["relpath"]  # MkDocs' own, which knows the file
    return str(relpath.file.src_uri)


def _is_page(md: Markdown) -> bool:
    # mkdocstrings hands `relpath` on to the instances that render docstrings; this one it keeps.
    return "mkdocs_extract_title" in md.treeprocessors


class _Reader(Preprocessor):
    """Reads all fences before superfences does, so that a misspelt one can't pass as text."""

    def run(self, lines: list[str]) -> list[str]:
        page = page_of(self.md)
        if page is not None and _is_page(self.md):
            state = PageState(page=page, session=Session(page))
            source = _source(page, lines)
            state.fences = list(parse(source, page))
            # The tree below no longer knows lines, so a wrong quote is reported from here.
            for quote in quotes.find(source, page):
                quotes.check(quote.text, quote.address, quote.place)
            _states[self.md] = state
            TALLY.pages += 1
        return lines


def _source(page: str, lines: list[str]) -> str:
    # The front matter is gone here; blank lines in its place keep line numbers true. Both sides
    # count what follows the last newline as a line, as Markdown does.
    path = DOCS / page
    if not path.is_file():
        return "\n".join(lines)
    whole = path.read_text(encoding="utf-8").split("\n")
    return "\n".join([""] * (len(whole) - len(lines)) + list(lines))


class _Quotes(Treeprocessor):
    """Compares each `run:` link with its saved run, and turns it into a link to that run."""

    def run(self, root: Element) -> None:
        page = page_of(self.md)
        if page is None:
            return
        for link in root.iter("a"):
            href = link.get("href", "")
            if href.startswith("run:"):
                address = href.removeprefix("run:")
                quotes.check("".join(link.itertext()), address, f"docs/{page}")
                href = record_href(page, address)
                # MkDocs turns the page's own links into addresses, a caption's it does not see.
                link.set("href", href if _is_page(self.md) else site_relative(page, href))
                link.set("class", "fl-quote")
                TALLY.quotes += 1


class FaultlabExtension(Extension):
    """Registers reader and quotes; the fences are custom fences of superfences."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors.register(_Reader(md), "faultlab_reader", 175)
        md.treeprocessors.register(_Quotes(md), "faultlab_quotes", 5)


def makeExtension(**options: Any) -> FaultlabExtension:
    """Python-Markdown's way to ask a module for its extension."""
    return FaultlabExtension(**options)


def validate(
    language: str,
    inputs: dict[str, str],
    options: dict[str, Any],
    attrs: dict[str, Any],  # noqa: ARG001
    md: Markdown,
) -> bool:
    """Superfences asks whether a fence is ours: every fence of a page is."""
    if md not in _states:
        return False
    for name in inputs:
        if name not in OPTIONS[language]:
            raise DocsError(
                f"docs/{_states[md].page}",
                f"a {language} fence has no option {name!r}.{nearest(name, OPTIONS[language])}",
            )
    options.update(inputs)
    return True


def render(
    source: str,
    language: str,
    css_class: str,  # noqa: ARG001
    options: dict[str, Any],  # noqa: ARG001
    md: Markdown,
    **_: Any,
) -> str:
    """Superfences asks for a fence's HTML."""
    state = _states[md]
    fence = state.fences.pop(0)
    if fence.kind != language or fence.body.strip() != source.strip():
        raise DocsError(
            fence.place, f"superfences met another {language} block here. Start it in column 1."
        )
    try:
        html, twin = _RENDER[fence.kind](fence, state, md)
    except DocsError:
        raise
    except Exception as error:  # superfences would show the block as text and say nothing
        raise DocsError(fence.place, f"{type(error).__name__}: {error}") from error
    TWINS.setdefault(state.page, {})[fence.line] = (fence, twin)
    return html


def _python(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    found = code(fence)
    printed = ""

    def run(program: str, **_: Any) -> str:
        nonlocal printed
        printed = (
            found.expected if UNEXECUTED else state.session.run(program, fence.place, found.snippet)
        )
        return output(printed)

    shown = base_format(
        language="python",
        run=run,
        code=fence.body,
        md=md,
        html=True,
        source="above",
        transform_source=lambda _: (found.source, found.shown),
    )
    TALLY.examples += 1
    if found.expected != printed:
        TALLY.differing.append(f"{fence.place}: expected {found.expected!r}, printed {printed!r}")
    data, links = "", ""
    if found.snippet is not None:
        anchor = "" if found.snippet.id in state.shown else f' id="{found.snippet.id}"'
        state.shown.add(found.snippet.id)
        data = f'{anchor} data-snippet="{found.snippet.id}"'
        links = _snippet_links(state.page, found.snippet)
    html = code_figure(
        "fl-code", str(shown), fence.options.get("caption", ""), "executed", links, data
    )
    return html, twin_code("python", found.shown, printed)


def _snippet_links(page: str, snippet: snippets.Snippet) -> str:
    file = f"snippets/{snippet.id.replace('-', '_')}.py"
    href = site_relative(page, posixpath.relpath(file, posixpath.dirname(page) or "."))
    return (
        f'<a class="fl-download" href="{href}" download>Download the program</a>'
        f'<span class="fl-snippet-id">snippet <code>{snippet.id}</code></span>'
    )


def _highlight(md: Markdown, source: str, language: str) -> str:
    fenced: Any = md.preprocessors["fenced_code_block"]
    return str(
        fenced.highlight(
            src=source, language=language, options={}, md=md, classes=[], id_value="", attrs={}
        )
    )


def _console(fence: Fence, state: PageState, md: Markdown) -> Rendered:  # noqa: ARG001
    shown = _highlight(md, fence.body, "console")
    caption = fence.options.get("caption", "")
    if not fence.executed:
        return code_figure("fl-code fl-console", shown, caption, ""), twin_code(
            "console", fence.body
        )
    TALLY.examples += 1
    printed = "" if UNEXECUTED else run_console(fence)
    html = code_figure("fl-code fl-console", shown + output(printed), caption, "executed")
    return html, twin_code("console", fence.body, printed)


def _json(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    if "file" in fence.options:
        return _file(fence, state, md)
    quotes.check_block(fence)
    TALLY.quotes += 1
    link = record_link(state.page, fence.options["quote"])
    shown = _highlight(md, fence.body, "json")
    caption = fence.options.get("caption", "")
    return code_figure("fl-code fl-json", shown, caption, "executed", link), twin_code(
        "json", fence.body
    )


def _file(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    language = {"source": "python"}.get(fence.kind, fence.kind)
    path, text = file_text(fence)
    PUBLISHED_FILES[path.name] = text
    file = posixpath.relpath(f"files/{path.name}", posixpath.dirname(state.page) or ".")
    link = (
        f'<a class="fl-download" href="{site_relative(state.page, file)}" download>'
        f"Download {path.name}</a>"
    )
    caption = fence.options.get("caption", "")
    shown = _highlight(md, text, language)
    return code_figure("fl-code fl-file", shown, caption, "", link), twin_code(language, text)


_LINK: Final = re.compile(r"\]\(([^)\s#:]+(?:#[^)\s]*)?)\)")
"""A relative link to a file, as the parts that are generated write it."""


def _generated(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    text = generated.markdown(fence.options["by"], fence.place)
    # MkDocs turns a page's own links into addresses, a generated part's it does not see.
    linked = _LINK.sub(lambda m: f"]({site_relative(state.page, _address(m[1]))})", text)
    return f'<div class="fl-generated">{MarkdownConverter(md).convert(linked)}</div>', text


def _address(link: str) -> str:
    """Where the page is published that a link names by its source."""
    file, hash_, anchor = link.partition("#")
    if file.endswith(".md"):
        file = f"{file.removesuffix('.md')}/"
    return f"{file}{hash_}{anchor}"


_RENDER: Final[dict[str, Callable[[Fence, PageState, Markdown], Rendered]]] = {
    "python": _python,
    "console": _console,
    "json": _json,
    "yaml": _file,
    "source": _file,
    "figure": lambda fence, _, md: figures.render(fence, md),
    "generated": _generated,
}
