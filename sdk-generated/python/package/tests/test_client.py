"""What the client sends, reads, repeats and raises."""

from __future__ import annotations

import json
import socket
import time
import unittest
from typing import Any

import agwp
from support import JOB, LOST, SERVER, Stub, a_queue, answer, problem

TAKEN = answer(200, JOB)


def a_heartbeat(**fields: Any) -> agwp.HeartbeatJobRequest:
    return agwp.HeartbeatJobRequest(worker="w1", **fields)


class RequestTest(unittest.TestCase):
    def test_an_unknown_argument_is_an_error(self) -> None:
        for mistyped in (
            lambda: agwp.HeartbeatJobRequest(worker="w1", fencing_tokn=3),
            lambda: agwp.EnqueueJobsRequest(jobs=[{"queue": "q", "prioritty": 1}]),
            lambda: agwp.CompleteJobRequest.from_dict({"worker": "w1", "outcome": "passed", "sumary": "x"}),
            lambda: setattr(a_heartbeat(), "fencing_tokn", 3),
        ):
            with self.assertRaises(ValueError):
                mistyped()

    def test_a_payload_that_is_no_json_is_an_error_and_is_never_sent(self) -> None:
        cyclic: dict[str, Any] = {}
        cyclic["self"] = cyclic
        with Stub(TAKEN) as stub, agwp.Client(stub.url) as client:
            for payload in ({"a": object()}, {"a": {1, 2}}, {"a": b"x"}, {"a": float("nan")}, cyclic):
                with self.subTest(payload=str(payload)), self.assertRaises(ValueError):
                    client.enqueue_job(agwp.EnqueueJobRequest(queue="q", payload=payload))
            self.assertEqual([], stub.requests)

    def test_what_is_absent_is_not_sent(self) -> None:
        with Stub(TAKEN) as stub, agwp.Client(stub.url) as client:
            client.heartbeat_job("j1", a_heartbeat(fencing_token=None))
            client.fail_job("j1", agwp.FailJobRequest(worker="w1"))
        self.assertEqual([{"worker": "w1"}] * 2, [request["body"] for request in stub.requests])

    def test_zero_false_and_nulls_within_a_payload_are_sent(self) -> None:
        payload = {"a": None, "b": [{"c": None}], "d": {}}
        depth = dict.fromkeys(("queued", "claimed", "succeeded", "dead", "cancelled"), 0)
        queue = answer(200, {"queue": "q", "paused": False, "depth": depth})
        with Stub(TAKEN, queue, answer(201, {"jobs": [JOB]})) as stub, agwp.Client(stub.url) as client:
            client.enqueue_job(agwp.EnqueueJobRequest(queue="q", payload=payload, priority=0))
            client.update_queue("q", agwp.UpdateQueueRequest(paused=False))
            client.enqueue_jobs(agwp.EnqueueJobsRequest(jobs=[agwp.EnqueueJobRequest(queue="q", payload=payload)]))
        self.assertEqual({"queue": "q", "payload": payload, "priority": 0}, stub.requests[0]["body"])
        self.assertEqual({"paused": False}, stub.requests[1]["body"])
        self.assertEqual({"jobs": [{"queue": "q", "payload": payload}]}, stub.requests[2]["body"])

    def test_the_largest_fencing_token_survives(self) -> None:
        with Stub(TAKEN) as stub, agwp.Client(stub.url) as client:
            client.heartbeat_job("j1", a_heartbeat(fencing_token=4294967295))
        self.assertEqual(4294967295, stub.requests[0]["body"]["fencing_token"])

    def test_an_attestation_is_given_as_bytes_or_base64(self) -> None:
        with Stub(TAKEN) as stub, agwp.Client(stub.url) as client:
            for body in (b"\x00\xff", "AP8="):
                attestation = agwp.Attestation(media_type="text/plain", body=body)
                client.complete_job("j1", agwp.CompleteJobRequest(worker="w1", outcome="passed", attestation=attestation))
        self.assertEqual(["AP8="] * 2, [request["body"]["attestation"]["body"] for request in stub.requests])

    def test_options_out_of_range_are_refused(self) -> None:
        for made in (
            lambda: agwp.Client("ftp://x"),
            lambda: agwp.Client("127.0.0.1:8080"),
            lambda: agwp.Client("http://x", tries_max=0),
            lambda: agwp.Client("http://x", request_timeout=0),
            lambda: agwp.Client("http://x", connect_timeout=-1),
        ):
            with self.assertRaises(ValueError):
                made()


class AnswerTest(unittest.TestCase):
    def test_unknown_fields_states_and_nulls_survive(self) -> None:
        of_tomorrow = {**JOB, "state": "paused", "outcome": "inconclusive", "tags": ["x"], "summary": None}
        with Stub(answer(200, of_tomorrow)) as stub, agwp.Client(stub.url) as client:
            job = client.get_job("j1")
        self.assertEqual("paused", job.state)
        self.assertEqual("inconclusive", job.outcome)
        self.assertIsNone(job.summary)
        self.assertEqual({"tags": ["x"]}, job.additional_properties)

    def test_nulls_within_a_payload_survive(self) -> None:
        with Stub(answer(200, {**JOB, "payload": {"a": None}, "result": {"b": [{"c": None}]}})) as stub, agwp.Client(stub.url) as client:
            job = client.get_job("j1")
        self.assertEqual({"a": None}, job.payload)
        self.assertEqual({"b": [{"c": None}]}, job.to_dict()["result"])

    def test_the_largest_numbers_survive(self) -> None:
        depth = {"queued": 2**64 - 1, "claimed": 2**53 + 1, "succeeded": 0, "dead": 0, "cancelled": 0}
        calls = {"principal": "p", "worker": "w", "calls": 2**64 - 1, "last_at": "2026-12-01T10:00:30.000Z"}
        body = {"queue": "q", "paused": False, "depth": depth, "unfenced_calls": [calls]}
        with Stub(answer(200, body)) as stub, agwp.Client(stub.url) as client:
            queue = client.get_queue("q")
        self.assertEqual(2**64 - 1, queue.depth.queued)
        self.assertEqual(2**53 + 1, queue.depth.claimed)
        self.assertEqual(2**64 - 1, queue.unfenced_calls[0].calls)

    def test_what_is_not_of_the_contract_is_no_answer(self) -> None:
        for given in (answer(200, {"hello": "world"}), answer(302, {}, Location="/elsewhere")):
            with self.subTest(given), Stub(given) as stub, agwp.Client(stub.url) as client:
                with self.assertRaises(agwp.NoAnswer):
                    client.get_job("j1")
                self.assertEqual(1, len(stub.requests))


class ErrorTest(unittest.TestCase):
    def test_a_refusal_says_why(self) -> None:
        body = {"code": "invalid_argument", "detail": "queue must be", "errors": [{"field": "queue", "message": "must be", "hint": "x"}]}
        with Stub(answer(400, body, X_Request_Id="r1")) as stub, agwp.Client(stub.url) as client:
            with self.assertRaises(agwp.AgwpError) as caught:
                client.get_job("j1")
        error = caught.exception
        self.assertIs(agwp.AgwpError, type(error))
        self.assertEqual(("invalid_argument", None, 400, "r1"), (error.code, error.reason, error.status, error.request_id))
        self.assertEqual((agwp.FieldError("queue", "must be"),), error.field_errors)
        self.assertEqual("queue must be", str(error))

    def test_words_of_a_later_release_survive(self) -> None:
        with Stub(problem(418, "teapot", "too_short")) as stub, agwp.Client(stub.url) as client:
            with self.assertRaises(agwp.AgwpError) as caught:
                client.get_job("j1")
        self.assertEqual(("teapot", "too_short"), (caught.exception.code, caught.exception.reason))

    def test_a_page_of_a_proxy_is_an_error_as_well(self) -> None:
        def page(handler: Any) -> None:
            handler.send_response(502)
            handler.send_header("Content-Length", "6")
            handler.end_headers()
            handler.wfile.write(b"<html>")

        with Stub(page) as stub, agwp.Client(stub.url) as client:
            with self.assertRaises(agwp.AgwpError) as caught:
                client.get_job("j1")
        self.assertEqual(("internal", 502), (caught.exception.code, caught.exception.status))

    def test_a_lost_claim_is_told_from_other_refusals(self) -> None:
        calls = {
            "heartbeat": lambda client: client.heartbeat_job("j1", a_heartbeat()),
            "complete": lambda client: client.complete_job("j1", agwp.CompleteJobRequest(worker="w1", outcome="passed")),
            "fail": lambda client: client.fail_job("j1", agwp.FailJobRequest(worker="w1")),
            "release": lambda client: client.release_job("j1", agwp.ReleaseJobRequest(worker="w1")),
        }
        for name, call in calls.items():
            for given, expected in (
                (problem(404, "not_found", "not_holder"), agwp.LostClaim),
                (problem(409, "failed_precondition"), agwp.LostClaim),
                (problem(409, "failed_precondition", "fencing_token_required"), agwp.AgwpError),
                (problem(409, "failed_precondition", "attestation_unsigned"), agwp.AgwpError),
                (problem(400, "invalid_argument"), agwp.AgwpError),
            ):
                with self.subTest(name, given=given), Stub(given) as stub, agwp.Client(stub.url) as client:
                    with self.assertRaises(agwp.AgwpError) as caught:
                        call(client)
                    self.assertIs(expected, type(caught.exception))
        with Stub(problem(404, "not_found", "unknown_job")) as stub, agwp.Client(stub.url) as client:
            with self.assertRaises(agwp.AgwpError) as caught:
                client.get_job("j1")
            self.assertIs(agwp.AgwpError, type(caught.exception))


SAFE = {
    "get": lambda client: client.get_job("j1"),
    "heartbeat": lambda client: client.heartbeat_job("j1", a_heartbeat()),
    "cancel": lambda client: client.cancel_job("j1"),
    "enqueue with a key": lambda client: client.enqueue_job(agwp.EnqueueJobRequest(queue="q", unique_key="k")),
    "complete with a token": lambda client: client.complete_job(
        "j1", agwp.CompleteJobRequest(worker="w1", outcome="passed", fencing_token=1)
    ),
}
UNSAFE = {
    "fail": lambda client: client.fail_job("j1", agwp.FailJobRequest(worker="w1", fencing_token=1)),
    "release": lambda client: client.release_job("j1", agwp.ReleaseJobRequest(worker="w1", fencing_token=1)),
    "retry": lambda client: client.retry_job("j1"),
    "enqueue without a key": lambda client: client.enqueue_job(agwp.EnqueueJobRequest(queue="q")),
    "enqueue of some without a key": lambda client: client.enqueue_jobs(
        agwp.EnqueueJobsRequest(jobs=[agwp.EnqueueJobRequest(queue="q", unique_key="k"), agwp.EnqueueJobRequest(queue="q")])
    ),
    "complete with the token 0": lambda client: client.complete_job(
        "j1", agwp.CompleteJobRequest(worker="w1", outcome="passed", fencing_token=0)
    ),
}


class RepeatTest(unittest.TestCase):
    def test_what_is_safe_is_repeated_after_a_lost_answer_and_503(self) -> None:
        for name, call in SAFE.items():
            for given in (LOST, problem(503, "unavailable")):
                with self.subTest(name, given=given), Stub(given, given, TAKEN) as stub, agwp.Client(stub.url) as client:
                    self.assertEqual("j1", call(client).job_id)
                    self.assertEqual(3, len(stub.requests))

    def test_what_is_not_safe_is_not_repeated_then(self) -> None:
        for name, call in UNSAFE.items():
            for given, expected in ((LOST, agwp.NoAnswer), (problem(503, "unavailable"), agwp.AgwpError)):
                with self.subTest(name, given=given), Stub(given, TAKEN) as stub, agwp.Client(stub.url) as client:
                    with self.assertRaises(expected):
                        call(client)
                    self.assertEqual(1, len(stub.requests))

    def test_everything_is_repeated_after_429(self) -> None:
        for name, call in {**SAFE, **UNSAFE}.items():
            answers = TAKEN if "some" not in name else answer(201, {"jobs": [JOB]})
            with self.subTest(name), Stub(problem(429, "resource_exhausted"), answers) as stub, agwp.Client(stub.url) as client:
                call(client)
                self.assertEqual(2, len(stub.requests))

    def test_a_claim_is_repeated_under_the_same_request_id(self) -> None:
        request = agwp.ClaimJobRequest(queues=["q"], worker="w1")
        with Stub(LOST, problem(503, "unavailable"), answer(200, {"jobs": [JOB]})) as stub, agwp.Client(stub.url) as client:
            client.claim_job(request)
        ids = [sent["body"]["request_id"] for sent in stub.requests]
        self.assertEqual(3, len(ids))
        self.assertEqual(1, len(set(ids)))
        self.assertIsNone(request.request_id)

    def test_tries_max_bounds_the_tries(self) -> None:
        with Stub(LOST) as stub, agwp.Client(stub.url, tries_max=2) as client:
            with self.assertRaises(agwp.NoAnswer) as caught:
                client.get_job("j1")
        self.assertEqual(2, len(stub.requests))
        self.assertEqual(("unavailable", 0), (caught.exception.code, caught.exception.status))

    def test_retry_after_is_waited_for(self) -> None:
        with Stub(problem(429, "resource_exhausted", Retry_After="1"), TAKEN) as stub, agwp.Client(stub.url) as client:
            began = time.monotonic()
            client.retry_job("j1")
            self.assertGreaterEqual(time.monotonic() - began, 1.0)

    def test_a_refused_connection_is_tried_again_whatever_the_call(self) -> None:
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            with agwp.Client(f"http://127.0.0.1:{bound.getsockname()[1]}", tries_max=3) as client:
                began = time.monotonic()
                with self.assertRaisesRegex(agwp.NoAnswer, "refused"):
                    client.retry_job("j1")
                self.assertLess(time.monotonic() - began, 5)

    def test_an_answer_that_trickles_ends_with_the_time_allowed(self) -> None:
        def trickle(handler: Any) -> None:
            handler.send_response(200)
            handler.end_headers()
            for byte in json.dumps(JOB).encode():
                handler.wfile.write(bytes([byte]))
                time.sleep(0.1)

        with Stub(trickle) as stub, agwp.Client(stub.url, request_timeout=1, tries_max=1) as client:
            began = time.monotonic()
            with self.assertRaisesRegex(agwp.NoAnswer, "within the time allowed"):
                client.get_job("j1")
            self.assertLess(time.monotonic() - began, 3)

    def test_a_closed_client_pauses_no_more(self) -> None:
        with Stub(problem(429, "resource_exhausted", Retry_After="10")) as stub, agwp.Client(stub.url) as client:
            client.close()
            with self.assertRaises(agwp.AgwpError):
                client.get_job("j1")


@unittest.skipUnless(SERVER, "AGWP_SERVER names no server")
class ServerTest(unittest.TestCase):
    def test_a_job_goes_through_every_operation(self) -> None:
        queue = a_queue()
        with agwp.Client(SERVER) as client:
            jobs = client.enqueue_jobs(agwp.EnqueueJobsRequest(jobs=[agwp.EnqueueJobRequest(queue=queue) for _ in range(3)])).jobs
            self.assertEqual(2, len(client.list_jobs(queue=queue, state="queued", page_size=2).jobs))
            claim = agwp.ClaimJobRequest(queues=[queue], worker="w1", max_jobs=3)
            claimed = client.claim_job(claim)
            self.assertTrue(claimed.fencing_enforced)
            first, second, third = (job.job_id for job in claimed.jobs)
            self.assertEqual({job.job_id for job in jobs}, {first, second, third})
            beaten = client.heartbeat_job(first, agwp.HeartbeatJobRequest(worker="w1", fencing_token=1, progress=40, status_message="x"))
            self.assertEqual((40, "x"), (beaten.progress, beaten.status_message))
            attestation = agwp.Attestation(media_type="text/plain", body=b"\x00evidence\xff")
            verdict = agwp.CompleteJobRequest(worker="w1", fencing_token=1, outcome="failed", attestation=attestation)
            self.assertEqual("succeeded", client.complete_job(first, verdict).state)
            self.assertEqual(b"\x00evidence\xff", client.get_attestation(first))
            with self.assertRaises(agwp.LostClaim):
                client.heartbeat_job(second, agwp.HeartbeatJobRequest(worker="w1", fencing_token=2))
            self.assertEqual("dead", client.fail_job(second, agwp.FailJobRequest(worker="w1", terminal=True)).state)
            self.assertEqual("queued", client.retry_job(second).state)
            self.assertEqual("cancelled", client.cancel_job(second).state)
            self.assertEqual("queued", client.release_job(third, agwp.ReleaseJobRequest(worker="w1", fencing_token=1)).state)
            self.assertTrue(client.update_queue(queue, agwp.UpdateQueueRequest(paused=True)).paused)
            self.assertEqual("w1", client.get_queue(queue).unfenced_calls[0].worker)
            self.assertTrue(any(each.queue == queue for each in client.list_queues().queues))
            self.assertGreaterEqual(client.get_audit_head().seq, 0)
            self.assertLessEqual(len(client.list_audit_events(after=0, limit=1).events), 1)


if __name__ == "__main__":
    unittest.main()
