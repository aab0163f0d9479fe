"""What has been published keeps its address: published.txt may grow, and nothing on it may go.

After adding a page, snippet, error, term, checklist item or scenario, append its line with

    python tests/docs/test_published.py >> tests/docs/published.txt

which prints what exists and isn't listed yet. Something that must go leaves a redirect behind
and is then taken off the list by hand, with the reason in CHANGELOG.md.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from markdown.extensions.toc import slugify

from faultlab import async_lab, idempotency_account, snippets
from faultlab.lab_runs import scenario_id, scenarios
from faultlab.readiness import ITEMS
from faultlab_docs import fences
from faultlab_docs.places import DOCS, SNIPPETS

LIST = Path(__file__).with_name("published.txt")
ERRORS = DOCS / "look-up" / "errors.md"
GLOSSARY = DOCS / "look-up" / "glossary.md"


def existing() -> Iterator[str]:  # noqa: C901  (one branch for each kind of address)
    """A line for each thing that has an address of its own."""
    for page in fences.pages():
        stem = page.removesuffix(".md").removesuffix("index").rstrip("/")
        yield f"page /{stem}/" if stem else "page /"
    for folder in ("records", "schemas"):
        for path in sorted((DOCS / folder).rglob("*.json")):
            yield f"file /{path.relative_to(DOCS).as_posix()}"
    for name in snippets.snippets():
        yield f"snippet {name}"
        yield f"file /snippets/{name.replace('-', '_')}.py"
    for heading in re.findall(r"^## (.+)$", ERRORS.read_text("utf-8"), flags=re.MULTILINE):
        yield f"error {heading}"
    for anchor in re.findall(r"\{ #([a-z0-9-]+) \}", GLOSSARY.read_text("utf-8")):
        yield f"term {anchor}"
    for item in ITEMS:
        yield f"item {item.id}"
    for scenario in scenarios():
        yield f"scenario {scenario_id(scenario)}"
    for fault, mode in async_lab.combinations():
        yield f"combination {fault}.{mode}"
    for entry in idempotency_account.saved_map()["runs"]:
        yield f"contract {entry['id']}"


def listed() -> list[str]:
    return LIST.read_text(encoding="utf-8").splitlines()


def test_nothing_that_was_published_has_gone() -> None:
    exists = set(existing())
    gone = [line for line in listed() if line not in exists]
    assert gone == [], "published addresses are gone; bring them back, or leave a redirect"


def test_what_is_new_is_on_the_list() -> None:
    known = set(listed())
    new = [line for line in existing() if line not in known]
    assert new == [], "run: python tests/docs/test_published.py >> tests/docs/published.txt"


def test_no_address_is_listed_or_given_twice() -> None:
    for lines in (listed(), list(existing())):
        assert [line for line, count in Counter(lines).items() if count > 1] == []


def test_the_list_names_every_kind_of_address() -> None:
    kinds = Counter(line.split()[0] for line in listed())
    assert kinds["scenario"] == 72
    assert kinds["combination"] == 12
    assert kinds["contract"] == 64
    assert kinds["item"] == 28
    assert kinds["page"] >= 10
    assert kinds["snippet"] >= 5
    assert kinds["error"] >= 4
    assert kinds["term"] >= 20
    assert kinds["file"] >= 10


def test_the_published_addresses_are_in_the_built_site(  # noqa: C901  (as above)
    site: Path,
) -> None:
    errors = (site / "look-up/errors/index.html").read_text("utf-8")
    glossary = (site / "look-up/glossary/index.html").read_text("utf-8")
    lab = "".join(
        (site / page).read_text("utf-8")
        for page in ("understand/assumptions/index.html", "try/failure-lab/index.html")
    )
    checklist = (site / "review/checklist/index.html").read_text("utf-8")
    async_page = (site / "try/async-failure-lab/index.html").read_text("utf-8")
    contract_page = (site / "try/idempotency/index.html").read_text("utf-8")
    for line in listed():
        kind, _, name = line.partition(" ")
        match kind:
            case "page":
                assert (site / name.strip("/") / "index.html").is_file(), line
            case "file":
                assert (site / name.strip("/")).is_file(), line
            case "snippet":
                assert (SNIPPETS / f"{name.replace('-', '_')}.py").is_file(), line
            case "error":
                assert f'id="{slugify(name, "-")}"' in errors, line
            case "term":
                assert f'id="{name}"' in glossary, line
            case "item":
                assert f'id="{name}"' in checklist, line
            case "scenario":
                assert f'id="{name}"' in lab, line
            case "combination":
                assert f'id="{name}"' in async_page, line
            case "contract":
                assert f'id="{name}"' in contract_page, line


if __name__ == "__main__":
    known = set(listed()) if LIST.exists() else set()
    sys.stdout.writelines(f"{line}\n" for line in existing() if line not in known)
