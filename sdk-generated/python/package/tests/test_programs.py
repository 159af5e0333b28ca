"""The examples of the README and the conformance driver, run as programs."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List

import agwp
from support import SERVER, a_job, a_queue, eventually

HERE = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-W", "error"]


@unittest.skipUnless(SERVER, "AGWP_SERVER names no server")
class ExamplesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = agwp.Client(SERVER)
        self.addCleanup(self.client.close)

    def test_the_examples_work_together(self) -> None:
        for example in ("worker.py", "async_worker.py"):
            with self.subTest(example), tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "some.txt")
                file.write_text("one\ntwo\n")
                worker = subprocess.Popen([*PYTHON, str(HERE / "examples" / example), SERVER], stderr=subprocess.PIPE, text=True)
                try:
                    producer = [*PYTHON, str(HERE / "examples" / "producer.py"), SERVER, str(file)]
                    job_id = subprocess.run(producer, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]
                    eventually(lambda: self.client.get_job(job_id).state == "succeeded")
                    self.assertEqual("passed", self.client.get_job(job_id).outcome)
                finally:
                    worker.send_signal(signal.SIGTERM)
                    _, errors = worker.communicate(timeout=10)
                self.assertEqual((0, ""), (worker.returncode, errors))


class Driver:
    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PYTHON, str(HERE / "conformance" / "driver.py"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self._events: "queue.Queue[Dict[str, Any]]" = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.await_event("ready")

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._events.put(json.loads(line))

    def do(self, do: str, **fields: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
        self.process.stdin.flush()

    def await_event(self, event: str) -> Dict[str, Any]:
        until = time.monotonic() + 15
        while True:
            came = self._events.get(timeout=max(0.1, until - time.monotonic()))
            if came["event"] == event:
                return came

    def await_all_until(self, event: str) -> List[Dict[str, Any]]:
        told = [self._events.get(timeout=15)]
        while told[-1]["event"] != event:
            told.append(self._events.get(timeout=15))
        return told

    def call(self, operation: str, **fields: Any) -> Dict[str, Any]:
        self.do("call", server=SERVER, operation=operation, id=7, **fields)
        came = self._events.get(timeout=15)
        assert came["id"] == 7, came
        return came

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *_: Any) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(40)
        self.process.stdout.close()


@unittest.skipUnless(SERVER, "AGWP_SERVER names no server")
class DriverTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = agwp.Client(SERVER)
        self.addCleanup(self.client.close)
        self.queue = a_queue()

    def start(self, driver: Driver, **fields: Any) -> None:
        options = {"lease_seconds": 2, "wait_seconds": 2, "concurrency": 1, "grace_seconds": 0, "require_fencing": True}
        driver.do("start", server=SERVER, queues=[self.queue], label="w1", **{**options, **fields})
        driver.await_event("started")

    def test_it_works_jobs_as_it_is_told(self) -> None:
        for mode in ((), ("--asyncio",)):
            with self.subTest(mode), Driver(*mode) as driver:
                self.start(driver)
                for outcome, verdict, state in (("passed", "passed", "succeeded"), ("retry", "none", "queued"), ("throw", "none", "dead")):
                    job_id = a_job(self.client, self.queue, max_attempts=2 if outcome == "retry" else 1)
                    claimed = driver.await_event("claimed")
                    self.assertEqual((job_id, 1, 1), (claimed["job_id"], claimed["attempts"], claimed["fencing_token"]))
                    driver.do("finish", job_id=job_id, outcome=outcome, summary="s", retry_delay_seconds=600)
                    self.assertEqual({"event": "reported", "job_id": job_id, "outcome": verdict}, driver.await_event("reported"))
                    self.assertEqual(state, self.client.get_job(job_id).state)
                job_id = a_job(self.client, self.queue)
                driver.await_event("claimed")
                driver.do("progress", job_id=job_id, percent=40, message="m")
                eventually(lambda: self.client.get_job(job_id).progress == 40)
                driver.do("close")
                told = driver.await_all_until("closed")
                self.assertIn({"event": "ended"}, told)
                of_the_job = [event["event"] for event in told if event.get("job_id") == job_id]
                self.assertEqual(["stopped", "released"], of_the_job)
                self.client.cancel_job(job_id)

    def test_a_paused_worker_that_lost_its_job_to_its_own_label_is_fenced_off(self) -> None:
        for mode in ((), ("--asyncio",)):
            with self.subTest(mode), Driver(*mode) as driver:
                self.start(driver)
                job_id = a_job(self.client, self.queue)
                driver.await_event("claimed")
                driver.process.send_signal(signal.SIGSTOP)
                claim = agwp.ClaimJobRequest(queues=[self.queue], worker="w1", lease_seconds=60)
                eventually(lambda: self.client.claim_job(claim).jobs)
                driver.process.send_signal(signal.SIGCONT)
                self.assertEqual(job_id, driver.await_event("stopped")["job_id"])
                self.assertEqual(job_id, driver.await_event("lost")["job_id"])
                self.assertEqual(("claimed", 2), (self.client.get_job(job_id).state, self.client.get_job(job_id).attempts))
                self.client.cancel_job(job_id)

    def test_it_makes_calls_and_says_how_they_ended(self) -> None:
        with Driver() as driver:
            job = driver.call("enqueueJob", request={"queue": self.queue, "payload": {"a": 1}})["body"]
            self.assertEqual({"a": 1}, job["payload"])
            self.assertEqual(job["job_id"], driver.call("listJobs", query={"queue": self.queue})["body"]["jobs"][0]["job_id"])
            self.assertEqual(1, driver.call("getQueue", queue=self.queue)["body"]["depth"]["queued"])
            self.assertEqual("invalid", driver.call("enqueueJob", request={"queue": self.queue, "prio": 1})["event"])
            refused = driver.call("heartbeatJob", job_id=job["job_id"], request={"worker": "w1", "fencing_token": 1})
            self.assertEqual(("refused", "LostClaim", "not_found", 404), tuple(refused[it] for it in ("event", "type", "code", "status")))
            refused = driver.call("getJob", job_id="none")
            self.assertEqual(("Agwp", "unknown_job"), (refused["type"], refused["reason"]))


if __name__ == "__main__":
    unittest.main()
