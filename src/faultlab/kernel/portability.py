"""What gives the same history on every supported Python, and what does not."""

PORTABLE: tuple[str, ...] = (
    "asyncio.create_task, Task.cancel, Task.uncancel, asyncio.current_task, asyncio.all_tasks",
    "asyncio.sleep",
    "asyncio.gather",
    "asyncio.shield",
    "asyncio.wait on tasks",
    "asyncio.as_completed on tasks",
    "asyncio.timeout, asyncio.timeout_at",
    "asyncio.wait_for, called as an attribute of asyncio",
    "asyncio.TaskGroup",
    "asyncio.Lock, asyncio.Event, asyncio.Condition, asyncio.Semaphore, asyncio.BoundedSemaphore",
    "asyncio.Barrier",
    "asyncio.Queue, asyncio.PriorityQueue, asyncio.LifoQueue",
    "asyncio.Future, add_done_callback",
    "loop.call_soon, loop.call_later, loop.call_at, Handle.cancel",
    "contextvars in tasks and callbacks",
    "async generators, also dropped unfinished ones",
    "processes: start, crash, pause, ended",
    "gate calls and history events",
    "random, secrets, uuid1, uuid4, os.urandom, time and datetime in a virtual world",
)
"""Same choices, same history, byte for byte: on CPython 3.11, 3.12 and 3.13, under any
hash seed. Every line is exercised by the tests against recorded digests."""

NOT_PORTABLE: dict[str, str] = {
    "sets of plain futures or coroutines": (
        "they hash by address, so iteration order is the interpreter's; tasks hash by number"
    ),
    "asyncio.as_completed on coroutines": (
        "asyncio puts them in a set before it makes tasks of them; give it tasks"
    ),
    "from asyncio import wait_for, on Python 3.11": (
        "the name bound before the run is 3.11's own, which takes 5 steps where later ones "
        "take 2; write asyncio.wait_for"
    ),
    "asyncio.eager_task_factory": "new in Python 3.12",
    "other task factories": "tasks they make hash by address",
    "Queue.shutdown": "new in Python 3.13",
    "asyncio.as_completed as an async iterator": "new in Python 3.13",
    "eager_start of a single task": "new in Python 3.14",
    "the number of steps of a cancelled asyncio.shield, on Python 3.14": (
        "it adds a callback there, so picks shift; the history of one schedule is the same"
    ),
    "random.gauss and other draws that take logarithms, between platforms": (
        "the last bit is the C library's, which in a browser is another one"
    ),
    "random.binomialvariate": "new in Python 3.12",
    "uuid.uuid6, uuid.uuid7, uuid.uuid8": "new in Python 3.14",
    "iteration over sets of str": "depends on PYTHONHASHSEED; sort first",
    "sum of floats": "summed with more care since Python 3.12; use math.fsum",
    "await positions in violations": "lines and library names; they are in no history",
    "exception messages of the interpreter": "worded differently; record the type",
}
"""What differs, and why. A simulation that uses it is deterministic on one interpreter."""
