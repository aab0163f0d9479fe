"""Which rows of a long run a page shows."""

from collections.abc import Iterator, Sequence

from faultlab.dst.lanes import Row

ROWS_MAX = 4_000
"""How many rows a page shows; of longer runs each step shows its last lines only."""


def fewer(rows: Sequence[Row]) -> list[Row]:
    """At most ROWS_MAX rows: of each step the last lines, and in need the last steps."""
    kept = list(rows)
    for most in (20, 10, 5, 3, 2, 1):
        if len(kept) <= ROWS_MAX:
            break
        kept = list(_last_of_steps(rows, most))
    return kept[-ROWS_MAX:]


def _last_of_steps(rows: Sequence[Row], most: int) -> Iterator[Row]:
    """Decisions, the line that raised, and the last lines of each step."""
    after = 0
    kept: list[Row] = []
    for number in range(len(rows) - 1, -1, -1):
        row = rows[number]
        following = rows[number + 1] if number + 1 < len(rows) else None
        same = following is not None and (following.step, following.kind) == (row.step, "reached")
        after = after + 1 if same else 0
        if after < most or row.kind != "reached":
            kept.append(row)
    return reversed(kept)
