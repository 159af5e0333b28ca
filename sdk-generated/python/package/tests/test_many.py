"""Calls for many jobs at once, and completions and failures that claim the next job."""

from __future__ import annotations

import unittest
from typing import Any, Dict

import agwp
from support import JOB, LOST, SERVER, Proxy, Stub, a_queue, answer, problem


def a_heartbeat(**fields: Any) -> agwp.HeartbeatJobRequest:
    return agwp.HeartbeatJobRequest(worker="w1", **fields)


def a_completion(**fields: Any) -> agwp.CompleteJobRequest:
    return agwp.CompleteJobRequest(worker="w1", outcome="passed", **fields)


def a_failure(**fields: Any) -> agwp.FailJobRequest:
    return agwp.FailJobRequest(worker="w1", **fields)


def heartbeats(*job_ids: str) -> agwp.HeartbeatJobsRequest:
    heartbeat = a_heartbeat(fencing_token=1)
    return agwp.HeartbeatJobsRequest(heartbeats=[agwp.JobHeartbeat(job_id=each, heartbeat=heartbeat) for each in job_ids])


def completions(**each: agwp.CompleteJobRequest) -> agwp.CompleteJobsRequest:
    return agwp.CompleteJobsRequest(completions=[agwp.JobCompletion(job_id=job_id, completion=one) for job_id, one in each.items()])


def failures(*job_ids: str) -> agwp.FailJobsRequest:
    failure = a_failure(fencing_token=1)
    return agwp.FailJobsRequest(failures=[agwp.JobFailure(job_id=each, failure=failure) for each in job_ids])


SAFE = {
    "heartbeats": lambda client: client.heartbeat_jobs(heartbeats("j1", "j2")),
    "completions with tokens": lambda client: client.complete_jobs(
        completions(j1=a_completion(fencing_token=1), j2=a_completion(fencing_token=2))
    ),
}
UNSAFE = {
    "completions, one with the token 0": lambda client: client.complete_jobs(
        completions(j1=a_completion(fencing_token=1), j2=a_completion(fencing_token=0))
    ),
    "completions, one without a token": lambda client: client.complete_jobs(
        completions(j1=a_completion(fencing_token=1), j2=a_completion())
    ),
    "failures": lambda client: client.fail_jobs(failures("j1")),
}


class RequestTest(unittest.TestCase):
    def test_an_unknown_argument_is_an_error_at_every_depth(self) -> None:
        for mistyped in (
            lambda: agwp.HeartbeatJobsRequest(heartbeat=[]),
            lambda: agwp.JobHeartbeat(job_id="j1", heartbeat={"worker": "w1", "fencing_tokn": 3}),
            lambda: agwp.CompleteJobsRequest(completions=[{"job": "j1", "completion": a_completion()}]),
            lambda: agwp.FailJobsRequest(failures=[{"job_id": "j1", "failure": {"worker": "w1", "resaon": "r"}}]),
            lambda: a_completion(claim_next={"queues": ["q"], "wait_seconds": 1}),
            lambda: a_failure(claim_next=agwp.ClaimNext(queue="q")),
        ):
            with self.assertRaises(ValueError):
                mistyped()

    def test_each_call_is_sent_as_it_would_be_alone(self) -> None:
        evidence = agwp.Attestation(media_type="text/plain", body=b"\x00\xff")
        with Stub(answer(200, {"results": []})) as stub, agwp.Client(stub.url) as client:
            client.complete_jobs(completions(j1=a_completion(attestation=evidence), j2=a_completion(result={"a": None})))
            client.fail_jobs(failures("j1"))
        plain = {"worker": "w1", "outcome": "passed"}
        self.assertEqual(
            [
                {"job_id": "j1", "completion": {**plain, "attestation": {"media_type": "text/plain", "body": "AP8="}}},
                {"job_id": "j2", "completion": {**plain, "result": {"a": None}}},
            ],
            stub.requests[0]["body"]["completions"],
        )
        self.assertEqual({"failures": [{"job_id": "j1", "failure": {"worker": "w1", "fencing_token": 1}}]}, stub.requests[1]["body"])


class AnswerTest(unittest.TestCase):
    def test_each_result_is_a_job_or_an_error_of_its_type(self) -> None:
        def refused(code: str, reason: str) -> Dict[str, Any]:
            return {"error": {"code": code, "detail": f"refused: {code}", "reason": reason, "hint": "x"}}

        results = [
            {"job": {**JOB, "tags": ["x"]}},
            refused("not_found", "not_holder"),
            refused("failed_precondition", "stale_fencing_token"),
            refused("failed_precondition", "fencing_token_required"),
            refused("failed_precondition", "attestation_required"),
            {"error": {"code": "teapot", "detail": "d", "errors": [{"field": "f", "message": "m"}]}},
        ]
        with Stub(answer(200, {"results": results})) as stub, agwp.Client(stub.url) as client:
            for answered in (
                client.heartbeat_jobs(heartbeats("j1")),
                client.complete_jobs(completions(j1=a_completion())),
                client.fail_jobs(failures("j1")),
            ):
                taken, lost, stale, unfenced, unattested, later = answered.results
                self.assertEqual(({"tags": ["x"]}, None), (taken.job.additional_properties, taken.error))
                self.assertEqual((None, "refused: not_found"), (lost.job, str(lost.error)))
                self.assertEqual(("not_found", "not_holder", 200), (lost.error.code, lost.error.reason, lost.error.status))
                types = [type(each.error) for each in (lost, stale, unfenced, unattested, later)]
                self.assertEqual([agwp.LostClaim, agwp.LostClaim, agwp.AgwpError, agwp.AgwpError, agwp.AgwpError], types)
                self.assertEqual(("teapot", None), (later.error.code, later.error.reason))
                self.assertEqual((agwp.FieldError("f", "m"),), later.error.field_errors)
        self.assertEqual(["/v1/jobs/heartbeat", "/v1/jobs/complete", "/v1/jobs/fail"], [request["path"] for request in stub.requests])

    def test_a_result_of_tomorrow_survives(self) -> None:
        with Stub(answer(200, {"results": [{"postponed": {"until": 1}}], "more": 2})) as stub, agwp.Client(stub.url) as client:
            answered = client.heartbeat_jobs(heartbeats("j1"))
        self.assertEqual({"more": 2}, answered.additional_properties)
        result = answered.results[0]
        self.assertEqual((None, None, {"postponed": {"until": 1}}), (result.job, result.error, result.additional_properties))

    def test_unknown_fields_and_nulls_survive_within_a_next_job(self) -> None:
        third = {**JOB, "job_id": "j3", "tags": ["x"], "payload": {"a": None}}
        second = {**JOB, "job_id": "j2", "state": "paused", "next_job": third}
        with Stub(answer(200, {**JOB, "next_job": second})) as stub, agwp.Client(stub.url) as client:
            job = client.fail_job("j1", a_failure(claim_next=agwp.ClaimNext(queues=["q"])))
        self.assertEqual(("j2", "paused"), (job.next_job.job_id, job.next_job.state))
        self.assertEqual({"tags": ["x"]}, job.next_job.next_job.additional_properties)
        self.assertIsNone(job.next_job.next_job.next_job)
        self.assertEqual({"a": None}, job.to_dict()["next_job"]["next_job"]["payload"])

    def test_a_server_without_calls_for_many_lost_no_claim(self) -> None:
        for given in (problem(404, "not_found"), problem(405, "method_not_allowed")):
            for name, call in {**SAFE, **UNSAFE}.items():
                with self.subTest(name, given=given), Stub(given) as stub, agwp.Client(stub.url) as client:
                    with self.assertRaises(agwp.AgwpError) as caught:
                        call(client)
                    self.assertIs(agwp.AgwpError, type(caught.exception))


class RepeatTest(unittest.TestCase):
    def test_only_what_is_safe_for_each_job_is_repeated(self) -> None:
        taken = answer(200, {"results": [{"job": JOB}]})
        for name, call in {**SAFE, **UNSAFE}.items():
            for given in (LOST, problem(503, "unavailable")):
                with self.subTest(name, given=given), Stub(given, taken) as stub, agwp.Client(stub.url) as client:
                    if name in SAFE:
                        self.assertEqual("j1", call(client).results[0].job.job_id)
                    else:
                        self.assertRaises(agwp.AgwpError, call, client)
                    self.assertEqual(2 if name in SAFE else 1, len(stub.requests))
            with self.subTest(name), Stub(problem(429, "resource_exhausted"), taken) as stub, agwp.Client(stub.url) as client:
                call(client)
                self.assertEqual(2, len(stub.requests))

    def test_a_completion_is_repeated_with_the_same_claim_of_the_next_job(self) -> None:
        unnamed = a_completion(fencing_token=1, claim_next=agwp.ClaimNext(queues=["q"]))
        named = a_completion(fencing_token=1, claim_next=agwp.ClaimNext(queues=["q"], request_id="r1"))
        with Stub(LOST, answer(200, JOB)) as stub, agwp.Client(stub.url) as client:
            client.complete_job("j1", unnamed)
        first, again = (request["body"]["claim_next"]["request_id"] for request in stub.requests)
        self.assertEqual(first, again)

        with Stub(LOST, answer(200, {"results": []})) as stub, agwp.Client(stub.url) as client:
            client.complete_jobs(completions(j1=unnamed, j2=unnamed, j3=named))
        tries = [[each["completion"]["claim_next"]["request_id"] for each in sent["body"]["completions"]] for sent in stub.requests]
        self.assertEqual(tries[0], tries[1])
        self.assertEqual((3, "r1"), (len(set(tries[0])), tries[0][2]))
        self.assertIsNone(unnamed.claim_next.request_id)


@unittest.skipUnless(SERVER, "AGWP_SERVER names no server")
class ServerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.queue = a_queue()
        self.client = agwp.Client(SERVER)
        self.addCleanup(self.client.close)
        a_job = agwp.EnqueueJobRequest(queue=self.queue, payload={"a": None})
        self.client.enqueue_jobs(agwp.EnqueueJobsRequest(jobs=[a_job] * 3))

    def claim(self, max_jobs: int) -> Any:
        claimed = self.client.claim_job(agwp.ClaimJobRequest(queues=[self.queue], worker="w1", max_jobs=max_jobs))
        return [job.job_id for job in claimed.jobs]

    def test_many_jobs_are_kept_given_up_and_ended_in_one_call_each(self) -> None:
        first, second = self.claim(2)
        kept = self.client.heartbeat_jobs(heartbeats(first, "none", second)).results
        self.assertEqual([first, second], [kept[0].job.job_id, kept[2].job.job_id])
        self.assertEqual((agwp.LostClaim, "unknown_job"), (type(kept[1].error), kept[1].error.reason))

        self.assertEqual("queued", self.client.fail_jobs(failures(second)).results[0].job.state)

        completion = a_completion(fencing_token=1, claim_next=agwp.ClaimNext(queues=[self.queue]))
        ended, refused = self.client.complete_jobs(completions(**{first: completion, second: completion})).results
        self.assertEqual(("succeeded", "claimed", {"a": None}), (ended.job.state, ended.job.next_job.state, ended.job.next_job.payload))
        self.assertEqual((agwp.LostClaim, "failed_precondition"), (type(refused.error), refused.error.code))

    def test_a_completion_or_a_failure_gives_the_next_job(self) -> None:
        (first,) = self.claim(1)
        claim_next = agwp.ClaimNext(queues=[self.queue], lease_seconds=30)
        second = self.client.complete_job(first, a_completion(fencing_token=1, claim_next=claim_next)).next_job
        failed = self.client.fail_job(second.job_id, a_failure(fencing_token=1, terminal=True, claim_next=claim_next))
        self.assertEqual(("dead", "claimed"), (failed.state, failed.next_job.state))
        last = self.client.complete_job(failed.next_job.job_id, a_completion(fencing_token=1, claim_next=claim_next))
        self.assertEqual(("succeeded", None), (last.state, last.next_job))
        self.assertEqual(3, len({first, second.job_id, failed.next_job.job_id}))

    def test_a_completion_whose_answer_was_lost_claims_one_job_and_tells_which(self) -> None:
        (first,) = self.claim(1)
        with Proxy() as proxy, agwp.Client(proxy.url) as client:
            proxy.lose_answer("/complete")
            completion = a_completion(fencing_token=1, claim_next=agwp.ClaimNext(queues=[self.queue]))
            following = client.complete_job(first, completion).next_job
            self.assertEqual(2, len(proxy.calls("/complete")))
        claimed = self.client.list_jobs(queue=self.queue, state="claimed").jobs
        self.assertEqual([following.job_id], [job.job_id for job in claimed])


if __name__ == "__main__":
    unittest.main()
