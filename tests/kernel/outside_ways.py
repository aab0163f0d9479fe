"""A way to take each row of the table: what a program does, and what it must then see.

The names below are bound before any world is entered, on purpose.
"""

import _posixsubprocess
import _random
import _thread
import atexit
import concurrent.futures
import concurrent.futures.process
import datetime
import functools
import io
import os
import pathlib
import random
import secrets
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from faultlab.kernel import EPOCH_S

NOW_S = 1.5
"""The virtual time at which each way is taken."""

WALL = datetime.datetime(2026, 1, 1, 0, 0, 1, 500000)
AWARE = WALL.replace(tzinfo=datetime.UTC)
DAY = datetime.date(2026, 1, 1)
WALL_S = EPOCH_S + NOW_S
NOW_NS, WALL_NS = 1_500_000_000, EPOCH_S * 10**9 + 1_500_000_000
BROKEN_DOWN = (2026, 1, 1, 0, 0, 1, 3, 1, 0)

VIRTUAL = {
    "time.time": (lambda: time.time(), WALL_S),
    "time.time_ns": (lambda: time.time_ns(), WALL_NS),
    "time.monotonic": (lambda: time.monotonic(), NOW_S),
    "time.monotonic_ns": (lambda: time.monotonic_ns(), NOW_NS),
    "time.perf_counter": (lambda: time.perf_counter(), NOW_S),
    "time.perf_counter_ns": (lambda: time.perf_counter_ns(), NOW_NS),
    "time.process_time": (lambda: time.process_time(), NOW_S),
    "time.process_time_ns": (lambda: time.process_time_ns(), NOW_NS),
    "time.thread_time": (lambda: time.thread_time(), NOW_S),
    "time.thread_time_ns": (lambda: time.thread_time_ns(), NOW_NS),
    "time.clock_gettime": (
        lambda: [time.clock_gettime(c) for c in (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC)],
        [WALL_S, NOW_S],
    ),
    "time.clock_gettime_ns": (
        lambda: [time.clock_gettime_ns(c) for c in (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC)],
        [WALL_NS, NOW_NS],
    ),
    "time.localtime": (
        lambda: [(*time.localtime(),), (*time.localtime(None),), time.localtime(0).tm_hour],
        [BROKEN_DOWN, BROKEN_DOWN, 0],
    ),
    "time.gmtime": (
        lambda: [(*time.gmtime(),), (*time.gmtime(None),), time.gmtime(0).tm_year],
        [BROKEN_DOWN, BROKEN_DOWN, 1970],
    ),
    "time.ctime": (
        lambda: [time.ctime(), time.ctime(0)],
        ["Thu Jan  1 00:00:01 2026", "Thu Jan  1 00:00:00 1970"],
    ),
    "time.asctime": (
        lambda: [time.asctime(), time.asctime(BROKEN_DOWN)],
        ["Thu Jan  1 00:00:01 2026"] * 2,
    ),
    "time.strftime": (
        lambda: [time.strftime("%Y %H:%M:%S"), time.strftime("%S", BROKEN_DOWN)],
        ["2026 00:00:01", "01"],
    ),
    "time.mktime": (lambda: time.mktime(BROKEN_DOWN), EPOCH_S + 1.0),
    "datetime.datetime.now": (
        lambda: [
            datetime.datetime.now(),
            datetime.datetime.now(datetime.UTC),
            datetime.datetime.now(tz=datetime.timezone(datetime.timedelta(hours=2))).hour,
        ],
        [WALL, AWARE, 2],
    ),
    "datetime.datetime.utcnow": (lambda: datetime.datetime.utcnow(), WALL),
    "datetime.datetime.today": (lambda: datetime.datetime.today(), WALL),
    "datetime.date.today": (lambda: datetime.date.today(), DAY),
    "datetime.datetime.fromtimestamp": (
        lambda: [
            datetime.datetime.fromtimestamp(WALL_S),
            datetime.datetime.fromtimestamp(WALL_S, datetime.UTC),
        ],
        [WALL, AWARE],
    ),
    "datetime.date.fromtimestamp": (lambda: datetime.date.fromtimestamp(EPOCH_S), DAY),
    "datetime.datetime.timestamp": (lambda: [WALL.timestamp(), AWARE.timestamp()], [WALL_S] * 2),
    "datetime.datetime.astimezone": (
        lambda: [
            WALL.astimezone().isoformat(),
            AWARE.astimezone(datetime.timezone(datetime.timedelta(hours=2))).hour,
        ],
        ["2026-01-01T00:00:01.500000+00:00", 2],
    ),
}

SEEDED = {
    "random.seed": lambda: (random.seed(), random.random())[1],
    "random.random": lambda: random.random(),
    "random.uniform": lambda: random.uniform(1, 2),
    "random.triangular": lambda: random.triangular(),
    "random.randint": lambda: random.randint(1, 10**9),
    "random.choice": lambda: random.choice(range(10**9)),
    "random.randrange": lambda: random.randrange(10**9),
    "random.sample": lambda: random.sample(range(10**9), 3),
    "random.shuffle": lambda: (random.shuffle(cards := list(range(50))), cards)[1],
    "random.choices": lambda: random.choices(range(10**9), k=3),
    "random.normalvariate": lambda: random.normalvariate(0, 1),
    "random.lognormvariate": lambda: random.lognormvariate(0, 1),
    "random.expovariate": lambda: random.expovariate(1.0),
    "random.vonmisesvariate": lambda: random.vonmisesvariate(0, 4),
    "random.gammavariate": lambda: random.gammavariate(1, 2),
    "random.gauss": lambda: [random.gauss(0, 1), random.gauss(0, 1)],
    "random.betavariate": lambda: random.betavariate(1, 2),
    "random.binomialvariate": lambda: [random.binomialvariate(1000, 0.4) for _ in range(9)],
    "random.paretovariate": lambda: random.paretovariate(1),
    "random.weibullvariate": lambda: random.weibullvariate(1, 2),
    "random.getstate": lambda: random.getstate(),
    "random.setstate": lambda: (
        state := random.getstate(),
        first := random.random(),
        random.setstate(state),
        random.random() == first,
        first,
    )[1:],
    "random.getrandbits": lambda: random.getrandbits(64),
    "random.randbytes": lambda: random.randbytes(9),
    "random.Random": lambda: random.Random().random(),
    "random.Random.seed": lambda: ((made := random.Random(7)).seed(), made.random())[1],
    "random.SystemRandom": lambda: [
        random.SystemRandom().random(),
        random.SystemRandom().getrandbits(40),
        random.SystemRandom().randbytes(4),
    ],
    "os.urandom": lambda: os.urandom(16),
    "os.getrandom": lambda: [os.getrandom(16), os.getrandom(8, flags=os.GRND_NONBLOCK)],
    "secrets.token_bytes": lambda: secrets.token_bytes(),
    "secrets.token_hex": lambda: secrets.token_hex(8),
    "secrets.token_urlsafe": lambda: secrets.token_urlsafe(8),
    "secrets.randbits": lambda: secrets.randbits(64),
    "secrets.randbelow": lambda: secrets.randbelow(10**9),
    "secrets.choice": lambda: secrets.choice(range(10**9)),
    "uuid.getnode": lambda: (uuid.getnode(), uuid.getnode() == uuid.getnode()),
    "uuid.uuid1": lambda: [uuid.uuid1(), uuid.uuid1()],
    "uuid.uuid4": lambda: uuid.uuid4(),
    "uuid.uuid6": lambda: [uuid.uuid6(), uuid.uuid6()],
    "uuid.uuid7": lambda: [uuid.uuid7(), uuid.uuid7()],
    "uuid.uuid8": lambda: uuid.uuid8(),
}

_socket = socket.socket()  # as one that a client library keeps open
atexit.register(_socket.close)
_pool = concurrent.futures.ThreadPoolExecutor(1)
_processes = concurrent.futures.ProcessPoolExecutor(1)
_fork_exec = 17 if sys.version_info < (3, 14) else 23
_nobody = 2**22 + 1  # a process number that no process has

REFUSED = {
    "time.sleep": lambda f: time.sleep(0),
    "select.select": lambda f: select.select([], [], [], 0),
    "signal.pause": lambda f: signal.pause(),
    "signal.sigwait": lambda f: signal.sigwait([signal.SIGUSR1]),
    "signal.alarm": lambda f: signal.alarm(0),
    "signal.setitimer": lambda f: signal.setitimer(signal.ITIMER_REAL, 0),
    "threading.Condition.wait": lambda f: threading.Event().wait(0.01),
    "socket.socket": lambda f: socket.socket(),
    "socket.create_connection": lambda f: socket.create_connection(("127.0.0.1", 9)),
    "socket.create_server": lambda f: socket.create_server(("127.0.0.1", 0)),
    "socket.getaddrinfo": lambda f: socket.getaddrinfo("127.0.0.1", 9),
    "socket.gethostbyname": lambda f: socket.gethostbyname("127.0.0.1"),
    "socket.gethostbyname_ex": lambda f: socket.gethostbyname_ex("127.0.0.1"),
    "socket.gethostbyaddr": lambda f: socket.gethostbyaddr("127.0.0.1"),
    "socket.getnameinfo": lambda f: socket.getnameinfo(("127.0.0.1", 9), 0),
    "socket.socket.connect": lambda f: _socket.connect(("127.0.0.1", 9)),
    "socket.socket.connect_ex": lambda f: _socket.connect_ex(("127.0.0.1", 9)),
    "socket.socket.send": lambda f: _socket.send(b"x"),
    "socket.socket.sendall": lambda f: _socket.sendall(b"x"),
    "socket.socket.sendto": lambda f: _socket.sendto(b"x", ("127.0.0.1", 9)),
    "socket.socket.recv": lambda f: _socket.recv(1),
    "socket.socket.recv_into": lambda f: _socket.makefile("rb").read(1),
    "socket.socket.recvfrom": lambda f: _socket.recvfrom(1),
    "socket.socket.accept": lambda f: _socket.accept(),
    "ssl.SSLSocket.send": lambda f: ssl.SSLSocket.send(None, b"x"),
    "ssl.SSLSocket.sendall": lambda f: ssl.SSLSocket.sendall(None, b"x"),
    "ssl.SSLSocket.recv": lambda f: ssl.SSLSocket.recv(None, 1),
    "ssl.SSLSocket.recv_into": lambda f: ssl.SSLSocket.recv_into(None, bytearray(1)),
    "ssl.SSLSocket.read": lambda f: ssl.SSLSocket.read(None, 1),
    "ssl.SSLSocket.write": lambda f: ssl.SSLSocket.write(None, b"x"),
    "threading.Thread.start": lambda f: threading.Thread(target=int).start(),
    "_thread.start_new_thread": lambda f: _thread.start_new_thread(int, ()),
    "_thread.start_joinable_thread": lambda f: _thread.start_joinable_thread(int),
    "concurrent.futures.ThreadPoolExecutor.submit": lambda f: _pool.submit(int),
    "concurrent.futures.ProcessPoolExecutor.submit": lambda f: _processes.submit(int),
    "subprocess.Popen": lambda f: subprocess.run(["true"]),
    "_posixsubprocess.fork_exec": lambda f: _posixsubprocess.fork_exec(*[None] * _fork_exec),
    "os.system": lambda f: os.system("true"),
    "os.posix_spawn": lambda f: os.posix_spawn("/bin/true", ["true"], {}),
    "os.posix_spawnp": lambda f: os.posix_spawnp("true", ["true"], {}),
    "os.fork": lambda f: os.fork() or os._exit(1),
    "os.forkpty": lambda f: os.forkpty()[0] or os._exit(1),
    "os.execv": lambda f: os.execl(f / "missing", "missing"),
    "os.execve": lambda f: os.execle(f / "missing", "missing", {}),
    "os.kill": lambda f: os.kill(_nobody, 0),
    "os.killpg": lambda f: os.killpg(_nobody, 0),
    "os.abort": lambda f: os.abort(),
    "os._exit": lambda f: os._exit(1),
    "open": lambda f: open(f / "new", "w"),
    "os.open": lambda f: os.open(f / "new", os.O_CREAT | os.O_WRONLY),
    "os.remove": lambda f: os.remove(f / "file"),
    "os.unlink": lambda f: (f / "file").unlink(),
    "os.rename": lambda f: os.rename(f / "file", f / "new"),
    "os.replace": lambda f: (f / "file").replace(f / "new"),
    "os.mkdir": lambda f: (f / "new").mkdir(),
    "os.rmdir": lambda f: os.rmdir(f / "folder"),
    "os.link": lambda f: os.link(f / "file", f / "new"),
    "os.symlink": lambda f: os.symlink(f / "file", f / "new"),
    "os.truncate": lambda f: os.truncate(f / "file", 0),
    "os.ftruncate": lambda f: os.ftruncate(1, 0),
    "os.chmod": lambda f: os.chmod(f / "file", 0),
    "os.chown": lambda f: os.chown(f / "file", -1, -1),
    "os.utime": lambda f: os.utime(f / "file", (0, 0)),
    "os.mkfifo": lambda f: os.mkfifo(f / "new"),
    "os.mknod": lambda f: os.mknod(f / "new"),
    "os.chdir": lambda f: os.chdir(os.getcwd()),
    "input": lambda f: input(),
}
"""By the name in the message."""

ENDS_IN = {
    "pathlib.Path.write_text": ("open", lambda f: pathlib.Path(f / "new").write_text("x")),
    "pathlib.Path.write_bytes": ("open", lambda f: pathlib.Path(f / "new").write_bytes(b"x")),
    "pathlib.Path.touch": ("os.utime", lambda f: pathlib.Path(f / "new").touch()),
    "os.makedirs": ("os.mkdir", lambda f: os.makedirs(f / "new" / "newer")),
    "shutil.copyfile": ("open", lambda f: shutil.copyfile(f / "file", f / "new")),
    "shutil.rmtree": ("os.unlink", lambda f: shutil.rmtree(f / "folder" / "full")),
    "tempfile.mkstemp": ("os.open", lambda f: tempfile.mkstemp(dir=f)),
}
"""Calls that are refused in another's name: (that name, the way)."""

_read = time.time
_generator = random.Random(7)
_partial = functools.partial(time.time)
_machine = {"os.getpid": os.getpid(), "os.getppid": os.getppid(), "os.cpu_count": os.cpu_count()}


def _closure(read=_read):
    return lambda: read()


ESCAPES = {
    "os.getpid": lambda f: os.getpid() == _machine["os.getpid"],
    "os.getppid": lambda f: os.getppid() == _machine["os.getppid"],
    "os.cpu_count": lambda f: os.cpu_count() == _machine["os.cpu_count"],
    "os.times": lambda f: os.times().elapsed > 0,
    "os.listdir": lambda f: sorted(os.listdir(f)) == ["file", "folder"],
    "os.scandir": lambda f: len(list(os.scandir(f))) == 2,
    "socket.gethostname": lambda f: socket.gethostname() == os.uname().nodename,
    "sqlite3.connect": lambda f: __import__("sqlite3").connect(":memory:").close() is None,
}
"""What is named by Escapes: each is true where the machine itself answers."""

UNNAMED_ESCAPES = {
    "a closure, default argument, class or object that keeps an original": (
        lambda f: _closure()() > WALL_S + 60
    ),
    "a random.Random made before the run": lambda f: _generator.random() > 0,
    "functools.partial of an original": lambda f: _partial() > WALL_S + 60,
    "an original that C code calls (map, iter, defaultdict)": (
        lambda f: next(iter(_KEPT[0], None)) > WALL_S + 60
    ),
    "C code with a clock or generator of its own (numpy, _random.Random)": (
        lambda f: _random.Random().random() != _random.Random().random()
    ),
    "id() and object.__hash__": lambda f: id(object) == _KEPT[1],
    "hash() of str and bytes, and the order of sets of them": lambda f: hash("a") == _KEPT[2],
    "os.environ": lambda f: os.environ["PATH"] == _KEPT[3],
    "reading files": lambda f: (f / "file").read_text() == "text",
    "a file that is open already": lambda f: _KEPT[5].write("x") == 1,
    "io.FileIO": lambda f: io.FileIO(f / "by FileIO", "w").close() is None,
    "time.timezone, time.tzname": lambda f: (time.timezone, time.tzname) == _KEPT[4],
}

_FILE = tempfile.TemporaryFile("w")
atexit.register(_FILE.close)
_KEPT = (time.time, id(object), hash("a"), os.environ["PATH"], (time.timezone, time.tzname), _FILE)
