"""The tables that a simulation stands on, as its pages show them."""

from faultlab.dst import FAULTS
from faultlab.mock import ANOMALIES, anomaly_table


def anomalies() -> str:
    """What each isolation level permits: an anomaly a row, a level a column."""
    head, *rows = anomaly_table()
    says = {each.name: each.says for each in ANOMALIES}
    lines = [[*head, "what it is"], ["---"] * (len(head) + 1)]
    lines += [[name, *cells, says[name]] for name, *cells in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def faults() -> str:
    """Fault by fault: on which ports, what happens, what the caller sees."""
    lines = [["fault", "ports", "the effect", "the caller sees"], ["---"] * 4]
    lines += [[f"`{row.kind}`", row.ports, row.effect, row.caller] for row in FAULTS]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
