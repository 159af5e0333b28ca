"""What a worker does when all goes well, and when claims, answers and servers are lost. Against a real server, faults made by a proxy."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
from typing import Any, Callable, Dict, List, Optional

import agwp
from support import SERVER, Heard, Proxy, Stub, a_job, a_queue, eventually, problem

PASSED = agwp.Outcome.passed("fine")


def _raise(error: Exception) -> agwp.Outcome:
    raise error


class Running:
    """A worker on a thread; ``close`` tells how run() ended."""

    def __init__(self, client: agwp.Client, queue: str, handler: Callable[[agwp.ClaimedJob], agwp.Outcome], **options: Any) -> None:
        self.heard = Heard()
        options = {"lease_seconds": 3, "wait_seconds": 2, "grace": 0, **options}
        self.worker = agwp.Worker(client, "w1", [queue], handler, listener=self.heard, **options)
        self.error: Optional[BaseException] = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.worker.run()
        except Exception as error:
            self.error = error

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: Any) -> None:
        self.worker.close()
        self.thread.join(5)
        assert not self.thread.is_alive()


class Slow:
    """A handler that runs until it is let go or told to stop."""

    def __init__(self, outcome: agwp.Outcome = PASSED) -> None:
        self.go = threading.Event()
        self.jobs: List[agwp.ClaimedJob] = []
        self.was_stopped = threading.Event()
        self._outcome = outcome

    def __call__(self, job: agwp.ClaimedJob) -> agwp.Outcome:
        self.jobs.append(job)
        while not self.go.wait(0.02):
            if job.stopped.is_set():
                self.was_stopped.set()
                break
        return self._outcome


@unittest.skipUnless(SERVER, "AGWP_SERVER names no server")
class WorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = agwp.Client(SERVER)
        self.addCleanup(self.client.close)
        self.proxy = Proxy()
        self.addCleanup(self.proxy.__exit__)
        self.through = agwp.Client(self.proxy.url, request_timeout=5)
        self.addCleanup(self.through.close)
        self.queue = a_queue()

    def job(self, job_id: str) -> agwp.Job:
        return self.client.get_job(job_id)

    def test_a_job_is_completed_with_all_that_the_handler_gives(self) -> None:
        job_id = a_job(self.client, self.queue, payload={"n": 1})

        def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            self.assertEqual((job_id, {"n": 1}, 1, 1, False), (job.id, job.payload, job.attempts, job.fencing_token, job.is_lost))
            evidence = agwp.Attestation(media_type="text/plain", body=b"evidence")
            return agwp.Outcome.failed("wrong", result={"found": 2}, attestation=evidence, log_url="http://log/1")

        with Running(self.through, self.queue, handler) as running:
            self.assertEqual(("reported", job_id, "failed"), running.heard.await_word("reported"))
        job = self.job(job_id)
        self.assertEqual(("succeeded", "failed", "wrong", {"found": 2}, "http://log/1"),
                         (job.state, job.outcome, job.summary, job.result, job.log_url))
        self.assertEqual(b"evidence", self.client.get_attestation(job_id))
        self.assertEqual(1, self.proxy.calls("/complete")[0]["fencing_token"])

    def test_what_has_no_verdict_fails_the_attempt(self) -> None:
        def raises(job: agwp.ClaimedJob) -> agwp.Outcome:
            raise RuntimeError("\U0001f600" * 5000)

        for handler, state, reason in (
            (raises, "queued", "handler_failed"),
            (lambda job: _raise(OSError("no \udcff")), "queued", "handler_failed"),
            (lambda job: None, "queued", "no_outcome"),
            (lambda job: agwp.Outcome.passed("x" * 4097), "queued", "handler_failed"),
            (lambda job: agwp.Outcome.passed(result={"x": object()}), "queued", "handler_failed"),
            (lambda job: agwp.Outcome.passed(result={"x": "y" * 300_000}), "queued", "outcome_refused"),
            (lambda job: agwp.Outcome.retry("later", "m", delay_seconds=600), "queued", "later"),
            (lambda job: agwp.Outcome.dead("never", "m"), "dead", "never"),
        ):
            queue = a_queue()
            job_id = a_job(self.client, queue)
            with self.subTest(reason), Running(self.client, queue, handler) as running:
                self.assertEqual("none", running.heard.await_word("reported")[2])
            job = self.job(job_id)
            self.assertEqual((state, reason), (job.state, job.last_error.reason))

    def test_no_more_jobs_are_held_than_run_at_once(self) -> None:
        ids = [a_job(self.client, self.queue) for _ in range(6)]
        handler = Slow()
        with Running(self.client, self.queue, handler, concurrency=2) as running:
            eventually(lambda: len(handler.jobs) == 2)
            time.sleep(0.5)
            self.assertEqual(2, self.client.get_queue(self.queue).depth.claimed)
            handler.go.set()
            eventually(lambda: running.heard.words().count("reported") == 6)
        self.assertEqual({"succeeded"}, {self.job(each).state for each in ids})

    def test_heartbeats_keep_the_claim_and_carry_progress_and_token(self) -> None:
        job_id = a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.through, self.queue, handler, lease_seconds=1) as running:
            running.heard.await_word("claimed")
            eventually(lambda: handler.jobs)
            handler.jobs[0].progress(40, "half")
            eventually(lambda: self.job(job_id).progress == 40)
            time.sleep(2)
            handler.go.set()
            running.heard.await_word("reported")
        self.assertEqual(("succeeded", 1, "half"), (self.job(job_id).state, self.job(job_id).attempts, self.job(job_id).status_message))
        self.assertEqual({1}, {beat["fencing_token"] for beat in self.proxy.calls("/heartbeat")})

    def test_a_cancelled_job_stops_the_handler_and_nothing_is_reported(self) -> None:
        job_id = a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.through, self.queue, handler) as running:
            running.heard.await_word("claimed")
            self.client.cancel_job(job_id)
            self.assertEqual(job_id, running.heard.await_word("lost")[1])
            self.assertTrue(handler.was_stopped.is_set())
            self.assertTrue(handler.jobs[0].is_lost)
        self.assertEqual([], self.proxy.calls("/complete") + self.proxy.calls("/fail"))

    def test_a_server_that_is_away_for_the_lease_loses_the_claim(self) -> None:
        a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.through, self.queue, handler, lease_seconds=2) as running:
            running.heard.await_word("claimed")
            claimed_at = time.monotonic()
            self.proxy.down = True
            why = running.heard.await_word("lost", 6)[2]
            self.assertIn("lease ran out", why)
            self.assertLess(time.monotonic() - claimed_at, 3.5)
            self.proxy.down = False
        self.assertEqual([], self.proxy.calls("/complete"))

    def test_an_outage_shorter_than_the_lease_since_the_last_heartbeat_is_no_loss(self) -> None:
        job_id = a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.through, self.queue, handler, lease_seconds=2) as running:
            eventually(lambda: len(self.proxy.calls("/heartbeat")) == 4)
            self.proxy.down = True
            time.sleep(0.9)
            self.proxy.down = False
            beats = len(self.proxy.calls("/heartbeat"))
            eventually(lambda: len(self.proxy.calls("/heartbeat")) > beats + 1)
            handler.go.set()
            running.heard.await_word("reported")
        self.assertEqual(("succeeded", 1), (self.job(job_id).state, self.job(job_id).attempts))

    def test_a_heartbeat_that_races_the_completion_is_no_loss(self) -> None:
        a_job(self.client, self.queue)
        handler = Slow()
        completed = threading.Event()
        self.proxy.delay_call("/heartbeat", completed)
        with Running(self.through, self.queue, handler, lease_seconds=6) as running:
            eventually(lambda: self.proxy.calls("/heartbeat"))
            handler.go.set()
            running.heard.await_word("reported")
            completed.set()
            time.sleep(0.5)
            self.assertFalse(handler.jobs[0].is_lost)
        self.assertEqual(["claimed", "reported"], running.heard.words())

    def test_a_heartbeat_without_answer_is_no_loss(self) -> None:
        job_id = a_job(self.client, self.queue)
        handler = Slow()
        self.proxy.hold_answer("/heartbeat")
        self.proxy.lose_call("/heartbeat")
        self.proxy.lose_answer("/heartbeat")
        with Running(self.through, self.queue, handler, lease_seconds=4) as running:
            eventually(lambda: len(self.proxy.calls("/heartbeat")) >= 5, 20)
            handler.go.set()
            running.heard.await_word("reported")
        self.assertEqual(("succeeded", 1), (self.job(job_id).state, self.job(job_id).attempts))

    def test_a_claim_whose_answer_was_lost_strands_no_job(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.lose_answer("/claim")
        with Running(self.through, self.queue, lambda job: PASSED) as running:
            running.heard.await_word("reported")
        self.assertEqual(1, self.job(job_id).attempts)

    def test_a_completion_whose_answer_was_lost_is_taken_once(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.lose_answer("/complete", 2)
        with Running(self.through, self.queue, lambda job: PASSED) as running:
            running.heard.await_word("reported")
        self.assertEqual("succeeded", self.job(job_id).state)
        self.assertEqual(3, len(self.proxy.calls("/complete")))

    def test_a_completion_that_was_taken_but_is_refused_when_repeated_is_looked_up(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.lose_answer("/complete")
        self.proxy.refuse("/complete")
        with Running(self.through, self.queue, lambda job: PASSED) as running:
            running.heard.await_word("reported")
        self.assertEqual(("succeeded", 2), (self.job(job_id).state, len(self.proxy.calls("/complete"))))

    def test_a_completion_that_is_refused_is_a_lost_claim(self) -> None:
        a_job(self.client, self.queue)
        self.proxy.refuse("/complete")
        with Running(self.through, self.queue, lambda job: PASSED) as running:
            self.assertIn("refused its outcome", running.heard.await_word("lost")[2])

    def test_every_call_carries_the_token(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.client.update_queue(self.queue, agwp.UpdateQueueRequest(require_fencing=True))
        slow = Slow()

        def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            if job.attempts == 1:
                time.sleep(0.6)
                return agwp.Outcome.retry("again", delay_seconds=0)
            return slow(job)

        with Running(self.through, self.queue, handler, lease_seconds=1) as running:
            eventually(lambda: running.heard.words().count("claimed") == 2)
        self.assertEqual(["claimed", "reported", "claimed", "released"], running.heard.words())
        with Running(self.through, self.queue, lambda job: PASSED) as running:
            running.heard.await_word("reported")
        self.assertEqual("succeeded", self.job(job_id).state)
        self.assertIsNone(self.client.get_queue(self.queue).unfenced_calls)
        for call in ("/heartbeat", "/fail", "/release", "/complete"):
            self.assertTrue(self.proxy.calls(call), call)

    def test_a_failure_whose_answer_was_lost_is_looked_up_and_not_sent_again(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.lose_answer("/fail")
        with Running(self.through, self.queue, lambda job: agwp.Outcome.dead("never")) as running:
            running.heard.await_word("reported")
        self.assertEqual("dead", self.job(job_id).state)
        self.assertEqual(1, len(self.proxy.calls("/fail")))

    def test_a_failure_that_never_arrived_is_sent_again(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.lose_call("/fail")
        with Running(self.through, self.queue, lambda job: agwp.Outcome.dead("never")) as running:
            running.heard.await_word("reported")
        self.assertEqual(("dead", 2), (self.job(job_id).state, len(self.proxy.calls("/fail"))))

    def test_a_stale_claim_of_the_same_label_is_refused(self) -> None:
        job_id = a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.through, self.queue, handler, lease_seconds=1) as running:
            running.heard.await_word("claimed")
            self.proxy.down = True
            request = agwp.ClaimJobRequest(queues=[self.queue], worker="w1", lease_seconds=60)
            eventually(lambda: self.client.claim_job(request).jobs)
            self.proxy.down = False
            running.heard.await_word("lost")
        self.assertEqual(("claimed", 2), (self.job(job_id).state, self.job(job_id).attempts))

    def test_close_lets_handlers_finish_within_the_grace(self) -> None:
        job_id = a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.client, self.queue, handler, grace=10) as running:
            running.heard.await_word("claimed")
            threading.Timer(0.3, handler.go.set).start()
        self.assertEqual(["claimed", "reported"], running.heard.words())
        self.assertEqual("succeeded", self.job(job_id).state)

    def test_close_stops_handlers_after_the_grace_and_releases_their_claims(self) -> None:
        job_id = a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.client, self.queue, handler, grace=0.2, wait_seconds=20, concurrency=2) as running:
            running.heard.await_word("claimed")
            began = time.monotonic()
        self.assertLess(time.monotonic() - began, 3)
        self.assertTrue(handler.was_stopped.is_set())
        self.assertEqual(["claimed", "released"], running.heard.words())
        self.assertEqual(("queued", 1), (self.job(job_id).state, self.job(job_id).attempts))

    def test_a_release_whose_answer_was_lost_is_looked_up(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.lose_answer("/release")
        with Running(self.through, self.queue, Slow()) as running:
            running.heard.await_word("claimed")
        self.assertEqual("released", running.heard.words()[-1])
        self.assertEqual(("queued", 1), (self.job(job_id).state, len(self.proxy.calls("/release"))))

    def test_the_jobs_of_a_claim_that_was_broken_off_are_handed_back(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.hold_answer("/claim")
        with Running(self.through, self.queue, Slow()) as running:
            eventually(lambda: self.job(job_id).state == "claimed")
            began = time.monotonic()
        self.assertLess(time.monotonic() - began, 3)
        self.assertEqual(["released"], running.heard.words())
        self.assertEqual(("queued", 1), (self.job(job_id).state, self.job(job_id).attempts))
        first, second = self.proxy.calls("/claim")
        self.assertEqual(first["request_id"], second["request_id"])

    def test_stop_ends_run_at_once_and_leaves_handlers_to_close(self) -> None:
        a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.client, self.queue, handler, wait_seconds=20, concurrency=2, grace=5) as running:
            running.heard.await_word("claimed")
            running.worker.stop()
            running.thread.join(3)
            self.assertFalse(running.thread.is_alive())
            self.assertFalse(handler.was_stopped.is_set())
            handler.go.set()
            running.heard.await_word("reported")

    def test_fencing_is_required_where_it_is_asked_for(self) -> None:
        def of_1_1_0(path: str, body: Dict[str, Any]) -> Dict[str, Any]:
            body.pop("fencing_enforced", None)
            return body

        job_id = a_job(self.client, self.queue)
        self.proxy.changes.append(of_1_1_0)
        with Running(self.through, self.queue, Slow(), require_fencing=True) as running:
            running.thread.join(5)
            self.assertIsInstance(running.error, agwp.UnfencedServer)
        self.assertEqual(["released"], running.heard.words())
        self.assertEqual("queued", self.job(job_id).state)

    def test_a_claim_that_is_refused_ends_run(self) -> None:
        with Stub(problem(403, "permission_denied")) as stub, agwp.Client(stub.url) as client:
            with Running(client, self.queue, Slow()) as running:
                running.thread.join(5)
                self.assertEqual("permission_denied", running.error.code)
            self.assertEqual(1, len(stub.requests))

    def test_a_server_that_is_away_at_first_is_waited_for(self) -> None:
        job_id = a_job(self.client, self.queue)
        self.proxy.down = True
        with agwp.Client(self.proxy.url, tries_max=1) as client, Running(client, self.queue, lambda job: PASSED) as running:
            running.heard.await_word("unavailable")
            self.proxy.down = False
            running.heard.await_word("reported")
        self.assertEqual("succeeded", self.job(job_id).state)

    def test_a_listener_that_raises_harms_nothing(self) -> None:
        job_id = a_job(self.client, self.queue)

        class Rude(agwp.WorkerListener):
            def claimed(self, job: agwp.Job) -> None:
                raise RuntimeError("rude")

        with self.assertLogs("agwp", "ERROR"), agwp.Worker(self.client, "w1", [self.queue], lambda job: PASSED, listener=Rude()) as worker:
            threading.Thread(target=worker.run, daemon=True).start()
            eventually(lambda: self.job(job_id).state == "succeeded")

    def test_options_out_of_range_are_refused(self) -> None:
        async def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            return PASSED

        for wrong in (
            {"handler": handler},
            {"label": "a b"},
            {"label": ""},
            {"queues": []},
            {"queues": "validate"},
            {"queues": ["a b"]},
            {"queues": ["q"] * 33},
            {"lease_seconds": 0},
            {"lease_seconds": 86_401},
            {"wait_seconds": 61},
            {"concurrency": 0},
            {"concurrency": 1001},
            {"grace": -1},
        ):
            with self.subTest(wrong), self.assertRaises(ValueError):
                agwp.Worker(self.client, **{"label": "w1", "queues": ["q"], "handler": Slow(), **wrong})

    def test_progress_out_of_range_is_refused(self) -> None:
        a_job(self.client, self.queue)
        handler = Slow()
        with Running(self.client, self.queue, handler):
            eventually(lambda: handler.jobs)
            for percent, message in ((-1, None), (101, None), (1, "x" * 4097), (1, "\U0001f600" * 2049)):
                with self.subTest(percent), self.assertRaises(ValueError):
                    handler.jobs[0].progress(percent, message)

    def test_a_worker_runs_once(self) -> None:
        with agwp.Worker(self.client, "w1", [self.queue], Slow(), wait_seconds=1) as worker:
            worker.stop()
            worker.run()
            with self.assertRaises(RuntimeError):
                worker.run()


@unittest.skipUnless(SERVER, "AGWP_SERVER names no server")
class AsyncWorkerTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        # Its debug mode tells of every step that takes long, and a test here blocks the loop on purpose.
        asyncio.get_running_loop().set_debug(False)
        self.client = agwp.Client(SERVER)
        self.addCleanup(self.client.close)
        self.queue = a_queue()
        self.heard = Heard()

    def worker(self, handler: Any, **options: Any) -> agwp.AsyncWorker:
        options = {"lease_seconds": 3, "wait_seconds": 20, "grace": 0, "listener": self.heard, **options}
        return agwp.AsyncWorker(self.client, "w1", [self.queue], handler, **options)

    async def hear(self, word: str) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, self.heard.await_word, word)

    async def test_handlers_run_at_once_on_the_loop(self) -> None:
        ids = [a_job(self.client, self.queue) for _ in range(3)]
        all_here = asyncio.Event()
        here: List[str] = []

        async def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            here.append(job.id)
            if len(here) == 3:
                all_here.set()
            await all_here.wait()
            return PASSED

        async with self.worker(handler, concurrency=3) as worker:
            running = asyncio.ensure_future(worker.run())
            for _ in range(200):
                if self.heard.words().count("reported") == 3:
                    break
                await asyncio.sleep(0.05)
            worker.stop()
            await asyncio.wait_for(running, 5)
        self.assertEqual({"succeeded"}, {self.client.get_job(each).state for each in ids})

    async def test_a_lost_claim_cancels_the_handler(self) -> None:
        job_id = a_job(self.client, self.queue)
        cancelled = asyncio.Event()

        async def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return PASSED

        async with self.worker(handler) as worker:
            asyncio.ensure_future(worker.run())
            await self.hear("claimed")
            self.client.cancel_job(job_id)
            await self.hear("lost")
            self.assertTrue(cancelled.is_set())
        self.assertEqual(["claimed", "lost"], self.heard.words())

    async def test_close_cancels_handlers_and_releases_when_they_have_cleaned_up(self) -> None:
        job_id = a_job(self.client, self.queue)
        states: List[str] = []

        async def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.3)
                states.append(self.client.get_job(job_id).state)
            return PASSED

        async with self.worker(handler) as worker:
            asyncio.ensure_future(worker.run())
            await self.hear("claimed")
        self.assertEqual(["claimed"], states)
        self.assertEqual(["claimed", "released"], self.heard.words())
        self.assertEqual("queued", self.client.get_job(job_id).state)

    async def test_what_a_handler_raises_fails_the_attempt(self) -> None:
        job_id = a_job(self.client, self.queue, max_attempts=1)

        async def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            raise ValueError("no")

        async with self.worker(handler) as worker:
            asyncio.ensure_future(worker.run())
            await self.hear("reported")
        job = self.client.get_job(job_id)
        self.assertEqual(("dead", "handler_failed", "ValueError: no"), (job.state, job.last_error.reason, job.last_error.message))

    async def test_cancelling_run_ends_the_claims(self) -> None:
        async def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            return PASSED

        async with self.worker(handler) as worker:
            running = asyncio.ensure_future(worker.run())
            await asyncio.sleep(0.3)
            running.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await running
            began = time.monotonic()
        self.assertLess(time.monotonic() - began, 3)

    async def test_a_blocked_loop_keeps_its_claim(self) -> None:
        job_id = a_job(self.client, self.queue)

        async def handler(job: agwp.ClaimedJob) -> agwp.Outcome:
            time.sleep(2.5)
            return PASSED

        async with self.worker(handler, lease_seconds=1) as worker:
            asyncio.ensure_future(worker.run())
            await self.hear("reported")
        self.assertEqual(("succeeded", 1), (self.client.get_job(job_id).state, self.client.get_job(job_id).attempts))


if __name__ == "__main__":
    unittest.main()
