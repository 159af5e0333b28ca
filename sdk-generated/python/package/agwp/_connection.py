"""Calls that another thread can end: for a time limit on the whole of a call, and for a worker that closes while it waits for jobs."""

from __future__ import annotations

import heapq
import itertools
import socket
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional, Tuple

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

_OVERDUE = "it did not come within the time allowed"
_BROKEN_OFF = "the caller broke it off"

_thread = threading.local()


class Call:
    """One request on its way. Its socket is shut when it must end, which wakes the thread that reads from it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None
        self.ended: Optional[str] = None

    def uses(self, sock: Optional[socket.socket]) -> None:
        with self._lock:
            self._socket = sock
            if self.ended:
                self._shut()

    def end(self, why: str) -> None:
        with self._lock:
            self.ended = self.ended or why
            self._shut()

    def _shut(self) -> None:
        if self._socket is None:
            return
        try:
            # Not the method of a TLS socket: that drops the state the reading thread is in the middle of.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
        except OSError:
            pass


class Breaker:
    """Breaks off the call that runs under it, and every later one."""

    def __init__(self) -> None:
        self.broken = threading.Event()
        self._call: Optional[Call] = None

    def guard(self, call: Call) -> None:
        self._call = call
        if self.broken.is_set():
            call.end(_BROKEN_OFF)

    def break_off(self) -> None:
        self.broken.set()
        call = self._call
        if call is not None:
            call.end(_BROKEN_OFF)


class Alarm:
    def __init__(self, action: Callable[[], None]) -> None:
        self.action: Optional[Callable[[], None]] = action

    def cancel(self) -> None:
        self.action = None


class Alarms:
    """Calls functions at given times of ``time.monotonic()`` from one thread, which ends when there has been nothing to do for a while."""

    _IDLE_SECONDS = 10.0

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._order = itertools.count()
        self._pending: List[Tuple[float, int, Alarm]] = []
        self._running = False

    def at(self, when: float, action: Callable[[], None]) -> Alarm:
        alarm = Alarm(action)
        with self._changed:
            heapq.heappush(self._pending, (when, next(self._order), alarm))
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="agwp-alarms", daemon=True).start()
            if self._pending[0][2] is alarm:
                self._changed.notify()
        return alarm

    def _run(self) -> None:
        while True:
            with self._changed:
                due = self._next()
                if due is None:
                    self._running = False
                    return
            action = due.action
            if action is not None:
                action()

    def _next(self) -> Optional[Alarm]:
        while True:
            while self._pending and self._pending[0][2].action is None:
                heapq.heappop(self._pending)
            if not self._pending:
                if not self._changed.wait(self._IDLE_SECONDS) and not self._pending:
                    return None
                continue
            left = self._pending[0][0] - time.monotonic()
            if left <= 0:
                return heapq.heappop(self._pending)[2]
            self._changed.wait(left)


class _Tracked:
    """A connection that tells the call of its thread which socket it uses."""

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]
        self._tell()

    def request(self, *args: Any, **kwargs: Any) -> Any:
        self._tell()
        return super().request(*args, **kwargs)  # type: ignore[misc]

    def _tell(self) -> None:
        call: Optional[Call] = getattr(_thread, "call", None)
        if call is not None:
            call.uses(getattr(self, "sock", None))


class _Http(_Tracked, HTTPConnection):
    pass


class _Https(_Tracked, HTTPSConnection):
    pass


class _HttpPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Http


class _HttpsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _Https


def make_endable(pools: urllib3.PoolManager) -> None:
    pools.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}


@contextmanager
def call_within(seconds: float, alarms: Alarms, breaker: Optional[Breaker]) -> Iterator[Call]:
    """Runs one request; ``urllib3`` limits each read, this all of them together."""
    call = Call()
    alarm = alarms.at(time.monotonic() + seconds, lambda: call.end(_OVERDUE))
    _thread.call = call
    try:
        if breaker is not None:
            breaker.guard(call)
        yield call
    finally:
        _thread.call = None
        alarm.cancel()
        call.uses(None)
