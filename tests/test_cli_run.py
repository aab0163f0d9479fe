"""`faultlab run` and `faultlab reproduce`: what they print, where, and with which exit code."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultlab import dst
from faultlab.cli import main

Captured = pytest.CaptureFixture[str]

PROGRAM = """
import asyncio
import threading

async def withdrawals(pause):
    account = {"balance": 100}
    async def withdraw(amount):
        balance = account["balance"]
        if pause:
            await asyncio.sleep(0)
        account["balance"] = balance - amount
    async def late(amount):
        for _ in range(6):
            await asyncio.sleep(0)
        await withdraw(amount)
    await asyncio.gather(withdraw(30), late(20))
    if account["balance"] != 50:
        raise ValueError(f"balance is {account['balance']}")

async def racing():
    await withdrawals(True)

async def repaired():
    await withdrawals(False)

async def alone():
    print("chatter")

async def escaping():
    raise ValueError("\\x1b]0;title\\x07")

async def threads():
    await asyncio.to_thread(len, "")

left = []
async def remembers():
    left.append(1)
    for _ in left:
        await asyncio.sleep(0)

async def stopped():
    left.append(1)
    if len(left) > 5:
        raise KeyboardInterrupt

async def stopped_at_once():
    raise KeyboardInterrupt

def plain():
    pass

class Holder:
    async def method(self):
        pass

    @staticmethod
    async def static():
        pass
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with a module, a package and a file that can't be imported."""
    (tmp_path / "faulty.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "below" / "deep").mkdir(parents=True)
    (tmp_path / "below" / "deep" / "__init__.py").write_text("", encoding="utf-8")
    for path in (tmp_path / "below" / "deep" / "inner.py", tmp_path / "below" / "outer.py"):
        path.write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "unready.py").write_text("import nowhere_at_all\n", encoding="utf-8")
    (tmp_path / "unwritten.py").write_text("def half(:\n", encoding="utf-8")
    (tmp_path / "script.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    (tmp_path / "below" / "json.py").write_text(
        "async def program():\n    pass\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def run(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of one call, whichever door it leaves by."""
    try:
        code = main(arguments)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def token(capsys: Captured, program: str = "faulty:racing") -> str:
    code, out, _ = run(capsys, "run", program, "--json")
    assert code == 1
    return str(json.loads(out)["finding"]["token"])


def test_a_clean_program_exits_0_and_a_violated_one_1_with_the_report(capsys: Captured) -> None:
    code, out, err = run(capsys, "run", "faulty:repaired")
    assert (code, err) == (0, "")
    assert out.startswith("clean: faulty:repaired\n")
    assert "256 of 256 seeds" in out
    code, out, err = run(capsys, "run", "faulty:racing")
    assert (code, err) == (1, "")
    assert out.startswith("violated: faulty:racing\n  ValueError: balance is 70\n")
    assert "1. hold Task-2 (withdraw)" in out
    assert out.splitlines()[-1].startswith("  faultlab reproduce faultlab1.")


def test_an_unfinished_exhaustive_search_is_unexercised_and_exits_3(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faultlab.dst.from_text.Exhaustive", short_of_runs)
    arguments = ("--search", "exhaustive", "--decisions", "2")
    code, out, _ = run(capsys, "run", "faulty:repaired", *arguments)
    assert code == 3
    assert out.startswith("unexercised: faulty:repaired\n")


def short_of_runs(*, decisions_max: int) -> dst.Exhaustive:
    return dst.Exhaustive(decisions_max=decisions_max, runs_max=2)


def test_an_exhaustive_search_says_what_it_has_proven(capsys: Captured) -> None:
    code, out, _ = run(capsys, "run", "faulty:alone", "--search", "exhaustive", "--decisions", "1")
    assert code == 0
    assert "exhaustive, at most 1 decision" in out


@pytest.mark.parametrize(
    ("place", "module"), [("below/deep/inner.py", "deep.inner"), ("below/outer.py", "outer")]
)
def test_a_program_in_a_file_is_found_again_by_the_printed_line(
    capsys: Captured, place: str, module: str
) -> None:
    code, out, _ = run(capsys, "run", f"{place}:racing")
    assert (code, out.splitlines()[0]) == (1, f"violated: {module}:racing")
    command = out.splitlines()[-1].split()
    assert command[:4] == ["faultlab", "reproduce", "--program", f"{place}:racing"]
    assert run(capsys, *command[1:])[0] == 1


def test_the_working_directory_comes_before_an_installed_module_of_that_name(
    capsys: Captured, folder: Path
) -> None:
    (folder / "mypy.py").write_text("async def program():\n    pass\n", encoding="utf-8")
    code, out, _ = run(capsys, "run", "mypy:program", "--seeds", "1")
    assert (code, out.splitlines()[0]) == (0, "clean: mypy:program")


def test_a_static_method_is_a_program(capsys: Captured) -> None:
    assert run(capsys, "run", "faulty:Holder.static", "--seeds", "1")[0] == 0


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("faulty", "'faulty' names no program; write module:program"),
        ("faulty:", "'faulty:' names no program"),
        ("fautly:racing", "there is no module 'fautly' here. Did you mean 'faulty'?"),
        ("outer:racing", "Did you mean the file 'below/outer.py'?"),
        ("no.such:racing", "there is no module 'no.such' here."),
        ("below/otter.py:racing", "there is no file 'below/otter.py'. Did you mean 'outer.py'?"),
        ("faulty:racign", "faulty has no 'racign'. Did you mean 'racing'?"),
        (
            "faulty:plain",
            "faulty:plain is no async function and no Simulation; define the program with",
        ),
        ("faulty:withdrawals", "withdrawals takes pause; give a function without arguments"),
        ("faulty:Holder.method", "Holder.method takes self"),
        ("faulty:test.<locals>.inner", "was defined inside of a function"),
        ("__main__:racing", "a file that was run as a script; name the file"),
        ("unready:program", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("unwritten:program", "unwritten.py:1: SyntaxError"),
        ("script:program", "importing 'script' ended the interpreter"),
        ("below/json.py:program", "json.py would be the module 'json', and that name belongs to"),
        ("faulty:threads", "to_thread"),
        ("faulty:remembers", "the same decisions gave two different runs"),
    ],
)
def test_a_program_that_cannot_be_simulated_exits_2_and_says_why(
    capsys: Captured, program: str, why: str
) -> None:
    code, out, err = run(capsys, "run", program)
    assert (code, out) == (2, "")
    assert err.startswith("faultlab: ")
    assert why in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--seeds", "many"), "'many' names no seeds"),
        (("--seeds", "5:5"), "there are no seeds in '5:5'"),
        (("--seeds", "-1"), ""),
        (("--preset", "nightyl"), "Did you mean 'nightly'?"),
        (("--search", "pcp"), "Did you mean 'pct'?"),
        (("--search", "fifo", "--depth", "2"), "the search 'fifo' takes no depth"),
        (("--decisions", "2"), "the search 'portfolio' takes no decisions"),
        (("--search", "pct", "--depth", "11"), "PCT of depth 11 was asked for"),
        (("--search", "exhaustive", "--seeds", "3"), "an exhaustive search needs no seeds"),
        (("--search", "exhaustive", "--jobs", "2"), "runs in one process"),
        (("--seeds", "1", "--preset", "quick"), "not allowed with"),
        (("--steps-max", "1"), "steps_max is 1; give at least 2"),
        (("--jobs", "two"), "'two' is no whole number"),
        (("--save-token", "no/such/folder"), "no/such/folder can't be written"),
        (("--html", "."), "can't be written"),
    ],
)
def test_a_call_that_makes_no_sense_exits_2_and_says_why(
    capsys: Captured, arguments: tuple[str, ...], why: str
) -> None:
    code, out, err = run(capsys, "run", "faulty:alone", *arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert "chatter" not in err  # nothing ran before that


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (("--seeds", "3"), "3 of 3 seeds"),
        (("--seeds", "100:104"), "4 of 4 seeds"),
        (("--preset", "quick"), "64 of 64 seeds"),
        (("--search", "random", "--seeds", "2"), "random step, 2 runs"),
        (("--search", "pct", "--depth", "2", "--seeds", "2"), "PCT, depth 2, 2 runs"),
    ],
)
def test_options_reach_the_search(capsys: Captured, arguments: tuple[str, ...], asked: str) -> None:
    code, out, _ = run(capsys, "run", "faulty:repaired", *arguments)
    assert code == 0
    assert asked in out


def test_steps_and_minimizing_budgets_reach_the_search(capsys: Captured) -> None:
    code, out, _ = run(capsys, "run", "faulty:racing", "--minimize-runs", "0", "--json")
    finding = json.loads(out)["finding"]
    assert (code, finding["minimality"]) == (1, "smallest found, budget spent")
    code, out, _ = run(capsys, "run", "faulty:repaired", "--steps-max", "6", "--json")
    assert (code, json.loads(out)["finding"]["rule"]["kind"]) == (1, "step-limit")


def test_jobs_give_the_same_report(capsys: Captured) -> None:
    one = run(capsys, "run", "faulty:racing")
    assert run(capsys, "run", "faulty:racing", "--jobs", "2") == one


def test_json_alone_is_on_stdout_whatever_the_program_prints(capsys: Captured) -> None:
    code, out, err = run(capsys, "run", "faulty:alone", "--seeds", "2", "--json")
    assert code == 0
    assert json.loads(out)["verdict"] == "clean"
    assert set(err.splitlines()) == {"chatter"}


def test_terminal_escapes_are_written_out(capsys: Captured) -> None:
    for form in ((), ("--json",)):
        code, out, _ = run(capsys, "run", "faulty:escaping", *form)
        assert code == 1
        assert "title" in out
        assert "\x1b" not in out
        assert "\x07" not in out


def test_a_saved_token_is_reproduced_from_its_file_from_stdin_and_from_the_call(
    capsys: Captured, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, "run", "faulty:racing", "--save-token", "token.txt")[0] == 1
    text = (folder / "token.txt").read_text(encoding="utf-8")
    assert text == token(capsys) + "\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    answers = [run(capsys, "reproduce", given) for given in ("@token.txt", "-", text)]
    assert [code for code, _, _ in answers] == [1, 1, 1]
    assert len({out for _, out, _ in answers}) == 1
    assert answers[0][1].startswith("violated: faulty:racing\n  ValueError: balance is 70\n")


def test_a_clean_program_saves_no_token(capsys: Captured, folder: Path) -> None:
    assert run(capsys, "run", "faulty:repaired", "--save-token", "token.txt")[0] == 0
    assert not (folder / "token.txt").exists()


def test_a_run_that_breaks_nothing_any_more_exits_0_and_says_so(
    capsys: Captured, folder: Path
) -> None:
    text = token(capsys)
    fixed = PROGRAM.replace('balance = account["balance"]\n', "pass\n")
    fixed = fixed.replace("= balance - amount", "-= amount")
    (folder / "mended.py").write_text(fixed, encoding="utf-8")
    code, out, _ = run(capsys, "reproduce", text, "--program", "mended:racing")
    assert code == 0
    assert out.splitlines()[0] == "clean: mended:racing"
    assert out.splitlines()[-1] == "The run of this token no longer breaks anything."


def test_a_token_that_no_longer_meets_its_program_says_that_it_proves_nothing(
    capsys: Captured,
) -> None:
    text = token(capsys)
    code, out, _ = run(capsys, "reproduce", text, "--program", "faulty:alone")
    assert code == 0
    assert "1 of 1 decisions of the token no longer meet the program:\n  - hold Task-2" in out
    assert out.endswith("the token proves nothing.\n")
    assert "chatter" not in out


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("nonsense", "'nonsense' is no token"),
        ("faultlab1.nonsense", "is damaged"),
        ("@absent.txt", "absent.txt: No such file or directory."),
    ],
)
def test_a_damaged_token_exits_2(capsys: Captured, given: str, why: str) -> None:
    code, out, err = run(capsys, "reproduce", given)
    assert (code, out) == (2, "")
    assert why in err


def test_a_token_whose_program_is_elsewhere_says_how_to_name_it(capsys: Captured) -> None:
    text = token(capsys, "below/outer.py:racing")
    for name in ("outer", "below/outer.py"):
        sys.modules.pop("outer", None)
        sys.path[:] = [path for path in sys.path if not path.endswith("below")]
        given = ("--program", f"{name}:racing") if name.endswith(".py") else ()
        code, _, err = run(capsys, "reproduce", text, *given)
        assert code == (1 if given else 2)
        assert ("Did you mean the file 'below/outer.py'?" in err) == (not given)
        assert ("--program names another" in err) == (not given)


def test_a_cut_token_exits_2(capsys: Captured) -> None:
    assert run(capsys, "reproduce", token(capsys)[:-12])[0] == 2


def test_the_page_is_written_beside_the_report(
    capsys: Captured, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        dst.Report, "to_html", lambda report: f"<p>{report.verdict}\n", raising=False
    )
    assert run(capsys, "run", "faulty:racing", "--html", "page.html")[0] == 1
    assert (folder / "page.html").read_text(encoding="utf-8") == "<p>violated\n"
    assert run(capsys, "reproduce", token(capsys), "--html", "again.html")[0] == 1
    assert (folder / "again.html").read_text(encoding="utf-8") == "<p>violated\n"


def test_ctrl_c_prints_the_report_so_far_and_exits_130(capsys: Captured) -> None:
    code, out, _ = run(capsys, "run", "faulty:stopped")
    assert code == 130
    assert "then stopped by hand" in out


def test_ctrl_c_before_there_is_a_report_exits_130_without_a_traceback(capsys: Captured) -> None:
    code, out, err = run(capsys, "run", "faulty:stopped_at_once")
    assert (code, out) == (130, "")
    assert err == "faultlab: stopped before there was anything to report\n"


class Terminal(io.StringIO):
    """Standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_on_a_terminal_and_is_taken_away(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    code, out, _ = run(capsys, "run", "faulty:repaired", "--seeds", "500")
    shown = terminal.getvalue()
    assert (code, "\r" in out) == (0, False)
    assert " 50 % of 500 runs" in shown
    assert shown.count("\r") <= 103
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[K")


@pytest.mark.parametrize("arguments", [("run", "faulty:racing"), ("run", "faulty:remembers")])
def test_python_m_faultlab_is_the_same_command(
    capsys: Captured, folder: Path, arguments: tuple[str, ...]
) -> None:
    expected = run(capsys, *arguments)
    source = str(Path(dst.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-m", "faultlab", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": source, "PYTHONUTF8": "1"},
        cwd=folder,
    )
    assert (done.returncode, done.stdout, done.stderr) == expected
