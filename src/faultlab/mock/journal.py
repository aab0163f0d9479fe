"""A journal that outlives the process that writes it."""

from faultlab.kernel import record


class Journal:
    """Results by operation, appended and never changed. It survives every crash.

    Attributes:
        results: All entries in order, as (operation, result).
    """

    def __init__(self) -> None:
        self.results: list[tuple[str, int | None]] = []

    async def append(self, operation: str, result: int | None) -> None:
        """Store a result. A second one for the same operation is stored as well."""
        self.results.append((operation, result))
        record("recorded", operation=operation, result=result)

    async def holds(self, operation: str) -> bool:
        """Whether a result of this operation is stored."""
        found = any(stored == operation for stored, _ in self.results)
        record("looked-up", operation=operation, found=found)
        return found
