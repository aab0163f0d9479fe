"""What is computed below docs/ is, byte for byte, what the package computes now."""

import pytest

from faultlab_docs import records
from faultlab_docs.checks import saved_file
from faultlab_docs.places import DOCS, DocsError

COMPUTED = dict(records.files())


@pytest.mark.parametrize("name", COMPUTED)
def test_a_computed_file_is_what_the_package_computes_now(name: str) -> None:
    assert (DOCS / name).read_bytes() == COMPUTED[name].encode()
    saved_file(name, COMPUTED[name])


def test_no_file_among_the_computed_ones_is_written_by_hand() -> None:
    found = {
        path.relative_to(DOCS).as_posix()
        for folder in ("records", "schemas")
        for path in (DOCS / folder).rglob("*")
        if path.is_file()
    }
    measured = {name for name in found if name.startswith("records/measured/")}
    computed = {name for name in COMPUTED if name.startswith(("records/", "schemas/"))}
    assert found - measured == computed


def test_a_file_that_differs_is_reported_with_a_diff_and_the_command_that_writes_it() -> None:
    name = "records/lab/success.json"
    with pytest.raises(DocsError) as caught:
        saved_file(name, COMPUTED[name].replace('"succeeded"', '"done"'))
    text = str(caught.value)
    assert text.startswith(f"docs/{name}:1: saved and computed differ; run `nox -s records`.")
    assert '-    "status": "succeeded",\n+    "status": "done",' in text


def test_a_missing_file_is_reported_too() -> None:
    with pytest.raises(DocsError, match="run `nox -s records`"):
        saved_file("records/lab/none.json", "{}\n")
