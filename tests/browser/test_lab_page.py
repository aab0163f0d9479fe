"""The Failure Lab's page against Python: whatever is chosen, it shows what the package says."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, Final

import pytest

from faultlab import cli
from faultlab.lab_runs import (
    RECORD_KEYS,
    SCENARIO_KEYS,
    Scenario,
    never_reached,
    saved_run,
    scenario_id,
    scenarios,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Visitor

LAB: Final = "try/failure-lab/"
SHOWN: Final = """() => {
    const lab = document.querySelector(".fl-lab");
    const part = (name) => lab.querySelector(`[data-part="${name}"]`).textContent;
    return {
        json: part("json"),
        command: part("command"),
        status: part("status"),
        live: lab.querySelector("[role=status]").textContent,
        chosen: [...lab.querySelectorAll("input:checked")].map((input) => input.value).join("."),
        unmet: [...lab.querySelectorAll("fieldset.unmet")].map((field) => field.dataset.input),
        words: [...lab.querySelectorAll("fieldset")]
            .filter((field) => field.querySelector(".fl-never").textContent)
            .map((field) => field.dataset.input),
        picture: lab.querySelectorAll("svg .unmet").length,
        marked: [...document.querySelectorAll(".fl-map [aria-current]")]
            .map((link) => link.dataset.scenario),
    };
}"""


def opened(visit: Visitor, fragment: str = "", **options: Any) -> Page:
    page = visit(LAB + fragment, **options)
    page.locator(".fl-lab[data-state=ready]").wait_for()
    return page


def go(page: Page, scenario: str) -> Any:
    """Choose a scenario by its address, and return what the page then shows."""
    return page.evaluate(
        f"""async (id) => {{
            const lab = document.querySelector(".fl-lab");
            location.hash = id;
            for (let turn = 0; turn < 500 && lab.dataset.scenario !== id; turn++) {{
                await new Promise((then) => setTimeout(then, 2));
            }}
            return ({SHOWN})();
        }}""",
        scenario,
    )


def shown(page: Page, scenario: str) -> None:
    page.locator(f'.fl-lab[data-scenario="{scenario}"]').wait_for()


def record_text(scenario: Scenario) -> str:
    return json.dumps(saved_run(scenario)["record"], indent=2)


def test_each_of_the_72_scenarios_is_shown_as_the_package_runs_it(visit: Visitor) -> None:
    page = opened(visit)
    go(page, "none.none.unavailable")  # else the first would be no change, and not be announced
    seen = 0
    for scenario in scenarios():
        name, run = scenario_id(scenario), saved_run(scenario)
        found = go(page, name)
        unmet = never_reached(run)
        status = run["record"]["status"]
        assert found["json"] == record_text(scenario), name
        assert found["chosen"] == name
        assert found["status"] == status, name
        assert found["live"].startswith(f"{status.replace('_', ' ')}: "), name
        assert found["unmet"] == found["words"] == unmet, name
        assert found["picture"] == len(unmet), name
        assert found["marked"] == [name]
        seen += 1
    assert seen == 72


def test_the_command_prints_what_the_page_shows(
    visit: Visitor, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened(visit)
    for name in ("final_write.after_prepare.match", "none.after_send.mismatch"):
        found = go(page, name)
        program, *arguments = shlex.split(found["command"])
        assert program == "faultlab"
        assert cli.main(arguments) == 0
        assert capsys.readouterr().out == found["json"] + "\n"


def test_record_and_command_can_be_copied(visit: Visitor) -> None:
    page = opened(visit, permissions=["clipboard-read", "clipboard-write"])
    found = go(page, "native_reply.none.match")
    for name, wanted in (("The record", found["json"]), ("The same", found["command"])):
        page.get_by_role("button", name=f"Copy: {name}").click()
        page.locator(".fl-copied", has_text="Copied").last.wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == wanted
        page.evaluate("document.querySelectorAll('.fl-copied').forEach((e) => e.replaceChildren())")


def test_radio_buttons_choose_and_write_the_address(visit: Visitor) -> None:
    page = opened(visit)
    fault, cancel_at, observation = "final_write", "none", "match"
    for name, value in (
        ("fault", "native_reply"),
        ("cancel_at", "after_send"),
        ("observation", "mismatch"),
        ("fault", "none"),
        ("cancel_at", "none"),
    ):
        page.locator(f'[name="{name}"][value="{value}"]').check()
        fault = value if name == "fault" else fault
        cancel_at = value if name == "cancel_at" else cancel_at
        observation = value if name == "observation" else observation
        chosen = Scenario(fault=fault, cancel_at=cancel_at, observation=observation)
        shown(page, scenario_id(chosen))
        assert page.evaluate(SHOWN)["json"] == record_text(chosen)
        assert page.url.endswith(f"#{scenario_id(chosen)}")


def test_a_shared_address_opens_its_scenario_at_the_controls_and_says_nothing_aloud(
    visit: Visitor,
) -> None:
    page = visit(f"{LAB}#none.before_send.match")
    shown(page, "none.before_send.match")
    found = page.evaluate(SHOWN)
    assert found["chosen"] == "none.before_send.match"
    assert found["live"] == ""
    assert (
        page.locator(".fl-lab").evaluate("lab => Math.abs(lab.getBoundingClientRect().top)") < 120
    )


def test_back_and_forward_return_to_scenarios(visit: Visitor) -> None:
    page = opened(visit)
    for name in ("native_reply.none.match", "none.before_send.match"):
        page.locator(f'.fl-map a[data-scenario="{name}"]').click()
        shown(page, name)
    page.go_back()
    shown(page, "native_reply.none.match")
    page.go_back()
    shown(page, "final_write.none.match")
    page.go_forward()
    shown(page, "native_reply.none.match")


def test_an_address_that_names_no_scenario_changes_nothing(visit: Visitor) -> None:
    page = opened(visit)
    for wrong in ("none.none", "nothing.none.match", "the-model-whole", "%"):
        page.evaluate("id => { location.hash = id }", wrong)
        page.wait_for_timeout(50)
        assert page.locator(".fl-lab").get_attribute("data-scenario") == "final_write.none.match"


def test_the_keyboard_alone_reaches_and_moves_everything(visit: Visitor) -> None:
    page = opened(visit)
    assert tab_to(page, "document.activeElement.name === 'fault'")
    assert outlined(page, "document.activeElement.closest('label')")
    page.keyboard.press("ArrowUp")
    shown(page, "verification.none.match")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    shown(page, "verification.after_prepare.match")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    shown(page, "verification.after_prepare.mismatch")
    page.keyboard.press("Tab")
    toggle = page.locator(".fl-lab-toggle")
    assert toggle.evaluate("button => button === document.activeElement")
    assert outlined(page, "document.activeElement")
    page.keyboard.press("Space")
    assert toggle.get_attribute("aria-pressed") == "true"
    page.keyboard.press("Enter")
    assert toggle.get_attribute("aria-pressed") == "false"
    wanted = "native_reply.none.mismatch"
    assert tab_to(page, f"document.activeElement.dataset.scenario === '{wanted}'")
    assert outlined(page, "document.activeElement")
    page.keyboard.press("Enter")
    shown(page, wanted)
    assert page.evaluate(f"document.activeElement.dataset.scenario === '{wanted}'")


def tab_to(page: Page, condition: str) -> bool:
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(condition):
            return True
    return False


def outlined(page: Page, element: str) -> bool:
    style, width = page.evaluate(
        "e => [getComputedStyle(e).outlineStyle, parseFloat(getComputedStyle(e).outlineWidth)]",
        page.evaluate_handle(element),
    )
    return bool(style != "none" and width >= 2)


def test_targets_are_large_enough_for_a_thumb(visit: Visitor) -> None:
    page = opened(visit, viewport={"width": 375, "height": 812})
    heights = page.locator(".fl-choices label, .fl-lab button").evaluate_all(
        "found => found.map((e) => e.getBoundingClientRect().height)"
    )
    assert len(heights) >= 14
    assert min(heights) >= 44


def test_the_workers_view_hides_what_only_the_model_knows_and_gives_it_back(
    visit: Visitor,
) -> None:
    page = opened(visit)
    secret = {key for key, what in RECORD_KEYS.items() if what.seen_by == "model"}
    assert secret
    assert {what.seen_by for what in SCENARIO_KEYS.values()} == {"model"}
    marks = page.locator(".fl-lab-result .m")
    hatched = page.locator(".fl-lab-result svg .unknown.w").first
    toggle = page.get_by_role("button", name="Worker’s view")
    go(page, "native_reply.none.mismatch")
    whole = json.loads(page.evaluate(SHOWN)["json"])
    assert set(whole) == set(RECORD_KEYS)
    assert not hatched.is_visible()

    toggle.click()
    seen = json.loads(page.evaluate(SHOWN)["json"])
    assert seen == {key: value for key, value in whole.items() if key not in secret}
    assert marks.count() > 5
    assert not any(mark.is_visible() for mark in marks.all())
    assert hatched.is_visible()
    text = page.locator(".fl-lab-result").inner_text()
    label = page.locator(".fl-lab-result svg").get_attribute("aria-label") or ""
    for word in ("1 effect", "never reached", "mismatch", *secret):
        assert word not in text
        assert word not in label
    go(page, "none.none.match")  # and it stays so for the next scenario
    assert not set(json.loads(page.evaluate(SHOWN)["json"])) & secret

    toggle.click()
    go(page, "native_reply.none.mismatch")
    assert json.loads(page.evaluate(SHOWN)["json"]) == whole
    assert all(mark.is_visible() for mark in page.locator("dl .m").all())
    assert "1 effect" in (page.locator(".fl-lab-result svg").get_attribute("aria-label") or "")


def test_the_page_has_under_250_words_before_its_controls(visit: Visitor) -> None:
    page = opened(visit)
    before = page.evaluate(
        "() => { const range = document.createRange();"
        "range.setStartBefore(document.querySelector('h1'));"
        "range.setEndBefore(document.querySelector('.fl-lab-controls'));"
        "return range.toString(); }"
    )
    assert 30 < len(before.split()) < 250


def test_the_selected_run_prints_without_its_controls(visit: Visitor) -> None:
    page = opened(visit)
    go(page, "native_reply.none.match")
    page.emulate_media(media="print")
    assert not page.locator(".fl-lab-controls").is_visible()
    assert not page.locator(".fl-lab-toggle").is_visible()
    assert page.locator(".fl-lab svg").is_visible()
    assert page.locator(".fl-lab-json").is_visible()
    assert "native_reply.none.match" in page.locator(".fl-lab-headline").inner_text()
