"""The house's sessions, and its two commands: `python3 noxfile.py serve` and `… verify`.

Run as a script, this file needs only Python and its standard library. It makes `.venv` beside
itself, puts nox there, and has nox run the session. Nothing outside the checkout is touched.
Read by nox, it is a plain noxfile: everything below `import nox`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SITE = ROOT / "site"
REPORTS = ROOT / ".nox" / "reports"
SUMMARY = REPORTS / "summary.txt"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
WHY = "pip says why above. Check the network and pip's own settings (pip config list)."

sys.path.insert(0, str(ROOT / "src"))


class SetUpError(Exception):
    """The commands can't run here. The text names what is missing, and the remedy."""


def main(arguments: list[str]) -> int:
    """Set up what is missing, run one of the two commands, and return its exit code."""
    parser = argparse.ArgumentParser(prog="noxfile.py", description="faultlab's two commands")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    serve = commands.add_parser("serve", help="build the site and serve it on this machine")
    serve.add_argument("--port", type=int, default=8000, help="the first port to try (8000)")
    serve.add_argument("--no-serve", action="store_true", help="only build it")
    commands.add_parser("verify", help="run every check on this interpreter")
    options = parser.parse_args(arguments)
    try:
        check_python(sys.version_info[:3])
        make_environment()
        shutil.rmtree(REPORTS, ignore_errors=True)
        port = name_address(options.port) if options.command == "serve" else 0
        nox_command = [str(VENV_PYTHON), "-m", "nox", "--noxfile", str(ROOT / "noxfile.py")]
        done = run([*nox_command, "--session", options.command, "--", "--from-script"])
    except SetUpError as error:
        print(f"noxfile.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next run mends what this one left half-made.", file=sys.stderr)
        return 130
    if options.command == "verify":
        print(SUMMARY.read_text(encoding="utf-8") if SUMMARY.exists() else "Nothing was checked.")
        return done
    if done or options.no_serve:
        return done
    from faultlab_docs.serving import serve as serve_site  # of the standard library alone

    return serve_site(SITE, port)


def name_address(first_port: int) -> int:
    """Find the port to serve on before the build, for the pages name the site's own address."""
    from faultlab_docs.serving import ADDRESS, free_port

    try:
        port = free_port(SITE, first_port)
    except (OSError, OverflowError) as error:
        raise SetUpError(f"The site can't be served: {error}. Try another --port.") from error
    os.environ.setdefault("SITE_URL", f"http://{ADDRESS}:{port}/")
    return port


def check_python(version: tuple[int, ...]) -> None:
    """Refuse a Python that is too old, and say which ones do."""
    if version < (3, 11):
        raise SetUpError(
            f"This is Python {'.'.join(map(str, version))}; faultlab needs 3.11 or newer. Run the "
            "command with one of those, for example: python3.13 noxfile.py verify"
        )


def nox_requirement() -> str:
    """The line of pyproject.toml that says which nox."""
    import tomllib  # 3.11 has it

    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(pyproject["dependency-groups"]["nox"][0])


def make_environment() -> None:
    """Make `.venv` with nox in it, unless it is there and whole.

    A stamp written at the start and replaced at the end tells a whole environment from one whose
    making was interrupted. A working `.venv` without a stamp was made by hand: it is kept.
    """
    stamp = VENV / "faultlab-stamp"
    whole = f"{sys.version_info[0]}.{sys.version_info[1]} {nox_requirement()}\n"
    stamped = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
    if stamped == whole and works("import nox"):
        return
    pip = [str(VENV_PYTHON), "-m", "pip"]
    if stamped or not works("import pip"):
        if VENV.exists():
            print("The environment in .venv is incomplete or old. Making it anew.", flush=True)
            shutil.rmtree(VENV)
        VENV.mkdir()
        stamp.write_text("begun\n", encoding="utf-8")
        pip = create_environment()
    print(f"Putting {nox_requirement()} into .venv", flush=True)
    if run([*pip, "install", "--quiet", nox_requirement()]):
        raise SetUpError(f"{nox_requirement()} could not be installed. {WHY}")
    stamp.write_text(whole, encoding="utf-8")


def works(statement: str) -> bool:
    """Whether the Python of `.venv` runs, has the version of this one, and runs a statement."""
    check = f"import sys; assert sys.version_info[:2] == {tuple(sys.version_info[:2])}; {statement}"
    if not VENV_PYTHON.exists():
        return False
    command = [str(VENV_PYTHON), "-c", check]
    return not subprocess.run(command, capture_output=True, check=False).returncode


def create_environment() -> list[str]:
    """Make `.venv` and return the command of a pip that installs into it.

    Debian ships venv without ensurepip; a pip from outside can then fill the environment.
    """
    python = [sys.executable, "-m"]
    if has_module("venv") and (has_module("ensurepip") or has_module("pip")):
        outside = [] if has_module("ensurepip") else ["--without-pip"]
        if not subprocess.run([*python, "venv", *outside, str(VENV)], check=False).returncode:
            pip = [*python, "pip", "--python", str(VENV_PYTHON)]
            return pip if outside else [str(VENV_PYTHON), "-m", "pip"]
    raise SetUpError(
        f"{sys.executable} can make no virtual environment: ensurepip and pip are missing. "
        "On Debian and Ubuntu one package is missing: apt install python3-venv"
    )


def has_module(name: str) -> bool:
    """Whether this Python has a module."""
    return importlib.util.find_spec(name) is not None


def environment() -> dict[str, str]:
    """The variables for what is started: pip's settings stay in force, caches in the checkout."""
    values = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    values["PIP_USER"] = "0"  # a setting for the user's own packages can't hold in an environment
    values["VIRTUALENV_OVERRIDE_APP_DATA"] = str(ROOT / ".nox" / ".cache" / "virtualenv")
    values.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    python = str(VENV_PYTHON) if works("import pip") else sys.executable
    command = [python, "-m", "pip", "config", "list"]
    settings = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    if "cache-dir" not in settings:  # `no-cache-dir` and PIP_CACHE_DIR show up there too
        values["PIP_CACHE_DIR"] = str(ROOT / ".nox" / ".cache" / "pip")
    return values


def run(command: list[str]) -> int:
    """Run a command in the checkout, and return its exit code."""
    return subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

import nox  # noqa: E402  (there is no nox yet when this file runs as a script)
from nox.command import CommandFailed  # noqa: E402

from faultlab_docs.summary import Stage, summary  # noqa: E402

PYPROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
PACKAGE_TESTS = ["tests", "--ignore=tests/docs", "--ignore=tests/browser", "--ignore=tests/house"]
AT_ONCE = ["--numprocesses", "2"]  # two cores, and browsers mostly wait
FROM_SOURCE = {"PYTHONPATH": str(ROOT / "src")}

nox.needs_version = nox_requirement().removeprefix("nox")
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"
nox.options.sessions = ["lint", "typing", "tests", "docs", "browser"]


def prepare(session: nox.Session, group: str) -> None:
    """Install a dependency group. An environment that is old or was left half-made is made anew."""
    wanted = list(dict.fromkeys(nox.project.dependency_groups(PYPROJECT, group)))
    stamp = Path(session.virtualenv.location) / "faultlab-stamp"
    text = "\n".join([f"Python {session.python or sys.version}", *wanted])
    whole = stamp.is_file() and stamp.read_text(encoding="utf-8") == text
    if whole and shutil.which("python", path=session.bin):
        return
    shutil.rmtree(session.virtualenv.location)
    session.virtualenv.create()
    try:
        session.install("--quiet", *wanted)
    except CommandFailed:
        session.error(f"dependency group {group!r} could not be installed. {WHY}")
    stamp.write_text(text, encoding="utf-8")


def install_wheel(session: nox.Session) -> None:
    """Build the wheel and install it, so that what is tested is what a reader installs."""
    session.install("--quiet", "--no-deps", "--no-build-isolation", "--force-reinstall", ".")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, form and spelling."""
    prepare(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("codespell")


@nox.session
def typing(session: nox.Session) -> None:
    """Types of the package, the machinery, the tests and this file."""
    prepare(session, "typing")
    session.run("mypy")


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """The package's tests, against the installed wheel."""
    prepare(session, "test")
    install_wheel(session)
    session.run("pytest", *PACKAGE_TESTS, *AT_ONCE, *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation's tests, then the site with its wheel, built twice and compared."""
    prepare(session, "examples")
    if session.posargs != ["--build-only"]:
        session.run("pytest", "tests/docs", *AT_ONCE, *session.posargs, env=FROM_SOURCE)
    session.run("python", "-m", "faultlab_docs.building", "--twice", env=FROM_SOURCE)


@nox.session
def browser(session: nox.Session) -> None:
    """The pages in Chromium: scripts, keyboard, print, accessibility, outside requests."""
    prepare(session, "browser")
    session.run("pytest", "tests/browser", *AT_ONCE, *session.posargs, env=in_browser(session))


def in_browser(session: nox.Session) -> dict[str, str]:
    """Sources first, and a home of its own: Chromium writes into whatever home it finds."""
    return FROM_SOURCE | {"HOME": session.virtualenv.location}


@nox.session
def records(session: nox.Session) -> None:
    """Write the saved runs and schemas below docs/ anew, from real calls."""
    prepare(session, "examples")
    session.run("python", "-m", "faultlab_docs.records", env=FROM_SOURCE)


@nox.session
def mutants(session: nox.Session) -> None:
    """Change the model in many places, one at a time: each must turn a documentation check red."""
    prepare(session, "examples")
    session.run("python", "-m", "faultlab_docs.mutants", *session.posargs, env=FROM_SOURCE)


@nox.session
def house(session: nox.Session) -> None:
    """The README's commands in a clean clone, set-up, workflow and CI: slow."""
    prepare(session, "house")
    env = FROM_SOURCE | {"FAULTLAB_HOUSE": "1"}
    session.run("pytest", "tests/house", *session.posargs, env=env)


@nox.session
def serve(session: nox.Session) -> None:
    """Build the site strictly, say what was built, and serve it. README: `noxfile.py serve`."""
    prepare(session, "docs")
    session.run("python", "-m", "faultlab_docs.building", "--site", str(SITE), env=FROM_SOURCE)
    if "--from-script" not in session.posargs:
        session.run("python", "-m", "faultlab_docs.serving", *session.posargs, env=FROM_SOURCE)


@nox.session
def verify(session: nox.Session) -> None:
    """Every check on this interpreter, counted in one last line. README: `noxfile.py verify`."""
    prepare(session, "verify")
    install_wheel(session)
    REPORTS.mkdir(parents=True, exist_ok=True)
    built = in_browser(session) | {"FAULTLAB_SITE": str(SITE)}
    stages = []
    for name, command, env in (
        ("tests", ["pytest", *PACKAGE_TESTS, *AT_ONCE], {}),
        ("docs", ["pytest", "tests/docs", *AT_ONCE], FROM_SOURCE),
        ("build", ["python", "-m", "faultlab_docs.building"], FROM_SOURCE),
        ("browser", ["pytest", "tests/browser", *AT_ONCE], built),
    ):
        report = REPORTS / f"{name}.xml"
        report.unlink(missing_ok=True)
        options = [f"--junitxml={report}"] if command[0] == "pytest" else []
        try:
            session.run(*command, *options, env=env)
            succeeded = True
        except CommandFailed:
            succeeded = False
        stages.append(Stage(name=name, succeeded=succeeded, report=report))
    text = summary(stages)
    SUMMARY.write_text(text, encoding="utf-8")
    if "--from-script" not in session.posargs:
        print(text, flush=True)
    if not all(stage.succeeded for stage in stages):
        session.error("a check failed")
