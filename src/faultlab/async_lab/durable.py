"""Look, debit under the operation's own key, then record. The key is the same for ever."""

from faultlab.async_lab.ports import JournalCalls, ReceiverCalls, Task


async def handle(
    task: Task,
    delivery: int,  # noqa: ARG001
    *,
    receiver: ReceiverCalls,
    journal: JournalCalls,
) -> None:
    """Work off one delivery. Whatever is raised leaves it unacknowledged."""
    if await journal.holds(task.operation):
        return
    key = f"{task.tenant}/{task.operation}"
    answer = await receiver.debit(key=key, fingerprint=task.fingerprint)
    await journal.append(task.operation, answer.effect_id)
