"""assert_clean and assert_fixed, without any plugin."""

import asyncio
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from faultlab import dst, kernel
from faultlab.dst.printable import printable
from faultlab.testing import TokenWarning, assert_clean, assert_fixed
from faultlab.testing.again import again
from faultlab.testing.assertions import unmet

FEW = dst.SimulationConfig(seeds=range(32))


async def withdrawals(*, pause: bool, steps: int = 1) -> None:
    """Two withdrawals; with a pause between read and write one of them may be lost."""
    account = {"balance": 100}

    async def withdraw(amount: int) -> None:
        balance = account["balance"]
        for _ in range(steps if pause else 0):
            await asyncio.sleep(0)
        account["balance"] = balance - amount

    async def late(amount: int) -> None:
        for _ in range(6):
            await asyncio.sleep(0)
        await withdraw(amount)

    await asyncio.gather(withdraw(30), late(20))
    if account["balance"] != 50:
        raise ValueError(f"balance is {account['balance']}")


async def racing() -> None:
    await withdrawals(pause=True)


async def repaired() -> None:
    await withdrawals(pause=False)


async def escaping() -> None:
    raise ValueError("\x1b[31mred\x1b]0;title\x07")


def token_of_the_race() -> str:
    finding = dst.check(racing, FEW).finding
    assert finding is not None
    assert len(finding.decisions) == 1
    return finding.token


def test_a_clean_program_gives_its_report() -> None:
    report = assert_clean(repaired, FEW)
    assert (report.verdict, report.seeds_run) == ("clean", 32)


def test_a_broken_program_fails_with_its_report_and_how_to_make_the_run_again() -> None:
    with pytest.raises(dst.SimulationFailed) as caught:
        assert_clean(racing, FEW)
    text = str(caught.value)
    assert text.startswith(f"violated: {__name__}:racing\n  ValueError: balance is 70\n")
    assert "1. hold Task-2 (withdraw)" in text
    assert "faultlab reproduce " in text.splitlines()[-1]
    assert token_of_the_race() in text.splitlines()[-1]


def test_a_failed_simulation_is_an_assertion_error_for_every_runner() -> None:
    with pytest.raises(AssertionError):
        assert_clean(racing, FEW)


def test_an_unexercised_program_is_not_clean() -> None:
    search = dst.Exhaustive(decisions_max=2, runs_max=2)
    with pytest.raises(dst.SimulationFailed, match=r"^unexercised: "):
        assert_clean(repaired, dst.SimulationConfig(search=search))


def test_terminal_escapes_of_an_exception_are_written_out() -> None:
    with pytest.raises(dst.SimulationFailed) as caught:
        assert_clean(escaping, FEW)
    assert r"ValueError: \x1b[31mred\x1b]0;title\x07" in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\nb"),
        ("über ● 日本", "über ● 日本"),
        ("\r\t\x9b\u202e", r"\r\t\x9b\u202e"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_token_fails_as_long_as_its_bug_is_there() -> None:
    with pytest.raises(dst.SimulationFailed, match="ValueError: balance is 70"):
        assert_fixed(racing, token_of_the_race())


async def with_a_lock() -> None:
    """Repaired, with the same tasks waiting at the same places."""
    account = {"balance": 100}

    async def withdraw(amount: int) -> None:
        await asyncio.sleep(0)
        account["balance"] -= amount

    async def late(amount: int) -> None:
        for _ in range(6):
            await asyncio.sleep(0)
        await withdraw(amount)

    await asyncio.gather(withdraw(30), late(20))
    if account["balance"] != 50:
        raise ValueError(f"balance is {account['balance']}")


def test_a_token_whose_decisions_all_meet_the_fixed_program_passes() -> None:
    token = token_of_the_race()
    assert unmet(with_a_lock, token) == []
    report = assert_fixed(with_a_lock, token)
    assert (report.verdict, report.runs) == ("clean", 1)


async def alone() -> None:
    """What is left of the race when a task is taken away: nothing can be held."""


def test_a_token_whose_decisions_lost_their_object_proves_nothing_and_fails() -> None:
    with pytest.raises(dst.SimulationFailed) as caught:
        assert_fixed(alone, token_of_the_race())
    text = str(caught.value)
    assert text.startswith(f"unexercised: {__name__}:alone\n1 of 1 decisions of the token no ")
    assert "hold Task-2, number" in text
    assert "delete this test and keep assert_clean(program)" in text


def from_python(version: str) -> str:
    token = dst.Token.parse(token_of_the_race())
    return str(
        dst.Token(program=token.program, tape=token.tape, steps_max=token.steps_max, python=version)
    )


def test_lost_decisions_of_another_pythons_token_are_a_warning() -> None:
    with pytest.warns(TokenWarning, match=r"made on Python 2\.7 and this is") as caught:
        assert_fixed(alone, from_python("2.7"))
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]


def test_another_pythons_token_whose_decisions_are_met_says_so_in_the_report_only() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = assert_fixed(with_a_lock, from_python("2.7"))
    assert "made on Python 2.7" in report.warning


def test_another_pythons_token_fails_if_the_bug_is_there() -> None:
    with pytest.raises(dst.SimulationFailed, match=r"made on Python 2\.7"):
        assert_fixed(racing, from_python("2.7"))


def test_a_damaged_token_is_no_passing_test() -> None:
    with pytest.raises(dst.SimulationError, match="is damaged"):
        assert_fixed(repaired, token_of_the_race()[:-9])


def test_the_line_for_a_program_that_no_command_reaches_is_python() -> None:
    async def inner() -> None:
        await racing()

    assert again(inner, "T") == "faultlab.testing.assert_fixed(inner, 'T')"
    assert again(inner, "T", node="t.py::t[a b]") == "pytest 't.py::t[a b]' --faultlab-token T"


def test_the_line_names_the_file_where_the_module_is_not_importable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    for path in (tmp_path / "near_by.py", tmp_path / "sub" / "far_off.py"):
        path.write_text("async def program():\n    pass\n", encoding="utf-8")
        monkeypatch.syspath_prepend(path.parent)
    monkeypatch.chdir(tmp_path)
    import far_off  # type: ignore[import-not-found]
    import near_by  # type: ignore[import-not-found]

    assert again(near_by.program, "T") == "faultlab reproduce T"
    assert again(far_off.program, "T") == "faultlab reproduce --program sub/far_off.py:program T"


def test_the_assertions_need_no_pytest_and_the_plugin_alone_imports_it() -> None:
    program = (
        "import sys; sys.modules['pytest'] = None\n"
        "import faultlab.testing; print('faultlab.dst' in sys.modules)\n"
        "from faultlab.testing import assert_clean, assert_fixed\n"
        "import asyncio\n"
        "async def program(): await asyncio.sleep(1)\n"
        "print(assert_clean(program).verdict)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.stderr) == ("False\nclean\n", "")


def test_ctrl_c_is_not_swallowed() -> None:
    runs: list[None] = []

    async def stopped() -> None:
        runs.append(None)
        if len(runs) > 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assert_clean(stopped, FEW)
    assert len(runs) > 5


def test_the_kernel_gives_the_trace_function_back() -> None:
    def tracer(*_: object) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(dst.SimulationFailed):
            assert_clean(racing, FEW)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    assert kernel.run(repaired).error is None
