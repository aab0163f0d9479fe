"""The replay-readiness checklist as data, and the check of somebody's answers.

Each item names the experiment that shows its failure in a model of ours. The model is not the
reader's system: an item asks for evidence from there.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

Group = Literal[
    "identity",
    "payload",
    "record and effect",
    "retention",
    "unknown outcomes",
    "delivery and ownership",
    "evidence",
]
Consequence = Literal["effect twice", "effect lost", "wrong result returned", "stuck", "unprovable"]

GROUPS: Final[tuple[str, ...]] = get_args(Group)
CONSEQUENCES: Final[tuple[str, ...]] = get_args(Consequence)


@dataclass(frozen=True, kw_only=True)
class Item:
    """One question about one named operation.

    Attributes:
        id: Permanent; a saved checklist refers to it.
        group: Where it stands in the checklist.
        question: To be answered with yes, no, don't know, or not applicable and a reason.
        why: What happens in the world that makes the question matter.
        test: How to find out in the reader's own system.
        consequence: What a user may suffer if the answer is no.
        experiment: The snippet that shows the failure and its repair in a model.
    """

    id: str
    group: Group
    question: str
    why: str
    test: str
    consequence: Consequence
    experiment: str


def _item(
    name: str,
    group: Group,
    consequence: Consequence,
    experiment: str,
    question: str,
    why: str,
    test: str,
) -> Item:
    return Item(
        id=name,
        group=group,
        question=question,
        why=why,
        test=test,
        consequence=consequence,
        experiment=experiment,
    )


ITEMS: Final[tuple[Item, ...]] = (
    _item(
        "identity-names-the-intent",
        "identity",
        "effect twice",
        "key-per-attempt",
        "Does the idempotency key name the business intent, and not the delivery attempt?",
        "A key that is new for each attempt tells the receiver that each attempt is a new wish.",
        "Send one request, retry it, and compare the two keys on the wire.",
    ),
    _item(
        "identity-before-the-first-send",
        "identity",
        "effect twice",
        "key-made-too-late",
        "Is the key made, and stored, before the first send?",
        "If the process dies after the send, a key that lived in its memory is gone, and the next "
        "attempt makes another.",
        "Kill the process right after the send. Does the next attempt find the same key?",
    ),
    _item(
        "identity-scoped-by-account",
        "identity",
        "wrong result returned",
        "key-without-account",
        "Does the key, as the receiver stores it, contain the account or tenant?",
        "Two accounts may use the same order number. Without the account in the key, one of them "
        "gets the other's result.",
        "Send the same key from two accounts. Each must get an effect of its own.",
    ),
    _item(
        "identity-from-stable-fields",
        "identity",
        "effect twice",
        "key-with-volatile-field",
        "Is the key built only from fields that don't change between attempts?",
        "A timestamp, a trace id or a session token in a hashed key makes each retry a stranger.",
        "Build the key twice for one intent, a minute apart. The two must be equal.",
    ),
    _item(
        "identity-minted-by-the-runtime",
        "identity",
        "effect twice",
        "key-per-attempt",
        "Does your runtime make the key, rather than a model, a browser button or an operator?",
        "Whoever is asked for 'a unique value' on each call gives a new one on each call.",
        "Make the caller repeat itself: press twice, rerun the agent's step. Count the keys.",
    ),
    _item(
        "identity-new-intent-new-key",
        "identity",
        "stuck",
        "new-intent-old-key",
        "Does a new intent get a new key, even if it has the same name as an old one?",
        "A resource that is deleted and made again under its old name is refused as a conflict, or "
        "is handed the deleted one's result.",
        "Create, delete, and create again with other parameters under the same name.",
    ),
    _item(
        "payload-is-compared",
        "payload",
        "wrong result returned",
        "payload-not-compared",
        "Does the receiver compare the payload with that of the first request under the key?",
        "Without a comparison a changed amount silently gets the old result.",
        "Repeat a request with its key and another amount. It must be refused.",
    ),
    _item(
        "payload-compared-by-meaning",
        "payload",
        "stuck",
        "fingerprint-with-noise",
        "Does the comparison see only what the request means, not how it is written?",
        "A reordered field or a new client version is refused as a conflict, and the intent can "
        "never be finished under its key.",
        "Repeat a request with its fields in another order and another client version.",
    ),
    _item(
        "payload-conflict-is-told",
        "payload",
        "wrong result returned",
        "payload-not-compared",
        "Is a conflict told apart from success, without showing the earlier request's result?",
        "A caller that takes a conflict for its own success goes on with an order that was never "
        "placed.",
        "Provoke a conflict and look at what the caller's code does with it.",
    ),
    _item(
        "record-with-the-effect",
        "record and effect",
        "effect twice",
        "record-after-effect",
        "Are the effect and its idempotency record committed in one transaction?",
        "Between two commits lies a crash, and after it the effect is there and the record isn't.",
        "Kill the receiver between the two writes. Send again under the same key.",
    ),
    _item(
        "record-claimed-first",
        "record and effect",
        "effect twice",
        "case-check-then-charge",
        "Is the key claimed atomically before the work starts?",
        "Two requests that both look, find nothing, and both act have each done as they should.",
        "Send two requests under one key at the same moment, many times.",
    ),
    _item(
        "record-claim-has-a-lease",
        "record and effect",
        "stuck",
        "case-claim-and-crash",
        "Does a claim that is never finished end by itself, and does its successor look before it "
        "acts?",
        "A claim without an end answers 409 for days. A claim that merely ends lets the work run "
        "twice.",
        "Kill the process between claim and result. Retry, and read what the retry is told.",
    ),
    _item(
        "record-behind-a-business-constraint",
        "record and effect",
        "effect twice",
        "record-expired",
        "Is there a business rule behind the key, such as one payment per order?",
        "When the key fails, by expiry or by mistake, nothing else stands between the customer and "
        "a second charge.",
        "Send the same order twice under two keys. The second must be refused.",
    ),
    _item(
        "retention-outlives-the-retries",
        "retention",
        "effect twice",
        "record-expired",
        "Is the record kept longer than the last possible retry, replays by hand included?",
        "A dead-letter queue that is emptied on Monday retries requests of Friday.",
        "Write down the longest way from first send to last retry. Compare it with the retention.",
    ),
    _item(
        "retention-by-time",
        "retention",
        "effect twice",
        "record-evicted",
        "Are records dropped by age alone, and never because space is needed?",
        "A cache of 256 keys forgets an unresolved one as soon as it is busy.",
        "Fill the store between first request and retry. The record must still be there.",
    ),
    _item(
        "retention-end-is-known",
        "retention",
        "effect twice",
        "record-expired",
        "Does the caller stop retrying before the record can be gone, the end included?",
        "At the exact end a record is absent. Two clocks that differ move that end.",
        "Retry one step before, at, and one step after the documented end.",
    ),
    _item(
        "retention-result-still-true",
        "retention",
        "wrong result returned",
        "result-is-gone",
        "Is a retained result still true when it is handed out?",
        "A record may outlive what it speaks of: the volume that it returns has been deleted.",
        "Create, delete, and retry the creation under its old key.",
    ),
    _item(
        "unknown-is-a-state",
        "unknown outcomes",
        "effect twice",
        "timeout-taken-for-failure",
        "Can your records say 'unknown', as well as done and not done?",
        "A timeout that is filed under 'failed' is retried as if nothing had happened.",
        "Drop the reply of a request that took effect. Read what is stored about it.",
    ),
    _item(
        "unknown-can-be-looked-up",
        "unknown outcomes",
        "stuck",
        "crash-without-lookup",
        "Can the next attempt ask the receiver what became of this very operation?",
        "Where nothing can be asked, the only choices left are to stop or to guess.",
        "Lose a reply, then find the effect by its key alone.",
    ),
    _item(
        "unknown-does-not-resend",
        "unknown outcomes",
        "effect twice",
        "labels-and-sends",
        "Does no status by itself authorise another send?",
        "A label such as 'dispatched' stands with no send and with one.",
        "List every status. For each, say which evidence allows another send.",
    ),
    _item(
        "unknown-reaches-a-person",
        "unknown outcomes",
        "stuck",
        "crash-without-lookup",
        "Is somebody told when an outcome stays unknown, with enough to decide?",
        "A pending record that nobody reads stays pending.",
        "Leave one operation unknown for a day and see who learns of it, and what they see.",
    ),
    _item(
        "delivery-duplicate-is-harmless",
        "delivery and ownership",
        "effect twice",
        "duplicate-after-acknowledgement",
        "Is a second delivery of a finished task harmless?",
        "A broker with at-least-once delivery may deliver again after the acknowledgement.",
        "Publish the same message twice, the second time after the first is finished.",
    ),
    _item(
        "delivery-acknowledged-last",
        "delivery and ownership",
        "effect lost",
        "acknowledged-too-early",
        "Is a delivery acknowledged only after the result is recorded?",
        "A worker that acknowledges first and then dies has lost the task.",
        "Kill the worker at each step and count what comes back.",
    ),
    _item(
        "delivery-lease-outlives-the-work",
        "delivery and ownership",
        "effect twice",
        "case-visibility-timeout",
        "Is the lease or visibility timeout longer than the slowest run, or renewed meanwhile?",
        "A slow worker looks dead: its task is given to another while it still works.",
        "Slow one run beyond the timeout and count who works on it.",
    ),
    _item(
        "ownership-is-fenced",
        "delivery and ownership",
        "effect twice",
        "case-leader-fenced",
        "Does the resource itself refuse an owner that has been replaced?",
        "An owner that lost its lease doesn't know it. Only the resource can tell it.",
        "Pause an owner past its lease, let another take over, and let the first go on.",
    ),
    _item(
        "evidence-fault-struck",
        "evidence",
        "unprovable",
        "requested-and-exercised",
        "Does each failure test show that its fault really struck?",
        "A run that ends before the fault looks exactly like one that survives it.",
        "Count strikes in the test, and fail the test when the count is zero.",
    ),
    _item(
        "evidence-counted-apart",
        "evidence",
        "unprovable",
        "async-table",
        "Are deliveries, dispatch attempts, effects and recorded results counted apart?",
        "One counter named 'processed' is right for all of them on a good day and for none on a "
        "bad one.",
        "Find the four numbers for one operation of last week.",
    ),
    _item(
        "evidence-read-back",
        "evidence",
        "unprovable",
        "read-survives",
        "Is a receipt read back from storage, by another process, before it is relied on?",
        "A successful write call is not a stored receipt, and memory is neither.",
        "Restart the process and read the receipt again.",
    ),
)

BY_ID: Final[dict[str, Item]] = {item.id: item for item in ITEMS}
