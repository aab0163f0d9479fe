"""The checklist's page against Python: what it exports, opens, refuses, and never tells anyone."""

from __future__ import annotations

import datetime
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest

from faultlab.cli import main
from faultlab.readiness import CONSEQUENCES, ITEMS
from faultlab.readiness_file import (
    RESPONSES,
    Answer,
    Checklist,
    ReadinessError,
    check,
    markdown,
    read,
    summary,
    to_json,
)
from faultlab.readiness_words import WORDS
from faultlab_docs import readiness_records
from tests.browser.test_every_page import STICKING_OUT, assert_no_violation

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.conftest import Visitor

PAGE: Final = "review/checklist/"
ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = ROOT / "snippets" / "readiness.json"
TODAY: Final = readiness_records.TODAY
FIRST: Final = ITEMS[0].id
LABELS: Final = {
    "owner": "Owner",
    "evidence": "Link to evidence",
    "reason": "Reason",
    "waived_until": "Waived until",
    "note": "Note",
}
PIECES: Final = [
    "a",
    "Ann Li",
    " ",
    "  ",
    "<b>",
    "`",
    "*",
    "{x}",
    "\t",
    "ü",
    "…",
    "# ",
    "- ",
    "|",
]


def opened(visit: Visitor, **options: Any) -> Page:
    """The page on the samples' day."""
    page = visit.blank(accept_downloads=True, **options)
    page.clock.set_fixed_time(datetime.datetime(2026, 12, 1, 12))
    page.goto(f"{visit.origin}/{PAGE}", wait_until="load")
    return page


def item(page: Page, name: str) -> Locator:
    return page.locator(f'[data-item="{name}"]')


def answer(page: Page, name: str, said: str, **texts: str) -> None:
    """Answer one item as a reader does."""
    item(page, name).get_by_label(WORDS[said], exact=True).check()
    for key, text in texts.items():
        item(page, name).get_by_label(LABELS[key]).fill(text)


def downloaded(page: Page, button: str) -> tuple[str, str]:
    """The name and the text of the file that a button hands over."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    path = waiting.value.path()
    return waiting.value.suggested_filename, path.read_bytes().decode("utf-8")


def hand_in(page: Page, text: str, name: str = "readiness.json") -> None:
    file = {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    page.get_by_label("Open a file").set_input_files(file)  # type: ignore[arg-type]
    page.wait_for_function("document.querySelector('[data-do=open]').value === ''")


def alert(page: Page) -> str:
    return page.locator(".fl-check-error").inner_text()


def file_text(checklist: Checklist) -> str:
    return json.dumps(to_json(checklist), indent=2, ensure_ascii=False) + "\n"


def drawn(number: int) -> Checklist:
    """A checklist with answers drawn from a seed, around the day on which it is looked at."""
    chance = random.Random(number)

    def text() -> str:
        return "".join(chance.choice(PIECES) for _ in range(chance.choice([0, 0, 1, 2, 5])))

    def one() -> Answer:
        days = [None, *(TODAY + datetime.timedelta(days=n) for n in (-1, 0, 1, 300))]
        return Answer(
            answer=chance.choice(RESPONSES),  # type: ignore[arg-type]
            reason=text(),
            owner=text(),
            evidence=text(),
            note="\n".join(text() for _ in range(chance.choice([1, 1, 2]))),
            waived_until=chance.choice(days),
        )

    return Checklist(operation=text(), answers={found.id: one() for found in ITEMS})


# The path of a reader: a tool of an agent that charges a card through a queue


def test_a_design_is_reviewed_exported_checked_in_a_shell_and_opened_again(
    visit: Visitor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened(visit)
    page.get_by_label("Operation", exact=True).fill("An agent's tool charges a card")
    answer(page, FIRST, "yes", owner="payments", evidence="https://git.example/test_key.py")
    answer(page, "identity-minted-by-the-runtime", "no", owner="agents", note="next release")
    answer(
        page,
        "evidence-counted-apart",
        "no",
        reason="Only staff until then.",
        waived_until="2026-12-18",
    )
    answer(page, "retention-result-still-true", "not-applicable", reason="A refund is another.")
    answer(page, "delivery-acknowledged-last", "yes")
    assert "Effect lost: 0 open" in page.locator(".fl-check-counts").inner_text()
    name, text = downloaded(page, "Save as JSON")
    assert name == "readiness.json"
    value = json.loads(text)
    jsonschema.validate(
        value, json.loads((ROOT / "docs/schemas/readiness.schema.json").read_text())
    )
    assert text == file_text(read(text))
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    code = main(["checklist", "--check", str(path), "--today", TODAY.isoformat()])
    told = capsys.readouterr().out
    assert code == 1
    assert "until 2026-12-18: Only staff until then." in told
    assert "without a link to evidence: `delivery-acknowledged-last`." in told
    again = opened(visit)
    hand_in(again, text)
    assert (
        again.get_by_label("Operation", exact=True).input_value()
        == "An agent's tool charges a card"
    )
    assert downloaded(again, "Save as JSON") == (name, text)


# The same as Python


def test_over_drawn_answers_page_and_command_say_the_same_to_the_byte(visit: Visitor) -> None:
    page = opened(visit, permissions=["clipboard-read", "clipboard-write"])
    seen: set[str] = set()
    for number in range(40):
        checklist = drawn(number)
        hand_in(page, file_text(checklist))
        assert alert(page) == ""
        assert downloaded(page, "Save as JSON")[1] == file_text(checklist), number
        assert downloaded(page, "Save as Markdown") == ("readiness.md", markdown(checklist)), number
        page.locator('[data-do="summary"]').click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == summary(checklist, today=TODAY), number
        found = check(checklist, today=TODAY)
        counts = page.locator(".fl-check-counts span").all_inner_texts()
        assert counts == [
            f"{name.capitalize()}: {sum(f.consequence == name for f in found)} open"
            for name in CONSEQUENCES
        ]
        listed = page.locator(".fl-check-open li a").evaluate_all(
            "links => links.map((link) => link.hash.slice(1))"
        )
        assert sorted(listed) == sorted(finding.id for finding in found)
        seen |= {re.sub(r"\d{4}-\d\d-\d\d", "DAY", finding.problem) for finding in found}
    assert len(seen) == 7  # every way to be open was drawn


def test_a_sample_file_is_taken_or_refused_with_the_commands_own_words(visit: Visitor) -> None:
    page = opened(visit)
    page.on("dialog", lambda dialog: dialog.accept())
    refused = 0
    for text in readiness_records.samples():
        answer(page, FIRST, "no", note="kept", owner="", reason="")
        hand_in(page, text)
        note = item(page, FIRST).get_by_label("Note").input_value()
        error = refusal(text)
        if error:
            refused += 1
            assert (
                alert(page) == f"readiness.json: {error} Your answers on this page are unchanged."
            )
            assert note == "kept"
            assert item(page, FIRST).get_by_label("no", exact=True).is_checked()
        else:
            checklist = read(text)
            assert note == checklist.answers[FIRST].note
            assert all(name in alert(page) for name in checklist.strange)
            assert bool(alert(page)) == bool(checklist.strange)
    assert refused >= 14


def refusal(text: str) -> str:
    """What the command says of a file that is no checklist, or nothing."""
    try:
        read(text)
    except ReadinessError as error:
        return str(error)
    return ""


# What is told, and what isn't


def test_a_changed_count_is_said_and_nothing_else(visit: Visitor) -> None:
    page = opened(visit)
    live = page.locator(".fl-check-live")
    assert live.get_attribute("role") == "status"
    assert live.inner_text() == ""
    answer(page, "delivery-acknowledged-last", "yes")
    assert live.inner_text() == "Effect lost: 0 open."
    answer(page, FIRST, "no")
    assert live.inner_text() == "Effect lost: 0 open."  # it was open before
    answer(page, FIRST, "not-applicable")
    assert "no reason is given" in item(page, FIRST).locator(".fl-check-state").inner_text()
    answer(page, FIRST, "not-applicable", reason="x")
    assert live.inner_text() == "Effect twice: 14 open."


def test_nothing_is_stored_and_nothing_is_sent(visit: Visitor) -> None:
    page = opened(visit)
    page.wait_for_load_state("networkidle")
    before, address = len(visit.requests), page.url
    stored = page.evaluate("JSON.stringify(localStorage)")
    page.get_by_label("Operation", exact=True).fill("secret operation")
    for found in ITEMS:
        answer(page, found.id, "no", owner="secret owner", note="secret note")
    hand_in(page, "no checklist")
    downloaded(page, "Save as JSON")
    downloaded(page, "Save as Markdown")
    assert [url for url in visit.requests[before:] if not url.startswith("blob:")] == []
    assert page.url == address
    state = page.evaluate(
        """async () => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,
            history.state, await indexedDB.databases(), await caches.keys()])"""
    )
    assert "secret" not in state
    assert page.evaluate("JSON.stringify(localStorage)") == stored
    page.reload()
    assert page.get_by_label("Operation", exact=True).input_value() == ""
    assert page.locator(".fl-check :checked").count() == 0


def leaves_unasked(page: Page) -> bool:
    """Whether the page can be left without a question."""
    asked: list[str] = []

    def on_dialog(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", on_dialog)
    page.goto(page.url.partition("review/")[0])
    return asked == []


def test_leaving_is_asked_about_only_while_an_answer_is_not_saved(visit: Visitor) -> None:
    assert leaves_unasked(opened(visit))
    page = opened(visit)
    answer(page, FIRST, "yes")
    assert not leaves_unasked(page)
    page = opened(visit)
    answer(page, FIRST, "yes")
    downloaded(page, "Save as Markdown")  # which can't be opened again
    assert not leaves_unasked(page)
    page = opened(visit)
    answer(page, FIRST, "yes")
    downloaded(page, "Save as JSON")
    assert leaves_unasked(page)


def test_opening_a_file_over_unsaved_answers_is_asked_about(visit: Visitor) -> None:
    page = opened(visit)
    answer(page, FIRST, "no", note="kept")
    page.once("dialog", lambda dialog: dialog.dismiss())
    hand_in(page, EXAMPLE.read_text("utf-8"))
    assert item(page, FIRST).get_by_label("Note").input_value() == "kept"
    page.once("dialog", lambda dialog: dialog.accept())
    hand_in(page, EXAMPLE.read_text("utf-8"))
    assert item(page, FIRST).get_by_label("Owner").input_value() == "payments"


def test_links_to_experiments_do_not_leave_the_page(visit: Visitor) -> None:
    page = opened(visit)
    links = page.locator(".fl-check-words a")
    assert links.count() >= 24
    assert set(links.evaluate_all("links => links.map((link) => link.target)")) == {"_blank"}


def test_every_link_of_an_item_leads_to_an_anchor_that_exists(visit: Visitor) -> None:
    page = opened(visit)
    hrefs = page.locator(".fl-check-words a").evaluate_all("all => all.map((a) => a.href)")
    pages: dict[str, str] = {}
    for href in set(hrefs):
        address, _, anchor = href.partition("#")
        if address not in pages:
            pages[address] = page.request.get(address).text()
        assert not anchor or f'id="{anchor}"' in pages[address], href
    assert len(pages) >= 8


# Every way to use it


def test_by_keyboard_alone_an_item_is_answered_and_saved(visit: Visitor) -> None:
    page = opened(visit)
    page.get_by_label("Operation", exact=True).focus()
    page.keyboard.type("Charge a card")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            break
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    assert item(page, FIRST).get_by_label("no", exact=True).is_checked()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.ariaExpanded") == "true"
    page.keyboard.press("Tab")
    page.keyboard.type("Ann")
    assert item(page, FIRST).get_by_label("Owner").input_value() == "Ann"
    page.get_by_role("button", name="Save as JSON").focus()
    with page.expect_download():
        page.keyboard.press("Enter")


def test_a_focused_field_is_never_under_the_bar(visit: Visitor) -> None:
    page = opened(visit)
    hand_in(page, EXAMPLE.read_text("utf-8"))
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.locator("[data-item] [data-key=owner]").last.focus()
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        covered = page.evaluate(
            """() => {
                const bar = document.querySelector(".fl-check-bar");
                const e = document.activeElement;
                if (bar.contains(e)) return false;
                return e.getBoundingClientRect().top < bar.getBoundingClientRect().bottom;
            }"""
        )
        assert not covered


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_filled_form_has_no_violation_that_axe_finds(visit: Visitor, scheme: Any) -> None:
    page = opened(visit, color_scheme=scheme, reduced_motion="reduce")
    hand_in(page, "{")
    hand_in(page, EXAMPLE.read_text("utf-8"))
    assert_no_violation(page)


def test_a_filled_form_fits_a_phone_and_its_targets_a_thumb(visit: Visitor) -> None:
    for width in (375, 320):
        page = opened(visit, viewport={"width": width, "height": 700})
        hand_in(page, EXAMPLE.read_text("utf-8"))
        assert page.evaluate(STICKING_OUT) == []
        small = page.locator(
            ".fl-check :is(button, .fl-check-choices label, .fl-check-more :is(input, textarea))"
        ).evaluate_all(
            """all => all.map((e) => e.getBoundingClientRect())
                .filter((box) => box.height && box.height < 43.5).length"""
        )
        assert small == 0


def test_without_javascript_every_question_has_empty_boxes_and_no_dead_controls(
    visit: Visitor,
) -> None:
    page = visit(PAGE, java_script_enabled=False)
    assert page.locator(".fl-check-item h3").all_inner_texts() == [i.question for i in ITEMS]
    assert page.locator(".fl-check-box").count() == len(ITEMS) * len(RESPONSES)
    assert page.locator(".fl-check :is(input, button, select, textarea)").count() == 0
    assert "faultlab checklist --new" in page.locator("noscript").inner_text()
    page.emulate_media(media="print")
    assert page.locator(".fl-check-signature").is_visible()


def test_a_filled_form_prints_all_that_was_said_and_a_place_to_sign(visit: Visitor) -> None:
    page = opened(visit)
    hand_in(page, EXAMPLE.read_text("utf-8"))
    page.emulate_media(media="print")
    note = json.loads(EXAMPLE.read_text("utf-8"))["items"][FIRST]["note"]
    assert item(page, FIRST).locator(".k-note .fl-check-told").inner_text() == note
    assert not page.locator(".fl-check-bar").is_visible()
    assert not page.locator(".fl-check-file").is_visible()
    assert page.locator(".fl-check-signature").is_visible()
    assert page.locator(".fl-check-open").is_visible()
    assert not page.get_by_role("heading", name="Let CI ask").is_visible()


def test_the_first_question_comes_within_250_words(visit: Visitor) -> None:
    page = opened(visit)
    words = page.evaluate(
        """() => {
            const range = document.createRange();
            range.setStartBefore(document.querySelector("main h1"));
            range.setEndBefore(document.querySelector(".fl-check"));
            return range.toString().split(/\\s+/).length;
        }"""
    )
    assert 50 < words < 250
