"""A reader who arrives with a symptom or an error text finds the page about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.conftest import Visitor


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("charged twice", "look-up/glossary/"),
        ("409", "look-up/glossary/"),
        ("INVALID_SCENARIO", "look-up/errors/"),
        ("RUN_ALREADY_STARTED", "look-up/errors/"),
        ("INVARIANT_BROKEN", "look-up/errors/"),
        ("durable_receipt_verified", "try/failure-lab/"),
    ],
)
def test_search_finds(visit: Visitor, query: str, wanted: str) -> None:
    page = visit("look-up/how-checked/")
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill(query)
    links = page.locator("dialog li a")
    links.first.wait_for()
    found = [link.get_attribute("href") or "" for link in links.all()]
    assert any(wanted in href for href in found[:5]), found
    links.first.click()
    page.wait_for_url(lambda url: url == found[0])


def test_search_says_when_it_finds_nothing_and_closes(visit: Visitor) -> None:
    page = visit("look-up/glossary/")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("searchbox").fill("zyzzyva")
    page.locator("dialog [role=status]").get_by_text("No").wait_for()
    assert page.locator("dialog li").count() == 0
    page.locator("dialog").get_by_role("button", name="Close").click()
    assert not page.locator("dialog").is_visible()
    assert page.get_by_role("button", name="Search").evaluate("e => e === document.activeElement")
