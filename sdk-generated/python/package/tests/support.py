"""A server that answers what a test says, a proxy that loses answers of a real one, and a listener that remembers."""

from __future__ import annotations

import http.client
import json
import logging
import os
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple
from urllib.parse import urlsplit

import agwp

# Handlers that fail and heartbeats that get lost are what the tests are about.
logging.getLogger("agwp").setLevel(logging.CRITICAL)

SERVER = os.environ.get("AGWP_SERVER", "")

JOB: Dict[str, Any] = {
    "job_id": "j1",
    "queue": "q",
    "state": "claimed",
    "priority": 0,
    "attempts": 1,
    "max_attempts": 5,
    "claimed_by": "local|w1",
    "run_at": "2026-12-01T10:00:00.000Z",
    "created_at": "2026-12-01T10:00:00.000Z",
    "updated_at": "2026-12-01T10:00:00.000Z",
}

Answer = Tuple[int, Dict[str, Any], Dict[str, str]]


def answer(status: int, body: Dict[str, Any], **headers: str) -> Answer:
    return status, body, {name.replace("_", "-"): value for name, value in headers.items()}


def problem(status: int, code: str, reason: Optional[str] = None, **headers: str) -> Answer:
    body = {"type": f"urn:agwp:problem:{code}", "title": code, "status": status, "detail": f"refused: {code}", "code": code}
    return answer(status, body if reason is None else {**body, "reason": reason}, **headers)


LOST = object()
"""Stands for an answer that never comes: the connection is closed instead."""


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.server.respond(self, self.rfile.read(length))  # type: ignore[attr-defined]

    do_POST = do_PATCH = do_GET


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, respond: Callable[[BaseHTTPRequestHandler, bytes], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Quiet)
        self.respond = respond
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that went away is what the tests are about.
        pass


class Stub:
    """Gives the answers in turn, the last one for ever; each is an :func:`answer`, LOST, or a function of the handler."""

    def __init__(self, *answers: Any) -> None:
        self.requests: List[Dict[str, Any]] = []
        self._answers = list(answers)
        self._lock = threading.Lock()
        self._server = _Server(self._respond)
        self.url = self._server.url

    def _respond(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        with self._lock:
            self.requests.append(
                {"method": handler.command, "path": handler.path, "headers": dict(handler.headers), "body": json.loads(body or b"null")}
            )
            given = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if given is LOST:
            handler.close_connection = True
        elif callable(given):
            given(handler)
        else:
            send(handler, given)

    def __enter__(self) -> "Stub":
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


def send(handler: BaseHTTPRequestHandler, given: Answer) -> None:
    status, body, headers = given
    text = json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
    handler.send_header("Content-Length", str(len(text)))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(text)


class Proxy:
    """Passes calls on to the real server. Faults are made per path ending: the answer is lost, the call is lost, or it is changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: List[Tuple[str, str, int]] = []
        self._delays: Dict[str, threading.Event] = {}
        self.changes: List[Callable[[str, Dict[str, Any]], Dict[str, Any]]] = []
        self.seen: List[Tuple[str, Any]] = []
        self.down = False
        self._server = _Server(self._respond)
        self.url = self._server.url

    def lose_answer(self, path_end: str, times: int = 1) -> None:
        self._fault(path_end, "answer", times)

    def lose_call(self, path_end: str, times: int = 1) -> None:
        self._fault(path_end, "call", times)

    def hold_answer(self, path_end: str, times: int = 1) -> None:
        """The server has applied the call, the answer hangs."""
        self._fault(path_end, "hold", times)

    def refuse(self, path_end: str, times: int = 1) -> None:
        """The call is answered as a server answers one that lost its claim, without asking it."""
        self._fault(path_end, "refuse", times)

    def delay_call(self, path_end: str, until: threading.Event) -> None:
        self._delays[path_end] = until

    def _fault(self, path_end: str, what: str, times: int) -> None:
        with self._lock:
            self._faults.append((path_end, what, times))

    def calls(self, path_end: str) -> List[Any]:
        with self._lock:
            return [body for path, body in self.seen if path.endswith(path_end)]

    def _take(self, path: str) -> Optional[str]:
        with self._lock:
            for at, (path_end, what, times) in enumerate(self._faults):
                if path.endswith(path_end) and times > 0:
                    self._faults[at] = (path_end, what, times - 1)
                    return what
        return None

    def _respond(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = urlsplit(handler.path).path
        fault = "call" if self.down else self._take(path)
        with self._lock:
            self.seen.append((path, json.loads(body or b"null")))
        if fault == "call":
            handler.close_connection = True
            return
        if fault == "refuse":
            send(handler, problem(409, "failed_precondition"))
            return
        for path_end, until in self._delays.items():
            if path.endswith(path_end):
                until.wait(20)
        upstream = http.client.HTTPConnection(urlsplit(SERVER).netloc, timeout=70)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in ("host", "connection")}
        upstream.request(handler.command, handler.path, body or None, headers)
        came = upstream.getresponse()
        text = came.read()
        upstream.close()
        if fault == "answer":
            handler.close_connection = True
            return
        if fault == "hold":
            time.sleep(20)
            return
        if came.headers.get_content_type() == "application/json":
            message = json.loads(text)
            for change in self.changes:
                message = change(path, message)
            text = json.dumps(message).encode()
        handler.send_response(came.status)
        handler.send_header("Content-Type", came.headers["Content-Type"])
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


class Heard(agwp.WorkerListener):
    """What a worker told, as (word, job_id, more)."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.events: List[Tuple[str, Optional[str], Any]] = []

    def _add(self, word: str, job: Optional[agwp.Job], more: Any = None) -> None:
        with self._changed:
            self.events.append((word, None if job is None else job.job_id, more))
            self._changed.notify_all()

    def claimed(self, job: agwp.Job) -> None:
        self._add("claimed", job)

    def reported(self, job: agwp.Job, outcome: agwp.Outcome) -> None:
        self._add("reported", job, outcome.verdict)

    def released(self, job: agwp.Job) -> None:
        self._add("released", job)

    def lost(self, job: agwp.Job, why: str) -> None:
        self._add("lost", job, why)

    def unknown(self, job: agwp.Job, outcome: agwp.Outcome) -> None:
        self._add("unknown", job)

    def unavailable(self, problem: agwp.AgwpError) -> None:
        self._add("unavailable", None, problem)

    def words(self) -> List[str]:
        with self._changed:
            return [word for word, _, _ in self.events]

    def await_word(self, word: str, within: float = 15.0) -> Tuple[str, Optional[str], Any]:
        def found() -> Any:
            return next((event for event in self.events if event[0] == word), None)

        with self._changed:
            event = self._changed.wait_for(found, within)
            assert event is not None, f"no {word} within {within} s, but {self.events}"
            return event


def a_queue() -> str:
    return "py-" + uuid.uuid4().hex[:12]


def a_job(client: agwp.Client, queue: str, **fields: Any) -> str:
    return client.enqueue_job(agwp.EnqueueJobRequest(queue=queue, **fields)).job_id


def eventually(holds: Callable[[], Any], within: float = 15.0) -> Any:
    until = time.monotonic() + within
    while True:
        value = holds()
        if value or time.monotonic() > until:
            assert value, "it did not come about in time"
            return value
        time.sleep(0.02)
