"""The world of a run: the table row by row, for the running thread only, gone afterwards."""

import asyncio
import concurrent.futures
import contextvars
import copy
import dataclasses
import datetime
import functools
import importlib
import inspect
import io
import json
import linecache
import logging
import os
import pathlib
import pickle
import queue
import random
import secrets
import subprocess
import sys
import threading
import time
import time as t
import traceback
import types
import uuid
import warnings
from datetime import date
from datetime import datetime as moment
from os import urandom as entropy
from random import randint
from random import random as draw
from time import time as now
from uuid import uuid4

import outside_ways as ways
import pytest

from faultlab.kernel import (
    EPOCH_S,
    OUTSIDE,
    Escapes,
    KernelError,
    RealWorldCall,
    Tape,
    current,
    record,
    run,
    virtual_world,
)

ROWS = {row.call: row for row in OUTSIDE}


def of_kind(kind):
    return [row.call for row in OUTSIDE if row.kind == kind]


def there(call):
    """Skips where this Python or platform does not have the call."""
    first, *parts = call.split(".") if "." in call else ("builtins", call)
    try:
        functools.reduce(getattr, parts, importlib.import_module(first))
    except AttributeError:
        pytest.skip(f"this Python has no {call}")


def inside(way, *args, seed=3, **options):
    """What a way gives in a run, at the virtual time NOW_S."""

    async def program():
        await asyncio.sleep(ways.NOW_S)
        return way(*args)

    with virtual_world():
        made = run(program, seed=seed, **options)
    if made.error is not None:
        raise made.error
    return made.result


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder" / "full").mkdir(parents=True)
    (tmp_path / "folder" / "full" / "file").write_text("")
    return tmp_path


# -- the table, row by row ---------------------------------------------------------------


def test_every_row_has_a_way_and_every_way_a_row():
    names = [row.call for row in OUTSIDE]
    assert len(set(names)) == len(names)
    assert set(of_kind("virtual")) == set(ways.VIRTUAL)
    versions = {"random.binomialvariate"} if sys.version_info < (3, 12) else set()
    assert set(of_kind("seeded")) | versions == set(ways.SEEDED)
    assert set(of_kind("refused")) == set(ways.REFUSED) | set(ways.ENDS_IN)
    assert set(of_kind("escapes")) == set(ways.ESCAPES) | set(ways.UNNAMED_ESCAPES)
    assert all(row.what.strip() for row in OUTSIDE)


@pytest.mark.filterwarnings("ignore:.*utcnow:DeprecationWarning")
@pytest.mark.parametrize("call", of_kind("virtual"))
def test_a_clock_is_virtual(call):
    there(call)
    way, expected = ways.VIRTUAL[call]
    assert inside(way) == expected


@pytest.mark.parametrize("call", of_kind("seeded"))
def test_chance_is_seeded(call):
    there(call)
    way = ways.SEEDED[call]
    with virtual_world():
        assert inside(way, seed=1) == inside(way, seed=1)
        assert len({str(inside(way, seed=seed)) for seed in range(3)}) == 3
        assert inside(way, seed=None) == inside(way, seed=None)


@pytest.mark.parametrize("call", of_kind("refused"))
def test_leaving_is_refused_with_the_call_the_place_and_the_remedy(call, folder):
    there(call)
    named, way = ways.ENDS_IN.get(call) or (call, ways.REFUSED[call])
    before = sorted(folder.rglob("*"))
    with pytest.raises(RealWorldCall) as caught:
        inside(way, folder)
    assert str(caught.value).startswith(f"{named}() at outside_ways.py:")
    assert "<lambda> reaches outside of the simulation; " + ROWS[call].what in str(caught.value)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("call", list(ways.ESCAPES))
def test_a_named_escape_is_the_machines_own_answer_and_is_named(call, folder):
    escapes = Escapes()
    importlib.import_module(call.split(".")[0])

    async def program():
        return ways.ESCAPES[call](folder)

    with virtual_world(), escapes.watching():
        assert run(program).result is True
    assert [(found.call, found.why) for found in escapes.found] == [(call, ROWS[call].what)]


@pytest.mark.parametrize("what", list(ways.UNNAMED_ESCAPES))
def test_what_is_said_to_escape_does_escape(what, folder):
    assert inside(ways.UNNAMED_ESCAPES[what], folder) is True


# -- swallowed, named, allowed -----------------------------------------------------------


def test_a_refusal_that_the_program_swallows_is_raised_by_the_run():
    async def program():
        try:
            time.sleep(1)
        except Exception:
            return "fine"

    with (
        virtual_world(),
        pytest.raises(RealWorldCall, match=r"time\.sleep\(\) at test_outside\.py"),
    ):
        run(program)


def test_twin_without_a_virtual_world_nothing_is_refused_or_virtual(folder):
    async def program():
        (folder / "new").write_text("x")
        time.sleep(0)
        return time.time()

    assert run(program).result > EPOCH_S + 60
    assert (folder / "new").read_text() == "x"


@pytest.mark.parametrize(
    "allowed",
    [
        lambda f: (f / "file").read_text(),
        lambda f: (f / "file").read_bytes(),
        lambda f: open(f / "file").close(),
        lambda f: open(f / "file", mode="rb").close(),
        lambda f: os.close(os.open(f / "file", os.O_RDONLY)),
        lambda f: open(os.devnull, "w").close(),
        lambda f: sorted(f.rglob("*")),
        lambda f: linecache.getlines(str(f / "file")),
        lambda f: traceback.format_stack(),
        lambda f: subprocess.list2cmdline(["a"]),
        lambda f: queue.Queue().put(1),
        lambda f: io.StringIO("a").read(),
        lambda f: threading.Lock().acquire(),
        lambda f: print("printed", file=sys.stderr),
    ],
)
def test_reading_and_what_stays_in_memory_is_allowed(allowed, folder):
    inside(allowed, folder)


def test_logging_to_a_stream_works_and_shows_virtual_time_in_utc():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log = logging.Logger("log")
    log.addHandler(handler)
    inside(log.warning, "said")
    assert stream.getvalue() == "2026-01-01 00:00:01,500 said\n"


def test_a_log_file_that_opens_inside_is_refused(tmp_path):
    with pytest.raises(RealWorldCall, match=r"open\(\) at test_outside\.py"):
        inside(lambda: logging.FileHandler(tmp_path / "log"))


def test_a_log_file_that_was_opened_before_is_written(tmp_path):
    handler = logging.FileHandler(tmp_path / "log")
    log = logging.Logger("log")
    log.addHandler(handler)
    inside(log.warning, "said")
    handler.close()
    assert (tmp_path / "log").read_text() == "said\n"


def test_what_the_standard_library_kept_for_the_program_is_named(tmp_path):
    handler = logging.FileHandler(tmp_path / "log", delay=True)  # keeps `open` until then
    log = logging.Logger("log")
    log.addHandler(handler)
    escapes = Escapes()

    async def program():
        log.warning("said")

    with virtual_world(), escapes.watching():
        run(program)
    handler.close()
    assert [found.call for found in escapes.found] == ["open"]
    assert escapes.found[0].where.startswith("test_outside.py:")


def test_a_stream_may_wait_for_the_thread_behind_it(monkeypatch):
    """As a notebook's does: it hands text to another thread and waits until it is out."""
    asked, shown = queue.Queue(), []

    def behind():
        for text, done in iter(asked.get, None):
            shown.append(text)
            done.set()

    class Stream(io.StringIO):
        def flush(self):
            done = threading.Event()
            asked.put((self.getvalue(), done))
            assert done.wait(30)

    thread = threading.Thread(target=behind)
    thread.start()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Stream())
        inside(lambda: print("said", flush=True))
    asked.put(None)
    thread.join()
    assert shown == ["said\n"]


def test_warnings_work():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside(warnings.warn, "old", DeprecationWarning)
    assert [str(warning.message) for warning in caught] == ["old"]


@pytest.fixture
def importable(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, name, raising=False)
        return tmp_path / "__pycache__"

    return write


def test_importing_a_module_inside_works_and_keeps_its_compiled_file(importable):
    cache = importable("late_one", "from time import time as clock\nfirst = clock()\n")
    module = inside(importlib.import_module, "late_one")
    assert module.first == ways.WALL_S
    assert list(cache.iterdir())
    assert module.clock is time.time
    assert module.clock() > EPOCH_S + 60


def test_what_an_imported_module_writes_is_refused(importable, tmp_path):
    importable("late_two", "def write():\n    open('never', 'w')\nwrite()\n")
    with pytest.raises(RealWorldCall, match=r"open\(\) at late_two\.py:2 in write"):
        inside(importlib.import_module, "late_two")


def test_an_import_hook_may_keep_what_it_compiles(importable, tmp_path):
    importable("late_three", "value = 1\n")

    class Loader(importlib.machinery.SourceFileLoader):
        def exec_module(self, module):
            (tmp_path / "compiled").write_text("x")
            super().exec_module(module)

    def load():
        spec = importlib.util.spec_from_file_location(
            "late_three", tmp_path / "late_three.py", loader=Loader("late_three", "late_three.py")
        )
        module = importlib._bootstrap._load(spec)
        return module.value

    Loader.path = property(lambda self: str(tmp_path / "late_three.py"), lambda self, path: None)
    assert inside(load) == 1
    assert (tmp_path / "compiled").exists()


def test_a_debugger_may_ask_for_input(monkeypatch, capsys):
    import pdb

    def stops():
        place = "here"
        pdb.Pdb(nosigint=True, readrc=False).set_trace()
        return place

    monkeypatch.setattr(sys, "stdin", io.StringIO("up\ndown\np 40 + 2\ncontinue\n"))
    assert inside(stops) == "here"
    assert "42" in capsys.readouterr().out


@pytest.mark.parametrize("call", ["time.sleep", "input"])
def test_twin_a_program_under_a_debugger_is_still_refused(call):
    import bdb
    import cmd

    class Asks(cmd.Cmd):
        use_rawinput, completekey = True, None

    def leave():
        if call == "time.sleep":
            time.sleep(0)
        Asks().cmdloop()

    with pytest.raises(RealWorldCall, match=rf"^{call}\(\) at test_outside\.py"):
        bdb.Bdb(skip=["*"]).runcall(inside, leave)


def test_what_a_test_has_replaced_itself_stays_replaced(monkeypatch):
    before = everything()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: 7)
        patch.setattr(threading.Thread, "start", lambda self: 8)
        assert inside(lambda: (time.time(), threading.Thread().start(), now())) == (
            7,
            8,
            ways.WALL_S,
        )
        assert time.time() == 7
        assert threading.Thread().start() == 8
    assert same(before, everything())


@pytest.mark.parametrize("read", [lambda: time.monotonic(), lambda: now(), lambda: moment.now()])
def test_a_loop_that_waits_for_a_clock_without_an_await_is_refused(read, monkeypatch):
    monkeypatch.setattr("faultlab.kernel.virtual_time.READS_MAX", 100)

    async def program():
        start = read()
        while read() == start:
            pass

    with (
        virtual_world(),
        pytest.raises(RealWorldCall, match=r"waiting for .*\(\) at test_out.* stands still"),
    ):
        run(program)


def test_twin_a_loop_that_awaits_may_read_the_clock_as_often_as_it_likes(monkeypatch):
    monkeypatch.setattr("faultlab.kernel.virtual_time.READS_MAX", 100)

    async def program():
        end = time.monotonic() + 20
        while time.monotonic() < end:
            moment.now()
            await asyncio.sleep(0.05)

    with virtual_world():
        assert run(program).error is None


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_is_refused(method):
    import multiprocessing

    process = multiprocessing.get_context(method).Process(target=int)
    with pytest.raises(RealWorldCall, match=r"\(\) at test_outside\.py"):
        inside(process.start)


# -- names that were bound before ---------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (lambda: now(), ways.WALL_S),
        (lambda: t.monotonic(), ways.NOW_S),
        (lambda: moment.now(), ways.WALL),
        (lambda: date.today(), ways.DAY),
    ],
)
def test_names_bound_before_the_world_show_virtual_time(way, expected):
    assert inside(way) == expected


@pytest.mark.parametrize(
    "way", [lambda: randint(0, 10**9), lambda: draw(), lambda: entropy(8), lambda: uuid4()]
)
def test_names_bound_before_the_world_are_seeded(way):
    assert inside(way) == inside(way) != inside(way, seed=4)


class Timestamped:
    read = moment.now
    made = functools.partial(moment.now, datetime.UTC)

    def __init__(self, at=moment.now):
        self.at = at


def test_a_class_method_is_virtual_wherever_the_class_was_kept():
    kept = [moment]

    def closure(cls=moment):
        return cls.now()

    assert inside(lambda: [kept[0].now(), closure()]) == [ways.WALL] * 2


def test_a_lazy_module_is_not_loaded_by_entering(tmp_path, monkeypatch):
    (tmp_path / "lazy_one.py").write_text("raise RuntimeError('loaded')\n")
    spec = importlib.util.spec_from_file_location("lazy_one", tmp_path / "lazy_one.py")
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "lazy_one", module)
    spec.loader.exec_module(module)
    with virtual_world():
        pass
    assert type(module) is not types.ModuleType
    with pytest.raises(RuntimeError, match="loaded"):
        module.anything  # noqa: B018


# -- datetime stays what it is ------------------------------------------------------------


class Mine(datetime.datetime):
    pass


def test_datetime_is_the_same_class_inside_and_makes_real_objects():
    before = datetime.datetime

    def look():
        made = datetime.datetime.now()
        assert datetime.datetime is before
        assert type(made) is datetime.datetime
        assert isinstance(made, datetime.date)
        match made:
            case datetime.datetime(year=2026):
                pass
            case _:
                raise AssertionError
        assert datetime.datetime.fromisoformat("2026-01-01") == datetime.datetime(2026, 1, 1)
        assert datetime.datetime.min.year == 1
        assert pickle.loads(pickle.dumps([made, datetime.datetime])) == [made, before]
        assert copy.deepcopy(made) == made
        assert type(Mine.now()) is type(Mine.today()) is Mine
        return made

    assert inside(look) == ways.WALL


def test_a_zone_with_summer_time_is_understood():
    class Summer(datetime.tzinfo):
        def utcoffset(self, when):
            return datetime.timedelta(hours=2)

        def dst(self, when):
            return datetime.timedelta(hours=1)

    assert inside(lambda: moment.now(Summer()).replace(tzinfo=None)) == ways.WALL.replace(hour=2)


def test_the_local_zone_of_the_machine_does_not_show(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert moment.fromtimestamp(0).hour == 9
        assert inside(lambda: [moment.fromtimestamp(0).hour, time.localtime(0).tm_hour]) == [0, 0]
        assert inside(lambda: moment(1970, 1, 1).timestamp()) == 0
    finally:
        monkeypatch.undo()
        time.tzset()


# -- pickling and classes -----------------------------------------------------------------


def test_stand_ins_are_pickled_as_what_they_stand_for():
    for function in (time.time, random.random, randint, os.urandom, uuid.uuid1, open):
        with virtual_world():
            module = sys.modules[__name__]
            stand_in = getattr(sys.modules[function.__module__ or "random"], function.__name__)
            packed = pickle.dumps(stand_in)
            assert stand_in is not function
            assert copy.deepcopy(stand_in) is not None
        assert pickle.loads(packed) == function, module


def test_a_class_made_inside_can_keep_a_clock():
    def build():
        class Keeps:
            clock = time.time
            dice = random.random
            node = staticmethod(uuid.getnode)

        return Keeps().clock(), Keeps().dice(), Keeps().node()

    assert inside(build)[0] == ways.WALL_S


def test_a_stand_in_kept_after_the_world_is_the_original():
    kept = inside(lambda: time.time)
    assert kept is not time.time
    assert kept() > EPOCH_S + 60

    async def program():
        return kept()

    assert run(program).result > EPOCH_S + 60
    assert inside(kept) == ways.WALL_S


def test_stand_ins_look_like_what_they_stand_for():
    with virtual_world():
        assert (time.time.__name__, randint.__name__) == ("time", "randint")
        assert time.time.__doc__
        assert inspect.signature(uuid.uuid1).parameters.keys() == {"node", "clock_seq"}


# -- chance, more closely ----------------------------------------------------------------


async def drawing():
    values = [random.random(), random.randint(0, 99), random.getrandbits(40)]
    values += [random.choice("abcdef"), random.sample(range(99), 4), random.gauss(0, 1)]
    values += [random.choices("abc", k=5), random.uniform(1, 2), random.randbytes(3).hex()]
    random.shuffle(cards := list(range(9)))
    values += [cards, os.urandom(5).hex(), secrets.token_hex(3), str(uuid.uuid4())]
    values += [str(uuid.uuid1()), random.Random().random(), secrets.randbelow(10**6)]
    record("drawn", values=json.dumps(values))


RECORDED = "a9d7b68700922d024378bb18e9900844"


def test_the_same_values_on_every_python():
    with virtual_world():
        assert run(drawing, seed=3).digest == RECORDED


def test_randomness_is_one_decision_and_none_without_it():
    async def idle():
        await asyncio.sleep(1)

    with virtual_world():
        made = run(drawing, seed=3)
        assert [key for key in made.choices if key[0] == "random"] == [("random", "", "", 0)]
        assert run(drawing, choices=made.choices).digest == made.digest
        assert run(drawing, choices=Tape()).digest == run(drawing).digest != made.digest
        assert "random" not in run(idle, seed=3).choices.streams()


def test_seeding_random_does_not_make_identifiers_repeat():
    def twice():
        made = []
        for _ in range(2):
            random.seed(5)
            made.append(
                (random.random(), uuid.uuid4(), secrets.token_hex(), random.Random().random())
            )
        return made

    one, other = inside(twice)
    assert one[0] == other[0] == random.Random(5).random()
    assert not {*one[1:]} & {*other[1:]}


def test_each_incarnation_of_each_process_has_chance_of_its_own():
    def runs(extra):
        drawn = {}

        async def node():
            name = f"{len(drawn)}"
            drawn[name] = (random.random(), uuid.uuid4(), uuid.getnode())

        async def program():
            for name in ("a", "b", "a"):
                process = current().start(name, node)
                await process.ended()
                if extra:
                    random.random()

        with virtual_world():
            assert run(program).error is None
        return drawn

    assert len({value for values in runs(False).values() for value in values}) == 9
    assert runs(False) == runs(True)  # the program's own draws move nobody else's


def test_code_that_belongs_to_nobody_draws_as_the_program():
    async def program():
        return contextvars.Context().run(random.random)

    async def plain():
        return random.random()

    with virtual_world():
        assert run(program, seed=1).result == run(plain, seed=1).result


def test_the_state_of_the_real_generator_is_untouched():
    random.seed(7)
    expected = random.Random(7).random()
    inside(lambda: [random.random(), random.seed(1), random.shuffle([1, 2, 3])])
    assert random.random() == expected


def test_a_negative_size_is_the_same_error():
    with pytest.raises(ValueError, match="negative"):
        inside(lambda: os.urandom(-1))


def test_identifiers_of_one_instant_differ_and_leave_no_trace_outside():
    outer = uuid._last_timestamp

    def two():
        return [uuid.uuid1(node=1, clock_seq=1) for _ in range(2)]

    one, other = inside(two)
    assert other.time - one.time == 1
    assert one.time == 0x01B21DD213814000 + ways.WALL_NS // 100
    assert inside(two) == [one, other]
    assert uuid._last_timestamp == outer


# -- only this thread, only inside, gone afterwards ----------------------------------------


def everything():
    """The objects that stand under every name of the table, and under aliases."""
    found = {}
    for row in OUTSIDE:
        first, *parts = row.call.split(".") if "." in row.call else ("builtins", row.call)
        if row.maker is None or first not in sys.modules:
            continue
        owner = None
        thing = sys.modules[first]
        for part in parts:
            owner, thing = thing, getattr(thing, part, None)
        if isinstance(thing, type):
            owner, parts = thing, ["__init__"]
        places = owner.__mro__ if isinstance(owner, type) else [owner]
        places = [place.__dict__ for place in places if hasattr(place, "__dict__")]
        held = [names[parts[-1]] for names in places if parts[-1] in names]
        found[row.call] = held[0] if held else None
    aliases = (now, randint, draw, entropy, moment, uuid4, t, logging.Formatter.converter)
    return found, aliases


def time_and_day():
    return time.time(), time.perf_counter_ns(), now()


def same(one, other):
    return all(value is other[0][call] for call, value in one[0].items()) and all(
        a is b for a, b in zip(one[1], other[1], strict=True)
    )


def test_everything_is_put_back():
    before = everything()
    with virtual_world():
        meanwhile, _ = everything()
    assert same(before, everything())
    found = {call for call, value in before[0].items() if value is not None}
    assert {call for call in found if meanwhile[call] is before[0][call]} == set()
    assert len(found) > 100


def test_an_exception_in_the_middle_puts_everything_back():
    before = everything()
    with pytest.raises(LookupError), virtual_world():
        raise LookupError
    assert same(before, everything())


def test_worlds_nest():
    before = everything()
    with virtual_world():
        with virtual_world():
            pass
        assert inside(now) == ways.WALL_S
        assert not same(before, everything())
    assert same(before, everything())


def test_between_runs_everything_is_real(folder):
    with virtual_world():
        assert time.time() > EPOCH_S + 60
        assert moment.now().year >= 2026
        (folder / "new").write_text("x")
        threading.Thread(target=int).start()
        time.sleep(0)
        assert random.Random(1).random() == random.Random(1).random()


def test_other_threads_see_the_real_clock_while_a_run_is_on():
    ask, answers = queue.Queue(), queue.Queue()

    def other():
        while ask.get():
            answers.put((time.time(), moment.now(), now(), random.random()))

    thread = threading.Thread(target=other)
    thread.start()

    async def program():
        ask.put(True)
        while answers.empty():  # no blocking get: that would wait for real
            pass
        return time.time(), answers.get()

    try:
        with virtual_world():
            mine, (theirs, wall, alias, _) = run(program).result
    finally:
        ask.put(False)
        thread.join()
    assert mine == EPOCH_S
    assert theirs > EPOCH_S + 60
    assert alias > EPOCH_S + 60
    assert wall.timestamp() > EPOCH_S + 60


@pytest.mark.parametrize(
    "way", [time_and_day, lambda: draw(), lambda: os.urandom(8), lambda: datetime.datetime.now()]
)
def test_runs_of_a_thread_that_entered_no_world_stay_real(way):
    async def program():
        await asyncio.sleep(0)
        return way()

    with virtual_world(), concurrent.futures.ThreadPoolExecutor(1) as pool:
        theirs = [pool.submit(run, program, seed=1).result().result for _ in range(2)]
        mine = [run(program, seed=1).result for _ in range(2)]
    assert theirs[0] != theirs[1]
    assert mine[0] == mine[1] != theirs[0]


def test_worlds_of_several_threads_end_with_the_last():
    before = everything()
    first_in, second_in, first_out = (threading.Event() for _ in range(3))

    def first():
        with virtual_world():
            first_in.set()
            second_in.wait(10)
        first_out.set()

    thread = threading.Thread(target=first)
    thread.start()
    first_in.wait(10)
    with virtual_world():
        second_in.set()
        first_out.wait(10)
        assert inside(now) == ways.WALL_S
    thread.join()
    assert same(before, everything())


def test_a_run_inside_of_a_running_event_loop():
    async def outer():
        with virtual_world():
            seen = run(drawing, seed=3).digest
            assert time.time() > EPOCH_S + 60
            await asyncio.sleep(0)
        return seen

    with virtual_world():
        assert run(drawing, seed=3).digest == asyncio.run(outer())


def test_frames_closed_after_the_end_reach_nothing(folder):
    async def program():
        async def leaks():
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                (folder / "new").write_text("x")

        current().start("node", leaks)
        await asyncio.sleep(1)
        current().processes["node"].crash()

    with virtual_world():
        assert run(program).error is None
    assert not (folder / "new").exists()


# -- what escapes is named ----------------------------------------------------------------


KEPT = {
    "time.time": time.time,
    "random.random": random.random,
    "random.randint": functools.partial(random.randint, 1, 6).func,
    "os.urandom": os.urandom,
    "time.sleep": time.sleep,
    "datetime.datetime.now": moment.now,
    "datetime.date.today": moment.today,
    "uuid.getnode": uuid.getnode,
}
ARGUMENTS = {"random.randint": (1, 6), "os.urandom": (4,), "time.sleep": (0,)}


@pytest.mark.parametrize("call", list(KEPT))
def test_a_function_kept_before_the_world_is_named_with_its_place(call):
    escapes = Escapes()

    async def program():
        for _ in range(2):
            KEPT[call](*ARGUMENTS.get(call, ()))

    with virtual_world(), escapes.watching():
        run(program)
    (found,) = escapes.found
    assert found.call == call
    assert found.where.startswith("test_outside.py:")
    assert found.where.endswith(
        "test_a_function_kept_before_the_world_is_named_with_its_place.<locals>.program"
    )
    assert "call it as an attribute of its module" in found.why
    assert str(found).startswith(f"{call}() at test_outside.py:")


def test_twin_a_program_that_escapes_nothing_has_no_escapes():
    escapes = Escapes()
    with virtual_world(), escapes.watching():
        made = run(drawing, seed=3)
        time.time()
        KEPT["time.time"]()  # between runs
    assert made.error is None
    assert escapes.found == ()


def test_a_generator_made_before_the_run_is_named_and_one_made_inside_is_not():
    old = random.Random(7)
    escapes = Escapes()

    async def program():
        new = random.Random(7)
        return [new.random(), new.randint(1, 6), new.shuffle([1, 2]), random.random()]

    async def draws():
        return old.random(), old.randint(1, 6)

    with virtual_world(), escapes.watching():
        assert run(program, seed=1).error is None
        assert escapes.found == ()
        one, other = run(draws, seed=1).result, run(draws, seed=1).result
    assert one != other
    (found,) = escapes.found
    assert (found.call, found.where[:16]) == ("random.Random", "test_outside.py:")
    assert "make it inside of the run" in found.why


@dataclasses.dataclass
class Order:
    placed: float = dataclasses.field(default_factory=time.time)


def test_a_factory_of_a_dataclass_is_named_with_the_line_that_makes_one():
    escapes = Escapes()

    async def program():
        return Order().placed

    with virtual_world(), escapes.watching():
        assert run(program).result > EPOCH_S + 60
    (found,) = escapes.found
    assert found.call == "time.time"
    assert found.where.endswith("<locals>.program")


def test_escapes_are_in_the_order_of_their_first_occurrence():
    escapes = Escapes()

    async def program():
        KEPT["os.urandom"](1)
        KEPT["time.time"]()
        KEPT["os.urandom"](1)

    with virtual_world(), escapes.watching():
        run(program)
    assert [found.call for found in escapes.found] == ["os.urandom", "time.time", "os.urandom"]
    assert len({found.where for found in escapes.found}) == 3


def test_a_profiler_that_is_at_work_goes_on():
    seen = []

    def profiler(frame, event, arg):
        seen.append((event, frame.f_code.co_name))

    async def marked():
        return None

    sys.setprofile(profiler)
    try:
        with virtual_world(), Escapes().watching():
            run(marked)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert ("call", "marked") in seen


def test_cprofile_goes_on():
    import cProfile

    async def marked():
        return None

    profile = cProfile.Profile()
    profile.enable()
    try:
        with virtual_world(), Escapes().watching():
            run(marked)
        after = pathlib.PurePath("a").as_posix()
    finally:
        profile.disable()
    names = {getattr(entry.code, "co_name", "") for entry in profile.getstats()}
    assert "as_posix" in names, after


def test_watching_outside_of_a_world_is_misuse():
    with pytest.raises(KernelError, match=r"enter virtual_world\(\) first"), Escapes().watching():
        pass
