"""The idempotency contract's page against Python: the 64, the boundary, and nothing but memory."""

from __future__ import annotations

import gzip
import json
import random
import shlex
from typing import TYPE_CHECKING, Any, Final

import pytest

from faultlab import cli
from faultlab.contracts import CONTRACTS, PRESETS
from faultlab.idempotency import (
    ASSUMPTIONS,
    KEY_SCOPES,
    NOT_MODELLED,
    SECOND_REQUESTS,
    SECONDS_MAX,
    ContractRun,
    IdempotencyError,
    combinations,
    experiment,
)
from faultlab.idempotency_account import combination_id, intent, verdict
from faultlab.receiver import CONFLICT_POLICIES
from faultlab_docs import contract_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Visitor

PAGE: Final = "try/idempotency/"
MS_MAX: Final = SECONDS_MAX * 1000
SET: Final = """inputs => {
    for (const [name, value] of Object.entries(inputs)) {
        const found = [...document.querySelectorAll(`.fl-contract [name="${name}"]`)];
        const field = found.find((input) => input.type === "text");
        const radio = found.find((input) => input.value === value);
        if (field) {
            field.value = value;
            field.dispatchEvent(new Event("input", { bubbles: true }));
        } else if (!radio.checked) radio.click();
    }
}"""
SHOWN: Final = """() => {
    const lab = document.querySelector(".fl-contract");
    const text = (selector) => lab.querySelector(selector)?.textContent ?? "";
    const wrong = (name) => text(`#fl-${name}-wrong`);
    return {
        json: text("[data-part=json]"),
        command: text("[data-part=command]"),
        headline: text(".fl-contract-headline"),
        facts: [...lab.querySelectorAll(".fl-contract-facts dd")].map((e) => e.textContent.trim()),
        intent: text(".fl-contract-intent"),
        rows: [...lab.querySelectorAll(".fl-contract-requests tbody tr")]
            .map((row) => [...row.cells].map((cell) => cell.textContent)),
        picture: lab.querySelector("svg").getAttribute("aria-label"),
        combination: lab.dataset.combination,
        current: lab.dataset.current,
        wrong: { retention_s: wrong("retention_s"), after_s: wrong("after_s") },
        marked: [...document.querySelectorAll(".fl-contract-map [aria-current]")]
            .map((button) => button.closest("td").dataset.combination),
        pressed: [...lab.querySelectorAll("[data-preset][aria-pressed=true]")]
            .map((button) => button.dataset.preset),
    };
}"""


def opened(visit: Visitor, **options: Any) -> Page:
    page = visit(PAGE, **options)
    page.locator(".fl-contract[data-loaded=ready][data-current=yes]").wait_for()
    return page


def chosen(page: Page, **inputs: Any) -> dict[str, Any]:
    """Set inputs, let the page's promises run, and read what it shows."""
    page.evaluate(SET, {name: str(value) for name, value in inputs.items()})
    page.evaluate("() => new Promise((then) => setTimeout(then, 0))")
    shown: dict[str, Any] = page.evaluate(SHOWN)
    return shown


def as_printed(run: ContractRun) -> str:
    return json.dumps(run, indent=2, ensure_ascii=False)


def assert_shown(found: dict[str, Any], run: ContractRun) -> None:
    assert found["json"] == as_printed(run)
    assert found["combination"] == combination_id(run)
    assert found["current"] == "yes"
    assert found["headline"] == run["headline"]
    record, disposition, judged, effects = found["facts"]
    assert record == run["record_at_second_request"]
    assert disposition == run["second_disposition"]
    sign = "✓" if run["right_for_intent"] else "×"
    assert judged == f"{sign} {verdict(run)}"
    assert effects == f"{run['total_effects']} {'■' * run['total_effects']}"
    assert found["intent"] == intent(run)
    assert found["rows"] == [[str(value) for value in row.values()] for row in run["requests"]]
    assert found["marked"] == [combination_id(run)]


# What is shown is what Python computes


def test_each_of_the_64_is_shown_as_the_package_runs_it(visit: Visitor) -> None:
    page = opened(visit)
    headlines = set()
    for run in combinations():
        assert_shown(chosen(page, **run["inputs"]), run)
        headlines.add(run["headline"])
    assert len(headlines) >= 8


def test_300_drawn_numbers_around_the_boundary_are_shown_as_python_prints_them(
    visit: Visitor,
) -> None:
    page = opened(visit)
    draw = random.Random(4)
    records = set()
    for _ in range(300):
        retention_ms = min(MS_MAX, int(10 ** draw.uniform(0, 12.01)) - 1)
        after_ms = draw.choice([retention_ms + draw.randint(-2, 2), draw.randint(0, MS_MAX)])
        inputs = {
            "key_scope": draw.choice(KEY_SCOPES),
            "second_request": draw.choice(SECOND_REQUESTS),
            "conflict_policy": draw.choice(CONFLICT_POLICIES),
            "retention_s": written(draw, retention_ms),
            "after_s": written(draw, min(max(after_ms, 0), MS_MAX)),
        }
        run = experiment(**inputs)  # type: ignore[arg-type]
        assert_shown(chosen(page, **inputs), run)
        records.add(run["record_at_second_request"])
    assert records == {"retained", "expired", "none under that key"}


def written(draw: random.Random, ms: int) -> str:
    """A number of milliseconds as somebody might write it in seconds."""
    whole, decimals = divmod(ms, 1000)
    text = f"{whole}.{decimals:03}"
    short = text.rstrip("0").rstrip(".")
    return draw.choice([text, short, f"0{short}", f" {text} ", f"{text}00", text.lstrip("0")])


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_the_three_buttons_stand_at_the_end_of_retention_and_beside_it(
    visit: Visitor, offset: int
) -> None:
    page = opened(visit)
    for retention_ms in (1, 999, 3_600_000, 86_399_999, MS_MAX - 1):
        chosen(page, retention_s=retention_ms / 1000)
        page.locator(f'[data-edge="{offset}"]').click()
        run = experiment(retention_s=retention_ms / 1000, after_s=(retention_ms + offset) / 1000)
        assert_shown(page.evaluate(SHOWN), run)
        assert run["total_effects"] == (1 if offset < 0 else 2)


def test_the_command_prints_what_the_page_shows(
    visit: Visitor, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened(visit)
    for numbers in (("86400", "3600"), ("0.5", "0.499"), ("1000000000", ".001")):
        for scope, second in zip(KEY_SCOPES, SECOND_REQUESTS, strict=True):
            found = chosen(
                page,
                key_scope=scope,
                second_request=second,
                retention_s=numbers[0],
                after_s=numbers[1],
            )
            program, *arguments = shlex.split(found["command"])
            assert program == "faultlab"
            assert cli.main(arguments) == 0
            assert capsys.readouterr().out == found["json"] + "\n"


# Numbers that can't be used

BAD: Final = [
    *("", " ", "-1", "-0.001", "NaN", "Infinity", "-inf", "1e3", "1,5", "1_000", "1.2.3", "ten"),
    *("1000000000.001", "1000000001", "9" * 60, "0.0001", "3600.00000001", "٣", "−5", "+5"),
    *("it's", 'say "5"', 'it\'s "5"', "back\\slash", "\t5", "5\u00a0", "\u200b", "\U000e0041", "½"),
    *("é", "\x7f", "\ufeff5", "0x10", ".", "-", "5 5"),
]


@pytest.mark.parametrize("name", ["retention_s", "after_s"])
def test_a_bad_number_is_refused_beside_its_field_in_pythons_words(
    visit: Visitor, name: str
) -> None:
    page = opened(visit)
    other = "after_s" if name == "retention_s" else "retention_s"
    last = chosen(page, retention_s="7.5", after_s="7")
    field = page.locator(f"#fl-{name}")
    for bad in BAD:
        with pytest.raises(IdempotencyError) as caught:
            experiment(**{name: bad})  # type: ignore[arg-type]
        found = chosen(page, **{name: bad})
        assert found["wrong"] == {name: str(caught.value), other: ""}, bad
        assert field.get_attribute("aria-invalid") == "true"
        described = field.get_attribute("aria-describedby")
        assert page.locator(f"[id='{described}']").is_visible()
        # The last result stays as it is, and says that it is not current.
        assert found["current"] == "no"
        assert found["marked"] == found["pressed"] == []
        assert {**found, "wrong": 0, "current": 0, "marked": 0} == {
            **last,
            "wrong": 0,
            "current": 0,
            "marked": 0,
        }
    stale = page.locator(".fl-contract-stale")
    assert stale.is_visible()
    assert "Not current. " in stale.inner_text()
    assert "kept for 7.5 s, second request after 7 s" in stale.inner_text()
    found = chosen(page, **{name: "7"})
    assert found["wrong"] == {name: "", other: ""}
    assert found["current"] == "yes"
    assert field.get_attribute("aria-invalid") is None
    assert not stale.is_visible()


def test_two_bad_numbers_are_both_named_and_read_out(visit: Visitor) -> None:
    page = opened(visit)
    found = chosen(page, retention_s="-1", after_s="x")
    assert found["wrong"]["retention_s"].startswith("retention_s='-1' is negative.")
    assert found["wrong"]["after_s"].startswith("after_s='x' is not a finite number")
    page.wait_for_function(
        "() => document.querySelector('.fl-contract-live').textContent.includes(\"after_s='x'\")"
    )


# Memory only

KEPT: Final = """async () => ({
    url: location.href,
    entries: history.length,
    state: history.state,
    local: { ...localStorage },
    session: { ...sessionStorage },
    cookie: document.cookie,
    databases: (await indexedDB.databases()).map((one) => one.name),
    caches: await caches.keys(),
    name: window.name,
})"""


def test_inputs_stay_in_the_pages_memory(visit: Visitor) -> None:
    page = opened(visit)
    page.wait_for_load_state("networkidle")
    before = page.evaluate(KEPT)
    asked = list(visit.requests)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.on("websocket", lambda socket: sent.append(socket.url))
    seen = set()
    for scope in KEY_SCOPES:
        seen.add(chosen(page, key_scope=scope)["json"])
    for second in SECOND_REQUESTS:
        seen.add(chosen(page, second_request=second)["json"])
    for policy in CONFLICT_POLICIES:
        seen.add(chosen(page, conflict_policy=policy)["json"])
    for name in ("retention_s", "after_s"):
        page.locator(f"#fl-{name}").fill("4242.424")
        page.locator(f"#fl-{name}").press("Enter")
        seen.add(page.evaluate(SHOWN)["json"])
        page.locator(f"#fl-{name}").fill("-1")
    for button in page.locator(".fl-contract [data-preset], .fl-contract [data-edge]").all():
        button.click()
        seen.add(page.evaluate(SHOWN)["json"])
    page.locator(".fl-contract-map button").last.click()
    seen.add(page.evaluate(SHOWN)["json"])
    page.wait_for_timeout(700)
    assert len(seen) >= 10  # every input did change something
    assert page.evaluate(KEPT) == before
    assert (before["local"], before["session"], before["cookie"]) == ({}, {}, "")
    assert (before["databases"], before["caches"], before["name"]) == ([], [], "")
    assert "#" not in before["url"]
    assert "?" not in before["url"]
    assert sent == []
    assert visit.requests == asked
    page.reload(wait_until="load")
    page.locator(".fl-contract[data-current=yes]").wait_for()
    assert page.evaluate(SHOWN)["json"] == as_printed(experiment())


def test_what_is_fetched_does_not_depend_on_what_is_chosen(visit: Visitor) -> None:
    page = visit.blank()
    held: list[Any] = []
    page.route("**/contract-pictures.json", lambda route: held.append(route))
    page.goto(f"{visit.origin}/{PAGE}")
    page.locator("[name=conflict_policy][value=ignore]").check()
    page.locator("#fl-after_s").fill("86400")
    page.wait_for_timeout(100)
    assert len(held) == 1
    for route in held:
        route.continue_()
    page.locator(".fl-contract[data-current=yes]").wait_for()
    assert_shown(page.evaluate(SHOWN), experiment(conflict_policy="ignore", after_s=86_400))
    assert not any("ignore" in url or "86400" in url for url in visit.requests)


# Presets and the map


def test_a_preset_sets_what_was_published_and_nothing_else(visit: Visitor) -> None:
    page = opened(visit)
    for policy in CONFLICT_POLICIES:
        for contract in PRESETS:
            chosen(page, key_scope="tenant", conflict_policy=policy, retention_s="5", after_s="4")
            page.locator(f'[data-preset="{contract.id}"]').click()
            run = experiment(
                key_scope="tenant",
                conflict_policy=contract.conflict_policy or policy,  # type: ignore[arg-type]
                retention_s=contract.retention_s or 0,
                after_s=4,
            )
            found = page.evaluate(SHOWN)
            assert_shown(found, run)
            assert found["pressed"] == [contract.id]
            assert page.locator("#fl-retention_s").input_value() == str(contract.retention_s)
    assert chosen(page, retention_s="301")["pressed"] == []


def test_the_contracts_are_cited_with_system_and_month(visit: Visitor) -> None:
    page = opened(visit)
    table = page.locator("h2#published-contracts ~ .fl-generated").first
    rows = table.locator("tbody tr")
    assert rows.count() == len(CONTRACTS)
    for row, contract in zip(rows.all(), CONTRACTS, strict=True):
        assert contract.system in row.inner_text()
        assert contract.says in row.inner_text()
        assert contract.read in row.inner_text()
    assert table.locator(".fl-cited").count() == 1


def test_the_map_shows_64_cells_and_each_selects_its_combination(visit: Visitor) -> None:
    page = opened(visit)
    cells = page.locator(".fl-contract-map td")
    assert cells.count() == 64
    for run in combinations():
        cell = page.locator(f'.fl-contract-map td[data-combination="{combination_id(run)}"]')
        kind = "right" if run["right_for_intent"] else "wrong"
        words = " ".join((cell.locator("button").text_content() or "").split())
        sign = "✓" if run["right_for_intent"] else "×"
        assert words == f"{run['second_disposition']} {sign}, {kind} for the intent"
        cell.locator("button").evaluate("button => button.click()")
        page.evaluate("() => new Promise((then) => setTimeout(then, 0))")
        found = page.evaluate(SHOWN)
        assert found["combination"] == combination_id(run)
        assert found["headline"] == run["headline"]
        assert json.loads(found["json"])["headline"] == run["headline"]
    assert page.locator(".fl-contract-map a").count() == 0


def test_a_cell_keeps_numbers_that_fit_it_and_replaces_those_that_do_not(visit: Visitor) -> None:
    page = opened(visit)
    chosen(page, retention_s="10", after_s="9.999")
    cell = '.fl-contract-map [data-combination="operation.other-tenant.ignore.{}"] button'
    page.locator(cell.format("retained")).click()
    kept = {"key_scope": "operation", "second_request": "other-tenant", "conflict_policy": "ignore"}
    fits = experiment(**kept, retention_s=10, after_s=9.999)  # type: ignore[arg-type]
    assert_shown(page.evaluate(SHOWN), fits)
    page.locator(cell.format("expired")).click()
    found = page.evaluate(SHOWN)
    inputs = json.loads(found["json"])["inputs"]
    assert inputs["after_s"] >= inputs["retention_s"]
    assert_shown(found, experiment(**inputs))
    top = page.locator(".fl-contract-result").evaluate("e => e.getBoundingClientRect().top")
    assert abs(top) < 120
    assert page.evaluate("document.activeElement.dataset.part") == "shown"
    chosen(page, retention_s="-1")
    page.locator(cell.format("retained")).click()
    assert page.evaluate(SHOWN)["current"] == "yes"


# Reading it in other ways


def test_the_keyboard_alone_reaches_and_changes_everything(visit: Visitor) -> None:
    page = opened(visit)
    page.locator('[name="key_scope"]:checked').focus()
    assert outlined(page, "document.activeElement.closest('label')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    assert outlined(page, "document.activeElement")
    page.keyboard.press("Control+a")
    page.keyboard.type("60")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("59.999")
    assert_shown(
        page.evaluate(SHOWN),
        experiment(
            key_scope="operation",
            second_request="other-tenant",
            conflict_policy="ignore",
            retention_s=60,
            after_s=59.999,
        ),
    )
    for _ in range(2):
        page.keyboard.press("Tab")
        assert outlined(page, "document.activeElement")
    page.keyboard.press("Space")
    assert json.loads(page.evaluate(SHOWN)["json"])["inputs"]["after_s"] == 60
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate(SHOWN)["pressed"] == ["stripe"]
    page.locator(".fl-contract-map button").first.focus()
    page.keyboard.press("Tab")
    assert outlined(page, "document.activeElement")
    page.keyboard.press("Enter")
    assert page.evaluate(SHOWN)["combination"] == "tenant-and-operation.same-intent.enforce.expired"


def outlined(page: Page, element: str) -> bool:
    style, width = page.evaluate(
        "e => [getComputedStyle(e).outlineStyle, parseFloat(getComputedStyle(e).outlineWidth)]",
        page.evaluate_handle(element),
    )
    return bool(style != "none" and width >= 2)


def test_a_result_is_read_out_once_somebody_has_stopped_typing(visit: Visitor) -> None:
    page = opened(visit)
    live = page.locator(".fl-contract-live")
    page.locator('[name="second_request"][value="changed-amount"]').check()
    run = experiment(second_request="changed-amount")
    page.wait_for_function(
        "said => document.querySelector('.fl-contract-live').textContent === said",
        arg=contract_page.said(run),
    )
    assert verdict(run) in (live.text_content() or "")
    page.locator("#fl-after_s").fill("1")
    page.locator("#fl-after_s").fill("100000")
    assert live.text_content() == contract_page.said(run)
    page.wait_for_function(
        "said => document.querySelector('.fl-contract-live').textContent === said",
        arg=contract_page.said(experiment(second_request="changed-amount", after_s=100_000)),
    )


def test_targets_are_large_enough_for_a_thumb(visit: Visitor) -> None:
    page = opened(visit, viewport={"width": 320, "height": 700})
    targets = (
        ".fl-contract :is(label:has([type=radio]), button, [type=text]), .fl-contract-map button"
    )
    sizes = page.locator(targets).evaluate_all(
        "found => found.map((e) => e.getBoundingClientRect()).map((b) => [b.width, b.height])"
    )
    assert len(sizes) > 80
    assert min(width for width, _ in sizes) >= 44
    assert min(height for _, height in sizes) >= 43.9


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["valid", "bad"])
def test_no_state_of_the_page_has_a_violation_that_axe_finds(
    visit: Visitor, scheme: Any, state: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(visit, color_scheme=scheme, reduced_motion="reduce")
    chosen(page, second_request="changed-amount", after_s="-1" if state == "bad" else "90000")
    found = Axe().run(page)
    assert len(found.response["passes"]) > 10
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [375, 320])
def test_no_state_of_the_page_scrolls_sideways(visit: Visitor, width: int) -> None:
    page = opened(visit, viewport={"width": width, "height": 700})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    chosen(page, second_request="other-tenant", retention_s="9" * 60)
    assert page.evaluate(wide) == 0
    sizes = page.locator(".fl-contract-lanes text").evaluate_all(
        """found => found.map((e) => parseFloat(getComputedStyle(e).fontSize)
            * e.ownerSVGElement.getScreenCTM().a)"""
    )
    assert len(sizes) > 8
    assert min(sizes) >= (11 if width == 375 else 9)


def test_nothing_of_a_picture_sticks_out_of_it(visit: Visitor) -> None:
    page = opened(visit)
    for run in combinations():
        chosen(page, **run["inputs"])
        out = page.locator(".fl-contract-lanes *").evaluate_all(
            """found => found.filter((e) => {
                const own = e.getBoundingClientRect();
                const whole = e.ownerSVGElement.getBoundingClientRect();
                return own.left < whole.left - 1 || own.right > whole.right + 1
                    || own.bottom > whole.bottom + 1 || own.top < whole.top - 1;
            }).map((e) => e.outerHTML)"""
        )
        assert out == [], combination_id(run)


def test_the_marks_survive_forced_colours(visit: Visitor) -> None:
    page = opened(visit, forced_colors="active")
    drawn = page.locator(".fl-contract-lanes :is(.mark, .ring, .cross, .kept)").evaluate_all(
        """found => found.map((e) => {
            const style = getComputedStyle(e);
            const ground = getComputedStyle(document.body).backgroundColor;
            return [style.fill, style.stroke].some((c) => c !== "none" && c !== ground);
        })"""
    )
    assert len(drawn) >= 8
    assert all(drawn)


def test_without_javascript_one_result_map_and_command_stay_and_no_control_is_dead(
    visit: Visitor,
) -> None:
    page = visit(PAGE, java_script_enabled=False)
    assert page.locator(".fl-contract :is(input, button)").count() == 0
    assert page.locator(".fl-contract-map :is(button, a)").count() == 0
    assert page.locator(".fl-contract-map td").count() == 64
    assert page.locator(".fl-contract noscript, .fl-contract-note").first.is_visible()
    assert not page.locator(".fl-contract-stale").is_visible()
    run = experiment()
    assert page.locator("[data-part=json]").text_content() == as_printed(run)
    assert run["headline"] in page.locator(".fl-contract").inner_text()
    assert page.locator(".fl-contract-lanes").is_visible()
    command = contract_page.COMMAND.format(**run["inputs"])
    assert page.locator("[data-part=command]").text_content() == command
    article = page.locator("article").inner_text().replace("’", "'")
    for line in (*ASSUMPTIONS, *NOT_MODELLED):
        assert line in article


def test_without_its_data_the_page_says_so_and_marks_the_result_as_not_current(
    visit: Visitor,
) -> None:
    visit.tolerated = "Failed to load resource"
    page = visit.blank()
    page.route("**/idempotency/map.json", lambda route: route.abort())
    page.goto(f"{visit.origin}/{PAGE}")
    page.locator(".fl-contract-error").wait_for()
    page.locator('[name="key_scope"][value="attempt"]').check()
    page.locator(".fl-contract[data-current=no]").wait_for()
    assert page.locator(".fl-contract-map").is_visible()
    page.unroute("**/idempotency/map.json")
    page.locator('[name="key_scope"][value="tenant"]').check()  # the next choice tries again
    page.locator(".fl-contract[data-current=yes]").wait_for()
    assert not page.locator(".fl-contract-error").is_visible()
    assert_shown(page.evaluate(SHOWN), experiment(key_scope="tenant"))


def test_the_page_has_under_250_words_before_its_controls(visit: Visitor) -> None:
    page = opened(visit)
    before = page.evaluate(
        "() => { const range = document.createRange();"
        "range.setStartBefore(document.querySelector('h1'));"
        "range.setEndBefore(document.querySelector('.fl-contract-controls'));"
        "return range.toString(); }"
    )
    assert 30 < len(before.split()) < 250


def test_the_page_weighs_at_most_250_kb_compressed(visit: Visitor) -> None:
    page = visit.blank()
    answers: list[Any] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{visit.origin}/{PAGE}")
    page.locator(".fl-contract[data-loaded=ready]").wait_for()
    page.wait_for_load_state("networkidle")
    sizes = {a.url.removeprefix(visit.origin): len(gzip.compress(a.body())) for a in answers}
    assert any(url.endswith("contract-pictures.json") for url in sizes)
    assert any(url.endswith("idempotency/map.json") for url in sizes)
    assert sum(sizes.values()) <= 250_000, sizes


def test_it_prints_the_result_and_the_map_without_controls(visit: Visitor) -> None:
    page = opened(visit)
    page.emulate_media(media="print")
    for control in page.locator("article :is(input, button)").all():
        assert not control.is_visible()
    assert page.locator(".fl-contract-lanes").is_visible()
    assert page.locator(".fl-contract-headline").is_visible()
    assert "faultlab idempotency" in page.locator(".fl-contract-saved").inner_text()
    printed = [cell.inner_text() for cell in page.locator(".fl-contract-map td").all()]
    assert all("applied" in t or "reused" in t or "conflict" in t for t in printed)
    assert page.pdf(format="A4").startswith(b"%PDF")
