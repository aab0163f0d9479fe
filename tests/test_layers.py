"""What may import what, and what the package must never touch."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "faultlab"

LAYERS: dict[str, set[str]] = {
    # Rooms that everything may use, and that use nothing.
    "errors": set(),
    "naming": set(),
    # The Failure Lab stands alone.
    "lab": set(),
    "lab_runs": {"lab"},
    "lab_account": {"lab_runs"},
    # The simulator's rooms: each imports only those below it.
    "kernel": {"errors", "naming"},
    "receiver": {"kernel"},
    "mock": {"receiver"},
    "async_lab": {"mock"},
    "idempotency": {"mock"},
    "contracts": {"receiver"},
    "idempotency_account": {"idempotency", "contracts"},
    "readiness": {"mock"},
    "readiness_words": set(),
    "readiness_file": {"readiness", "readiness_words"},
    "dst": {"mock"},
    "testing": {"dst", "async_lab", "idempotency", "readiness_file"},
    # What readers run.
    "snippets": {"errors", "naming", ""},
    "cli_idempotency": {"idempotency_account"},
    "cli_checklist": {"readiness_file"},
    "cli": {"snippets", "lab_account", "testing", "cli_idempotency", "cli_checklist", ""},
    "__main__": {"cli"},
    # `faultlab` itself, the public face: it may show what is in any room but the command line.
    "": {"errors", "lab"},
}
"""Each room of the package with the rooms directly below it. A room may import what is below,
at any depth. The face, '', is listed as the room of `__init__.py`."""

NOT_CORE = {"cli", "cli_idempotency", "cli_checklist", "__main__", "snippets", "testing", ""}
CORE = sorted(set(LAYERS) - NOT_CORE)
"""The rooms that also run in the browser and must be deterministic."""

OUTSIDE_TIME_AND_CHANCE = {"time", "random", "uuid", "secrets", "datetime", "asyncio", "threading"}
ALLOWED_OUTSIDE: dict[str, set[str]] = {
    # time, datetime and uuid, to put virtual ones in their place: see kernel.outside
    "kernel": {"asyncio", "random", "threading", "time", "datetime", "uuid"},
    "mock": {"asyncio"},
    "dst": {"asyncio", "random"},  # tasks are named; strategies draw from the kernel's chance
    "readiness_file": {"datetime"},  # days that a file names; today's is handed in
}
"""The kernel is where clock, chance and event loop are made: it may take them from there. It may
also ask for hashes and identities; that none decides an order, the digests over hash seeds show."""


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "_snippets" not in path.parts)


EVERY_MODULE = pytest.mark.parametrize(
    "path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix()
)


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """The full name of everything that a module imports, wherever in it."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively; write the full name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def below(room: str) -> set[str]:
    """All rooms that a room may import."""
    found: set[str] = set()
    ahead = [room]
    while ahead:
        for lower in LAYERS[ahead.pop()]:
            if lower not in found:
                found.add(lower)
                ahead.append(lower)
    return found | ({"errors", "naming"} if room not in ("lab", "errors", "naming") else set())


def imported_room(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in LAYERS else ""


def test_every_room_has_a_place_in_the_layers() -> None:
    assert {room_of(path) for path in modules()} <= set(LAYERS)
    assert {"lab", "lab_runs", "cli"} <= {room_of(path) for path in modules()}


def test_no_layer_is_below_itself() -> None:
    for room in LAYERS:
        assert room not in below(room)


@EVERY_MODULE
def test_a_module_imports_only_the_standard_library_and_rooms_below_its_own(path: Path) -> None:
    room = room_of(path)
    for name in imports(path):
        top = name.split(".")[0]
        if top == "faultlab":
            lower = imported_room(name)
            assert lower in below(room) | {room}, f"{room or 'the face'} must not import {name}"
        else:
            allowed = sys.stdlib_module_names | ({"pytest"} if room == "testing" else set())
            assert top in allowed, f"{name} is not of the standard library"


def test_the_failure_lab_stands_alone() -> None:
    found = {name.split(".")[0] for name in imports(PACKAGE / "lab.py")}
    assert found == {"collections", "copy", "typing"}


@EVERY_MODULE
def test_no_bare_assert_which_python_o_would_switch_off(path: Path) -> None:
    lines = [node.lineno for node in ast.walk(tree(path)) if isinstance(node, ast.Assert)]
    assert lines == []


@EVERY_MODULE
def test_no_wall_clock_and_no_unseeded_chance_in_the_core(path: Path) -> None:
    room = room_of(path)
    if room in CORE:
        found = {name.split(".")[0] for name in imports(path)} & OUTSIDE_TIME_AND_CHANCE
        assert found <= ALLOWED_OUTSIDE.get(room, set())
        allowed = {"hash", "id"} if room == "kernel" else set()
        assert set(outside_calls(tree(path))) <= allowed


def outside_calls(module: ast.Module) -> list[str]:
    """Uses of the clock, of chance and of other processes by their dotted names."""
    bad = {"os.urandom", "os.getrandom", "os.environ", "os.getpid", "datetime.now"}
    bad |= {"time.time", "time.monotonic", "time.perf_counter", "datetime.utcnow", "date.today"}
    bad |= {f"random.{name}" for name in ("random", "randint", "choice", "shuffle", "SystemRandom")}
    dotted = (
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )
    plain = (
        node.id
        for node in ast.walk(module)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    return [name for name in dotted if name in bad] + [
        name for name in plain if name in ("open", "input", "print", "hash", "id")
    ]


@pytest.mark.parametrize(
    "broken",
    [
        "import os\nseed = os.urandom(8)",
        "import random\nx = random.random()",
        "from datetime import datetime\nx = datetime.now()",
        "order = sorted(tasks, key=hash)",
        "open('journal.txt')",
    ],
)
def test_the_check_for_clock_and_chance_sees_what_it_looks_for(broken: str) -> None:
    assert outside_calls(ast.parse(broken))


def test_importing_faultlab_brings_in_nothing_from_outside_the_standard_library() -> None:
    program = """
import sys
before = set(sys.modules)
import faultlab, faultlab.lab, faultlab.lab_runs, faultlab.lab_account, faultlab.cli
import faultlab.kernel, faultlab.receiver, faultlab.mock, faultlab.async_lab
new = {name.split(".")[0] for name in set(sys.modules) - before}
print(*sorted(new - set(sys.stdlib_module_names)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("faultlab\n", "")


def test_importing_the_face_loads_only_the_lab_and_the_errors() -> None:
    program = "import faultlab, sys; print(*sorted(n for n in sys.modules if 'faultlab' in n))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["faultlab", "faultlab.errors", "faultlab.lab"]
