"""Builds the site strictly, says what was built, and puts the package's wheel beside the pages."""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

# The theme announces its successor on every build; pyproject.toml pins the version we use.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")

from mkdocs.commands.build import build as build_pages
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException

from faultlab_docs import extension
from faultlab_docs.places import ROOT, DocsError

NO_COMMIT_EPOCH: Final = "1767225600"
"""The date of a build outside a git checkout: 2026-01-01."""


def build(site: Path) -> bool:
    """Build pages and wheel into a folder, and return whether all of it is right."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    logging.getLogger("mkdocs").addHandler(handler)
    built = False
    try:
        config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(site))
        config.plugins.on_startup(command="build", dirty=False)
        build_pages(config)
        config.plugins.on_shutdown()
        built = True
    except (MkDocsException, DocsError) as error:
        print(f"The site is not right: {error}", file=sys.stderr)
    tally = extension.TALLY
    differing = len(tally.differing)
    print(
        f"{tally.pages} pages built, {tally.examples} examples executed, "
        f"{tally.quotes} quotes compared; {differing} differ"
    )
    return built and _build_wheel(site / "dist")


def _build_wheel(folder: Path) -> bool:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        print(f"The wheel is not built:\n{done.stdout}{done.stderr}", file=sys.stderr)
    return not done.returncode


def pin_date() -> None:
    """Date the build by the last commit, so that two builds of it are equal byte for byte."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    try:
        date = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        date = ""
    os.environ.setdefault("SOURCE_DATE_EPOCH", date or NO_COMMIT_EPOCH)


def build_twice(site: Path) -> bool:
    """Build in two processes with different hash seeds, and compare every byte."""
    with tempfile.TemporaryDirectory() as second:
        for seed, folder in (("1", site), ("2", Path(second))):
            command = [sys.executable, "-m", "faultlab_docs.building", "--site", str(folder)]
            env = {**os.environ, "PYTHONHASHSEED": seed}
            if subprocess.run(command, env=env, check=False).returncode:
                return False
        differing = differing_files(site, Path(second))
    for name in differing:
        print(f"two builds differ in {name}", file=sys.stderr)
    if not differing:
        print("Two builds are equal byte for byte.")
    return not differing


def differing_files(one: Path, other: Path) -> list[str]:
    """Names of the files that are not the same in both folders."""
    first, second = _contents(one), _contents(other)
    return sorted(name for name in first | second if first.get(name) != second.get(name))


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site once or twice, and return the exit code."""
    parser = argparse.ArgumentParser(prog="faultlab_docs.building", description=__doc__)
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="where to build (site)")
    parser.add_argument("--twice", action="store_true", help="build again and compare")
    options = parser.parse_args(arguments)
    pin_date()
    run = build_twice if options.twice else build
    return 0 if run(options.site.resolve()) else 1


if __name__ == "__main__":
    sys.exit(main())
