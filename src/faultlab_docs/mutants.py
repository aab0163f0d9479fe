"""Does the documentation notice? Changes a model in one place at a time and counts what turns red.

`python -m faultlab_docs.mutants` copies the package to a temporary folder, applies one mutation
of `faultlab_docs.mutations` there, and runs the documentation's own checks, and nothing else,
against the copy. It exits 1 if a mutant survives that SURVIVORS doesn't explain, or if one that
it lists is noticed after all. `--list` names the mutants, `--only N` runs a single one, and
`--module idempotency.py` those of one model; neither writes the report.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from faultlab.cli import to_json
from faultlab_docs.mutations import Mutant, mutants
from faultlab_docs.places import RECORDS, ROOT, SNIPPETS

MODULES: Final = (
    "lab.py",
    "receiver.py",
    "async_lab/naive.py",
    "async_lab/durable.py",
    "idempotency.py",
    "readiness.py",
    "readiness_file.py",
)
"""The models, as paths below src/faultlab. Each is small, and everything in it is on a page."""
REPORT: Final = RECORDS / "measured" / "mutants.json"
COMMAND: Final = "python -m faultlab_docs.mutants"
AT_ONCE: Final = 2
TIMEOUT_S: Final = 240

_NEVER_SEEN: Final = (
    "Nothing can look while a run is under way: the status is overwritten before run() returns."
)

_FOR_TYPES: Final = "Only a type checker reads these words: no call compares a value with them."
_UNUSED: Final = "It is the default of a pop whose value nobody looks at, so any value does."

SURVIVORS: Final[dict[str, str]] = {
    'lab.py: Lab.run: self._state["status"] = "running" is deleted': _NEVER_SEEN,
    'lab.py: Lab.run: "running" becomes "runningx"': _NEVER_SEEN,
    'receiver.py: Disposition: "applied" becomes "appliedx"': _FOR_TYPES,
    'receiver.py: Disposition: "reused" becomes "reusedx"': _FOR_TYPES,
    'receiver.py: Disposition: "conflict" becomes "conflictx"': _FOR_TYPES,
    'receiver.py: Receiver._take_effect: None becomes "x"': _UNUSED,
    'idempotency.py: _compact: ":" becomes ":x"': (
        "Keys and fingerprints are arrays without objects: no colon is ever written."
    ),
}
"""By the id of a mutant that no check can notice, the reason."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one mutant: the checks that turned red, none if it survived."""

    mutant: Mutant
    red: list[str]


@cache
def all_mutants() -> list[Mutant]:
    """The mutants of all models, numbered from 1 by `--list` and `--only`."""
    return [mutant for module in MODULES for mutant in mutants(original(module), module)]


def original(module: str) -> str:
    """The source of a model as it is."""
    return (ROOT / "src" / "faultlab" / module).read_text(encoding="utf-8")


class Copy:
    """A copy of the package in a temporary folder, whose models are changed at will."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._package = folder / "src" / "faultlab"
        shutil.copytree(
            ROOT / "src" / "faultlab", self._package, ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copytree(SNIPPETS, folder / "snippets")

    def red(self, mutant: Mutant, *, every: bool = False) -> list[str]:
        """The checks that fail with a mutant in its module's place, run in a fresh process.

        One is enough to know that the mutant is noticed, so only the first is looked for,
        unless `every` one is wanted.

        Raises:
            RuntimeError: The checks could not be run at all.
        """
        place = self._package / mutant.module
        place.write_text(mutant.source, encoding="utf-8")
        try:
            return self.red_as_it_is([] if every else ["--first"])
        finally:
            place.write_text(original(mutant.module), encoding="utf-8")

    def red_as_it_is(self, options: Sequence[str] = ()) -> list[str]:
        """The checks that fail with the copy in its present state."""
        path = os.pathsep.join([str(self._folder / "src"), str(ROOT / "src")])
        # No bytecode: two mutants of one size within one second would share it.
        command = [sys.executable, "-B", "-X", "utf8", "-m", "faultlab_docs.checks"]
        try:
            done = subprocess.run(
                [*command, "--package", str(self._package), *options],
                capture_output=True,
                encoding="utf-8",
                timeout=TIMEOUT_S,
                check=False,
                env={**os.environ, "PYTHONPATH": path},
                cwd=self._folder,
            )
        except subprocess.TimeoutExpired:
            return [f"time: none left after {TIMEOUT_S} s"]
        if done.returncode == 1 and not done.stdout:
            return ["import: the package can't be imported"]
        if done.returncode not in (0, 1):
            raise RuntimeError(f"the checks could not be run:\n{done.stderr}")
        found: list[str] = json.loads(done.stdout)
        return found


def run(chosen: Sequence[Mutant], *, every: bool = False) -> Iterator[Result]:
    """Run the checks against each mutant, two at a time, in order.

    Raises:
        RuntimeError: The checks fail without any mutation.
    """
    with _copies() as copies:
        first = copies.get()
        before = first.red_as_it_is()
        copies.put(first)
        if before:
            raise RuntimeError("these fail without a mutation, so mend them first: " + str(before))

        def one(mutant: Mutant) -> Result:
            copy = copies.get()
            try:
                return Result(mutant=mutant, red=copy.red(mutant, every=every))
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(one, chosen)


@contextmanager
def _copies() -> "Iterator[SimpleQueue[Copy]]":
    with tempfile.TemporaryDirectory(prefix="faultlab-mutants-") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(AT_ONCE):
            copies.put(Copy(Path(folder) / str(number)))
        yield copies


def report(results: Sequence[Result]) -> dict[str, Any]:
    """The measurement as it is saved, with everything needed to repeat it."""
    survivors = [result.mutant for result in results if not result.red]
    noticed = Counter(kind for result in results for kind in _kinds(result))
    killed = len(results) - len(survivors)
    return {
        "what": "mutants of the models that turn a documentation check red",
        "modules": {
            module: {
                "total": sum(result.mutant.module == module for result in results),
                "killed": sum(
                    result.mutant.module == module and bool(result.red) for result in results
                ),
            }
            for module in MODULES
        },
        "date": _today(),
        "python": platform.python_version(),
        "command": COMMAND,
        "total": len(results),
        "killed": killed,
        "killed_percent": 100 * killed // max(1, len(results)),
        "noticed_first_by": dict(sorted(noticed.items())),
        "survived": len(survivors),
        "survivors": [
            {"mutant": mutant.id, "line": mutant.line, "reason": SURVIVORS.get(mutant.id, "")}
            for mutant in survivors
        ],
    }


def _kinds(result: Result) -> set[str]:
    return {check.partition(":")[0] for check in result.red}


def _today() -> str:
    pinned = os.environ.get("SOURCE_DATE_EPOCH")
    moment = (
        datetime.datetime.fromtimestamp(int(pinned), tz=datetime.UTC)
        if pinned
        else datetime.datetime.now(tz=datetime.UTC)
    )
    return moment.date().isoformat()


def complaints(results: Sequence[Result]) -> list[str]:
    """What is wrong: unexplained survivors, and explained ones that are noticed after all."""
    found = []
    for result in results:
        place = f"src/faultlab/{result.mutant.module}:{result.mutant.line}: {result.mutant.id}"
        if not result.red and result.mutant.id not in SURVIVORS:
            found.append(f"{place}\n    survives. Show it on a page, or explain it in SURVIVORS.")
        if result.red and result.mutant.id in SURVIVORS:
            checks = ", ".join(result.red[:3])
            found.append(f"{place}\n    is noticed by {checks}. Take it off SURVIVORS.")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the mutants, write the report, and say what survived."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the mutants and stop")
    parser.add_argument("--only", type=int, metavar="N", help="run only the mutant of this number")
    parser.add_argument("--module", choices=MODULES, help="run only the mutants of this model")
    parser.add_argument(
        "--without", choices=MODULES, action="append", default=[], help="leave these mutants out"
    )
    options = parser.parse_args(arguments)
    everyone = [
        mutant
        for mutant in all_mutants()
        if options.module in (None, mutant.module) and mutant.module not in options.without
    ]
    if options.list:
        for number, mutant in enumerate(everyone, start=1):
            print(f"{number:>4}  line {mutant.line:<4} {mutant.id}")
        return 0
    if options.only is not None and not 1 <= options.only <= len(everyone):
        parser.error(f"there is no mutant {options.only}. They are numbered 1 to {len(everyone)}.")
    chosen = everyone if options.only is None else [everyone[options.only - 1]]
    results = list(run(chosen, every=options.only is not None))
    for result in results if options.only else ():
        print(f"{result.mutant.id}\n  " + "\n  ".join(result.red or ["survives"]))
    if options.only is None and options.module is None and not options.without:
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        REPORT.write_text(to_json(report(results)) + "\n", encoding="utf-8")
    wrong = complaints(results)
    for complaint in wrong:
        print(complaint)
    killed = sum(bool(result.red) for result in results)
    print(f"{killed} of {len(results)} mutants turn a documentation check red")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
