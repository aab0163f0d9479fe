"""The page of a report: whole in itself, safe, readable without its script, and bounded."""

import json
import linecache
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from faultlab.dst import Fifo, Finding, Report, SimulationConfig, check
from faultlab.dst.event_rows import rows_of
from faultlab.dst.html_rows import ROWS_MAX, fewer
from faultlab.dst.html_run import LANES_MAX
from faultlab.dst.html_text import UNSEEN
from faultlab.kernel import History
from tests.dst import report_programs as programs

VOID = {"meta", "input", "br", "path"}
ONE_RUN = SimulationConfig(seeds=[0], search=Fifo(), minimize_runs_max=0)


class Page(HTMLParser):
    """A page taken apart: elements with their attributes, texts, and whether they nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.crossed: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return "".join(
            text
            for tag, texts in self.texts.items()
            if tag not in ("style", "script")
            for text in texts
        )


@pytest.fixture(scope="module")
def race() -> Report:
    return check(programs.transfer_race)


def finding_of(report: Report) -> Finding:
    assert report.finding is not None
    return report.finding


@pytest.mark.parametrize(
    "program",
    [programs.transfer_race, programs.lock_order, programs.shipments, programs.careful],
)
def test_a_page_nests_has_unique_ids_and_asks_for_nothing(program: object) -> None:
    html = check(program).to_html()  # type: ignore[arg-type]
    page = Page(html)
    assert (page.crossed, page.open) == ([], [])
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) > 2
    asked = [a[name] for _, a in page.elements for name in ("href", "src") if name in a]
    assert all(address.startswith("#") and address[1:] in ids for address in asked)
    assert not re.search(r"https?:|url\(|@import|fetch\(|XMLHttp|localStorage", html)


def test_the_policy_forbids_every_request_and_any_script_but_its_own(race: Report) -> None:
    html = race.to_html()
    policy = next(a["content"] for a in Page(html).named("meta") if "http-equiv" in a)
    script = html.rpartition("<script>")[2].partition("</script>")[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{digest}'" in policy


def test_it_tells_the_violation_its_decisions_and_how_to_see_it_again(race: Report) -> None:
    found, text = finding_of(race), Page(race.to_html()).text
    assert "violated" in text
    assert "AssertionError: balance is 70" in text
    assert len(found.decisions) == 1
    for made in found.decisions:
        assert made.where is not None
        assert made.words in text
        assert f"{made.where.file}:{made.where.number}" in text
        assert made.where.source in text
    assert f"faultlab reproduce {found.token}" in text
    assert f'dst.check(transfer_race, dst.SimulationConfig.reproduce("{found.token}"))' in text
    assert "What this report does not say" in text


def test_every_row_is_there_without_the_script_with_a_sign_and_a_word_for_its_kind(
    race: Report,
) -> None:
    rows = rows_of(finding_of(race))
    html = race.to_html()
    items = re.findall(r"<li[^>]*><span class=\"t\">.*?</li>", html)
    assert len(items) == len(rows) > 15
    signs = {"reached": "●", "asked": "◇", "raised": "✕"}
    for row, item in zip(rows, items, strict=True):
        assert f">{signs[row.kind]}</i>" in item
        assert f'aria-label="{row.lane} ran"' in item or f" {row.lane}&quot;" not in item
    assert {row.kind for row in rows} == set(signs)
    assert sum("✕" in item for item in items) == 1
    assert 'aria-label="raised in main"' in items[-1]


def test_the_source_of_the_functions_is_there_once_and_whole(race: Report) -> None:
    (source,) = finding_of(race).sources
    assert source.function == "transfer_race"
    assert source.lines[0] == "async def transfer_race() -> None:"
    assert source.lines[-1].startswith("    assert account")
    html = race.to_html()
    assert html.count('<span class="no">') == len(source.lines)


def test_a_deadlock_tells_where_each_task_waits() -> None:
    report = check(programs.lock_order)
    text = Page(report.to_html()).text
    assert len(finding_of(report).tasks) == 3
    for task in finding_of(report).tasks:
        assert task.doing in text
    assert text.count("waits at") == 3
    assert "The exception" not in text


def test_what_a_program_says_cannot_leave_its_place_or_hide() -> None:
    html = check(programs.shipments).to_html()
    page = Page(html)
    assert len(page.named("script")) == 2
    assert page.named("b") == [{"class": "held", "aria-hidden": "true"}]
    assert "</script><b>&amp; \\u2028 order \\u202e reversed \\u0000" in page.text
    assert not UNSEEN.search(html)
    assert "\r" not in html
    html.encode("utf-8")


def test_text_that_nobody_escapes_would_leave_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin of the test above: it sees what it looks for."""
    monkeypatch.setattr("faultlab.dst.html.text", str)
    page = Page(check(programs.shipments).to_html())
    assert page.named("b") != [{"class": "held", "aria-hidden": "true"}]


def test_a_report_from_another_machine_gives_the_same_page_and_reads_no_file(
    race: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    html, sent = race.to_html(), json.dumps(race.to_json())

    def refuse(*_: object) -> None:
        raise AssertionError("a file was read")

    with monkeypatch.context() as patch:
        patch.setattr(linecache, "getlines", refuse)
        patch.setattr(linecache, "getline", refuse)
        again = Report.from_json(json.loads(sent)).to_html()
    assert again == html


def test_a_clean_report_says_what_was_run_and_what_it_does_not_say() -> None:
    text = Page(check(programs.careful, SimulationConfig.quick()).to_html()).text
    assert "clean" in text
    assert "64 of 64" in text
    assert "It does not say that nothing can" in text
    assert "What ran" not in text


def test_an_unexercised_report_says_what_never_struck_and_what_did() -> None:
    clean = check(programs.careful, SimulationConfig.quick())
    report = replace(
        clean,
        verdict="unexercised",
        unexercised=("a crash of the worker",),
        exercised={"a lost reply": 12},
        statement="all <b>1</b> runs",
    )
    page = Page(report.to_html())
    assert page.text.count("a crash of the worker") == 2
    assert "a lost reply: in 12 of 64 runs" in page.text
    assert "all <b>1</b> runs" in page.text
    assert "neither that the program is broken nor that it holds" in page.text


def test_a_long_run_stays_below_two_megabytes_and_says_what_is_left_out() -> None:
    report = check(programs.long_run, ONE_RUN)
    found = finding_of(report)
    assert len(found.steps) == 2_000
    rows = rows_of(found)
    assert len(rows) > ROWS_MAX
    html = report.to_html()
    assert len(html.encode()) < 2_000_000
    assert f"The first {found.steps[0].number - 1:,} steps are left out." in html
    assert "rows of" in html
    shown = fewer(rows)
    assert {row.step for row in shown} == {row.step for row in rows}
    assert shown[-1] == rows[-1]
    assert shown[-1].kind == "raised"


def test_a_short_run_loses_no_row(race: Report) -> None:
    rows = rows_of(finding_of(race))
    assert fewer(rows) == rows
    assert "left out" not in race.to_html()


def test_of_eighty_tasks_the_last_share_a_lane_and_are_named_in_their_rows() -> None:
    html = check(programs.crowd, ONE_RUN).to_html()
    page = Page(html)
    assert f"{81 - LANES_MAX} more" in page.text
    assert "<b>Task-81</b>" in html
    assert "<b>Task-2</b>" not in html


def test_the_history_is_a_table_and_only_its_end_if_it_is_long(race: Report) -> None:
    history = History(lambda: 0.25)
    for number in range(450):
        history.record("node 1", "Task-2", "effect", {"amount": number, "note": "<i>"})
    found = replace(finding_of(race), history=history)
    page = Page(replace(race, finding=found).to_html())
    assert "The first 50 events are left out here." in page.text
    assert '{"amount": 449, "note": "<i>"}' in page.text
    assert '{"amount": 49, "note": "<i>"}' not in page.text
    assert "History" not in Page(race.to_html()).text


def test_the_same_report_gives_the_same_bytes(race: Report) -> None:
    assert check(programs.transfer_race).to_html() == race.to_html()
