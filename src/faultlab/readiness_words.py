"""What a checklist says in Markdown and in errors, once, for the command and for the page.

The page's script fills in these very texts, so that both say the same of the same answers.
"""

from typing import Final

FORMAT: Final = "faultlab-readiness/1"

WORDS: Final[dict[str, str]] = {
    # How the answers read.
    "yes": "yes",
    "no": "no",
    "unknown": "don't know",
    "not-applicable": "not applicable",
    # What keeps an item open.
    "state_no": "answered no",
    "state_unknown": "not known",
    "bare": "not applicable, but no reason is given",
    "expired": "{state}, and its waiver expired on {until}",
    "unreasoned": "{state}, and waived without a reason",
    "strange": "there is no item of this id.",
    # The summary for a pull request.
    "unnamed": "no operation is named",
    "summary": "## Replay readiness: {operation}",
    "none": "No item is open.",
    "open": "{consequence}: {count} open",
    "open_item": "- {question}*{problem}*{owner} (`{id}`)",
    "owner": " · {owner}",
    "waived": "Waived:",
    "waived_item": "- until {until}: {reason}{owner} (`{id}`)",
    "claimed": "Answered yes without a link to evidence: {ids}.",
    # The whole.
    "title": "# Replay readiness: {operation}",
    "group": "## {group}",
    "question": "### {question}",
    "item": "`{id}` · if not: {consequence}",
    "answer": "- Answer: {answer}",
    "reason": "- Reason: {text}",
    "owned": "- Owner: {text}",
    "evidence": "- Evidence: {text}",
    "note": "- Note: {text}",
    "until": "- Waived until: {text}",
    # What is wrong with a file.
    "no_json": "this is no JSON. Take a file that the checklist page saved, or that "
    "`faultlab checklist --new` printed.",
    "no_checklist": 'this is no checklist: it lacks "format": "{format}". Take a file that the '
    "checklist page saved, or that `faultlab checklist --new` printed.",
    "no_items": 'a checklist needs "operation", a text, and "items", an object by item id. '
    "Add them.",
    "no_object": "the answer to {id} is no object. Write one with the key answer.",
    "no_key": "the answer to {id} has a key {value}. Known: {known}.",
    "no_answer": "the answer to {id} is {value}. Write one of {known}.",
    "no_text": "{key} of {id} is {value}. Write a text.",
    "no_date": "waived_until of {id} is {value}. Write a day as YYYY-MM-DD, or null.",
    "no_string": "no text",
}
"""Texts by name; `{…}` stands for what is filled in."""
