"""The pytest plugin, in sessions of its own."""

import json
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import process
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import faultlab
from faultlab.testing import again, assertions, ground, loading, marked, plugin
from faultlab.testing.database import Database
from faultlab.testing.ground import Failure

LOADED: tuple[ModuleType, ...] = (again, assertions, ground, loading, marked, process)
"""pytester forgets what a session imports for the first time; these are kept."""

pytest_plugins = ["pytester"]

RACE = """
import asyncio
import pytest
from faultlab.testing import assert_clean

async def racing(n=2):
    seen = [0]
    async def add():
        value = seen[0]
        await asyncio.sleep(0)
        seen[0] = value + 1
    async def late():
        for _ in range(4):
            await asyncio.sleep(0)
        await add()
    await asyncio.gather(add(), late())
    assert seen == [n], "an addition was lost"
"""

BROKEN = RACE + "\n@pytest.mark.faultlab\nasync def test_race():\n    await racing()\n"
FIXED = BROKEN.replace("        value = seen[0]\n", "").replace("value + 1", "seen[0] + 1")

Session = Callable[..., pytest.RunResult]


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Session:
    """Runs a test file in a session of its own, in this process, without other plugins."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(source: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(test_it=source)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments, plugins=[plugin])

    return run


def saved(pytester: pytest.Pytester) -> list[Path]:
    return sorted((pytester.path / ".faultlab").glob("*.json"))


def test_a_marked_test_is_a_simulation_and_fails_with_the_report(session: Session) -> None:
    result = session(BROKEN)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "violated: test_it:test_race",
            "  AssertionError: an addition was lost*",
            "*1 decision*proven 1-minimal:",
            "  1. hold Task-2 (add) at *",
            "The same run again:",
            "  faultlab reproduce faultlab1.*",
            "FAILED test_it.py::test_race - violated: AssertionError: an addition was lost",
        ]
    )
    text = result.stdout.str()
    for inside in ("assertions.py", "plugin.py", "SimulationFailed", "Traceback", "_pytest"):
        assert inside not in text


def test_a_fixed_test_passes_and_really_ran_all_of_its_seeds(session: Session) -> None:
    counting = "\nruns = []\nasync def test_after():\n    pass\n"
    source = FIXED.replace("    await racing()\n", "    runs.append(1)\n    await racing()\n")
    source += counting.replace("async ", "").replace("pass", "assert len(runs) == 12")
    session(source, "--faultlab-seeds", "10").assert_outcomes(passed=2)  # looked at twice before


@pytest.mark.parametrize("form", ["auto", "long", "short", "line", "native", "no"])
def test_each_form_of_traceback_tells_the_failure_without_internals(
    session: Session, form: str
) -> None:
    result = session(BROKEN, f"--tb={form}")
    text = result.stdout.str()
    assert text.count("violated: AssertionError: an addition was lost") == 1 + (form == "line")
    assert ("What ran, time running down" in text) == (form not in ("line", "no"))
    assert ("faultlab reproduce" in text) == (form != "no")
    assert "assertions.py" not in text
    if form == "line":
        result.stdout.fnmatch_lines(["test_it.py:*: violated: AssertionError: an addition*"])


def test_an_ordinary_test_leads_to_the_line_that_called(session: Session) -> None:
    result = session(RACE + "\ndef test_race():\n    assert_clean(racing)\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">       assert_clean(racing)", "E *violated: test_it:racing"])
    assert "assertions.py" not in result.stdout.str()
    result.stdout.fnmatch_lines(["FAILED * - violated: AssertionError: an addition was lost*"])


def test_only_the_failing_run_is_seen_to_print(session: Session) -> None:
    source = BROKEN.replace(
        "    await racing()\n", "    print('a word', file=sys.stdout)\n    await racing()\n"
    ).replace("import asyncio", "import asyncio, sys")
    for stream in ("stdout", "stderr"):
        result = session(source.replace("sys.stdout", f"sys.{stream}"))
        result.stdout.fnmatch_lines([f"*Captured {stream} call*", "a word"])
        assert result.outlines.count("a word") == 1
    everything = session(source, "-s", "--faultlab-database", "none")
    assert everything.outlines.count("a word") > 3


def test_parametrized_tests_get_their_values(session: Session) -> None:
    source = RACE + (
        "\n@pytest.mark.faultlab(seeds=[1])\n@pytest.mark.parametrize('n', [1, 2])\n"
        "async def test_race(n):\n    await racing(n)\n"
    )
    result = session(source)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["  pytest 'test_it.py::test_race[[]1[]]' --faultlab-token *"])


CHANGED = """
import pytest
@pytest.mark.faultlab(seeds=5)
@pytest.mark.parametrize("values", [[1], {"a": [1]}, {1}])
async def test_copies(values):
    assert len(values) == 1 and values not in ([1, 1],)
    values.clear()
"""


def test_what_one_run_does_to_a_list_no_other_run_sees(session: Session) -> None:
    session(CHANGED).assert_outcomes(passed=3)


REFUSED = {
    "object()": "a object",
    "[print, object()]": "a list with a object in it",
    "iter([1])": "a list_iterator",
    "lambda: state.append(1)": "a function",
}
TAKEN = ("dict", "make", "(1, frozenset('a'))", "Point(x=1)", "None")


def with_fixtures(values: Iterable[str]) -> str:
    source = (
        "import pytest\nfrom dataclasses import dataclass\n"
        "@dataclass(frozen=True)\nclass Point:\n    x: int\n"
        "def make():\n    return []\n"
    )
    for number, value in enumerate(values):
        source += (
            f"@pytest.fixture\ndef thing{number}():\n    state = []\n    return {value}\n"
            f"@pytest.mark.faultlab(seeds=3)\nasync def test_{number}(thing{number}):\n"
            f"    assert thing{number} == ({value})\n"
        )
    return source


def test_an_argument_that_would_survive_a_run_is_refused(session: Session) -> None:
    result = session(with_fixtures(REFUSED))
    result.assert_outcomes(failed=len(REFUSED))
    result.stdout.fnmatch_lines(
        [
            f"SimulationError: the argument 'thing{number}' is {named}: one object for all runs*"
            for number, named in enumerate(REFUSED.values())
        ]
    )


def test_values_that_cannot_change_and_what_makes_new_ones_are_arguments(session: Session) -> None:
    session(with_fixtures(TAKEN)).assert_outcomes(passed=len(TAKEN))


def test_each_run_of_a_method_has_an_object_of_its_own(session: Session) -> None:
    source = (
        "import pytest\n@pytest.mark.faultlab(seeds=3)\nclass TestIt:\n"
        "    async def test_new(self):\n        assert not vars(self)\n        self.x = 1\n"
    )
    session(source).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("def setup_method(self): self.x = 1", "TestIt has setup_method*"),
        (
            "@pytest.fixture(autouse=True)\n    def prepare(self): self.x = 1",
            "a fixture has set x on *",
        ),
    ],
)
def test_a_class_that_is_set_up_once_is_refused(session: Session, body: str, why: str) -> None:
    source = (
        f"import pytest\nclass TestIt:\n    {body}\n"
        "    @pytest.mark.faultlab\n    async def test_it(self):\n        pass\n"
    )
    result = session(source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"SimulationError: {why}"])


MISTAKES = {
    "(sead=1)": "the marker faultlab takes no 'sead'. Did you mean 'seeds'?*",
    "(1000)": "the marker faultlab takes named arguments only*seeds=1000*",
    "(seeds=0)": "there are no seeds*",
    "(search='ptc')": "there is no search 'ptc'. Did you mean 'pct'?*",
    "(steps_max=1)": "steps_max is 1; give at least 2",
}


def test_a_marker_that_makes_no_sense_fails_its_test(session: Session) -> None:
    source = "import pytest\n" + "".join(
        f"@pytest.mark.faultlab{marker}\nasync def test_{number}():\n    pass\n"
        for number, marker in enumerate(MISTAKES)
    )
    result = session(source)
    result.assert_outcomes(failed=len(MISTAKES))
    result.stdout.fnmatch_lines([f"SimulationError: {why}" for why in MISTAKES.values()])


def test_the_marker_picks_search_and_seeds(session: Session) -> None:
    source = BROKEN.replace("mark.faultlab", "mark.faultlab(search='fifo', seeds=7)")
    session(source).assert_outcomes(passed=1)  # asyncio's own order does not show the race


def test_a_marker_on_what_cannot_be_simulated_is_an_error(session: Session) -> None:
    source = (
        "import pytest\n@pytest.mark.faultlab\ndef test_plain():\n    pass\n"
        "@pytest.mark.faultlab\nasync def test_yields():\n    yield\n"
    )
    result = session(source)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*test_plain is marked faultlab and is no `async def`*"])
    result.stdout.fnmatch_lines(["*test_yields is marked faultlab and is no `async def`*"])


def test_a_marker_on_a_module_leaves_its_plain_tests_alone(session: Session) -> None:
    source = "import pytest\npytestmark = pytest.mark.faultlab\ndef test_plain():\n    pass\n"
    session(source + "async def test_it():\n    pass\n").assert_outcomes(passed=2)


def test_skip_and_xfail_work_as_ever(session: Session) -> None:
    source = BROKEN.replace("@pytest.mark.faultlab", "@pytest.mark.faultlab\n@pytest.mark.xfail")
    session(source).assert_outcomes(xfailed=1)
    session(source.replace("xfail", "skip")).assert_outcomes(skipped=1)


def test_seeds_of_the_command_line_reach_what_pins_none(session: Session) -> None:
    source = RACE + (
        "\nfrom faultlab.dst import SimulationConfig\n"
        "def seeds_run(config=None):\n"
        "    async def program():\n        pass\n"
        "    return assert_clean(program, config).seeds_run\n"
        "def test_default():\n    assert seeds_run() == 3\n"
        "def test_pinned():\n    assert seeds_run(SimulationConfig(seeds=range(5))) == 5\n"
    )
    session(source, "--faultlab-seeds", "3").assert_outcomes(passed=2)
    session(source, "--faultlab-seeds", "4:7").assert_outcomes(passed=2)
    session(source).assert_outcomes(passed=1, failed=1)


def test_jobs_find_the_same_failure(session: Session) -> None:
    one = session(BROKEN, "--faultlab-database", "none").outlines
    two = session(BROKEN, "--faultlab-database", "none", "--faultlab-jobs", "2").outlines
    assert [line for line in one if "faultlab reproduce" in line] == [
        line for line in two if "faultlab reproduce" in line
    ]


def test_jobs_of_the_session_are_no_mistake_of_a_test_that_cannot_use_them(
    session: Session,
) -> None:
    source = RACE + (
        "\ndef test_inner():\n    async def program():\n        await racing()\n"
        "    assert_clean(program)\n"
        "@pytest.mark.faultlab(search='exhaustive')\nasync def test_all():\n    await racing()\n"
        "@pytest.mark.faultlab\n@pytest.mark.parametrize('n', [2])\n"
        "async def test_argument(n):\n    await racing(n)\n"
        "class TestIt:\n    @pytest.mark.faultlab\n    async def test_method(self):\n"
        "        await racing()\n"
    )
    result = session(source, "--faultlab-jobs", "2")
    result.assert_outcomes(failed=4)
    assert result.stdout.str().count("  AssertionError: an addition was lost") >= 4


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--faultlab-seeds", "many", "*'many' names no seeds*"),
        ("--faultlab-jobs", "0", "*give at least 1*"),
        ("--faultlab-token", "faultlab1.x", "*damaged*"),
    ],
)
def test_an_option_that_makes_no_sense_ends_the_session(
    session: Session, option: str, value: str, why: str
) -> None:
    result = session(BROKEN, option, value)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([why])


def test_a_failure_is_saved_tried_first_and_removed_when_it_is_gone(
    session: Session, pytester: pytest.Pytester
) -> None:
    result = session(BROKEN)
    result.stdout.fnmatch_lines(["faultlab: failures in .faultlab: 1 saved"])
    [path] = saved(pytester)
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert list(kept) == ["node", "program", "message", "token"]
    assert kept["node"] == "test_it.py::test_race"

    # Seed 1 alone would not find it: so it is the saved failure that is shown.
    session(BROKEN, "--faultlab-database", "none", "--faultlab-seeds", "1:2").assert_outcomes(
        passed=1
    )
    result = session(BROKEN, "--faultlab-seeds", "1:2")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "faultlab: 1 failure is in .faultlab, to be tried first",
            "Searched: the saved failure alone, *1 run, *",
            "faultlab: failures in .faultlab: 1 still there",
        ]
    )
    assert path.read_text(encoding="utf-8") == json.dumps(kept, indent=2) + "\n"

    result = session(FIXED)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["faultlab: failures in .faultlab: 1 gone and removed"])
    assert saved(pytester) == []
    assert "faultlab:" not in session(FIXED).stdout.str()


def test_a_saved_failure_that_is_gone_does_not_hide_another_one(
    session: Session, pytester: pytest.Pytester
) -> None:
    session(BROKEN)
    [path] = saved(pytester)
    before = path.read_text(encoding="utf-8")
    other = BROKEN.replace("range(4)", "range(9)").replace("was lost", "went missing")
    other = other.replace("gather(add(), late())", "gather(late(), add())")
    result = session(other)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Searched: portfolio, *", "faultlab: *: 1 saved"])
    assert [path] == saved(pytester)
    assert path.read_text(encoding="utf-8") != before


def test_a_damaged_file_counts_as_none_and_is_replaced(
    session: Session, pytester: pytest.Pytester
) -> None:
    session(BROKEN)
    [path] = saved(pytester)
    whole = path.read_text(encoding="utf-8")
    for damaged in (whole[:40], "[]", whole.replace("faultlab1.", "faultlab1.x")):
        path.write_text(damaged, encoding="utf-8")
        session(BROKEN).assert_outcomes(failed=1)
        assert path.read_text(encoding="utf-8") == whole


@pytest.mark.parametrize("switched_off", [True, False])
def test_the_database_can_be_elsewhere_or_off(
    session: Session, pytester: pytest.Pytester, switched_off: bool
) -> None:
    folder = "none" if switched_off else "kept/here"
    session(BROKEN, "--faultlab-database", folder).assert_outcomes(failed=1)
    assert not (pytester.path / ".faultlab").exists()
    assert not (pytester.path / "none").exists()
    assert len(list((pytester.path / "kept" / "here").glob("*.json"))) == (not switched_off)


def test_git_does_not_see_the_database(session: Session, pytester: pytest.Pytester) -> None:
    session(BROKEN)
    ignored = (pytester.path / ".faultlab" / ".gitignore").read_text(encoding="utf-8")
    assert ignored.splitlines()[-1] == "*"


def test_a_file_of_another_test_is_never_taken(tmp_path: Path) -> None:
    database = Database(tmp_path / "deep" / "folder")
    kept = Failure(node="a", program="m:p", message="é \x1b", token="faultlab1.")
    assert database.save(kept)
    assert database.find("a") == kept
    [path] = (tmp_path / "deep" / "folder").glob("*.json")
    assert database.save(Failure(node="b", program="m:p", message="", token=""))
    [other] = set((tmp_path / "deep" / "folder").glob("*.json")) - {path}
    path.replace(other)
    assert database.find("b") is None
    assert [database.remove("b"), database.remove("b")] == [True, False]
    assert sorted(left.name for left in (tmp_path / "deep" / "folder").iterdir()) == [".gitignore"]


def test_a_token_of_the_command_line_replaces_the_search_of_its_program(
    session: Session, pytester: pytest.Pytester
) -> None:
    session(BROKEN)
    token = json.loads(saved(pytester)[0].read_text(encoding="utf-8"))["token"]
    both = BROKEN + "\ndef test_other():\n    assert assert_clean(test_race.other).runs == 2\n"
    both += "async def other():\n    pass\ntest_race.other = other\n"
    seeds = ("--faultlab-seeds", "2", "--faultlab-database", "none")
    result = session(both, "--faultlab-token", token, *seeds)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["Searched: one run, from a token, *"])


def test_collecting_alone_runs_nothing(session: Session, pytester: pytest.Pytester) -> None:
    result = session(BROKEN, "--collect-only", "-q")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["test_it.py::test_race"])
    assert saved(pytester) == []


def test_errors_that_are_not_the_programs_say_what_they_are(session: Session) -> None:
    source = (
        "import asyncio\nimport pytest\nleft = []\n@pytest.mark.faultlab\n"
        "async def test_it():\n    left.append(1)\n    for _ in left:\n        "
        "await asyncio.sleep(0)\n"
    )
    result = session(source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "NondeterminismError: the same decisions gave two different runs*",
            "First difference: step *",
            "FAILED * - NondeterminismError: the same decisions*",
        ]
    )


GRABS = """
import asyncio
import inspect
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_pycollect_makeitem(collector, name, obj):
    outcome = yield
    made = outcome.get_result()
    for item in made if isinstance(made, list) else [made]:
        test = getattr(item, "obj", None)
        if inspect.iscoroutinefunction(test):
            item.obj = lambda test=test, **arguments: asyncio.run(test(**arguments))
"""
"""What a plugin that runs every async test by itself does, as pytest-asyncio's auto mode."""


def test_a_plugin_that_runs_all_async_tests_does_not_get_the_marked_ones(
    session: Session, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(GRABS)
    source = BROKEN + "\nasync def test_grabbed():\n    await racing()\n"
    session(source).assert_outcomes(failed=1, passed=1)  # the race shows in a simulation only


def test_strict_sessions_with_workers_and_warnings_as_errors(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(faultlab.__file__).parents[1]))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    tests = "".join(
        f"\n@pytest.mark.faultlab\nasync def test_{n}():\n    await racing()\n" for n in range(6)
    )
    pytester.makepyfile(test_it=RACE + tests)
    strict = ("-p", "faultlab.testing.plugin", "-W", "error", "--strict-markers")
    has_xdist = find_spec("xdist") is not None  # the tests of the package alone have none
    workers = ("-p", "xdist", "-n", "2") if has_xdist else ()
    result = pytester.runpytest_subprocess(*strict, *workers)
    result.assert_outcomes(failed=6)
    result.stdout.fnmatch_lines(["faultlab: failures in .faultlab: 6 saved"])
    assert len(saved(pytester)) == 6
    result = pytester.runpytest_subprocess(*strict, *workers, "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(
        ["*6 failures are in .faultlab, to be tried first", "faultlab: *: 6 still there"]
    )
    result.stdout.fnmatch_lines(["FAILED *::test_5 - violated: AssertionError: an addition*"])


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"faultlab": plugin.__name__}
