"""The Failure Lab's page where something is lacking: its data, JavaScript, a fast line."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any, Final

from faultlab.lab_runs import Scenario, saved_run, scenario_id, scenarios

if TYPE_CHECKING:
    from tests.browser.conftest import Visitor

LAB: Final = "try/failure-lab/"


def test_without_its_data_the_page_says_so_and_keeps_map_and_command(visit: Visitor) -> None:
    visit.tolerated = "Failed to load resource"
    page = visit.blank()
    page.route("**/lab-pictures.json", lambda route: route.abort())
    page.goto(f"{visit.origin}/{LAB}#none.after_send.match")
    page.locator(".fl-lab-error").wait_for()
    assert "could not be fetched" in page.locator(".fl-lab-error").inner_text()
    assert not page.locator(".fl-lab-result").is_visible()  # it would be another scenario's
    assert "--cancel-at after_send" in page.locator(".fl-lab-command").inner_text()
    page.locator('.fl-map a[data-scenario="none.none.match"]').click()
    assert (
        page.locator(".fl-map [aria-current]").get_attribute("data-scenario") == "none.none.match"
    )


def test_without_javascript_map_run_and_command_stay_and_no_control_is_dead(
    visit: Visitor,
) -> None:
    page = visit(LAB, java_script_enabled=False)
    assert page.locator(".fl-lab input, .fl-lab button").count() == 0
    assert page.locator(".fl-lab-noscript").is_visible()
    links = page.locator(".fl-map a")
    targets = {link.get_attribute("href") for link in links.all()}
    assert targets == {f"#{scenario_id(scenario)}" for scenario in scenarios()}
    assert page.locator(".fl-lab svg").is_visible()
    assert page.locator(".fl-lab table").is_visible()
    first = Scenario(fault="final_write", cancel_at="none", observation="match")
    assert page.locator("[data-part=json]").text_content() == json.dumps(
        saved_run(first)["record"], indent=2
    )
    assert "--fault final_write" in page.locator(".fl-lab-command").inner_text()
    cell = page.locator('[id="native_reply.none.match"] > a')
    assert cell.evaluate("cell => getComputedStyle(cell).outlineStyle") == "none"
    page.locator('.fl-map a[data-scenario="native_reply.none.match"]').click()
    assert cell.evaluate("cell => getComputedStyle(cell).outlineStyle") != "none"


def test_the_page_weighs_at_most_250_kb_compressed(visit: Visitor) -> None:
    page = visit.blank()
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{visit.origin}/{LAB}")
    page.locator(".fl-lab[data-state=ready]").wait_for()
    page.wait_for_load_state("networkidle")
    sizes = {a.url.removeprefix(visit.origin): len(gzip.compress(a.body())) for a in answers}
    assert f"/{LAB}" in sizes
    assert any(url.endswith("lab-pictures.json") for url in sizes)
    assert sum(sizes.values()) <= 250_000, sizes
