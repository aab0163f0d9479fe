"""The checklist's items: permanent, complete, and each with an experiment or a plain word."""

from collections import Counter

import pytest

from faultlab import snippets
from faultlab.readiness import BY_ID, CONSEQUENCES, GROUPS, ITEMS, Item
from faultlab_docs import checklist_page
from faultlab_docs.cases import CASES
from faultlab_docs.places import DOCS

EVERY_ITEM = pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)

PUBLISHED = [
    "identity-names-the-intent",
    "identity-before-the-first-send",
    "identity-scoped-by-account",
    "identity-from-stable-fields",
    "identity-minted-by-the-runtime",
    "identity-new-intent-new-key",
    "payload-is-compared",
    "payload-compared-by-meaning",
    "payload-conflict-is-told",
    "record-with-the-effect",
    "record-claimed-first",
    "record-claim-has-a-lease",
    "record-behind-a-business-constraint",
    "retention-outlives-the-retries",
    "retention-by-time",
    "retention-end-is-known",
    "retention-result-still-true",
    "unknown-is-a-state",
    "unknown-can-be-looked-up",
    "unknown-does-not-resend",
    "unknown-reaches-a-person",
    "delivery-duplicate-is-harmless",
    "delivery-acknowledged-last",
    "delivery-lease-outlives-the-work",
    "ownership-is-fenced",
    "evidence-fault-struck",
    "evidence-counted-apart",
    "evidence-read-back",
]
"""Saved checklists name these: the list may grow, and nothing on it may change."""


def test_every_published_id_is_still_there() -> None:
    assert set(PUBLISHED) - set(BY_ID) == set()


def test_a_new_id_is_on_the_published_list() -> None:
    assert set(BY_ID) - set(PUBLISHED) == set()


def test_no_id_and_no_question_is_given_twice() -> None:
    for values in ([item.id for item in ITEMS], [item.question for item in ITEMS]):
        assert [value for value, count in Counter(values).items() if count > 1] == []
    assert len(BY_ID) == len(ITEMS) == 28


def test_every_group_and_every_consequence_is_used() -> None:
    assert {item.group for item in ITEMS} == set(GROUPS)
    assert {item.consequence for item in ITEMS} == set(CONSEQUENCES)


def test_the_items_stand_in_the_order_of_the_groups() -> None:
    order = [GROUPS.index(item.group) for item in ITEMS]
    assert order == sorted(order)


@EVERY_ITEM
def test_an_item_says_everything_in_whole_sentences(item: Item) -> None:
    assert item.question.endswith("?")
    assert item.why.endswith(".")
    assert item.test[-1] in ".?"
    for text in (item.question, item.why, item.test):
        assert len(text.split()) >= 5
        assert text[0].isupper()
        assert "  " not in text


@EVERY_ITEM
def test_an_item_names_an_experiment_that_exists(item: Item) -> None:
    shown = checklist_page.html("review/checklist.md", "../assets")
    block = shown.partition(f'data-item="{item.id}"')[2].partition('data-item="')[0]
    page = snippets.get(item.experiment).page
    assert f'/{page.rpartition("/")[2]}/#{item.experiment}"' in block


def test_every_case_is_asked_about_by_items_that_exist() -> None:
    assert len(CASES) == 22
    for case in CASES:
        assert (DOCS / "review/cases" / case.page.partition("#")[0]).is_file(), case.name
        assert case.items
        assert set(case.items) <= set(BY_ID), case.name
        assert len(set(case.items)) == len(case.items)
        assert case.consequence in CONSEQUENCES
