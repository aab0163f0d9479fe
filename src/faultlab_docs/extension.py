"""The site's Markdown: executed fences, checked quotes, pictures of saved runs.

A plain Python-Markdown extension, so that it depends on no site generator. Execution itself
goes through markdown-exec's `base_format`, with a runner that sees all that is printed.
"""

import os
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final
from weakref import WeakKeyDictionary
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown_exec import MarkdownConverter, base_format

from faultlab import snippets
from faultlab.lab_account import account, map_account
from faultlab.naming import nearest
from faultlab_docs import generated, lab_page, pictures, quotes
from faultlab_docs.fences import OPTIONS, Fence, code, file_text, parse
from faultlab_docs.places import DOCS, DocsError
from faultlab_docs.running import Session, run_console

Rendered = tuple[str, str]
"""A fence's HTML, and what stands in its place in the page's Markdown twin."""


@dataclass
class PageState:
    """What the extension knows of the page that is being rendered.

    Attributes:
        page: Path below docs/.
        session: The namespace of its executed blocks.
        fences: Its fences that are still to be rendered, in order.
    """

    page: str
    session: Session
    fences: list[Fence] = field(default_factory=list)


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
                link.set("href", href if _is_page(self.md) else _site_relative(page, href))
                link.set("class", "fl-quote")
                TALLY.quotes += 1


def record_href(page: str, address: str) -> str:
    """From a page's source to a saved run's file, as MkDocs wants relative links."""
    file, _, pointer = address.partition("#")
    here = posixpath.dirname(page) or "."
    return posixpath.relpath(f"records/{file}.json", here) + (f"#{pointer}" if pointer else "")


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
        printed = found.expected if UNEXECUTED else state.session.run(program, fence.place)
        return _output(printed)

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
        data = f' data-snippet="{found.snippet.id}"'
        links = _snippet_links(state.page, found.snippet)
    html = _figure("fl-code", str(shown), fence.options.get("caption", ""), "executed", links, data)
    return html, _twin_code("python", found.shown, printed)


def _snippet_links(page: str, snippet: snippets.Snippet) -> str:
    file = f"snippets/{snippet.id.replace('-', '_')}.py"
    href = _site_relative(page, posixpath.relpath(file, posixpath.dirname(page) or "."))
    return (
        f'<a class="fl-download" href="{href}" download>Download the program</a>'
        f'<span class="fl-snippet-id">snippet <code>{snippet.id}</code></span>'
    )


def _twin_code(language: str, source: str, printed: str = "") -> str:
    text = f"```{language}\n{source.rstrip()}\n```"
    return f"{text}\n\nOutput:\n\n```text\n{printed.rstrip()}\n```" if printed else text


def _site_relative(page: str, relative: str) -> str:
    """A link relative to the published page, which directory URLs put one level deeper."""
    return relative if posixpath.basename(page) == "index.md" else f"../{relative}"


def _output(text: str) -> str:
    if not text:
        return ""
    return (
        '<div class="fl-output"><p class="fl-output-label">Output</p>'
        f'<pre tabindex="0"><code>{escape(text)}</code></pre></div>'
    )


def _figure(
    kind: str, inner: str, caption: str, provenance: str, links: str = "", data: str = ""
) -> str:
    words = f'<span class="fl-caption">{escape(caption)}</span>' if caption else ""
    mark = f'<span class="fl-kind fl-{provenance}">{provenance}</span>' if provenance else ""
    return (
        f'<figure class="fl-figure {kind}"{data}>{inner}'
        f"<figcaption>{mark}{words}{links}</figcaption></figure>"
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
        return _figure("fl-code fl-console", shown, caption, ""), _twin_code("console", fence.body)
    TALLY.examples += 1
    printed = "" if UNEXECUTED else run_console(fence)
    html = _figure("fl-code fl-console", shown + _output(printed), caption, "executed")
    return html, _twin_code("console", fence.body, printed)


def _json(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    if "file" in fence.options:
        return _file(fence, state, md)
    quotes.check_block(fence)
    TALLY.quotes += 1
    link = _record_link(state.page, fence.options["quote"])
    shown = _highlight(md, fence.body, "json")
    caption = fence.options.get("caption", "")
    return _figure("fl-code fl-json", shown, caption, "executed", link), _twin_code(
        "json", fence.body
    )


def _record_link(page: str, address: str) -> str:
    href = _site_relative(page, record_href(page, address))
    return f'<a class="fl-source" href="{escape(href)}">saved run</a>'


def _file(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    language = {"source": "python"}.get(fence.kind, fence.kind)
    path, text = file_text(fence)
    PUBLISHED_FILES[path.name] = text
    file = posixpath.relpath(f"files/{path.name}", posixpath.dirname(state.page) or ".")
    link = (
        f'<a class="fl-download" href="{_site_relative(state.page, file)}" download>'
        f"Download {path.name}</a>"
    )
    caption = fence.options.get("caption", "")
    shown = _highlight(md, text, language)
    return _figure("fl-code fl-file", shown, caption, "", link), _twin_code(language, text)


def _picture(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    kind = fence.options["kind"]
    caption = fence.body.strip()
    if kind == "map":
        the_map = quotes.resolve("lab/map#", fence.place)
        inner = pictures.lab_map(the_map)
        link = _record_link(state.page, "lab/map")
        html = _prose_figure("fl-mapfigure", inner, caption, md, link)
        return html, _twin_code("text", map_account(the_map)) + f"\n\n{caption}"
    if kind not in ("trace", "pair", "lab"):
        raise DocsError(fence.place, f"a figure's kind is trace, pair, map or lab, not {kind!r}.")
    addresses = []
    for name in ("run", "other") if kind == "pair" else ("run",):
        if name not in fence.options:
            raise DocsError(fence.place, f'a {kind} figure needs {name}="lab/…". Add it.')
        addresses.append(fence.options[name])
    runs = [quotes.resolve(f"{address}#", fence.place) for address in addresses]
    if kind == "lab":
        return _lab(runs[0], state, md, caption)
    inner = "".join(
        pictures.figure(
            run,
            title=address.rpartition("/")[2],
            href=_site_relative(state.page, record_href(state.page, address)),
        )
        for run, address in zip(runs, addresses, strict=True)
    )
    told = "\n\n".join(_twin_code("text", account(run)) for run in runs)
    html = _prose_figure(f"fl-picture fl-{kind}", inner, caption, md, "")
    return html, f"{told}\n\n{caption}"


def _lab(run: Any, state: PageState, md: Markdown, caption: str) -> Rendered:
    assets = posixpath.relpath("assets", posixpath.dirname(state.page) or ".")
    inner = lab_page.html(run, _site_relative(state.page, assets))
    link = _record_link(state.page, "lab/map")
    command = lab_page.COMMAND.format(**run["scenario"]).removesuffix(" --json")
    told = _twin_code("console", f"$ {command}", account(run))
    return _prose_figure("fl-labfigure", inner, caption, md, link), f"{told}\n\n{caption}"


def _prose_figure(kind: str, inner: str, caption: str, md: Markdown, links: str) -> str:
    words = str(MarkdownConverter(md).convert(caption)) if caption else ""
    return (
        f'<figure class="fl-figure {kind}">{inner}<figcaption>'
        f'<span class="fl-kind fl-executed">executed</span>'
        f'<div class="fl-caption">{words}</div>{links}</figcaption></figure>'
    )


_LINK: Final = re.compile(r"\]\(([^)\s#:]+)\)")
"""A relative link to a file, as the parts that are generated write it."""


def _generated(fence: Fence, state: PageState, md: Markdown) -> Rendered:
    text = generated.markdown(fence.options["by"], fence.place)
    # MkDocs turns a page's own links into addresses, a generated part's it does not see.
    linked = _LINK.sub(lambda m: f"]({_site_relative(state.page, m[1])})", text)
    return f'<div class="fl-generated">{MarkdownConverter(md).convert(linked)}</div>', text


_RENDER: Final[dict[str, Callable[[Fence, PageState, Markdown], Rendered]]] = {
    "python": _python,
    "console": _console,
    "json": _json,
    "yaml": _file,
    "source": _file,
    "figure": _picture,
    "generated": _generated,
}
