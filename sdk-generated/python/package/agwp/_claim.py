"""One claim, from when it was given until it is ended or lost."""

from __future__ import annotations

import enum
import logging
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from agwp._client import Client
from agwp._errors import AgwpError, LostClaim
from agwp._generated.models.heartbeat_job_request import HeartbeatJobRequest
from agwp._generated.models.job import Job
from agwp._outcome import TEXT_CHARS_MAX, text_chars

_log = logging.getLogger("agwp")
_AGAIN_SECONDS_MIN = 0.2


class _State(enum.Enum):
    HELD = 1
    ENDING = 2
    LOST = 3


class Claim:
    """Heartbeats at a third of the lease. When the server cannot be reached the claim is kept until its lease has run out by this
    machine's own monotonic clock, since until then nobody else gets the job.
    """

    def __init__(self, client: Client, job: Job, label: str, lease_seconds: int) -> None:
        self.job = job
        self.label = label
        # The number of this claim: a later claim of the job, though by a worker of the same label, has a larger one.
        self.fencing_token: int = job.attempts
        self.why_lost = ""
        self.stopped = threading.Event()
        self._client = client
        self._lease = lease_seconds
        self._lease_ends = time.monotonic() + lease_seconds
        self._changed = threading.Condition()
        self._state = _State.HELD
        self._stops: List[Callable[[], None]] = []
        self._percent: Optional[int] = None
        self._message: Optional[str] = None

    def start(self, at_once: bool) -> None:
        """``at_once`` when the claim may be older than its answer, because that came late."""
        first = 0.0 if at_once else self._lease / 3
        threading.Thread(target=self._keep, args=(first,), name=f"agwp-heartbeat-{self.job.job_id}", daemon=True).start()

    def progress(self, percent: int, message: Optional[str]) -> None:
        with self._changed:
            self._percent = percent
            self._message = self._message if message is None else message

    @property
    def is_lost(self) -> bool:
        return self._state is _State.LOST

    def on_stop(self, action: Callable[[], None]) -> None:
        """Has ``action`` called, once, when the handler is to stop; at once when it is to already."""
        with self._changed:
            if not self.stopped.is_set():
                self._stops.append(action)
                return
        action()

    def stop_handler(self) -> None:
        with self._changed:
            self.stopped.set()
            actions, self._stops = self._stops, []
        for action in actions:
            action()

    def begin_end(self) -> bool:
        """Ends the heartbeats so that the outcome can be reported. False when the claim was lost before: nothing is to be reported then."""
        with self._changed:
            if self._state is _State.LOST:
                return False
            self._state = _State.ENDING
            self._changed.notify_all()
            return True

    def _keep(self, first: float) -> None:
        pause: Optional[float] = first
        while pause is not None:
            with self._changed:
                if self._changed.wait_for(lambda: self._state is not _State.HELD, max(0.0, pause)):
                    return
            pause = self._beat()

    def _beat(self) -> Optional[float]:
        """Seconds until the next one; None when there is to be none."""
        with self._changed:
            sent = time.monotonic()
            within = max(_AGAIN_SECONDS_MIN, min(self._lease / 3, self._lease_ends - sent))
            request = HeartbeatJobRequest(
                worker=self.label,
                fencing_token=self.fencing_token,
                lease_seconds=self._lease,
                progress=self._percent,
                status_message=self._message,
            )
        # Looking a host up has no time limit: the lease is watched from outside the call.
        watch = self._client._alarms.at(max(self._lease_ends, sent + within) + _AGAIN_SECONDS_MIN, self._run_out)
        try:
            self._client._heartbeat_once(self.job.job_id, request, within)
        except LostClaim as lost:
            self._lose(str(lost))
            return None
        except AgwpError as unknown:
            _log.warning("job %s: no heartbeat got through, trying again: %s", self.job.job_id, unknown)
            return self._again()
        finally:
            watch.cancel()
        # From before the call: the server's lease began later, so this one ends first.
        self._lease_ends = sent + self._lease
        return self._lease / 3 - (time.monotonic() - sent)

    def _again(self) -> Optional[float]:
        left = self._lease_ends - time.monotonic()
        if left > 0:
            return min(left, max(_AGAIN_SECONDS_MIN, self._lease / 10))
        self._run_out()
        return None

    def _run_out(self) -> None:
        self._lose("its lease ran out while the server could not be reached")

    def _lose(self, why: str) -> None:
        with self._changed:
            # A heartbeat that was under way when the claim ended finds it ended: that is no loss.
            if self._state is not _State.HELD:
                return
            self._state = _State.LOST
            self.why_lost = why
            self._changed.notify_all()
        self.stop_handler()


class ClaimedJob:
    """A job this worker holds."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim

    @property
    def job(self) -> Job:
        """The job as it was when claimed."""
        return self._claim.job

    @property
    def id(self) -> str:
        return self._claim.job.job_id

    @property
    def payload(self) -> Dict[str, Any]:
        """What to do; never None."""
        return self._claim.job.payload or {}

    @property
    def attempts(self) -> int:
        """Which claim of the job this is, counted from 1."""
        return self._claim.job.attempts

    @property
    def fencing_token(self) -> int:
        """The fencing token of this claim, 1 to 4294967295: larger than that of every earlier claim of the job.

        The worker sends it with every call; give it to every store you write to for the job, and let that refuse a lower one, so that a
        paused worker cannot write over what its successor wrote.
        """
        return self._claim.fencing_token

    @property
    def is_lost(self) -> bool:
        """True once somebody else may work on the job: stop, and touch nothing outside any more."""
        return self._claim.is_lost

    @property
    def stopped(self) -> threading.Event:
        """Set when the handler is to return at once: the claim is lost, or the worker was closed and its grace is over. Nothing that is
        returned then is reported. A thread cannot be interrupted from outside, so look here between steps, or wait with
        ``job.stopped.wait(seconds)`` instead of ``time.sleep``. The handler of an :class:`AsyncWorker` is cancelled besides.
        """
        return self._claim.stopped

    def progress(self, percent: int, message: Optional[str] = None) -> None:
        """Says how far the work is; sent with the next heartbeat.

        Args:
            percent: 0..100.
            message: for people, at most 4096 characters. None leaves the last one.
        """
        if not 0 <= percent <= 100:
            raise ValueError(f"percent must be 0..100, got {percent}")
        # The server would refuse the heartbeat, and the claim would be lost by it.
        if message is not None and text_chars(message) > TEXT_CHARS_MAX:
            raise ValueError(f"message must be at most {TEXT_CHARS_MAX} characters, got {text_chars(message)}")
        self._claim.progress(percent, message)
