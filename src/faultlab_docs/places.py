"""Where things are in a checkout, and the one error of the documentation's machinery."""

from pathlib import Path
from typing import Final

from pymdownx.superfences import SuperFencesException

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
RECORDS: Final = DOCS / "records"
SNIPPETS: Final = ROOT / "snippets"


class DocsError(SuperFencesException):  # type: ignore[misc]
    """A page is wrong. The text starts with `path:line:` and says what to do.

    It derives from the one exception that superfences lets through, so that it ends a build.
    """

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(f"{place}: {cause}")
