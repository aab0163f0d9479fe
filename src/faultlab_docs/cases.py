"""The public reports that the pages of the section Cases model: where each is, and what it asks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from faultlab.readiness import Consequence

READ: Final = "2026-11"
"""When the threads were read."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One public report.

    Attributes:
        repository: Owner and name at GitHub.
        thread: `issues/N` or `pull/N`.
        page: The page below review/cases/ and its anchor there.
        wrong: What goes wrong, in a few words.
        consequence: What a user may suffer.
        items: The checklist items that ask about it.
    """

    repository: str
    thread: str
    page: str
    wrong: str
    consequence: Consequence
    items: tuple[str, ...]

    @property
    def name(self) -> str:
        """The thread in words, such as `celery/kombu, issue 337`."""
        kind, _, number = self.thread.partition("/")
        return f"{self.repository}, {'pull request' if kind == 'pull' else 'issue'} {number}"

    @property
    def href(self) -> str:
        """Where the thread is."""
        return f"https://github.com/{self.repository}/{self.thread}"


def _case(
    repository: str, thread: str, page: str, consequence: Consequence, wrong: str, *items: str
) -> Case:
    return Case(
        repository=repository,
        thread=thread,
        page=page,
        wrong=wrong,
        consequence=consequence,
        items=items,
    )


CASES: Final[tuple[Case, ...]] = (
    _case(
        "akash-network/console",
        "pull/3449",
        "a-key-for-each-try.md#each-delivery-a-new-payment",
        "effect twice",
        "each delivery of one purchase creates a new payment",
        "identity-names-the-intent",
        "identity-before-the-first-send",
        "unknown-is-a-state",
    ),
    _case(
        "square/square-mcp-server",
        "issues/31",
        "a-key-for-each-try.md#a-model-asked-for-something-unique",
        "effect twice",
        "a model is asked for a value unique to each request, and obeys on each retry",
        "identity-minted-by-the-runtime",
    ),
    _case(
        "KanishJebaMathewM/Truxify",
        "issues/14932",
        "a-key-for-each-try.md#the-step-after-the-order-fails",
        "effect twice",
        "the order exists, a later step fails, and the next press makes a new key",
        "identity-before-the-first-send",
        "unknown-does-not-resend",
    ),
    _case(
        "Adyen/adyen-commercetools",
        "issues/1305",
        "a-volatile-field.md",
        "effect twice",
        "the key is a hash over fields that change with each call",
        "identity-from-stable-fields",
    ),
    _case(
        "VilledeMontreal/express-idempotency",
        "issues/32",
        "stuck-or-twice.md#stuck",
        "stuck",
        "a record in progress outlives its dead owner, and every retry is refused",
        "record-claim-has-a-lease",
        "unknown-reaches-a-person",
    ),
    _case(
        "aws-powertools/powertools-lambda-python",
        "issues/8049",
        "stuck-or-twice.md#twice",
        "effect twice",
        "an abandoned record counts as expired, and the work runs again without a look",
        "record-claim-has-a-lease",
        "unknown-can-be-looked-up",
    ),
    _case(
        "kortix-ai/suna",
        "pull/5267",
        "anothers-result-or-an-old-one.md#anothers-result",
        "wrong result returned",
        "the key is unique over all accounts, so one account gets another's result",
        "identity-scoped-by-account",
        "payload-conflict-is-told",
    ),
    _case(
        "josipmusa/idempotency4j",
        "issues/12",
        "anothers-result-or-an-old-one.md#an-old-one",
        "wrong result returned",
        "a new body under an old key silently gets the old response",
        "payload-is-compared",
        "payload-conflict-is-told",
    ),
    _case(
        "mads256h/stregsystemet-rs",
        "pull/54",
        "evicted.md",
        "effect twice",
        "a cache of 256 entries drops a key that is not resolved yet",
        "retention-by-time",
    ),
    _case(
        "kubernetes-sigs/aws-ebs-csi-driver",
        "issues/1951",
        "deleted-and-made-again.md#the-deleted-ones-result",
        "wrong result returned",
        "every retry is answered with the result of a volume that was deleted",
        "retention-result-still-true",
        "identity-new-intent-new-key",
    ),
    _case(
        "kubernetes-sigs/aws-ebs-csi-driver",
        "issues/1428",
        "deleted-and-made-again.md#refused-as-inconsistent",
        "stuck",
        "a volume made again under its old name is refused as inconsistent",
        "identity-new-intent-new-key",
    ),
    _case(
        "crossplane/crossplane-runtime",
        "pull/283",
        "stop-or-forget.md#stop",
        "stuck",
        "the process dies before the new resource's id is stored, and the effect can't be "
        "looked up",
        "unknown-can-be-looked-up",
        "unknown-reaches-a-person",
    ),
    _case(
        "hashicorp/terraform-provider-aws",
        "issues/18051",
        "stop-or-forget.md#forget",
        "effect twice",
        "a resource is created, the state isn't saved, and nobody knows of it",
        "identity-before-the-first-send",
        "evidence-read-back",
    ),
    _case(
        "Particular/docs.particular.net",
        "issues/1816",
        "relayed-twice.md#twice",
        "effect twice",
        "a message is dispatched, marking it fails, and it is dispatched again",
        "delivery-duplicate-is-harmless",
    ),
    _case(
        "cockroachdb/cockroach",
        "issues/54867",
        "one-unknown-two-mistakes.md#sent-again-blindly",
        "effect twice",
        "a commit's result is ambiguous, and a blind retry may apply it twice",
        "unknown-is-a-state",
        "unknown-does-not-resend",
    ),
    _case(
        "apache/polaris",
        "pull/5458",
        "one-unknown-two-mistakes.md#reported-as-a-definite-no",
        "effect lost",
        "an update landed, its lost reply was reported as a conflict, and live metadata was "
        "cleaned up",
        "unknown-is-a-state",
        "unknown-can-be-looked-up",
    ),
    _case(
        "furthemore/APIS",
        "pull/193",
        "check-then-charge.md",
        "effect twice",
        "two concurrent requests both look, find nothing, and charge",
        "record-claimed-first",
    ),
    _case(
        "hyperb1iss/sibyl",
        "pull/349",
        "stuck-or-twice.md#pending-for-ever",
        "stuck",
        "a process dies between mutation and receipt, and the operation is pending for ever",
        "record-claim-has-a-lease",
        "unknown-reaches-a-person",
    ),
    _case(
        "celery/kombu",
        "issues/337",
        "delivered-again-while-it-waits.md",
        "effect twice",
        "the visibility timeout ends before the task is due, and it is delivered again",
        "delivery-lease-outlives-the-work",
    ),
    _case(
        "OptimalBits/bull",
        "issues/308",
        "the-lock-lapsed.md",
        "effect twice",
        "a slow worker's lock lapses, and a second worker completes the same job",
        "delivery-lease-outlives-the-work",
        "ownership-is-fenced",
    ),
    _case(
        "kubernetes/kubernetes",
        "issues/23731",
        "two-leaders.md",
        "effect twice",
        "a leader loses its lease and isn't told, so there are two",
        "ownership-is-fenced",
    ),
    _case(
        "abpframework/abp",
        "issues/24340",
        "relayed-twice.md#lost",
        "effect lost",
        "an outbox row is deleted although the broker never got the message",
        "delivery-acknowledged-last",
    ),
)
"""In the order of their threads' subjects."""


def asked_by(item: str) -> list[Case]:
    """The cases that a checklist item asks about."""
    return [case for case in CASES if item in case.items]


def table() -> str:
    """The cases as a Markdown table for their index."""
    rows = [_row(case, f"[{case.wrong}]({case.page})") for case in CASES]
    return "\n".join([*_HEAD, *rows])


_HEAD: Final = (
    "| what goes wrong | consequence | the checklist asks | report |",
    "| - | - | - | - |",
)


def _row(case: Case, wrong: str) -> str:
    asks = ", ".join(_asks(case))
    return f"| {wrong} | {case.consequence} | {asks} | [{case.name}]({case.href}) |"


def _asks(case: Case) -> Iterator[str]:
    for item in case.items:
        yield f"[{item}](../checklist.md#{item})"
