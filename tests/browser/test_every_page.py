"""What holds for every page of the site, whatever is on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

    from tests.browser.conftest import Visitor

    Opened = tuple[Page, Visitor]

SUB_PATH: Final = "somewhere/else/"
COLOURS: Final = ("color-contrast", "link-in-text-block")
STICKING_OUT: Final = """() => {
    const root = document.documentElement;
    const scrolls = (e) => /auto|scroll|hidden|clip/.test(getComputedStyle(e).overflowX);
    const held = (e) => {
        for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
            if (scrolls(p)) return true;
        }
        return false;
    };
    const wide = [...document.querySelectorAll("main *")]
        .filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !held(e))
        .map((e) => e.outerHTML.slice(0, 120));
    return root.scrollWidth > root.clientWidth ? [`page: ${root.scrollWidth}`, ...wide] : wide;
}"""

MOVING: Final = """() => [...document.querySelectorAll("*")].filter((e) => {
    const style = getComputedStyle(e);
    return [style.transitionDuration, style.animationDuration]
        .some((times) => times.split(",").some((time) => parseFloat(time) > 0.01));
}).map((e) => e.outerHTML.slice(0, 80))"""
DRAWN: Final = """found => found.filter((e) => getComputedStyle(e).display !== "none").map((e) => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    const ground = getComputedStyle(document.body).backgroundColor;
    const drawn = [style.fill, style.stroke].some((c) => c !== "none" && c !== ground);
    return box.width > 3 && box.height > 3 && drawn;
})"""


def test_the_sitemap_names_every_page_of_the_checkout_and_no_other(
    addresses: list[str], sources: dict[str, str]
) -> None:
    assert sorted(addresses) == sorted([*sources, "404.html"])
    assert len(addresses) > 5


def test_a_page_asks_nobody_else_and_reports_no_error(opened: Opened) -> None:
    _, visitor = opened
    assert len(visitor.requests) >= 3
    assert visitor.outside == []
    assert visitor.errors == []


def test_a_page_has_no_violation_that_axe_finds(opened: Opened) -> None:
    page, _ = opened
    assert_no_violation(page)


def test_a_page_never_scrolls_sideways(opened: Opened) -> None:
    page, _ = opened
    found = {}
    for width in (375, 320):  # a phone; 1280 pixels at 400 %
        page.set_viewport_size({"width": width, "height": 700})
        found[width] = page.evaluate(STICKING_OUT)
    page.set_viewport_size({"width": 1280, "height": 720})
    assert found == {375: [], 320: []}


def test_a_page_prints_its_article_without_the_navigation(opened: Opened) -> None:
    page, _ = opened
    page.emulate_media(media="print")
    around = page.locator("nav, header, button, input, [role=search]")
    assert around.count() > 2
    printed = [e.evaluate("e => e.outerHTML.slice(0, 80)") for e in around.all() if e.is_visible()]
    assert printed == []
    assert page.locator("article h1").is_visible()
    assert all(picture.is_visible() for picture in page.locator("article svg.fl-lanes").all())
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="screen")


def test_nothing_moves_for_readers_who_asked_for_no_motion(opened: Opened) -> None:
    page, _ = opened
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(MOVING) == []


def test_the_dark_page_is_dark_and_has_no_violation_that_axe_finds(opened: Opened) -> None:
    page, _ = opened
    assert brightness(page) > 600
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.reload(wait_until="load")
    assert brightness(page) < 200
    assert_no_violation(page, rules=COLOURS)  # all that differs from the light page


def test_the_first_tab_shows_a_link_past_the_navigation(opened: Opened, address: str) -> None:
    page, _ = opened
    page.reload(wait_until="load")
    page.keyboard.press("Tab")
    href, seen = page.evaluate(
        """() => {
            const e = document.activeElement, box = e.getBoundingClientRect();
            return [e.getAttribute("href") ?? "", box.width * box.height > 0 && box.bottom > 0];
        }"""
    )
    assert href.startswith("#") or address == "404.html"  # which is one line and its links
    assert seen


@pytest.mark.parametrize("path", ["", "try/failure-lab/", "try/async-failure-lab/"])
def test_a_page_works_below_a_path_as_well(visit: Visitor, path: str) -> None:
    page = visit(SUB_PATH + path)
    page.wait_for_load_state("networkidle")
    assert len(visit.requests) >= 3
    assert [url for url in visit.requests if f"/{SUB_PATH}" not in url] == []


@pytest.mark.parametrize("path", ["understand/what-remains/", "try/failure-lab/"])
def test_the_marks_of_a_picture_survive_forced_colours(visit: Visitor, path: str) -> None:
    page = visit(path, forced_colors="active")
    picture = page.locator("svg.fl-lanes").first
    marks = picture.locator(".mark, .ring, .cross").evaluate_all(DRAWN)
    assert len(marks) > 5
    assert all(marks)
    assert len(picture.screenshot()) > 2_000


def assert_no_violation(page: Page, rules: Sequence[str] = ()) -> None:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": list(rules)} if rules else None)
    assert len(found.response["passes"]) >= (1 if rules else 11)  # it did look
    assert found.violations_count == 0, found.generate_report()


def brightness(page: Page) -> int:
    """Red, green and blue of the page's ground, added up."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in colour.strip("rgba()").split(",")[:3])
