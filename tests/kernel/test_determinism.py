"""Same tape, same history, byte for byte: on every interpreter, under any hash seed."""

import ast
import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys

import portable_programs
import pytest

import faultlab.kernel
from faultlab.kernel import NOT_PORTABLE, PORTABLE, record, run

SOURCE = pathlib.Path(faultlab.kernel.__file__).parents[2]
RECORDED = json.loads(portable_programs.RECORDED.read_text())


def test_this_interpreter_reproduces_the_recorded_digests():
    assert portable_programs.digests() == RECORDED


@pytest.mark.parametrize("hash_seed", ["0", "1", "4294967295"])
def test_the_hash_seed_does_not_matter(hash_seed):
    printed = subprocess.run(
        [sys.executable, portable_programs.__file__],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert json.loads(printed) == RECORDED


def test_the_digests_tell_schedules_apart():
    distinct = [
        len({made["digest"] for made in by_schedule.values()}) for by_schedule in RECORDED.values()
    ]
    assert sum(distinct) > 60  # of 8 schedules each; a program of one task has only one


def test_every_portable_primitive_is_exercised():
    source = pathlib.Path(portable_programs.__file__).read_text()
    spelt = {"processes": "start", "gate calls": "gate.call", "async generators": "yield"}
    spelt |= {"contextvars in tasks": "ContextVar", "asyncio.Future": "create_future"}
    for line in PORTABLE:
        for name in re.split(r", (?=asyncio|Task|loop|Handle)", line.split(", called")[0]):
            word = next((to for start, to in spelt.items() if name.startswith(start)), None)
            word = word or name.split(" on ")[0].split(".")[-1].split(",")[0]
            assert word in source, name


def test_what_is_not_portable_has_a_reason():
    assert all(reason.strip() for reason in NOT_PORTABLE.values())
    assert not set(PORTABLE) & set(NOT_PORTABLE)


async def racing():
    async def worker(number):
        for step in range(4):
            await asyncio.sleep(0)
            record("step", worker=number, step=step)

    await asyncio.gather(*(worker(number) for number in range(3)))


def test_same_seed_equal():
    one, other = run(racing, seed=9), run(racing, seed=9)
    assert one.history.encode() == other.history.encode()
    assert one.choices == other.choices


def test_other_seeds_different():
    assert len({run(racing, seed=seed).digest for seed in range(20)}) == 20


def test_no_seed_is_the_uneventful_run():
    made = run(racing)
    assert made.choices == {}
    assert made.digest == run(racing, choices=made.choices).digest
    assert made.digest not in {run(racing, seed=seed).digest for seed in range(20)}


def test_twin_a_program_with_randomness_of_its_own_differs():
    import random

    async def program():
        record("drawn", value=random.random())

    assert run(program, seed=1).digest != run(program, seed=1).digest


def test_the_kernel_imports_nothing_outside_the_standard_library():
    code = (
        "import sys; before = set(sys.modules); import faultlab.kernel;"
        "print(*sorted({n.split('.')[0] for n in set(sys.modules) - before}))"
    )
    printed = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert set(printed.split()) - set(sys.stdlib_module_names) == {"faultlab"}


REPLACED = {
    "virtual_time.py": {"time", "datetime"},
    "virtual_chance.py": {"random", "uuid"},
    "escapes.py": {"random", "datetime"},
}
"""What these rooms import in order to put something virtual in its place."""


def test_the_kernel_reads_no_clock_and_no_unseeded_randomness():
    for path in pathlib.Path(faultlab.kernel.__file__).parent.glob("*.py"):
        replaced = REPLACED.get(path.name, set())
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported = {alias.name for alias in node.names} - replaced
                assert not imported & {"time", "random", "secrets", "uuid", "datetime"}, path
            elif isinstance(node, ast.ImportFrom) and node.module not in replaced:
                assert node.module not in {"time", "secrets", "uuid", "datetime"}, path
                if node.module == "random":
                    assert [alias.name for alias in node.names] == ["Random"], path
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Random":
                assert node.args, f"{path}: Random() without a seed"
