"""Lets the conformance tests work this SDK: one JSON object a line on standard input, one a line on standard output.

``--asyncio`` runs the handlers on an event loop instead of threads.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import queue
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

import agwp

_BODIES = {
    "enqueueJob": agwp.EnqueueJobRequest,
    "enqueueJobs": agwp.EnqueueJobsRequest,
    "claimJob": agwp.ClaimJobRequest,
    "heartbeatJob": agwp.HeartbeatJobRequest,
    "completeJob": agwp.CompleteJobRequest,
    "failJob": agwp.FailJobRequest,
    "releaseJob": agwp.ReleaseJobRequest,
    "updateQueue": agwp.UpdateQueueRequest,
}
_METHODS = {
    "enqueueJob": "enqueue_job",
    "enqueueJobs": "enqueue_jobs",
    "claimJob": "claim_job",
    "heartbeatJob": "heartbeat_job",
    "completeJob": "complete_job",
    "failJob": "fail_job",
    "releaseJob": "release_job",
    "cancelJob": "cancel_job",
    "retryJob": "retry_job",
    "getJob": "get_job",
    "listJobs": "list_jobs",
    "getAttestation": "get_attestation",
    "listQueues": "list_queues",
    "getQueue": "get_queue",
    "updateQueue": "update_queue",
}
_LOOK_SECONDS = 0.05

_out = threading.Lock()


def tell(event: str, **fields: Any) -> None:
    with _out:
        print(json.dumps({"event": event, **{name: value for name, value in fields.items() if value is not None}}, default=str), flush=True)


class Listener(agwp.WorkerListener):
    def reported(self, job: agwp.Job, outcome: agwp.Outcome) -> None:
        tell("reported", job_id=job.job_id, outcome=outcome.verdict)

    def released(self, job: agwp.Job) -> None:
        tell("released", job_id=job.job_id)

    def lost(self, job: agwp.Job, why: str) -> None:
        tell("lost", job_id=job.job_id, why=why)

    def unknown(self, job: agwp.Job, outcome: agwp.Outcome) -> None:
        tell("unknown", job_id=job.job_id)

    def unavailable(self, problem: agwp.AgwpError) -> None:
        tell("unavailable")


class Handlers:
    """Handlers that wait for what the tests say."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: Dict[str, agwp.ClaimedJob] = {}
        self._orders: Dict[str, "queue.Queue[Dict[str, Any]]"] = {}

    def _orders_of(self, job_id: str) -> "queue.Queue[Dict[str, Any]]":
        with self._lock:
            return self._orders.setdefault(job_id, queue.Queue())

    def finish(self, order: Dict[str, Any]) -> None:
        self._orders_of(order["job_id"]).put(order)

    def progress(self, order: Dict[str, Any]) -> None:
        with self._lock:
            job = self._jobs.get(order["job_id"])
        if job is not None:
            job.progress(order["percent"], order.get("message"))

    def _begin(self, job: agwp.ClaimedJob) -> "queue.Queue[Dict[str, Any]]":
        with self._lock:
            self._jobs[job.id] = job
        orders = self._orders_of(job.id)
        tell("claimed", job_id=job.id, attempts=job.attempts, fencing_token=job.fencing_token)
        return orders

    def handle(self, job: agwp.ClaimedJob) -> agwp.Outcome:
        orders = self._begin(job)
        while not job.stopped.is_set():
            try:
                return _outcome(orders.get(timeout=_LOOK_SECONDS))
            except queue.Empty:
                continue
        tell("stopped", job_id=job.id)
        return agwp.Outcome.retry("stopped")

    async def handle_async(self, job: agwp.ClaimedJob) -> agwp.Outcome:
        orders = self._begin(job)
        try:
            while True:
                try:
                    return _outcome(orders.get_nowait())
                except queue.Empty:
                    await asyncio.sleep(_LOOK_SECONDS)
        except asyncio.CancelledError:
            tell("stopped", job_id=job.id)
            raise


def _outcome(order: Dict[str, Any]) -> agwp.Outcome:
    summary = order.get("summary")
    if order["outcome"] == "throw":
        raise RuntimeError(summary)
    if order["outcome"] == "retry":
        return agwp.Outcome.retry("asked", summary, delay_seconds=order.get("retry_delay_seconds"))
    attestation = None
    if order.get("attestation") is not None:
        attestation = agwp.Attestation(media_type="text/plain", body=order["attestation"].encode())
    verdict: Callable[..., agwp.Outcome] = {"passed": agwp.Outcome.passed, "failed": agwp.Outcome.failed}[order["outcome"]]
    return verdict(summary, attestation=attestation)


class Driven:
    """The worker of one ``start``."""

    def __init__(self, order: Dict[str, Any], handlers: Handlers, on_asyncio: bool) -> None:
        self._client = agwp.Client(order["server"])
        self._closing: Optional["asyncio.Event"] = None
        self._loop = asyncio.new_event_loop() if on_asyncio else None
        options = {
            "lease_seconds": order.get("lease_seconds", 60),
            "wait_seconds": order.get("wait_seconds", 20),
            "concurrency": order.get("concurrency", 1),
            "grace": order.get("grace_seconds", 10),
            "require_fencing": order.get("require_fencing", False),
            "listener": Listener(),
        }
        about = (self._client, order["label"], order["queues"])
        if self._loop is None:
            worker = agwp.Worker(*about, handlers.handle, **options)
            self._run: Callable[[], None] = worker.run
            self._close: Callable[[], None] = worker.close
        else:
            loop = self._loop
            threading.Thread(target=loop.run_forever, daemon=True).start()
            async_worker = agwp.AsyncWorker(*about, handlers.handle_async, **options)
            self._run = lambda: asyncio.run_coroutine_threadsafe(async_worker.run(), loop).result()
            self._close = lambda: asyncio.run_coroutine_threadsafe(async_worker.close(), loop).result()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        tell("started")

    def _work(self) -> None:
        try:
            self._run()
        except Exception as error:
            tell("ended", error=str(error), type=type(error).__name__)
        else:
            tell("ended")

    def close(self) -> None:
        self._close()
        self._thread.join()
        self._client.close()
        tell("closed")


def call(order: Dict[str, Any]) -> None:
    number = order.get("id")
    operation = order["operation"]
    arguments = [order[name] for name in ("job_id", "queue") if order.get(name) is not None]
    try:
        body = _BODIES.get(operation)
        if body is not None:
            # As keyword arguments, the way users write it.
            arguments.append(body(**(order.get("request") or {})))
        with agwp.Client(order["server"]) as client:
            answer = getattr(client, _METHODS[operation])(*arguments, **(order.get("query") or {}))
    except agwp.AgwpError as refused:
        kind = "Agwp" if type(refused) is agwp.AgwpError else type(refused).__name__
        tell("refused", id=number, type=kind, code=refused.code, reason=refused.reason, status=refused.status, detail=str(refused))
    except (ValueError, TypeError) as mistaken:
        tell("invalid", id=number, message=str(mistaken))
    else:
        if isinstance(answer, bytes):
            tell("answer", id=number, body={"body": base64.b64encode(answer).decode("ascii")})
        else:
            tell("answer", id=number, body=json.loads(answer.to_json()))


def main() -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.INFO)
    handlers = Handlers()
    driven: Optional[Driven] = None
    closers: List[threading.Thread] = []
    tell("ready")
    for line in sys.stdin:
        order = json.loads(line)
        do = order["do"]
        if do == "start":
            driven = Driven(order, handlers, "--asyncio" in sys.argv[1:])
        elif do == "finish":
            handlers.finish(order)
        elif do == "progress":
            handlers.progress(order)
        elif do == "close" and driven is not None:
            # Beside the reading of orders: a handler may be told to finish within the grace.
            closer = threading.Thread(target=driven.close, daemon=True)
            closer.start()
            closers.append(closer)
            driven = None
        elif do == "call":
            # Several may run at once; a claim can wait for a minute.
            threading.Thread(target=call, args=(order,), daemon=True).start()
    if driven is not None:
        driven.close()
    for closer in closers:
        closer.join()


if __name__ == "__main__":
    main()
