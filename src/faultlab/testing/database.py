"""The failure database: a folder with a file a failing test, which holds its token."""

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from faultlab.testing.ground import Failure

KEYS = ("node", "program", "message", "token")


class Database:
    """Failures of earlier sessions, a file each, named by a hash of the test's node id.

    Files are replaced whole, so that several sessions may share a folder. A file that is
    damaged counts as none. `folder=None` keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def find(self, node: str) -> Failure | None:
        """The failure kept of a test."""
        path = self._path(node)
        if path is None:
            return None
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            failure = Failure(**{key: str(data[key]) for key in KEYS})
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return failure if failure.node == node else None

    def save(self, failure: Failure) -> bool:
        """Keeps a failure; whether that worked: a folder may not be writable."""
        path = self._path(failure.node)
        if path is None:
            return False
        text = json.dumps(asdict(failure), indent=2, ensure_ascii=False) + "\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            ignored = path.parent / ".gitignore"
            if not ignored.exists():
                _replace(ignored, "# Made by faultlab: failures of this machine.\n*\n")
            _replace(path, text)
        except OSError:
            return False
        return True

    def remove(self, node: str) -> bool:
        """Forgets the failure of a test; whether there was one."""
        path = self._path(node)
        try:
            if path is not None:
                path.unlink()
                return True
        except OSError:
            pass
        return False

    def count(self) -> int:
        """How many failures are kept."""
        return 0 if self.folder is None else sum(1 for _ in self.folder.glob("*.json"))

    def _path(self, node: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{sha256(node.encode()).hexdigest()[:20]}.json"


def _replace(path: Path, text: str) -> None:
    """Writes a file beside and moves it over: whoever reads sees all of it or none."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        raise
