"""The worker runtime over threads."""

from __future__ import annotations

import inspect
import logging
import random
import re
import threading
import time
import uuid
from types import TracebackType
from typing import Any, Callable, List, Optional, Sequence, Set, Type

from agwp._claim import Claim, ClaimedJob
from agwp._client import Client
from agwp._connection import Breaker
from agwp._errors import AgwpError, UnfencedServer
from agwp._generated.models.claim_job_request import ClaimJobRequest
from agwp._generated.models.job import Job
from agwp._outcome import Outcome, cut
from agwp._reports import Reports, Result

_log = logging.getLogger("agwp")
_LABEL = re.compile(r"[A-Za-z0-9._:/@-]{1,128}")
_QUEUE = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_QUEUES_MAX = 32
_JOBS_PER_CLAIM_MAX = 100
_LEASE_SECONDS_MAX = 86_400
_WAIT_SECONDS_MAX = 60
_CONCURRENCY_MAX = 1_000
_UNAVAILABLE_PAUSE_SECONDS_MAX = 5.0
_RELEASE_WITHIN_SECONDS = 30.0
# Waits without an end cannot be interrupted by a signal on every platform.
_SIGNAL_SECONDS = 0.5


class WorkerListener:
    """Hears what a worker does, for logs and progress lines. Called on the worker's threads; be quick and do not raise."""

    def claimed(self, job: Job) -> None:
        """A job was claimed and its handler begins."""

    def reported(self, job: Job, outcome: Outcome) -> None:
        """The server has taken the outcome: the handler's, or ``outcome_refused`` when it did not take that."""

    def released(self, job: Job) -> None:
        """The claim went back unused, since the worker drains."""

    def lost(self, job: Job, why: str) -> None:
        """The claim was lost, so the handler was stopped and nothing is reported; ``why`` in words."""

    def unknown(self, job: Job, outcome: Outcome) -> None:
        """No answer to the outcome, so whether the server has it is not known; the lease will tell."""

    def unavailable(self, problem: AgwpError) -> None:
        """The server cannot be reached for a claim; the worker tries again."""


class Worker:
    """Claims jobs and runs a handler for each on a thread of its own, heartbeats meanwhile and reports how it ended.

    When the server says that a claim is lost, or its lease has run out while the server could not be reached, the handler is told to stop
    (:attr:`ClaimedJob.stopped`) and nothing is reported. Whatever a handler raises becomes ``fail`` with the exception as its message. A
    worker that is closed claims no more, gives its handlers a grace time, then tells them to stop and hands their claims back. Use it in a
    ``with`` statement, which closes it. Threads may share it; it runs once.

    Args:
        client: the client of the server; several workers may share one.
        label: names this worker beside others of the same principal, 1 to 128 characters of ``A-Z a-z 0-9 . _ : / @ -``; two that run at
            once need different ones.
        queues: 1 to 32 queue names.
        handler: takes a :class:`ClaimedJob` and returns an :class:`Outcome`.
        lease_seconds: how long a claim is held without a heartbeat; one is sent at each third of it. 1..86400. Defaults to 60.
        wait_seconds: how long the server holds a claim open while there is no job. 0..60. Defaults to 20.
        concurrency: how many jobs run at once; no more are held. 1..1000. Defaults to 1.
        grace: seconds :meth:`close` lets handlers run before it tells them to stop. 0 or more. Defaults to 10.
        require_fencing: works only on servers that say they check fencing tokens, which they do from release 1.2.0 on: on another the
            worker hands back what it was given and :meth:`run` raises :class:`UnfencedServer`. Defaults to False: the token is sent anyhow.
        listener: who hears what the worker does. Defaults to nobody.

    Raises ``ValueError`` when an argument is out of its range.
    """

    def __init__(
        self,
        client: Client,
        label: str,
        queues: Sequence[str],
        handler: Callable[[ClaimedJob], Outcome],
        *,
        lease_seconds: int = 60,
        wait_seconds: int = 20,
        concurrency: int = 1,
        grace: float = 10.0,
        require_fencing: bool = False,
        listener: Optional[WorkerListener] = None,
    ) -> None:
        if isinstance(queues, str):
            raise ValueError("queues must be a list of names, got one string")
        _require(_LABEL.fullmatch(label), f"label must be 1..128 characters of A-Z a-z 0-9 . _ : / @ -, got {label!r}")
        _require(1 <= len(queues) <= _QUEUES_MAX, f"there must be 1..{_QUEUES_MAX} queues, got {len(queues)}")
        for queue in queues:
            _require(_QUEUE.fullmatch(queue), f"a queue must be 1..128 characters of A-Z a-z 0-9 . _ : -, got {queue!r}")
        _in_range("lease_seconds", lease_seconds, 1, _LEASE_SECONDS_MAX)
        _in_range("wait_seconds", wait_seconds, 0, _WAIT_SECONDS_MAX)
        _in_range("concurrency", concurrency, 1, _CONCURRENCY_MAX)
        _require(not inspect.iscoroutinefunction(handler), "the handler is an async function: make an AsyncWorker of it")
        _require(grace >= 0, f"grace must not be negative, got {grace}")
        self._client = client
        self._label = label
        self._queues = list(queues)
        self._handler = handler
        self._lease = lease_seconds
        self._wait = wait_seconds
        self._concurrency = concurrency
        self._grace = grace
        self._require_fencing = require_fencing
        self._listener = listener or WorkerListener()
        self._reports = Reports(client, lease_seconds)
        self._claim_call = Breaker()
        self._changed = threading.Condition()
        self._claimer: Optional[threading.Thread] = None
        self._running: Set[Claim] = set()
        self._closing = False
        self._draining = False
        self._error: Optional[BaseException] = None

    def run(self) -> None:
        """Claims and works until :meth:`stop` or :meth:`close`; handlers that run then go on until :meth:`close`.

        Raises :class:`AgwpError` when the server refuses the claims themselves, as :class:`AccessRefused` when it refuses the token, and
        :class:`UnfencedServer` when fencing is required and the server does not check it.
        """
        with self._changed:
            if self._claimer is not None:
                raise RuntimeError("a worker runs once; make another")
            # A thread of its own: so a signal handler that calls stop() finds no lock held by the thread it interrupted.
            self._claimer = threading.Thread(target=self._claim_until_closed, name="agwp-claims", daemon=True)
            self._claimer.start()
        while self._claimer.is_alive():
            self._claimer.join(_SIGNAL_SECONDS)
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Claims no more, so that :meth:`run` returns. Does not wait: a signal handler may call it."""
        threading.Thread(target=self._stop, name="agwp-stop", daemon=True).start()

    def close(self) -> None:
        """Claims no more; waits for running handlers for the grace time, then tells them to stop and hands their claims back.

        A handler that does not return within 30 seconds after that keeps its claim until the lease runs out: handing it back would let
        another worker begin beside it.
        """
        self._stop()
        with self._changed:
            claimer = self._claimer
            if not self._changed.wait_for(lambda: not self._running, self._grace):
                self._draining = True
        for claim in self._held() if self._draining else ():
            claim.stop_handler()
        give_up = time.monotonic() + _RELEASE_WITHIN_SECONDS
        with self._changed:
            self._changed.wait_for(lambda: not self._running, _RELEASE_WITHIN_SECONDS)
        if claimer is not None:
            claimer.join(max(0.0, give_up - time.monotonic()))
        self._reports.given_up.set()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _stop(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._claim_call.break_off()

    def _held(self) -> List[Claim]:
        with self._changed:
            return list(self._running)

    def _claim_until_closed(self) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._closing or len(self._running) < self._concurrency)
                    if self._closing:
                        return
                    free = self._concurrency - len(self._running)
                for claim in self._claims(min(free, _JOBS_PER_CLAIM_MAX)):
                    self._begin(claim)
        except BaseException as error:  # run() raises it on the caller's thread.
            self._error = error

    def _begin(self, claim: Claim) -> None:
        with self._changed:
            begun = not self._closing
            if begun:
                self._running.add(claim)
        if begun:
            threading.Thread(target=self._work, args=(claim,), name=f"agwp-handler-{claim.job.job_id}", daemon=True).start()
        else:
            self._release(claim)

    def _claims(self, jobs_max: int) -> List[Claim]:
        """Repeats one claim request until it is answered: an answer that was lost must not strand the jobs in it."""
        request = ClaimJobRequest(
            queues=self._queues,
            worker=self._label,
            lease_seconds=self._lease,
            wait_seconds=self._wait,
            max_jobs=jobs_max,
            request_id=str(uuid.uuid4()),
        )
        first_sent: Optional[float] = None
        while not self._closing:
            first_sent = first_sent or time.monotonic()
            try:
                answer = self._client._claim(request, self._claim_call)
            except AgwpError as problem:
                if self._closing:
                    break
                if 400 <= problem.status < 500 and problem.status != 429:
                    raise
                self._tell("unavailable", problem)
                self._claim_call.broken.wait(random.uniform(0.0, _UNAVAILABLE_PAUSE_SECONDS_MAX))
                continue
            late = time.monotonic() - first_sent > self._wait + self._lease / 3
            claims = [self._hold(job, late) for job in answer.jobs]
            if self._require_fencing and answer.fencing_enforced is not True:
                for claim in claims:
                    self._release(claim)
                raise UnfencedServer()
            return claims
        if first_sent is not None:
            self._take_back(request)
        return []

    def _take_back(self, request: ClaimJobRequest) -> None:
        # The claim that was broken off may have been given jobs. Asked again under its id the server names them.
        try:
            answer = self._client._claim(request.model_copy(update={"wait_seconds": 0}), None)
        except AgwpError as unreachable:
            _log.debug("could not ask for the jobs of the last claim, their leases will run out: %s", unreachable)
            return
        for job in answer.jobs:
            self._release(self._hold(job, False))

    def _hold(self, job: Job, late: bool) -> Claim:
        claim = Claim(self._client, job, self._label, self._lease)
        claim.start(late)
        return claim

    def _work(self, claim: Claim) -> None:
        try:
            self._tell("claimed", claim.job)
            outcome = self._outcome(claim)
            if self._draining:
                self._release(claim)
            elif not claim.begin_end():
                self._tell("lost", claim.job, claim.why_lost)
            else:
                self._report(claim, outcome)
        finally:
            with self._changed:
                self._running.discard(claim)
                self._changed.notify_all()

    def _report(self, claim: Claim, outcome: Outcome) -> None:
        result, outcome = self._reports.report(claim, outcome)
        if result is Result.TAKEN:
            self._tell("reported", claim.job, outcome)
        elif result is Result.LOST:
            self._tell("lost", claim.job, "the server refused its outcome: the claim was lost before")
        else:
            self._tell("unknown", claim.job, outcome)

    def _outcome(self, claim: Claim) -> Outcome:
        try:
            outcome = self._handler(ClaimedJob(claim))
            if isinstance(outcome, Outcome):
                return outcome
            return Outcome.retry("no_outcome", f"the handler returned {type(outcome).__name__}, not an Outcome")
        except BaseException as raised:  # The worker's boundary: it ends the attempt, never this thread, and never in silence.
            if claim.stopped.is_set():
                _log.debug("job %s: the handler stopped with %r", claim.job.job_id, raised)
            else:
                _log.warning("job %s: the handler failed", claim.job.job_id, exc_info=True)
            return Outcome.retry("handler_failed", cut(f"{type(raised).__name__}: {raised}"))

    def _release(self, claim: Claim) -> None:
        if not claim.begin_end():
            self._tell("lost", claim.job, claim.why_lost)
            return
        result = self._reports.release(claim)
        if result is Result.TAKEN:
            self._tell("released", claim.job)
        elif result is Result.LOST:
            self._tell("lost", claim.job, "the server refused the release: the claim was lost before")
        else:
            _log.warning("job %s: no answer to its release, its lease will run out", claim.job.job_id)

    def _tell(self, what: str, *about: Any) -> None:
        try:
            getattr(self._listener, what)(*about)
        except Exception:  # A listener is no reason to leave a job unreported.
            _log.exception("the listener raised on %s", what)


def _in_range(name: str, value: int, least: int, most: int) -> None:
    _require(isinstance(value, int) and least <= value <= most, f"{name} must be {least}..{most}, got {value!r}")


def _require(holds: object, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
