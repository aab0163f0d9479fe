"""Debit, then record. Each delivery brings a new key, so no two requests look alike."""

from faultlab.async_lab.ports import JournalCalls, ReceiverCalls, Task


async def handle(
    task: Task, delivery: int, *, receiver: ReceiverCalls, journal: JournalCalls
) -> None:
    """Work off one delivery. Whatever is raised leaves it unacknowledged."""
    key = f"delivery-{delivery}"
    answer = await receiver.debit(key=key, fingerprint=task.fingerprint)
    await journal.append(task.operation, answer.effect_id)
