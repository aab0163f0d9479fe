"""Nothing escapes the checks: no fence, section, snippet or page is left out."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from faultlab import snippets
from faultlab_docs import checks, extension, fences, quotes
from faultlab_docs.places import DOCS, ROOT, SNIPPETS

PAGES = fences.pages()
EVERY_PAGE = pytest.mark.parametrize("page", PAGES)


def shown() -> set[tuple[str, str | None, str]]:
    """Snippet, section and page of each include."""
    return {
        (code.snippet.id, code.section, page)
        for page in PAGES
        for fence in fences.read(page)
        if fence.kind == "python" and (code := fences.code(fence)).snippet is not None
    }


def html_of(site: Path, page: str) -> str:
    stem = page.removesuffix(".md").removesuffix("index").rstrip("/")
    return (site / stem / "index.html").read_text(encoding="utf-8")


def outside_code(html: str) -> str:
    """What a reader sees as prose: no scripts, no code blocks."""
    html = re.sub(r"<(script|style|pre)\b.*?</\1>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", html))


# Fences and snippets


@EVERY_PAGE
def test_every_executed_python_block_belongs_to_its_pages_session(page: str) -> None:
    blocks = [fence for fence in fences.read(page) if fence.kind == "python"]
    assert all(fence.executed for fence in blocks)
    session = fences.session(page)
    for fence in blocks:
        assert fences.code(fence).source.strip("\n") in session
    assert bool(blocks) == bool(session)


@EVERY_PAGE
def test_every_unchecked_block_gives_a_reason(page: str) -> None:
    for fence in fences.read(page):
        if fence.kind == "console" and not fence.executed:
            assert len(fence.options["unchecked"].split()) >= 3, fence.place


@EVERY_PAGE
def test_the_strict_reader_sees_every_fence_of_the_raw_page(page: str) -> None:
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    marks = [number for number, line in enumerate(lines, start=1) if "```" in line or "~~~" in line]
    found = []
    for fence in fences.read(page):
        closing = next(n for n in marks if n > fence.line)
        found += [fence.line, closing]
    assert [n for n in marks if re.match(r"\s*(```|~~~)", lines[n - 1])] == found


def test_every_section_of_every_snippet_is_shown_on_some_page() -> None:
    sections = {
        (snippet.id, section)
        for snippet in snippets.snippets().values()
        for section in fences.snippet_sections(snippet.source)
    }
    assert sections
    assert sections - {(name, section) for name, section, _ in shown()} == set()


def test_no_snippet_is_an_orphan() -> None:
    assert set(snippets.snippets()) - {name for name, _, _ in shown()} == set()


def test_the_sections_of_a_snippet_are_opened_and_closed_in_pairs() -> None:
    for path in SNIPPETS.glob("*.py"):
        marks = re.findall(r"--8<-- \[(start|end):([a-z0-9-]+)\]", path.read_text("utf-8"))
        assert len(marks) == path.read_text("utf-8").count("--8<--")
        for opened, closed in zip(marks[::2], marks[1::2], strict=True):
            assert (opened[0], closed[0]) == ("start", "end")
            assert opened[1] == closed[1]


@pytest.mark.parametrize("name", snippets.snippets())
def test_the_page_that_a_snippet_names_really_shows_it(name: str) -> None:
    page = snippets.get(name).page
    candidates = {f"{page}.md", f"{page}/index.md", "index.md" if page == "index" else ""}
    assert candidates & {where for which, _, where in shown() if which == name}


# Pages


def test_every_page_is_in_the_navigation_once() -> None:
    assert sorted(leaves(navigation())) == PAGES


def navigation() -> Any:
    class Loader(yaml.SafeLoader):
        """Skips the functions that mkdocs.yml names."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    Loader.add_constructor("!ENV", lambda *_: None)
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return yaml.load(text, Loader)["nav"]


def leaves(tree: Any) -> list[str]:
    if isinstance(tree, str):
        return [tree]
    below = tree.values() if isinstance(tree, dict) else tree
    return [leaf for branch in below for leaf in leaves(branch)]


def test_every_page_says_in_one_line_what_it_is_about() -> None:
    for page in PAGES:
        head = re.match(r"---\n(.*?)\n---\n", (DOCS / page).read_text("utf-8"), flags=re.DOTALL)
        assert head, page
        # MkDocs shows front matter that is no YAML as text, and says nothing.
        meta = yaml.safe_load(head[1])
        assert set(meta) >= {"title", "description"}, page
        assert len(meta["description"]) > 15, page


# The built site


@EVERY_PAGE
def test_no_markup_is_left_over_in_the_built_page(page: str, site: Path) -> None:
    html = html_of(site, page)
    prose = outside_code(html)
    for leftover in ("```", "~~~", "--8<--", 'exec="', "](run:"):
        assert leftover not in prose
    assert 'href="run:' not in html
    assert "--8&lt;--" not in html


@EVERY_PAGE
def test_the_built_page_shows_every_block_and_every_quote(page: str, site: Path) -> None:
    html = html_of(site, page)
    found = fences.read(page)
    code = [fence for fence in found if fence.kind in ("python", "console", "json")]
    assert html.count('<figure class="fl-figure fl-code') >= len(code)
    assert html.count('class="fl-quote"') == len(quotes.read(page))
    assert html.count("data-snippet=") == sum(
        fences.code(fence).snippet is not None for fence in found if fence.kind == "python"
    )


@EVERY_PAGE
def test_the_built_page_shows_the_output_of_each_executed_block(page: str, site: Path) -> None:
    html = html_of(site, page)
    outputs = [
        unescape(text)
        for text in re.findall(r'<pre tabindex="0"><code>(.*?)</code>', html, flags=re.DOTALL)
    ]
    for fence in fences.read(page):
        if fence.kind == "python" and fences.code(fence).expected:
            assert fences.code(fence).expected in outputs, fence.place


def test_expected_lines_are_shown_only_where_a_file_is_shown_as_it_is(site: Path) -> None:
    for page in PAGES:
        files = [f for f in fences.read(page) if f.kind == "source"]
        examples = "::: " in (DOCS / page).read_text("utf-8")
        if not files and not examples:
            assert "#&gt; " not in html_of(site, page), page


def test_the_reference_shows_the_labs_own_example(site: Path) -> None:
    text = unescape(re.sub(r"<[^>]+>", "", html_of(site, "look-up/api.md")))
    (example,) = [e for e in checks.docstring_examples() if e.path.name == "lab.py"]
    assert example.source.strip() in text


def test_the_site_publishes_each_program_with_its_expected_text(site: Path) -> None:
    for name, snippet in snippets.snippets().items():
        stem = site / "snippets" / name.replace("-", "_")
        assert stem.with_suffix(".py").read_text("utf-8") == snippet.program
        assert stem.with_suffix(".expected.txt").read_text("utf-8") == snippet.expected


@EVERY_PAGE
def test_the_markdown_twin_has_outputs_in_place_of_fences(page: str, site: Path) -> None:
    stem = page.removesuffix(".md").removesuffix("index").rstrip("/")
    twin = (site / stem / "index.md").read_text("utf-8")
    assert "--8<--" not in twin
    assert 'exec="' not in twin
    assert "](run:" not in re.sub(r"`[^`]*`", "", twin)
    fence_lines = [line for line in twin.splitlines() if line.startswith("```")]
    assert fence_lines[1::2] == ["```"] * (len(fence_lines) // 2)
    assert all(line != "```" for line in fence_lines[::2])
    assert len(fence_lines) % 2 == 0
    for fence in fences.read(page):
        if fence.kind == "python":
            assert fences.code(fence).shown.rstrip() in twin


def test_the_build_executed_and_compared_something_and_nothing_differed(
    built: tuple[Path, extension.Tally],
) -> None:
    _, tally = built
    assert tally.pages == len(PAGES)
    assert tally.examples >= 10
    assert tally.quotes >= 40
    assert tally.differing == []
