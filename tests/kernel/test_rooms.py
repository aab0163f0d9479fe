"""The kernel's rooms: one flat face, and imports that go one way."""

import ast
import inspect
import pathlib
import re

from faultlab import kernel

FOLDER = pathlib.Path(kernel.__file__).parent


def test_each_room_imports_only_those_listed_before_it():
    listed = re.sub(r"\(.*?\)", "", kernel.__doc__.split("before it: ")[1], flags=re.DOTALL)
    rooms = [room.strip() for room in listed.rstrip().rstrip(".").split(",")]
    assert set(rooms) == {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    for place, room in enumerate(rooms):
        tree = ast.parse((FOLDER / f"{room}.py").read_text())
        for node in tree.body:  # not what is only imported for type checking
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                imported = [node.module] if node.module else [name.name for name in node.names]
                assert set(imported) <= set(rooms[:place]), (room, imported)


def test_the_face_names_everything_it_shows():
    shown = [getattr(kernel, name) for name in kernel.__all__]
    assert all(
        thing.__doc__ for thing in shown if inspect.isclass(thing) or inspect.isfunction(thing)
    )
    assert len(kernel.__all__) == len(set(kernel.__all__))


def test_rooms_and_functions_stay_small():
    for path in FOLDER.glob("*.py"):
        text = path.read_text()
        assert len(text.splitlines()) < 300, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno - node.lineno < 50, (path, node.name)


def test_no_bare_asserts():
    for path in FOLDER.glob("*.py"):
        assert not any(
            isinstance(node, ast.Assert) for node in ast.walk(ast.parse(path.read_text()))
        )
