"""The page of errors and the package name the same errors, and each of them really occurs."""

import ast
import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from faultlab import (
    FaultlabError,
    Lab,
    async_lab,
    dst,
    idempotency,
    kernel,
    mock,
    readiness_file,
    receiver,
    snippets,
    testing,
)
from faultlab.cli import main
from faultlab.dst import faults, invariants
from faultlab.lab import check_invariants
from faultlab_docs.places import DOCS, ROOT

PAGE = (DOCS / "look-up" / "errors.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "faultlab"


def restarted() -> None:
    lab = Lab(fault="prepare_write")
    lab.run()
    lab.run()


async def nothing() -> None:
    """A program without a step."""


async def thread() -> None:
    await asyncio.to_thread(len, "")


async def odd() -> None:
    kernel.record("odd", value=object())


async def wrong() -> None:
    raise ValueError("wrong")


survivors: list[int] = []


async def remembers() -> None:
    survivors.append(len(survivors))
    kernel.record("survivors", count=len(survivors))


def odd_invariant(history: kernel.History) -> Any:
    return len(history) + 3


async def not_async() -> None:
    mock.port(mock.ReceiverPort(), surface="receiver", route="debits").receiver  # noqa: B018


async def never_delivered() -> None:
    await mock.Broker().acknowledge(mock.Delivery(number=7, message="task"))


async def updated_nothing() -> None:
    await mock.Documents("orders").update("o-1", {})


async def updated_at_an_old_revision() -> None:
    orders = mock.Documents("orders")
    await orders.insert("o-1", {})
    await orders.update("o-1", {}, revision=7)


async def overtaken() -> None:
    orders = mock.Documents("orders")
    await orders.insert("o-1", {})
    async with orders.transaction("snapshot") as tx:
        await orders.delete("o-1")
        await tx.update("o-1", {})


async def extended_too_late() -> None:
    queue = mock.Queue()
    await queue.put("task")
    delivery = await queue.receive()
    assert delivery is not None
    await queue.acknowledge(delivery)
    await queue.extend(delivery, 30)


async def renewed_too_late() -> None:
    locks = mock.Locks()
    lease = await locks.acquire("cron", "node-1", lease_s=10)
    assert lease is not None
    await locks.release(lease)
    await locks.renew(lease, lease_s=10)


async def fenced_off() -> None:
    register = mock.FencedRegister()
    await register.write("new", token=2)
    await register.write("old", token=1)


def struck(kind: faults.FaultKind) -> None:
    """Raise what the caller of a port sees when this fault strikes."""
    seen: list[Exception] = []

    async def pay(ctx: dst.Context) -> None:
        try:
            await ctx.port("receiver", "payments").debit(key="o-1", fingerprint=("t", "o-1", 1200))
        except Exception as error:
            seen.append(error)

    rule = dst.FaultRule(kind=kind, surface="receiver", at_call=1)
    simulation = dst.Simulation(calls=[dst.Call(pay)])
    simulation.trial(dst.SimulationConfig(faults=[rule])).attempt(seed=0)
    raise seen[0]


def raised(program: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Raise what a simulated program raised."""
    error = kernel.run(program).error
    assert error is not None
    raise error


PROVOKED: dict[str, tuple[type[BaseException], str, Callable[[], object]]] = {
    "INVALID_SCENARIO": (
        ValueError,
        "INVALID_SCENARIO",
        lambda: Lab(fault="final-write"),  # type: ignore[arg-type]
    ),
    "RUN_ALREADY_STARTED": (ValueError, "RUN_ALREADY_STARTED", restarted),
    "INVARIANT_BROKEN": (
        AssertionError,
        "INVARIANT_BROKEN: there is at most one send",
        lambda: check_invariants({**Lab().run(), "send_count": 2}),
    ),
    "AsyncLabError": (
        async_lab.AsyncLabError,
        "there is no fault 'response-lots'. Did you mean 'response-lost'?",
        lambda: async_lab.saved_run("response-lots", "naive"),
    ),
    "KernelError": (
        kernel.KernelError,
        "choices were given with a seed; a tape already decides everything",
        lambda: kernel.run(nothing, seed=1, choices=kernel.Tape()),
    ),
    "RealWorldCall": (kernel.RealWorldCall, "", lambda: kernel.run(thread)),
    "TapeError": (kernel.TapeError, "'x' is no pick", lambda: kernel.Tape.from_json(["x"])),
    "HistoryError": (kernel.HistoryError, "event 0 ('odd')", lambda: kernel.run(odd).digest),
    "PortError": (mock.PortError, "ReceiverPort.receiver is no async", lambda: raised(not_async)),
    "BrokerError": (mock.BrokerError, "delivery 7 is not open", lambda: raised(never_delivered)),
    "DocumentError": (
        mock.DocumentError,
        "there is no orders/o-1",
        lambda: raised(updated_nothing),
    ),
    "RevisionConflict": (
        mock.RevisionConflict,
        "orders/o-1 was expected at revision 7, and it has revision 1",
        lambda: raised(updated_at_an_old_revision),
    ),
    "SerializationError": (
        mock.SerializationError,
        "orders/o-1 has changed since this transaction began",
        lambda: raised(overtaken),
    ),
    "QueueError": (
        mock.QueueError,
        "delivery 1 no longer holds message 1",
        lambda: raised(extended_too_late),
    ),
    "LockError": (
        mock.LockError,
        "the lease of 'cron' with token 1 has ended",
        lambda: raised(renewed_too_late),
    ),
    "StaleToken": (mock.StaleToken, "token 1 is older than 2", lambda: raised(fenced_off)),
    "ClockError": (
        mock.ClockError,
        "a skew of inf s was given",
        lambda: mock.Clock(skew_s={"node-1": float("inf")}),
    ),
    "StateError": (
        mock.StateError,
        "there is no surface 'document_comand'. Did you mean 'document_command'?",
        lambda: mock.MockDepsModule().port("document_comand", "orders"),
    ),
    "ReceiverError": (
        receiver.ReceiverError,
        "retention_ms=-1 is negative",
        lambda: receiver.Receiver(now_ms=lambda: 0, retention_ms=-1),
    ),
    "InvariantError": (
        invariants.InvariantError,
        "invariant odd_invariant returned 3. Return None if it holds",
        lambda: invariants.judge(kernel.run(nothing).history, [odd_invariant]),
    ),
    "IdempotencyError": (
        idempotency.IdempotencyError,
        "retention_s='-1' is negative. Give 0 or more seconds.",
        lambda: idempotency.experiment(retention_s="-1"),
    ),
    "ReadinessError": (
        readiness_file.ReadinessError,
        "this is no JSON. Take a file that the checklist page saved",
        lambda: readiness_file.read("{"),
    ),
    "SimulationError": (
        dst.SimulationError,
        "there are no seeds; give at least one, such as range(256)",
        lambda: dst.SimulationConfig(seeds=()),
    ),
    "Unreachable": (
        dst.Unreachable,
        "no reply from receiver/payments/debit in time; whether it took effect is not known",
        lambda: struck("lost-reply"),
    ),
    "CallFailed": (
        dst.CallFailed,
        "receiver/payments/debit failed; it had no effect",
        lambda: struck("error"),
    ),
    "NondeterminismError": (
        dst.NondeterminismError,
        "the same decisions gave two different runs",
        lambda: dst.check(remembers),
    ),
    "SimulationFailed": (
        dst.SimulationFailed,
        f"violated: {__name__}:wrong\n  ValueError: wrong\n",
        lambda: testing.assert_clean(wrong),
    ),
    "SnippetError": (
        snippets.SnippetError,
        "There is no snippet 'labels-and-send'. Did you mean 'labels-and-sends'?",
        lambda: snippets.get("labels-and-send"),
    ),
    "The call is wrong": (SystemExit, "2", lambda: main(["lab", "--all", "--fault", "none"])),
}
"""By the heading of its entry: the error's class, how its text starts, and what provokes it."""


def entries() -> dict[str, str]:
    """Each entry of the page: its heading and what stands below it."""
    parts = re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def constants(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value


def trees() -> Iterator[ast.Module]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def codes() -> set[str]:
    """The codes in capitals with which the package raises."""
    found = set()
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise):
                for text in constants(node):
                    found |= set(re.findall(r"^([A-Z]+(?:_[A-Z]+)+)\b", text))
    return found


def classes() -> set[str]:
    """The error classes that the package defines for others to catch; their base apart."""
    return {
        node.name
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any("Error" in base.id for base in node.bases if isinstance(base, ast.Name))
    } - {"FaultlabError"}


def test_every_code_and_every_error_class_of_the_package_has_an_entry() -> None:
    assert codes() == {"INVALID_SCENARIO", "RUN_ALREADY_STARTED", "INVARIANT_BROKEN"}
    assert {"SnippetError", "RealWorldCall", "ReceiverError"} <= classes()
    assert codes() | classes() <= set(entries())


def test_every_entry_is_provoked_here() -> None:
    assert set(entries()) == set(PROVOKED)


@pytest.mark.parametrize("entry", PROVOKED)
def test_the_error_of_an_entry_is_really_raised_and_is_what_the_entry_says(entry: str) -> None:
    kind, text, provoke = PROVOKED[entry]
    with pytest.raises(kind) as caught:
        provoke()
    assert type(caught.value) is kind
    assert str(caught.value).startswith(text)
    if kind is not SystemExit:
        assert kind.__name__ in entries()[entry]


@pytest.mark.parametrize("entry", entries())
def test_an_entry_says_what_to_do(entry: str) -> None:
    assert len(entries()[entry].split()) >= 20


def test_the_words_of_raised_snippet_errors_are_in_the_table_of_causes() -> None:
    """One row for each place that raises; the one about a page is the author's, not a reader's."""
    tree = ast.parse((PACKAGE / "snippets.py").read_text(encoding="utf-8"))
    raised = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and "SnippetError" in ast.unparse(node)
    ]
    readers = [node for node in raised if "names no page" not in ast.unparse(node)]
    rows = re.findall(r"^\| (?!---|cause)(.+?) \|", entries()["SnippetError"], flags=re.MULTILINE)
    assert len(rows) == len(readers)


def test_a_snippet_error_is_a_faultlab_error_and_exits_with_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert issubclass(snippets.SnippetError, FaultlabError)
    assert main(["snippets", "check", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("faultlab: ")
