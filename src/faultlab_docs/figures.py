"""The figures of pages: of code, and of saved runs as pictures, maps and the labs' pages."""

import posixpath
from collections.abc import Callable
from html import escape
from typing import Any, Final

from markdown import Markdown
from markdown_exec import MarkdownConverter

from faultlab import async_lab, idempotency, idempotency_account
from faultlab.lab_account import account, map_account
from faultlab.naming import nearest
from faultlab_docs import (
    async_page,
    checklist_page,
    contract_map,
    contract_page,
    lab_page,
    pictures,
    quotes,
)
from faultlab_docs.fences import Fence
from faultlab_docs.places import DocsError

Rendered = tuple[str, str]
"""A fence's HTML, and what stands in its place in the page's Markdown twin."""


def record_href(page: str, address: str) -> str:
    """From a page's source to a saved run's file, as MkDocs wants relative links."""
    file, _, pointer = address.partition("#")
    here = posixpath.dirname(page) or "."
    return posixpath.relpath(f"records/{file}.json", here) + (f"#{pointer}" if pointer else "")


def site_relative(page: str, relative: str) -> str:
    """A link relative to the published page, which directory URLs put one level deeper."""
    return relative if posixpath.basename(page) == "index.md" else f"../{relative}"


def record_link(page: str, address: str) -> str:
    """The link from a figure to the saved run that it shows."""
    href = site_relative(page, record_href(page, address))
    return f'<a class="fl-source" href="{escape(href)}">saved run</a>'


def twin_code(language: str, source: str, printed: str = "") -> str:
    """Code and what it printed, as Markdown."""
    text = f"```{language}\n{source.rstrip()}\n```"
    return f"{text}\n\nOutput:\n\n```text\n{printed.rstrip()}\n```" if printed else text


def output(text: str) -> str:
    """What a block printed, as the lower part of its figure."""
    if not text:
        return ""
    return (
        '<div class="fl-output"><p class="fl-output-label">Output</p>'
        f'<pre tabindex="0"><code>{escape(text)}</code></pre></div>'
    )


def code_figure(
    kind: str, inner: str, caption: str, provenance: str, links: str = "", data: str = ""
) -> str:
    """Code and what it printed as one figure, with its caption, provenance and links."""
    words = f'<span class="fl-caption">{escape(caption)}</span>' if caption else ""
    mark = f'<span class="fl-kind fl-{provenance}">{provenance}</span>' if provenance else ""
    return (
        f'<figure class="fl-figure {kind}"{data}>{inner}'
        f"<figcaption>{mark}{words}{links}</figcaption></figure>"
    )


def render(fence: Fence, md: Markdown) -> Rendered:
    """A figure fence's HTML and its twin.

    Raises:
        DocsError: There is no such kind of figure, or it lacks a saved run.
    """
    kind, place = fence.options["kind"], fence.place
    if kind not in _FIGURES:
        raise DocsError(
            place, f"a figure's kind is {_KINDS}, not {kind!r}.{nearest(kind, _FIGURES)}"
        )
    needed, draw = _FIGURES[kind]
    for name in needed:
        if name not in fence.options:
            raise DocsError(place, f'a {kind} figure needs {name}="lab/…". Add it.')
    runs = [quotes.resolve(f"{fence.options[name]}#", place) for name in needed]
    return draw(fence, runs, md)


def _map(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:  # noqa: ARG001
    the_map = quotes.resolve("lab/map#", fence.place)
    link = record_link(fence.page, "lab/map")
    html = _prose_figure("fl-mapfigure", pictures.lab_map(the_map), fence, md, link)
    return html, twin_code("text", map_account(the_map)) + f"\n\n{fence.body.strip()}"


def _traces(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:
    addresses = [fence.options[name] for name in ("run", "other")[: len(runs)]]
    inner = "".join(
        pictures.figure(
            run,
            title=address.rpartition("/")[2],
            href=site_relative(fence.page, record_href(fence.page, address)),
        )
        for run, address in zip(runs, addresses, strict=True)
    )
    told = "\n\n".join(twin_code("text", account(run)) for run in runs)
    html = _prose_figure(f"fl-picture fl-{fence.options['kind']}", inner, fence, md, "")
    return html, f"{told}\n\n{fence.body.strip()}"


def _lab(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:
    command = lab_page.COMMAND.format(**runs[0]["scenario"]).removesuffix(" --json")
    told = twin_code("console", f"$ {command}", account(runs[0]))
    link = record_link(fence.page, "lab/map")
    inner = lab_page.html(runs[0], _assets(fence.page))
    return _prose_figure("fl-labfigure", inner, fence, md, link), f"{told}\n\n{fence.body.strip()}"


def _async_lab(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:
    commands = [async_page.COMMAND.format(**run).removesuffix(" --json") for run in runs]
    told = "\n\n".join(
        twin_code("console", f"$ {command}", async_lab.account(run))
        for command, run in zip(commands, runs, strict=True)
    )
    inner = async_page.html(runs[0], runs[1], assets=_assets(fence.page))
    link = record_link(fence.page, fence.options["run"])
    return _prose_figure("fl-labfigure", inner, fence, md, link), f"{told}\n\n{fence.body.strip()}"


def _async_table(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:  # noqa: ARG001
    told = twin_code("console", "$ faultlab async --all", async_lab.table())
    html = _prose_figure("fl-mapfigure", async_page.table(), fence, md, "")
    return html, f"{told}\n\n{fence.body.strip()}"


def _contract(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:  # noqa: ARG001
    account = idempotency_account.account(idempotency.experiment())
    told = twin_code("console", "$ faultlab idempotency", account)
    inner = contract_page.html(assets=_assets(fence.page))
    link = record_link(fence.page, "idempotency/map")
    return _prose_figure("fl-labfigure", inner, fence, md, link), f"{told}\n\n{fence.body.strip()}"


def _contract_map(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:  # noqa: ARG001
    told = twin_code("console", "$ faultlab idempotency --all", idempotency_account.table())
    link = record_link(fence.page, "idempotency/map")
    html = _prose_figure("fl-mapfigure", contract_map.map_html(), fence, md, link)
    return html, f"{told}\n\n{fence.body.strip()}"


def _checklist(fence: Fence, runs: list[Any], md: Markdown) -> Rendered:  # noqa: ARG001
    return checklist_page.html(fence.page, _assets(fence.page)), checklist_page.twin()


def _assets(page: str) -> str:
    return site_relative(page, posixpath.relpath("assets", posixpath.dirname(page) or "."))


def _prose_figure(kind: str, inner: str, fence: Fence, md: Markdown, links: str) -> str:
    caption = fence.body.strip()
    words = str(MarkdownConverter(md).convert(caption)) if caption else ""
    return (
        f'<figure class="fl-figure {kind}">{inner}<figcaption>'
        f'<span class="fl-kind fl-executed">executed</span>'
        f'<div class="fl-caption">{words}</div>{links}</figcaption></figure>'
    )


_FIGURES: Final[
    dict[str, tuple[tuple[str, ...], Callable[[Fence, list[Any], Markdown], Rendered]]]
] = {
    "trace": (("run",), _traces),
    "pair": (("run", "other"), _traces),
    "map": ((), _map),
    "lab": (("run",), _lab),
    "async-lab": (("run", "other"), _async_lab),
    "async-table": ((), _async_table),
    "contract": ((), _contract),
    "contract-map": ((), _contract_map),
    "checklist": ((), _checklist),
}
"""Per kind of figure, the options that name its saved runs, and what draws them."""
_KINDS: Final = ", ".join(_FIGURES)
