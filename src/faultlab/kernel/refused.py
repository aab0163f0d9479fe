"""What simulated code may not do: wait for real, start something, talk, or change files.

Each of these calls raises RealWorldCall, which names the call, the program's own line
and the remedy; the run as a whole raises it too, even if the program swallows it.
"""

import os
import sys
from types import FrameType
from typing import Any

from faultlab.kernel.forbidden import _PORT, REMEDIES
from faultlab.kernel.loop import VirtualLoop
from faultlab.kernel.stand_ins import Function, Maker, Outside, caller, instead, place

_DRIVE = VirtualLoop.drive.__code__  # below its frame begins what runs the program
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC


def _refuse(call: str, remedy: str, applies: Function | None = None) -> Maker:
    """Refuses the call if `applies` to its arguments, or without it always."""

    def inside(loop: VirtualLoop, original: Function, *args: Any, **kwargs: Any) -> Any:
        frame = caller()
        applied = applies is None or applies(*args, **kwargs)
        if applied and not _serves_the_developer(frame):
            raise loop.refuse(f"{call}() at {place(frame)}", remedy)
        return original(*args, **kwargs)

    return instead(inside)


def _serves_the_developer(frame: FrameType | None) -> bool:
    """Whether the call is made for an import, a standard stream or a debugger.

    The import system keeps compiled files: a test framework's import hook counts, the
    code of the imported module does not. A notebook's stdout waits for another thread,
    and a debugger for the person before it.
    """
    debugger = getattr(sys.modules.get("bdb"), "Bdb", ())
    while frame is not None and frame.f_code is not _DRIVE:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib.") or "pydevd" in file:
            return True
        if frame.f_code.co_name == "<module>":
            return False
        owner = frame.f_locals.get("self")
        if owner is not None and (
            owner is sys.stdout or owner is sys.stderr or isinstance(owner, debugger)
        ):
            return True
        frame = frame.f_back
    return False


def _opens_for_writing(file: Any, mode: str = "r", *_: Any, **__: Any) -> bool:
    return file != os.devnull and any(letter in mode for letter in "wax+")


def _opens_flags_for_writing(path: Any, flags: int, *_: Any, **__: Any) -> bool:
    return path != os.devnull and bool(flags & _WRITING)


_AWAIT = "await asyncio.sleep() instead: it takes virtual time"
_EVENT = "no other thread can end the wait; await an asyncio.Event, Condition or Queue"
_TASK = "start a task with asyncio.create_task, or a process with current().start"
_KILL = "let the program crash or cancel the simulated process instead"
_FILE = "keep it in memory, or " + _PORT + "; reading files is allowed"
_INPUT = "give the program what it needs as arguments, before the run"
_CALL = REMEDIES["run_in_executor"]


def _refused(remedy: str, calls: str, applies: Function | None = None) -> tuple[Outside, ...]:
    return tuple(
        Outside(call=call, kind="refused", what=remedy, maker=_refuse(call, remedy, applies))
        for call in calls.split()
    )


REFUSED: tuple[Outside, ...] = (
    *_refused(_AWAIT, "time.sleep select.select signal.pause signal.sigwait"),
    *_refused(_AWAIT, "signal.alarm signal.setitimer"),
    *_refused(_EVENT, "threading.Condition.wait"),
    *_refused(_PORT, "socket.socket socket.create_connection socket.create_server"),
    *_refused(_PORT, "socket.getaddrinfo socket.gethostbyname socket.gethostbyname_ex"),
    *_refused(_PORT, "socket.gethostbyaddr socket.getnameinfo"),
    *_refused(_PORT, "socket.socket.connect socket.socket.connect_ex socket.socket.send"),
    *_refused(_PORT, "socket.socket.sendall socket.socket.sendto socket.socket.recv"),
    *_refused(_PORT, "socket.socket.recv_into socket.socket.recvfrom socket.socket.accept"),
    *_refused(_PORT, "ssl.SSLSocket.send ssl.SSLSocket.sendall ssl.SSLSocket.recv"),
    *_refused(_PORT, "ssl.SSLSocket.recv_into ssl.SSLSocket.read ssl.SSLSocket.write"),
    *_refused(_TASK, "threading.Thread.start"),
    *_refused(_TASK, "_thread.start_new_thread _thread.start_joinable_thread"),
    *_refused(_CALL, "concurrent.futures.ThreadPoolExecutor.submit"),
    Outside(
        call="concurrent.futures.ProcessPoolExecutor.submit",
        kind="refused",
        what=_CALL,
        maker=_refuse("concurrent.futures.ProcessPoolExecutor.submit", _CALL),
        needs="concurrent.futures.process",
    ),
    *_refused(_PORT, "subprocess.Popen _posixsubprocess.fork_exec os.system"),
    *_refused(_PORT, "os.posix_spawn os.posix_spawnp os.fork os.forkpty"),
    *_refused(_KILL, "os.execv os.execve os.kill os.killpg os.abort os._exit"),
    *_refused(_FILE, "open", _opens_for_writing),
    *_refused(_FILE, "os.open", _opens_flags_for_writing),
    *_refused(_FILE, "os.remove os.unlink os.rename os.replace os.mkdir os.rmdir os.link"),
    *_refused(_FILE, "os.symlink os.truncate os.ftruncate os.chmod os.chown os.utime"),
    *_refused(_FILE, "os.mkfifo os.mknod os.chdir"),
    *(
        Outside(call=call, kind="refused", what=_FILE)
        for call in (
            "pathlib.Path.write_text",
            "pathlib.Path.write_bytes",
            "pathlib.Path.touch",
            "os.makedirs",
            "shutil.copyfile",
            "shutil.rmtree",
            "tempfile.mkstemp",
        )
    ),
    *_refused(_INPUT, "input"),
)
"""What raises RealWorldCall inside of a run. Rows without a stand-in end in another's."""
