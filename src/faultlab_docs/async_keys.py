"""What each key of an Async Failure Lab's saved run stands for: for its schema, page and table."""

from typing import Final

from faultlab.lab_runs import Key, Kind, Witness


def _key(kind: Kind, seen_by: Witness, meaning: str) -> Key:
    return Key(kind=kind, seen_by=seen_by, meaning=meaning)


RUN_KEYS: Final[dict[str, Key]] = {
    "fault": _key("asked", "model", "The fault that is to strike, once."),
    "mode": _key("asked", "worker", "The runtime that handles the task."),
    "fault_exercised": _key("reached", "model", "Whether the fault really struck."),
    "assumptions": _key("asked", "worker", "What the model takes for granted."),
    "not_modelled": _key("asked", "worker", "What the model leaves out."),
    "events": _key("happened", "worker", "The trace in order; each event says who can see it."),
    "deliveries": _key("happened", "worker", "How often the broker handed the task over."),
    "dispatch_attempts": _key(
        "reached", "worker", "How often a worker entered the call to the receiver."
    ),
    "effects": _key("happened", "model", "How often the receiver debited the account."),
    "results_recorded": _key("happened", "model", "How many results the journal stores."),
    "headline": _key("known", "model", "What became of the debit, from the counts and answers."),
}

EVENT_KEYS: Final[dict[str, tuple[str, str | None]]] = {
    "number": ("Counts the events of the run, from 1.", None),
    "at_ms": ("Virtual milliseconds since the start.", None),
    "lane": ("The actor at which it takes place.", None),
    "kind": ("Which of the four things it is.", None),
    "seen_by": ("Whether the running worker can know it, or only the model.", None),
    "delivery": ("The delivery that was handed over last, from 1.", "reached"),
    "call": ("The port call it belongs to, as `port.method`; null if it is nobody's call.", None),
    "text": ("The event in words.", None),
}
"""Per key of an event its meaning, and which of the four things it is if it is always the same."""
