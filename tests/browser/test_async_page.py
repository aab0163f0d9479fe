"""The Async Failure Lab's page against Python: it asks first, and then shows what was run."""

from __future__ import annotations

import gzip
import json
import shlex
from typing import TYPE_CHECKING, Any, Final

import pytest

from faultlab import cli
from faultlab.async_lab import FAULTS, MODES, combinations, saved_run
from faultlab.async_lab.account import ALWAYS
from faultlab_docs import async_steps
from faultlab_docs.async_axis import COUNTS
from faultlab_docs.async_keys import RUN_KEYS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from faultlab_docs.async_steps import Step
    from tests.browser.conftest import Visitor

LAB: Final = "try/async-failure-lab/"
FIRST: Final = ("crash-after-effect", "durable")
SHOWN: Final = """() => {
    const lab = document.querySelector(".fl-async");
    const of = (read) => Object.fromEntries(
        ["naive", "durable"].map((mode) => [mode, read(`.fl-async-column[data-mode="${mode}"] `)]));
    const all = (selector) => [...lab.querySelectorAll(selector)];
    return {
        json: lab.querySelector("[data-part=json]").textContent,
        command: lab.querySelector("[data-part=command]").textContent,
        live: lab.querySelector("[role=status]").textContent,
        told: lab.querySelector("[data-part=told]").textContent,
        fault: lab.querySelector("[name=fault]:checked").value,
        mode: lab.querySelector("[name=mode]:checked").value,
        headlines: of((at) => lab.querySelector(`${at}[data-part=headline]`).textContent),
        counts: of((at) => all(`${at}[data-count]`).map((cell) => cell.textContent)),
        verdicts: of((at) => lab.querySelector(`${at}[data-part=verdict]`).textContent),
        passed: of((at) => all(`${at}.ev:not(.later)`).map((e) => Number(e.dataset.n))),
        now: of((at) => all(`${at}.ev.now`).map((e) => Number(e.dataset.n))),
        lines: of((at) => all(`${at}.fl-line.now`).map((e) => Number(e.dataset.line))),
        waits: of((at) => all(`${at}.fl-line.waits`).map((e) => Number(e.dataset.line))),
        marked: [...document.querySelectorAll(".fl-async-table [aria-current]")]
            .map((link) => link.dataset.scenario),
    };
}"""


def opened(visit: Visitor, fragment: str = "", **options: Any) -> Page:
    page = visit(LAB + fragment, **options)
    page.locator(".fl-async[data-loaded=ready]").wait_for()
    return page


def told(visit: Visitor, fragment: str = "", **options: Any) -> Page:
    """The page, opened, with the question of its first fault skipped and no other asked."""
    page = opened(visit, fragment, **options)
    page.get_by_label("Don’t ask again on this page").check()
    page.get_by_role("button", name="Skip").click()
    page.locator(".fl-async[data-state=told]").wait_for()
    return page


def go(page: Page, fault: str, mode: str) -> None:
    page.evaluate("id => { location.hash = id }", f"{fault}.{mode}")
    shown(page, fault, mode)


def shown(page: Page, fault: str, mode: str) -> None:
    page.locator(f'.fl-async[data-scenario="{fault}.{mode}"]').wait_for()


def run_text(fault: str, mode: str) -> str:
    return json.dumps(saved_run(fault, mode), indent=2, ensure_ascii=False)


def steps(fault: str) -> list[Step]:
    return async_steps.steps({mode: saved_run(fault, mode) for mode in MODES})


def result(page: Page) -> Locator:
    return page.locator(".fl-async-result").first


# Every combination


def test_each_of_the_12_combinations_is_shown_as_the_package_runs_it(visit: Visitor) -> None:
    page = told(visit)
    for fault, mode in combinations():
        go(page, fault, mode)
        found = page.evaluate(SHOWN)
        assert found["json"] == run_text(fault, mode), (fault, mode)
        assert (found["fault"], found["mode"]) == (fault, mode)
        assert set(found["marked"]) == {f"{fault}.{mode}"}
        for side in MODES:
            run = saved_run(fault, side)
            assert found["headlines"][side] == run["headline"], (fault, side)
            totals = [str(run[name]) for name in COUNTS]
            assert found["counts"][side] == totals, (fault, side)
            assert found["passed"][side] == [event["number"] for event in run["events"]]
            assert found["now"][side] == []


def test_the_command_prints_what_the_page_shows(
    visit: Visitor, capsys: pytest.CaptureFixture[str]
) -> None:
    page = told(visit)
    for fault, mode in combinations():
        go(page, fault, mode)
        found = page.evaluate(SHOWN)
        program, *arguments = shlex.split(found["command"])
        assert program == "faultlab"
        assert cli.main(arguments) == 0
        assert capsys.readouterr().out == found["json"] + "\n"


def test_the_condition_stands_under_every_durable_trace_and_under_no_other(visit: Visitor) -> None:
    page = told(visit)
    for fault in FAULTS:
        go(page, fault, "naive")
        durable = page.locator('.fl-async-runs [data-mode="durable"]')
        assert ALWAYS in durable.inner_text()
        assert ALWAYS not in page.locator('.fl-async-runs [data-mode="naive"]').inner_text()


def test_the_table_names_all_twelve_and_each_row_leads_to_its_run(visit: Visitor) -> None:
    page = told(visit)
    rows = page.locator(".fl-async-table tbody tr")
    assert rows.count() == 12
    for row, (fault, mode) in zip(rows.all(), combinations(), strict=True):
        run = saved_run(fault, mode)
        cells = row.locator("td").evaluate_all("cells => cells.map((c) => parseInt(c.textContent))")
        assert cells[:4] == [run[name] for name in COUNTS]
        assert run["headline"] in row.inner_text()
        links = row.locator("a")
        assert links.count() == 2
        assert {link.get_attribute("href") for link in links.all()} == {f"#{fault}.{mode}"}
    page.locator('.fl-async-table [data-scenario="response-lost.naive"]').last.click()
    shown(page, "response-lost", "naive")
    assert page.locator(".fl-async").evaluate("e => Math.abs(e.getBoundingClientRect().top)") < 120
    assert page.locator(".fl-async").evaluate("e => e === document.activeElement")


# The prediction


def test_the_page_asks_before_it_tells(visit: Visitor) -> None:
    page = opened(visit)
    assert not result(page).is_visible()
    assert not page.locator(".fl-async-saved").is_visible()
    assert page.locator(".fl-async-counts dd").all_inner_texts() == ["?"] * 8
    before = page.locator(".fl-async-ask fieldset, .fl-async-codes, .fl-async-choose")
    place = "found => found.map((e) => Math.round(e.getBoundingClientRect().top + scrollY))"
    places = before.evaluate_all(place)
    naive, durable = (page.get_by_role("group", name=f"{mode}: how often") for mode in MODES)
    naive.get_by_label("2", exact=True).check()
    durable.get_by_label("0", exact=True).check()
    page.get_by_role("button", name="Show what happened").click()
    assert result(page).is_visible()
    assert page.locator(".fl-async-saved").is_visible()
    verdicts = page.evaluate(SHOWN)["verdicts"]
    assert verdicts["naive"].startswith("Right: ")
    assert verdicts["durable"].startswith("Wrong: ")
    assert "once" in verdicts["durable"]
    # Nothing above the answer has moved, and the reader goes on where it starts.
    page.evaluate("scrollTo(0, 0)")  # where the code does not stick to the top
    assert before.evaluate_all(place) == places
    assert page.evaluate("document.activeElement.dataset.step") == "next"
    live = page.evaluate(SHOWN)["live"]
    for mode in MODES:
        assert saved_run(FIRST[0], mode)["headline"] in live


def test_predictions_get_pythons_answers(visit: Visitor) -> None:
    page = opened(visit)
    right = set()
    for number, fault in enumerate(FAULTS):
        go(page, fault, "naive")
        expected = {}
        for mode, guess in zip(MODES, (number % 3, (number + 1) % 3), strict=True):
            page.locator(f'[name="guess-{mode}"][value="{guess}"]').check()
            expected[mode] = async_steps.verdicts(saved_run(fault, mode))[str(guess)]
            right.add(expected[mode].split()[0])
        page.get_by_role("button", name="Show what happened").click()
        page.wait_for_function(
            "() => [...document.querySelectorAll('[data-part=verdict]')]"
            ".every((verdict) => verdict.textContent)"
        )
        assert page.evaluate(SHOWN)["verdicts"] == expected, fault
    assert right == {"Right:", "Wrong:"}


def test_a_prediction_can_be_skipped_and_is_asked_again_for_the_next_fault(visit: Visitor) -> None:
    page = opened(visit)
    page.get_by_role("button", name="Skip").click()
    assert result(page).is_visible()
    for verdict in page.evaluate(SHOWN)["verdicts"].values():
        assert verdict
        assert "Right" not in verdict
        assert "Wrong" not in verdict
    go(page, "response-lost", "durable")
    assert not result(page).is_visible()
    assert page.evaluate(SHOWN)["verdicts"] == dict.fromkeys(MODES, "")
    assert page.locator(".fl-async-ask input:checked").count() == 0
    assert page.locator(".fl-async-ask input:disabled").count() == 0
    go(page, *FIRST)  # what has been answered isn't asked twice
    assert result(page).is_visible()


def test_the_other_runtimes_run_is_shown_without_a_new_question(visit: Visitor) -> None:
    page = opened(visit)
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("radio", name="naive").check()
    shown(page, FIRST[0], "naive")
    assert result(page).is_visible()
    assert page.evaluate(SHOWN)["json"] == run_text(FIRST[0], "naive")
    assert page.url.endswith(f"#{FIRST[0]}.naive")


def test_the_question_can_be_turned_off_for_as_long_as_the_page_is_open(visit: Visitor) -> None:
    page = told(visit)
    go(page, "none", "naive")
    assert result(page).is_visible()
    assert not page.get_by_role("button", name="Skip").is_visible()
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [
        0,
        0,
        "",
    ]
    page.reload(wait_until="load")
    page.locator(".fl-async[data-loaded=ready]").wait_for()
    assert not result(page).is_visible()


def test_a_shared_address_opens_its_scenario_and_asks_too(visit: Visitor) -> None:
    page = opened(visit, "#duplicate-delivery.naive")
    shown(page, "duplicate-delivery", "naive")
    found = page.evaluate(SHOWN)
    assert (found["fault"], found["mode"]) == ("duplicate-delivery", "naive")
    assert not result(page).is_visible()
    assert found["live"] == ""
    assert page.locator(".fl-async").evaluate("e => Math.abs(e.getBoundingClientRect().top)") < 120
    page.get_by_role("button", name="Skip").click()
    assert result(page).is_visible()
    assert page.evaluate(SHOWN)["json"] == run_text("duplicate-delivery", "naive")


# Choosing


def test_radio_buttons_choose_and_write_the_address(visit: Visitor) -> None:
    page = told(visit)
    for fault in FAULTS:
        page.locator(f'[name="fault"][value="{fault}"]').check()
        shown(page, fault, "durable")
        assert page.url.endswith(f"#{fault}.durable")
    page.keyboard.press("ArrowUp")
    shown(page, FAULTS[-2], "durable")
    page.keyboard.press("ArrowDown")
    shown(page, FAULTS[-1], "durable")


def test_back_and_forward_return_to_scenarios(visit: Visitor) -> None:
    page = told(visit)
    for name in ("response-lost.naive", "none.durable"):
        page.locator(f'.fl-async-table [data-scenario="{name}"]').first.click()
        page.locator(f'.fl-async[data-scenario="{name}"]').wait_for()
    page.go_back()
    shown(page, "response-lost", "naive")
    page.go_back()
    shown(page, *FIRST)
    page.go_forward()
    shown(page, "response-lost", "naive")
    assert page.evaluate(SHOWN)["json"] == run_text("response-lost", "naive")


def test_an_address_that_names_no_scenario_changes_nothing(visit: Visitor) -> None:
    page = told(visit)
    shown(page, *FIRST)
    for wrong in ("none", "none.careful", "crash.naive", "none.naive.more", "all-twelve", "%"):
        page.evaluate("id => { location.hash = id }", wrong)
        page.wait_for_timeout(50)
        assert page.locator(".fl-async").get_attribute("data-scenario") == ".".join(FIRST)


# Stepping


@pytest.mark.parametrize("fault", FAULTS)
def test_stepping_with_the_keyboard_shows_what_python_has_counted_so_far(
    visit: Visitor, fault: str
) -> None:
    page = told(visit, f"#{fault}.durable")
    shown(page, fault, "durable")
    page.get_by_role("button", name="Next").focus()
    passed: dict[str, list[int]] = {mode: [] for mode in MODES}
    expected = steps(fault)
    for number, step in enumerate(expected, start=1):
        page.keyboard.press("ArrowRight")
        passed[step["mode"]].append(step["n"])
        found = page.evaluate(SHOWN)
        counts = {mode: [str(n) for n in step["counts"][mode]] for mode in MODES}
        other = next(mode for mode in MODES if mode != step["mode"])
        assert found["counts"] == counts, step
        assert found["passed"] == passed
        assert found["now"] == {step["mode"]: [step["n"]], other: []}
        assert found["lines"] == {step["mode"]: [step["line"]] if step["line"] else [], other: []}
        assert found["waits"] == {mode: [n] if (n := step["waits"][mode]) else [] for mode in MODES}
        assert found["live"] == step["said"]
        assert found["told"] == f"{number} of {len(expected)}: {step['said']}"
    page.keyboard.press("ArrowRight")
    assert page.locator(".fl-async").get_attribute("data-step") == "all"
    for mode in MODES:
        run = saved_run(fault, mode)
        totals = [str(run[name]) for name in COUNTS]
        assert page.evaluate(SHOWN)["counts"][mode] == totals


def test_first_back_next_all_home_and_end(visit: Visitor) -> None:
    page = told(visit)
    lab, last = page.locator(".fl-async"), str(len(steps(FIRST[0])))

    def at() -> str:
        return lab.get_attribute("data-step") or ""

    for name, expected in (
        ("First", "1"), ("Back", "1"), ("Next", "2"), ("Next", "3"), ("Back", "2"), ("All", "all"),
        ("Back", last), ("Next", "all"), ("Next", "1"),
    ):  # fmt: skip
        page.get_by_role("button", name=name, exact=True).click()
        assert at() == expected, name
    for key, expected in (
        ("End", "all"), ("Home", "1"), ("ArrowDown", "2"), ("ArrowUp", "1"), ("ArrowLeft", "1"),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert at() == expected, key


def test_the_current_event_is_ringed_and_in_sight_and_later_ones_are_dim(visit: Visitor) -> None:
    page = told(visit, viewport={"width": 1280, "height": 800})
    page.get_by_role("button", name="First").click()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    now = page.locator(".fl-async-picture .ev.now")
    assert now.count() == 1
    assert now.locator(".halo").is_visible()
    box = now.bounding_box()
    bar = page.locator(".fl-async-bar").bounding_box()
    assert box is not None
    assert bar is not None
    assert bar["y"] + bar["height"] <= box["y"]
    assert box["y"] + box["height"] <= 800
    page.wait_for_timeout(300)
    later = page.locator(".fl-async-picture .ev.later").first
    assert float(later.evaluate("e => getComputedStyle(e).opacity")) < 0.5
    line = page.locator(".fl-line.now, .fl-line.waits").first
    assert line.is_visible()  # the code stays beside the trace
    assert (line.bounding_box() or {"y": -1})["y"] >= 0


def test_on_a_phone_both_pictures_stand_one_below_the_other_and_a_step_shows_its_own(
    visit: Visitor,
) -> None:
    page = told(visit, viewport={"width": 375, "height": 812})
    left, right = (page.locator(f'.fl-async-runs > [data-mode="{mode}"]') for mode in MODES)
    above, below = left.bounding_box(), right.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]
    sizes = page.locator(".fl-async-lanes text").evaluate_all(
        """found => found.map((e) => parseFloat(getComputedStyle(e).fontSize)
            * e.ownerSVGElement.getScreenCTM().a)"""
    )
    assert len(sizes) > 40
    assert min(sizes) >= 11
    page.get_by_role("button", name="First").click()
    for step in steps(FIRST[0]):
        column = left if step["mode"] == "naive" else right
        other = right if step["mode"] == "naive" else left
        assert column.is_visible()
        assert not other.is_visible()
        assert f"naive {step['counts']['naive'][2]}" in page.locator(".fl-async-tally").inner_text()
        page.get_by_role("button", name="Next").click()
    assert left.is_visible()
    assert right.is_visible()


# The worker's view


@pytest.mark.parametrize("fault", FAULTS)
def test_the_workers_view_hides_what_only_the_model_knows_and_gives_it_back(
    visit: Visitor, fault: str
) -> None:
    page = told(visit, f"#{fault}.naive")
    shown(page, fault, "naive")
    toggle = page.get_by_role("button", name="Worker’s view")
    secret = {name for name, key in RUN_KEYS.items() if key.seen_by == "model"}
    assert {"fault", "fault_exercised", "effects", "results_recorded"} <= secret
    hatched = page.locator(".fl-async-picture .unknown.w").first
    assert not hatched.is_visible()
    toggle.click()
    assert toggle.get_attribute("aria-pressed") == "true"
    assert hatched.is_visible()
    marks = page.locator(".fl-async .m")
    assert marks.count() > 10
    assert not any(mark.is_visible() for mark in marks.all())
    for mode in MODES:
        column = f'.fl-async-runs [data-mode="{mode}"] .ev'
        numbers = page.locator(column).evaluate_all(
            "found => found.filter((e) => getComputedStyle(e).display !== 'none')"
            ".map((e) => Number(e.dataset.n))"
        )
        events = saved_run(fault, mode)["events"]
        assert numbers == [e["number"] for e in events if e["seen_by"] == "worker"]
    seen = json.loads(page.evaluate(SHOWN)["json"])
    whole = json.loads(run_text(fault, "naive"))
    assert set(seen) == set(whole) - secret
    assert seen["events"] == [e for e in whole["events"] if e["seen_by"] == "worker"]
    assert page.locator("[data-part=filtered]").is_visible()
    label = page.locator(".fl-async-lanes").first.get_attribute("aria-label") or ""
    assert "effects" not in label
    page.get_by_role("button", name="First").click()
    for step in (step for step in steps(fault) if step["seen_by"] == "worker"):
        assert page.evaluate(SHOWN)["live"] == step["said"]
        page.get_by_role("button", name="Next").click()
    toggle.click()
    assert page.evaluate(SHOWN)["json"] == run_text(fault, "naive")
    assert not page.locator("[data-part=filtered]").is_visible()
    assert page.locator(".fl-async-picture .ev.m").first.is_visible()


# Reading it in other ways


def test_the_keyboard_alone_reaches_everything_in_order(visit: Visitor) -> None:
    page = opened(visit)
    page.locator('[name="fault"]:checked').focus()
    assert outlined(page, "document.activeElement.closest('label')")
    page.locator('[name="guess-naive"]').first.focus()
    page.keyboard.press("ArrowRight")
    assert outlined(page, "document.activeElement.closest('label')")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    assert outlined(page, "document.activeElement")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.step") == "next"
    assert outlined(page, "document.activeElement")
    verdicts = page.evaluate(SHOWN)["verdicts"]
    assert verdicts["naive"].startswith("Wrong: you said once")
    page.keyboard.press("Home")
    assert page.locator(".fl-async").get_attribute("data-step") == "1"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.get_by_role("button", name="Worker’s view").get_attribute("aria-pressed") == "true"


def outlined(page: Page, element: str) -> bool:
    style, width = page.evaluate(
        "e => [getComputedStyle(e).outlineStyle, parseFloat(getComputedStyle(e).outlineWidth)]",
        page.evaluate_handle(element),
    )
    return bool(style != "none" and width >= 2)


def test_targets_are_large_enough_for_a_thumb(visit: Visitor) -> None:
    found = "found => found.map((e) => e.getBoundingClientRect()).map((b) => [b.width, b.height])"
    page = opened(visit, viewport={"width": 320, "height": 700})
    asked = page.locator(".fl-async label, .fl-async button").evaluate_all(found)
    page.get_by_role("button", name="Skip").click()
    answered = page.locator(".fl-async-result label, .fl-async-result button").evaluate_all(found)
    rows = page.locator(".fl-async-table a").evaluate_all(found)
    sizes = [size for size in [*asked, *answered, *rows] if size[0]]
    assert len(sizes) > 40
    assert min(width for width, _ in sizes) >= 44
    assert min(height for _, height in sizes) >= 43.9


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["asking", "stepping", "worker"])
def test_no_state_of_the_page_has_a_violation_that_axe_finds(
    visit: Visitor, scheme: Any, state: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(visit, color_scheme=scheme, reduced_motion="reduce")
    if state != "asking":
        page.get_by_role("button", name="Skip").click()
        page.locator("summary").first.click()
        page.get_by_role("button", name="First").click()
        for _ in range(8):
            page.keyboard.press("ArrowRight")
    if state == "worker":
        page.get_by_role("button", name="Worker’s view").click()
    found = Axe().run(page)
    assert len(found.response["passes"]) > 10
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [375, 320])
def test_no_state_of_the_page_scrolls_sideways(visit: Visitor, width: int) -> None:
    page = opened(visit, viewport={"width": width, "height": 700})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    page.get_by_role("button", name="Skip").click()
    assert page.evaluate(wide) == 0
    page.get_by_role("button", name="First").click()
    page.get_by_role("button", name="Worker’s view").click()
    for summary in page.locator(".fl-async summary").all():
        if summary.is_visible():
            summary.click()
    assert page.evaluate(wide) == 0


def test_the_marks_survive_forced_colours(visit: Visitor) -> None:
    page = told(visit, forced_colors="active")
    drawn = page.locator(".fl-async-lanes :is(.mark, .ring, .cross, .unknown rect)").evaluate_all(
        """found => found.map((e) => {
            const style = getComputedStyle(e);
            const ground = getComputedStyle(document.body).backgroundColor;
            const box = e.getBoundingClientRect();
            const inked = [style.fill, style.stroke].some((c) => c !== "none" && c !== ground);
            return !box.width || inked;
        })"""
    )
    assert len(drawn) > 30
    assert all(drawn)


def test_nothing_moves_unless_motion_is_welcome(visit: Visitor) -> None:
    page = told(visit, reduced_motion="reduce")
    moving = page.locator(".fl-async *").evaluate_all(
        """found => found.filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0.01
            || getComputedStyle(e).animationName !== "none").length"""
    )
    assert moving == 0


def test_without_its_data_the_page_says_so_and_shows_no_other_faults_run(visit: Visitor) -> None:
    visit.tolerated = "Failed to load resource"
    page = visit.blank()
    page.route("**/async-pictures.json", lambda route: route.abort())
    page.goto(f"{visit.origin}/{LAB}#response-lost.naive")
    page.locator(".fl-async-error").wait_for()
    assert "could not be fetched" in page.locator(".fl-async-error").inner_text()
    page.get_by_role("button", name="Skip").click()
    assert not result(page).is_visible()
    assert page.locator(".fl-async-table").is_visible()


def test_a_saved_run_that_can_not_be_fetched_is_reported(visit: Visitor) -> None:
    visit.tolerated = "Failed to load resource"
    page = visit.blank()
    page.route("**/none.naive.json", lambda route: route.abort())
    page.goto(f"{visit.origin}/{LAB}#none.naive")
    page.locator(".fl-async-error").wait_for()
    assert page.locator("[data-part=json]").text_content() == ""
    page.unroute("**/none.naive.json")
    go(page, "none", "durable")
    go(page, "none", "naive")  # the next choice tries again
    assert page.evaluate(SHOWN)["json"] == run_text("none", "naive")
    assert not page.locator(".fl-async-error").is_visible()


def test_without_javascript_the_answer_is_shown_and_no_control_is_dead(visit: Visitor) -> None:
    page = visit(LAB, java_script_enabled=False)
    assert page.locator(".fl-async :is(input, button)").count() == 0
    assert page.locator(".fl-async-noscript").is_visible()
    assert page.locator(".fl-async svg.fl-lanes").count() == 2
    for mode in MODES:
        run = saved_run(FIRST[0], mode)
        column = page.locator(f'.fl-async-runs [data-mode="{mode}"]')
        assert column.locator("svg").is_visible()
        assert run["headline"] in column.inner_text()
        shown_counts = page.locator(f'.fl-async-codes [data-mode="{mode}"] [data-count]')
        counts = [int(text) for text in shown_counts.all_inner_texts()]
        assert counts == [run[name] for name in COUNTS]
    assert ALWAYS in page.locator('.fl-async-runs [data-mode="durable"]').inner_text()
    assert page.locator("[data-part=json]").text_content() == run_text(*FIRST)
    assert "--fault crash-after-effect" in page.locator("[data-part=command]").inner_text()
    assert page.locator(".fl-async-table tbody tr").count() == 12
    for assumption in saved_run(*FIRST)["assumptions"]:
        assert assumption in page.locator("article").inner_text().replace("’", "'")
    row = page.locator('[id="response-lost.naive"] > td').first
    ground = "e => getComputedStyle(e).backgroundColor"
    before = row.evaluate(ground)
    page.locator('.fl-async-table [data-scenario="response-lost.naive"]').first.click()
    assert row.evaluate(ground) != before


def test_the_page_has_under_250_words_before_its_controls(visit: Visitor) -> None:
    page = opened(visit)
    before = page.evaluate(
        "() => { const range = document.createRange();"
        "range.setStartBefore(document.querySelector('h1'));"
        "range.setEndBefore(document.querySelector('.fl-async-choose'));"
        "return range.toString(); }"
    )
    assert 30 < len(before.split()) < 250


def test_the_page_weighs_at_most_250_kb_compressed(visit: Visitor) -> None:
    page = visit.blank()
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{visit.origin}/{LAB}")
    page.locator(".fl-async[data-loaded=ready]").wait_for()
    page.wait_for_load_state("networkidle")
    sizes = {a.url.removeprefix(visit.origin): len(gzip.compress(a.body())) for a in answers}
    assert f"/{LAB}" in sizes
    assert any(url.endswith("async-pictures.json") for url in sizes)
    assert sum(sizes.values()) <= 250_000, sizes


def test_it_prints_both_pictures_without_controls_even_before_the_prediction(
    visit: Visitor,
) -> None:
    page = opened(visit)
    page.emulate_media(media="print")
    assert page.locator(".fl-async :is(input, button)").count() > 10
    for control in page.locator(".fl-async :is(input, button)").all():
        assert not control.is_visible()
    for picture in page.locator(".fl-async svg.fl-lanes").all():
        assert picture.is_visible()
    assert "?" not in "".join(page.locator(".fl-async-counts dd").all_inner_texts())
    assert "faultlab async --fault" in page.locator(".fl-async-saved").inner_text()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_choosing_again_before_the_data_has_come_shows_the_last_choice(visit: Visitor) -> None:
    page = visit.blank()
    held: list[Any] = []
    page.route("**/async-pictures.json", lambda route: held.append(route))
    page.goto(f"{visit.origin}/{LAB}")
    page.locator('[name="fault"][value="response-lost"]').check()
    page.evaluate("location.hash = 'response-lost.naive'")
    page.wait_for_timeout(50)
    assert held
    page.get_by_role("button", name="Skip").click()
    for route in held:
        route.continue_()
    shown(page, "response-lost", "naive")
    found = page.evaluate(SHOWN)
    assert found["json"] == run_text("response-lost", "naive")
    for mode in MODES:
        events = saved_run("response-lost", mode)["events"]
        assert found["passed"][mode] == [event["number"] for event in events]
        assert found["headlines"][mode] == saved_run("response-lost", mode)["headline"]
