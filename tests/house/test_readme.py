"""The README's commands, examples and links, read from its own text."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Final

import pytest

from faultlab_docs import records

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
MINUTES: Final = 60


def fences(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def command(ending: str) -> list[str]:
    found = re.findall(rf"^\$ (python3 noxfile\.py {ending})$", README, flags=re.MULTILINE)
    assert len(found) == 1, f"the README names `python3 noxfile.py {ending}` {len(found)} times"
    return str(found[0]).split()


def printed(*arguments: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=True,
    )
    return done.stdout


def test_python_example_prints_what_the_readme_says(tmp_path: Path) -> None:
    programs, outputs = fences("python"), fences("text")
    assert len(programs) == len(outputs) == 1
    program = tmp_path / "first.py"
    program.write_text(programs[0], encoding="utf-8")
    assert printed(program.name, folder=tmp_path) == outputs[0]


def test_command_line_example_prints_what_the_readme_says() -> None:
    examples = [fence for fence in fences("console") if fence.startswith("$ faultlab ")]
    assert examples
    for example in examples:
        line, _, output = example.partition("\n")
        assert printed("-m", *line.removeprefix("$ ").split()) == output


def test_every_file_that_the_readme_links_exists() -> None:
    links = re.findall(r'(?:\]\(|src(?:set)?=")([^)"#]+)', README)
    assert len(links) >= 7
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_pictures_are_computed_from_a_saved_run() -> None:
    computed = dict(records.files())
    pictures = re.findall(r'docs/(assets/readme-\w+\.svg)"', README)
    assert len(pictures) == 2
    for name in pictures:
        drawn = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert drawn == computed[name], "run nox -s records"


def install_from_the_quickstart(address: str, folder: Path) -> None:
    """Do what the served Quickstart says, with its own line, and run the command it installs."""
    with urllib.request.urlopen(f"{address}learn/quickstart/index.md", timeout=10) as answer:
        page = answer.read().decode()
    line = re.search(r"^\$ python (-m pip install \S+\.whl)$", page, flags=re.MULTILINE)
    assert line is not None
    assert address in line[1]
    target = folder / "installed"
    options = ["--quiet", "--no-deps", "--target", str(target)]
    subprocess.run([sys.executable, *line[1].split(), *options], check=True)
    shown = subprocess.run(
        [sys.executable, "-m", "faultlab", "snippets", "list"],
        env={"PYTHONPATH": str(target)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "read-survives" in shown.stdout


@pytest.mark.house
def test_serve_builds_and_serves_the_site_from_a_clean_clone(
    clone: Path, home: Path, empty_environment: dict[str, str]
) -> None:
    before = status(clone)
    server = subprocess.Popen(
        command("serve"),
        cwd=clone,
        env=empty_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    give_up = threading.Timer(5 * MINUTES, server.kill)
    give_up.start()
    try:
        assert server.stdout is not None
        lines = []
        for line in server.stdout:
            lines.append(line)
            if "Serving http://" in line:
                break
        text = "".join(lines)
        address = re.search(r"Serving (http://127\.0\.0\.1:\d+/)", text)
        assert address, text
        assert re.search(
            r"^[1-9]\d* pages built, [1-9]\d* examples .* 0 differ$", text, re.MULTILINE
        )
        with urllib.request.urlopen(address[1], timeout=10) as answer:
            assert "faultlab" in answer.read().decode()
        with urllib.request.urlopen(
            f"{address[1]}records/lab/final_write.json", timeout=10
        ) as answer:
            served = json.load(answer)
        saved = (ROOT / "docs" / "records" / "lab" / "final_write.json").read_text(encoding="utf-8")
        assert served == json.loads(saved)
        install_from_the_quickstart(address[1], clone.parent)
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=10)
        assert server.returncode == 0
        assert "Traceback" not in rest
    finally:
        give_up.cancel()
        server.kill()
        server.wait()
    assert list(home.iterdir()) == [], "something was written outside the checkout"
    assert status(clone) == before


@pytest.mark.house
def test_verify_passes_in_a_clean_clone_and_ends_with_its_counts(
    clone: Path, home: Path, empty_environment: dict[str, str]
) -> None:
    before = status(clone)
    done = subprocess.run(
        command("verify"),
        cwd=clone,
        env=empty_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=15 * MINUTES,
        check=False,
    )
    lines = done.stdout.splitlines()
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", lines[-1])
    assert counts, done.stdout
    passed, failed, skipped = map(int, counts.groups())
    assert (done.returncode, failed) == (0, 0), done.stdout
    assert passed > 28, "at least the Failure Lab's own tests"
    reasons = [line for line in lines if re.fullmatch(r"skipped: [^:]+: .+", line)]
    assert len(reasons) == skipped
    assert list(home.iterdir()) == [], "something was written outside the checkout"
    assert status(clone) == before


def status(clone: Path) -> list[str]:
    """What git says of files that are new or changed."""
    command = ["git", "-C", str(clone), "status", "--porcelain"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
