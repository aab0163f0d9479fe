"""The plugin's line in pytest's summary: what became of the failures that are kept."""

from typing import Any, Final

WORDS: Final = {"saved": "saved", "again": "still there", "gone": "gone and removed"}
"""What can become of a test's place in the database, with its words in the summary."""


class Summary:
    """Counts, in the process that writes the summary, whichever process ran the tests.

    Args:
        folder: Of the failure database, as the line names it.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._counts = dict.fromkeys(WORDS, 0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Counts one report."""
        became = getattr(report, "faultlab", "")
        if became in self._counts:
            self._counts[became] += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line; none if nothing happened."""
        parts = [f"{count} {WORDS[name]}" for name, count in self._counts.items() if count]
        if parts:
            terminalreporter.write_line(f"faultlab: failures in {self._folder}: {', '.join(parts)}")
