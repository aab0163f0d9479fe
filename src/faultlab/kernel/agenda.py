"""The agenda: everything that waits to be run, and the virtual clock.

Three places to wait: `ready` (can run now, oldest first), `held` (could run now, but is
held back for as long as anything else can) and the heap of timers. The clock moves only
when nothing can run, so a hold always ends within its instant.
"""

from heapq import heapify, heappop, heappush
from itertools import count

from faultlab.kernel.handles import WAKE_SLEEPER, Entry, Handle, task_of
from faultlab.kernel.process import OWNER, Process

CANCELLED_MIN = 64
"""Cancelled timers are swept out of the heap once there are so many, and half of it."""


class Agenda:
    """Ready steps, held steps and timers of one run; the language of schedules acts on it."""

    def __init__(self) -> None:
        """Starts empty, at time 0.0."""
        self.now = 0.0
        self.ready: list[Entry] = []
        self.held: list[Entry] = []
        self.timers: list[tuple[float, int, Handle]] = []
        self.fence: list[Process] = []  # crashed or paused: these may not run
        self.discarded: list[Entry] = []  # kept alive, so that no finaliser runs early
        self.closed = False
        self._number = count().__next__
        self._timers_cancelled = 0

    # -- what schedules may do -------------------------------------------------------

    def whose(self, entry: Entry) -> tuple[str, str]:
        """The (process, task) names of a waiting step, as they stand in keys of picks."""
        task = task_of(entry)
        owner = entry[2].get(OWNER)
        process = "" if owner is None else owner.name
        return process, "callback" if task is None else task.get_name()

    def hold(self, index: int) -> None:
        """Holds a ready step back until it is released or nothing else is ready."""
        self.held.append(self.ready.pop(index))

    def release(self, index: int) -> None:
        """Ends a hold: the step is the oldest ready one again."""
        self.ready.insert(0, self.held.pop(index))

    def release_all(self) -> None:
        """Ends every hold: from here on the schedule is fair."""
        self.ready[:0] = self.held
        self.held.clear()

    def pause(self, index: int, delay_s: float) -> None:
        """Holds a ready step back across time: a slow task, not a dead one."""
        entry = self.ready.pop(index)
        when = self.now + delay_s
        self.add_timer(when, Handle(self, entry, when))

    def in_order(self, index: int) -> int:
        """The index of the step that may run if this one is chosen.

        asyncio promises that callbacks run in the order in which they were scheduled,
        and correct programs rely on it. So only tasks may overtake: a chosen callback
        lets older callbacks of its process go first.
        """
        ready = self.ready
        chosen = ready[index]
        if task_of(chosen) is not None:
            return index
        owner = chosen[2].get(OWNER)
        for older in range(index):
            if task_of(ready[older]) is None and ready[older][2].get(OWNER) is owner:
                return older
        return index

    # -- timers and the clock --------------------------------------------------------

    def add_timer(self, when: float, handle: Handle) -> None:
        """Puts a timer on the heap; equal times fire in the order of their making."""
        heappush(self.timers, (when, self._number(), handle))

    def unschedule(self, entry: Entry, *, on_clock: bool) -> None:
        """Takes a cancelled entry away, wherever it waits."""
        if on_clock:  # the heap skips it when its time comes
            self._timers_cancelled += 1
            if self._timers_cancelled > CANCELLED_MIN:
                self._sweep_timers()
            return
        parked = (process.parked for process in self.fence)
        for queue in (self.ready, self.held, *parked):
            for index, waiting in enumerate(queue):
                if waiting is entry:  # identity: equal entries may wait beside it
                    del queue[index]
                    return

    def _sweep_timers(self) -> None:
        """Drops cancelled timers if they are half of the heap, so that it stays small."""
        if self._timers_cancelled * 2 > len(self.timers):
            self.timers[:] = [item for item in self.timers if item[2].entry is not None]
            heapify(self.timers)
            self._timers_cancelled = 0

    def next_instant(self) -> bool:
        """Makes something ready: the oldest held step, else what the clock brings next.

        False if nothing is held and no timer is left.
        """
        if self.held:
            self.ready.append(self.held.pop(0))
            return True
        timers = self.timers
        while timers:
            when, _, handle = heappop(timers)
            entry = handle.entry
            if entry is None:  # cancelled
                continue
            self.now = when
            if timers and timers[0][0] == when:
                self._fire_together(handle, when)
            elif entry[0] is WAKE_SLEEPER:
                # It does nothing but wake one task, so it costs no step of its own.
                handle.entry = None
                entry[0](*entry[1])
            else:
                handle.on_clock = False
                self.make_ready(entry)
            if self.ready:
                return True
        return False

    def _fire_together(self, first: Handle, when: float) -> None:
        """Fires all timers of one instant in order.

        Sleepers are woken at once only if nobody else is due: a callback that is due
        between two sleepers must come before either of them, as in asyncio.
        """
        timers = self.timers
        due = [first]
        while timers and timers[0][0] == when:
            due.append(heappop(timers)[2])
        entries = [handle.entry for handle in due if handle.entry is not None]
        if all(entry[0] is WAKE_SLEEPER for entry in entries):
            for handle in due:
                handle.entry = None
            for callback, args, _ in entries:
                callback(*args)
            return
        for handle in due:
            handle.on_clock = False
        for entry in entries:
            self.make_ready(entry)

    def make_ready(self, entry: Entry) -> None:
        """Lets an entry run, unless its process is crashed or paused."""
        if not self.fence or not self.fenced_off(entry):
            self.ready.append(entry)

    # -- the fence -------------------------------------------------------------------

    def fenced_off(self, entry: Entry) -> bool:
        """Whether the entry belongs to a crashed or paused process; if so it is put away."""
        owner = entry[2].get(OWNER)
        if self.closed:
            self.discarded.append(entry)
            return True
        if owner is None or owner not in self.fence:
            return False
        (self.discarded if owner.crashed else owner.parked).append(entry)
        return True

    def is_dead(self, entry: Entry) -> bool:
        """Whether the entry's process has crashed, or the run is over."""
        owner = entry[2].get(OWNER)
        return self.closed or (owner is not None and owner.crashed)

    def close(self, guard: Process) -> None:
        """Puts everything away that is or will be scheduled, with `guard` on the fence.

        With a fence that is never empty, the open case costs nothing to check.
        """
        self.closed = True
        self.fence.append(guard)
        for queue in (self.ready, self.held):
            self.discarded += queue
            queue.clear()
        self.discarded += [h.entry for _, _, h in self.timers if h.entry is not None]
        self.timers.clear()

    def fence_off(self, process: Process) -> None:
        """Puts a process that has just crashed or paused behind the fence.

        Its ready and held steps are put away, and if it crashed its timers too, for good.
        A paused process keeps its timers: they fire into `parked`.
        """
        if process not in self.fence:
            self.fence.append(process)
        for queue in (self.ready, self.held):
            queue[:] = [entry for entry in queue if not self.fenced_off(entry)]
        if not process.crashed:
            return
        self.discarded += process.parked
        process.parked.clear()
        kept = []
        for item in self.timers:
            entry = item[2].entry
            if entry is not None and entry[2].get(OWNER) is process:
                self.discarded.append(entry)
            else:
                kept.append(item)
        self.timers[:] = kept
        heapify(self.timers)

    def resume(self, process: Process) -> None:
        """Lets a paused process through the fence again, its steps in their old order."""
        if process in self.fence and not process.crashed and self.now >= process.resumes_at:
            self.fence.remove(process)
            self.ready += process.parked
            process.parked.clear()
