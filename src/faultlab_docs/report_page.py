"""The report of a snippet's simulation as a page of its own, published beside the site's pages."""

from typing import Final

from faultlab import snippets
from faultlab.dst import Report
from faultlab_docs.fences import snippet_sections
from faultlab_docs.places import DocsError
from faultlab_docs.running import Session

PUBLISHED: Final = {"files/pay-and-collect.html": "pay-and-collect"}
"""Which report pages the site has, with the snippet whose `report` each shows."""


def page(snippet_id: str) -> str:
    """The page of the report that a snippet leaves in its variable `report`.

    Raises:
        DocsError: It leaves none.
    """
    snippet = snippets.get(snippet_id)
    session = Session(f"report of {snippet_id}")
    place = f"snippets/{snippet_id.replace('-', '_')}.py:1"
    for section in snippet_sections(snippet.source).values():
        session.run(section, place, snippet)
    report = session.namespace.get("report")
    if not isinstance(report, Report):
        raise DocsError(place, "there is no report in its variable `report`. Leave one there.")
    return report.to_html()
