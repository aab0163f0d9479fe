"""From `module:program` or `path/to/file.py:program` to the program itself."""

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import cast

from faultlab.dst import SimulationError
from faultlab.dst.printable import printable
from faultlab.naming import nearest
from faultlab.testing.targets import Runnable, Target


def program_named(text: str) -> Target:
    """Imports a program by its name; the working directory is importable.

    A file is imported under the name that it has in its package, as pytest does it, so
    that tokens and worker processes find it again.

    Args:
        text: `module:program`, or `path/to/file.py:program`.

    Raises:
        SimulationError: There is no such module or program, or it can't be imported.
    """
    place, _, attribute = text.rpartition(":")
    if not place or not attribute:
        raise SimulationError(
            f"{text!r} names no program; write module:program or path/to/file.py:program"
        )
    _importable(Path.cwd())
    is_path = place.endswith(".py") or os.sep in place
    module = _from_file(Path(place)) if is_path else _from_name(place)
    return _program_in(module, attribute)


def _importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _from_name(name: str) -> ModuleType:
    if name == "__main__":
        raise SimulationError(
            "the program's module is '__main__', a file that was run as a script; name the file, "
            "as path/to/file.py:program"
        )
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # a parent is missing, or the name is malformed
        found = None
    except Exception as error:
        raise _failed(name, error) from error
    if found is None:
        known = [path.stem for path in Path.cwd().glob("*.py")]
        below = next(iter(sorted(Path.cwd().glob(f"*/{name.replace('.', '/')}.py"))), None)
        hint = nearest(name, known)
        if below is not None:
            hint = f" Did you mean the file {str(below.relative_to(Path.cwd()))!r}?"
        raise SimulationError(
            f"there is no module {name!r} here.{hint} The working directory is importable; a file "
            "elsewhere is named as path/to/file.py:program"
        )
    return _imported(name)


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        known = [other.name for other in path.parent.glob("*.py")]
        raise SimulationError(f"there is no file {str(path)!r}.{nearest(path.name, known)}")
    path = path.resolve()
    name, root = path.stem, path.parent
    while (root / "__init__.py").is_file() and root != root.parent:
        name, root = f"{root.name}.{name}", root.parent
    _importable(root)
    module = _imported(name)
    if getattr(module, "__file__", None) is None or Path(str(module.__file__)).resolve() != path:
        raise SimulationError(
            f"{path.name} would be the module {name!r}, and that name belongs to "
            f"{getattr(module, '__file__', None) or 'a built-in module'}; rename the file"
        )
    return module


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise _failed(name, error) from error


def _failed(name: str, error: BaseException) -> SimulationError:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    if isinstance(error, SyntaxError) and error.filename:
        where = f" at {error.filename}:{error.lineno}"
    if isinstance(error, SystemExit):
        return SimulationError(
            f"importing {name!r} ended the interpreter{where}; put what runs the script below "
            "if __name__ == '__main__'"
        )
    text = printable(str(error))
    return SimulationError(f"importing {name!r} failed{where}: {type(error).__name__}: {text}")


def _program_in(module: ModuleType, attribute: str) -> Target:
    if "<locals>" in attribute:
        raise SimulationError(
            f"{attribute} was defined inside of a function, where no command can reach it; use "
            "faultlab.testing.assert_fixed(program, token) there, or name another program"
        )
    found: object = module
    for part in attribute.split("."):
        inside, found = found, getattr(found, part, None)
        if found is None:
            programs = _programs(inside)
            listed = f" Programs there: {', '.join(programs)}." if programs else ""
            raise SimulationError(
                f"{getattr(inside, '__name__', inside)} has no {part!r}."
                f"{nearest(part, programs)}{listed}"
            )
    if not _is_target(found):
        programs = _programs(module)
        listed = f" Programs there: {', '.join(programs)}." if programs else ""
        raise SimulationError(
            f"{module.__name__}:{attribute} is no async function and no Simulation; define the "
            f"program with `async def`.{listed}"
        )
    return cast(Target, found)


def _is_target(value: object) -> bool:
    is_simulation = isinstance(value, Runnable) and not isinstance(value, type)
    return is_simulation or inspect.iscoroutinefunction(value)


def _programs(inside: object) -> list[str]:
    return [name for name, value in vars(inside).items() if _is_target(value)]
