"""The `faultlab` command: what it prints, where, and with which exit code."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import faultlab
from faultlab import async_lab
from faultlab.cli import main
from faultlab.lab import CANCELLATIONS, FAULTS, OBSERVATIONS, Lab

MAP = Path(__file__).parents[1] / "docs" / "records" / "lab" / "map.json"

Captured = pytest.CaptureFixture[str]


def run(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of one call, whichever door it leaves by."""
    try:
        code = main(arguments)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_lab_says_what_was_asked_reached_happened_and_is_known(capsys: Captured) -> None:
    code, out, err = run(capsys, "lab", "--fault", "final_write")
    assert (code, err) == (0, "")
    four = out.partition("\n\n")[0].replace("\n" + " " * 11, " ")
    assert four.splitlines() == [
        "Asked for  fault final_write, cancellation none, observation match",
        "Reached    stopped at final_write",
        "Happened   1 send, 1 effect, 1 read",
        "Known      status needs_review, outcome observed_match, error final_write, "
        "checkpoints prepared, dispatched, final receipt not written",
    ]


def test_lab_without_options_runs_the_uninterrupted_scenario(capsys: Captured) -> None:
    code, out, _ = run(capsys, "lab")
    assert code == 0
    assert out.startswith("Asked for  fault none, cancellation none, observation match\n")
    assert "Reached    all of it\n" in out


def test_lab_names_the_inputs_that_were_never_reached(capsys: Captured) -> None:
    asked = ["--fault", "final_write", "--cancel-at", "after_prepare"]
    _, out, _ = run(capsys, "lab", *asked)
    assert "stopped at after_prepare; asked for and never reached: fault\n" in out


def test_json_is_the_record_exactly(capsys: Captured) -> None:
    asked = ["--fault", "verification", "--observation", "unavailable"]
    code, out, err = run(capsys, "lab", *asked, "--json")
    record = Lab(fault="verification", observation="unavailable").run()
    assert (code, err) == (0, "")
    assert out == json.dumps(record, indent=2) + "\n"
    assert list(json.loads(out)) == list(record)


def test_a_saved_run_is_the_scenario_with_its_record(capsys: Captured) -> None:
    code, out, _ = run(capsys, "lab", "--cancel-at", "before_send", "--saved-run")
    assert code == 0
    assert json.loads(out) == {
        "scenario": {"fault": "none", "cancel_at": "before_send", "observation": "match"},
        "record": Lab(cancel_at="before_send").run(),
    }


def test_all_prints_the_map_of_72_scenarios_and_11_end_states(capsys: Captured) -> None:
    code, out, err = run(capsys, "lab", "--all")
    assert (code, err) == (0, "")
    assert out.startswith("72 scenarios, 11 end states; 1 succeeded, 27 cancelled, ")
    assert "23 needs_review, 21 failed" in out
    assert "60 scenarios ask for a fault; 32 never reach it." in out
    assert "54 scenarios ask for a cancellation; 15 never reach it." in out
    assert "48 scenarios ask for another observation; 44 never reach it." in out


def test_all_as_json_equals_the_published_map(capsys: Captured) -> None:
    code, out, err = run(capsys, "lab", "--all", "--json")
    assert (code, err) == (0, "")
    assert out == MAP.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "wrong", "meant", "allowed"),
    [
        ("--fault", "finalwrite", "final_write", FAULTS),
        ("--cancel-at", "aftersend", "after_send", CANCELLATIONS),
        ("--observation", "matches", "match", OBSERVATIONS),
    ],
)
def test_a_wrong_name_exits_2_and_names_the_right_ones_and_the_nearest(
    capsys: Captured, option: str, wrong: str, meant: str, allowed: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, "lab", option, wrong)
    assert (code, out) == (2, "")
    assert f"{option}: {wrong!r} is not one of the names." in err
    assert f"Did you mean {meant!r}?" in err
    assert f"Allowed: {', '.join(allowed)}." in err


def test_a_name_like_none_of_them_gets_the_list_without_a_guess(capsys: Captured) -> None:
    code, _, err = run(capsys, "lab", "--fault", "xyzzy")
    assert code == 2
    assert "Did you mean" not in err
    assert ", ".join(FAULTS) in err


@pytest.mark.parametrize(
    "more",
    [
        ["--fault", "final_write"],
        ["--fault", "none"],
        ["--cancel-at", "before_send"],
        ["--observation", "match"],
        ["--saved-run"],
    ],
    ids=" ".join,
)
def test_all_with_a_scenario_exits_2_and_says_what_to_leave_out(
    capsys: Captured, more: list[str]
) -> None:
    code, out, err = run(capsys, "lab", "--all", *more)
    assert (code, out) == (2, "")
    assert "--all runs every scenario. Leave out --fault" in err


@pytest.mark.parametrize(
    "wrong",
    [[], ["lab", "--json", "--saved-run"], ["lab", "extra"], ["labs"], ["snippets"]],
    ids=" ".join,
)
def test_a_call_that_cannot_be_understood_exits_2_with_usage_on_stderr(
    capsys: Captured, wrong: list[str]
) -> None:
    code, out, err = run(capsys, *wrong)
    assert (code, out) == (2, "")
    assert err.startswith("usage: faultlab")


def test_version_and_help_go_to_stdout_and_exit_0(capsys: Captured) -> None:
    assert run(capsys, "--version") == (0, f"faultlab {faultlab.__version__}\n", "")
    code, out, err = run(capsys, "--help")
    assert (code, err) == (0, "")
    assert "Exit codes: 0 as asked, 1 a difference or a violation was found, 2 " in " ".join(
        out.split()
    )


def started(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "faultlab", *arguments]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=60, check=False, **options
    )


def test_the_module_can_be_run_and_separates_data_from_messages() -> None:
    done = started("lab", "--all", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["summary"]["scenarios"] == 72

    done = started("lab", "--fault", "finalwrite")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'final_write'?" in done.stderr


def test_a_terminal_that_cannot_show_a_glyph_gets_question_marks_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    monkeypatch.setenv("PYTHONUTF8", "0")
    done = started("lab", "--fault", "native_reply")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" in done.stdout
    assert "Happened   1 send, 1 effect, 0 reads" in done.stdout


# The snippets


def test_snippets_list_names_each_snippet_and_its_page(capsys: Captured) -> None:
    code, out, err = run(capsys, "snippets", "list")
    assert (code, err) == (0, "")
    listed = dict(line.split() for line in out.splitlines())
    assert listed["read-survives"] == "understand/what-remains"


def test_snippets_copy_prints_the_two_files_and_check_finds_them_unchanged(
    capsys: Captured, tmp_path: Path
) -> None:
    code, out, err = run(capsys, "snippets", "copy", "read-survives", str(tmp_path))
    assert (code, err) == (0, "")
    assert [Path(line).name for line in out.splitlines()] == [
        "read_survives.py",
        "read_survives.expected.txt",
    ]
    code, out, err = run(capsys, "snippets", "check", str(tmp_path))
    assert (code, out) == (0, "")
    assert err.endswith("1 checked, 0 differ\n")


def test_snippets_check_exits_1_with_a_diff_on_stdout(capsys: Captured, tmp_path: Path) -> None:
    run(capsys, "snippets", "copy", "read-survives", str(tmp_path))
    program = tmp_path / "read_survives.py"
    program.write_text(program.read_text(encoding="utf-8").replace('"status"', '"error"'), "utf-8")
    code, out, err = run(capsys, "snippets", "check", str(tmp_path))
    assert code == 1
    assert "-needs_review\n+final_write\n" in out
    assert err == "1 checked, 1 differ\n"


def test_a_misspelt_snippet_exits_2_and_names_the_nearest(capsys: Captured, tmp_path: Path) -> None:
    code, out, err = run(capsys, "snippets", "copy", "read-survive", str(tmp_path))
    assert (code, out) == (2, "")
    assert err.startswith("faultlab: There is no snippet 'read-survive'.")
    assert "Did you mean 'read-survives'?" in err
    assert list(tmp_path.iterdir()) == []


def test_checking_a_folder_without_copies_exits_2(capsys: Captured, tmp_path: Path) -> None:
    code, out, err = run(capsys, "snippets", "check", str(tmp_path))
    assert (code, out) == (2, "")
    assert "holds no copied snippet" in err


def test_a_reader_that_stops_early_gets_no_traceback() -> None:
    command = f"{sys.executable} -m faultlab lab --all --json | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_async_tells_the_headline_the_counts_and_the_trace(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["async", "--fault", "crash-after-effect", "--mode", "durable"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Recovered by operation key\n")
    assert "dispatch attempts 2" in text
    assert "effects 1," in text
    assert "time  broker" in text
    assert "Holds only while the receiver keeps the key and can look it up." in text


@pytest.mark.parametrize("fault", async_lab.FAULTS)
@pytest.mark.parametrize("mode", async_lab.MODES)
def test_async_json_is_the_saved_run(
    fault: str, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["async", "--fault", fault, "--mode", mode, "--json"]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed) == async_lab.saved_run(fault, mode)
    saved = Path(__file__).parents[1] / "docs" / "records" / "async" / f"{fault}.{mode}.json"
    if saved.is_file():  # the wheel's tests run where the site is not
        assert printed == saved.read_text(encoding="utf-8")


def test_async_list_names_every_fault_and_mode(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["async", "--list"]) == 0
    words = capsys.readouterr().out.split()
    assert [word for word in words if word not in ("fault", "mode")] == [
        *async_lab.FAULTS,
        *async_lab.MODES,
    ]


def test_async_all_has_a_line_for_each_of_the_twelve(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["async", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        sum(line.split()[:1] != [] and line.split()[0] in async_lab.FAULTS for line in lines) == 12
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--fault", "crash-after-efect"], "Did you mean 'crash-after-effect'?"),
        (["--mode", "durabel"], "Allowed: naive, durable."),
        (["--list", "--fault", "none"], "Leave them out."),
        (["--all", "--mode", "naive"], "Leave them out."),
    ],
)
def test_async_refuses_wrong_words_with_the_right_ones(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["async", *arguments])
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert named in captured.err
