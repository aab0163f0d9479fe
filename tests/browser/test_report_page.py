"""The page of a report in a browser: stepped through, without script, on a phone, in the dark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from faultlab.dst import check
from tests.browser.test_every_page import STICKING_OUT, assert_no_violation
from tests.dst import report_programs as programs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

NOW = ".rows > li.now"
PROGRAMS = (programs.transfer_race, programs.lock_order, programs.shipments, programs.careful)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages, each a file and nothing beside it."""
    made = tmp_path_factory.mktemp("reports")
    for program in PROGRAMS:
        html = check(program).to_html()
        (made / f"{program.__name__}.html").write_text(html, encoding="utf-8")
    return made


class Opener:
    """Opens pages from their files; keeps what they asked for and what went wrong."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser = browser
        self.folder = folder
        self.asked: list[str] = []
        self.errors: list[str] = []

    def __call__(self, name: str, **options: Any) -> Page:
        context = self.browser.new_context(**options)
        context.set_default_timeout(5_000)
        context.on("request", lambda request: self.asked.append(request.url))
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        context.on(
            "console",
            lambda said: self.errors.append(said.text) if said.type == "error" else None,
        )
        page = context.new_page()
        page.goto((self.folder / f"{name}.html").as_uri())
        return page


@pytest.fixture
def opened(browser: Browser, folder: Path) -> Iterator[Opener]:
    opener = Opener(browser, folder)
    yield opener
    for context in list(browser.contexts):
        context.close()
    assert opener.errors == []
    assert len(opener.asked) >= 1
    assert all(url.startswith(folder.as_uri()) for url in opener.asked)


def row(page: Page) -> int:
    """The number of the row that is marked, from 1."""
    assert page.locator(NOW).count() == 1
    number: int = page.locator(NOW).evaluate("e => [...e.parentElement.children].indexOf(e) + 1")
    return number


def stands(page: Page) -> dict[str, str]:
    texts: dict[str, str] = page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('.stands > div')]"
        ".map((e) => [e.firstChild.textContent, e.lastChild.textContent]))"
    )
    return texts


def test_buttons_step_through_the_rows_the_source_and_where_each_task_stands(
    opened: Opener,
) -> None:
    page = opened("transfer_race")
    rows = page.locator(".rows > li").count()
    assert row(page) == rows
    assert page.locator(".source .now code").inner_text().strip().startswith("assert account")
    page.get_by_role("button", name="First row").click()
    assert row(page) == 1
    assert stands(page)["Task-2"] == "not begun"
    page.get_by_role("button", name="Jump to decision 1").click()
    assert "◇" in page.locator(NOW).inner_text()
    assert stands(page)["Task-2"].startswith("held at ")
    page.get_by_role("button", name="Next row").click()
    assert stands(page)["Task-2"].startswith("held at ")
    assert stands(page)["Task-3"].startswith("ran ")
    marks = page.locator(".source .mk").all_inner_texts()
    assert any("Task-2" in mark and "◇" in mark for mark in marks)
    assert any("Task-3" in mark and "●" in mark for mark in marks)
    page.get_by_role("button", name="Last row").click()
    assert row(page) == rows
    assert stands(page)["Task-2"].startswith("ended after ")
    assert (
        page.get_by_role("status").inner_text().startswith(f"Row {rows} of {rows}: raised in main")
    )


def test_keys_and_the_slider_step_too_and_the_page_keeps_its_own_keys(opened: Opener) -> None:
    page = opened("transfer_race")
    page.get_by_role("button", name="First row").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert row(page) == 3
    page.keyboard.press("ArrowLeft")
    assert row(page) == 2
    page.keyboard.press("Control+ArrowRight")
    page.keyboard.press("ArrowDown")  # outside of the rows it scrolls the page
    assert row(page) == 2
    page.locator(".lanes").focus()
    page.keyboard.press("ArrowDown")
    assert row(page) == 3
    page.keyboard.press("End")
    assert row(page) == page.locator(".rows > li").count()
    page.locator("#at").focus()
    page.keyboard.press("Home")
    assert row(page) == 1
    page.locator(".rows > li").nth(4).click()
    assert row(page) == 5
    page.get_by_role("link", name="show in the run").click()
    assert "◇" in page.locator(NOW).inner_text()


def test_a_deadlock_marks_each_task_where_it_waits_as_the_page_said_without_script(
    opened: Opener,
) -> None:
    scripted, plain = opened("lock_order"), opened("lock_order", java_script_enabled=False)
    said = plain.locator(".stands dd").all_inner_texts()
    assert len(said) == 3
    assert [told.split()[-1] for told in stands(scripted).values()] == [
        told.split()[-1] for told in said
    ]
    assert "".join(scripted.locator(".source .mk").all_inner_texts()).count("Task") == 2


def test_without_script_every_row_and_the_source_are_readable_and_no_control_is_there(
    opened: Opener,
) -> None:
    page = opened("shipments", java_script_enabled=False)
    rows = page.locator(".rows > li")
    assert rows.count() > 50
    assert all(item.is_visible() for item in rows.all()[::20])
    assert page.locator(".lanes").evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    assert page.locator(".source code").first.is_visible()
    assert page.locator("button:visible, input:visible, select:visible").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Opener, scheme: Any) -> None:
    for program in PROGRAMS:
        page = opened(program.__name__, color_scheme=scheme)
        assert_no_violation(page)


def test_a_phone_never_scrolls_sideways_and_its_targets_are_large(opened: Opener) -> None:
    for program in PROGRAMS:
        page = opened(program.__name__, viewport={"width": 320, "height": 640})
        assert page.evaluate(STICKING_OUT) == []
        boxes = [e.bounding_box() for e in page.locator("button:visible, input:visible").all()]
        assert all(box and box["height"] >= 44 and box["width"] >= 44 for box in boxes)
    assert len(boxes) == 0  # the clean one has nothing to step through


def test_dark_and_print_change_the_paper_and_print_leaves_the_controls_out(
    opened: Opener,
) -> None:
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    page = opened("transfer_race", color_scheme="light")
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) != light
    page.emulate_media(media="print")
    assert page.locator(".controls").is_hidden()
    assert page.locator(".lanes").evaluate("e => getComputedStyle(e).maxHeight") == "none"
    assert page.get_by_role("button").count() == 0


def test_copy_takes_the_whole_line(browser: Browser, opened: Opener) -> None:
    page = opened("transfer_race", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").first.click()
    assert page.get_by_role("button", name="Copied").count() == 1
    copied = page.evaluate("navigator.clipboard.readText()")
    report = json.loads(json.dumps(check(programs.transfer_race).to_json()))
    assert copied == f"faultlab reproduce {report['finding']['token']}"
