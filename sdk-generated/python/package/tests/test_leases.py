"""Leases on files, and changes that are integrated while they hold."""

from __future__ import annotations

import unittest

import agwp
from support import LOST, SERVER, Stub, a_queue, answer, problem

DIGEST = "sha256:" + "ab" * 32
LEASE = {
    "lease_id": "l1",
    "repo": "r",
    "paths": ["a/"],
    "holder": "local|alice",
    "fencing_token": 9007199254740991,
    "acquired_at": "2026-12-01T10:00:00.000Z",
    "expires_at": "2026-12-01T10:01:00.000Z",
    "state": "mislaid",
    "colour": "blue",
}


def an_acquire(**fields: object) -> agwp.AcquireLeaseRequest:
    return agwp.AcquireLeaseRequest(repo="r", paths=["a/"], holder="alice", **fields)


class LeaseTest(unittest.TestCase):
    def test_an_answer_of_a_later_release_is_read(self) -> None:
        with Stub(answer(200, LEASE)) as stub, agwp.Client(stub.url) as client:
            lease = client.renew_lease("l1", agwp.RenewLeaseRequest(holder="alice", fencing_token=9007199254740991))
        self.assertEqual(("mislaid", 9007199254740991), (lease.state, lease.fencing_token))
        self.assertEqual({"holder": "alice", "fencing_token": 9007199254740991}, stub.requests[0]["body"])

    def test_an_acquire_whose_answer_was_lost_is_repeated_under_one_request_id(self) -> None:
        with Stub(LOST, answer(201, LEASE)) as stub, agwp.Client(stub.url) as client:
            client.acquire_lease(an_acquire())
        self.assertEqual(2, len(stub.requests))
        self.assertTrue(stub.requests[0]["body"]["request_id"])
        self.assertEqual(stub.requests[0]["body"], stub.requests[1]["body"])

    def test_a_refusal_says_why(self) -> None:
        with Stub(problem(409, "failed_precondition", "lease_held")) as stub, agwp.Client(stub.url) as client:
            with self.assertRaises(agwp.AgwpError) as refused:
                client.acquire_lease(an_acquire())
        self.assertEqual(("failed_precondition", "lease_held"), (refused.exception.code, refused.exception.reason))
        self.assertEqual(1, len(stub.requests))


@unittest.skipUnless(SERVER, "AGWP_SERVER names no server")
class LeaseOnServerTest(unittest.TestCase):
    def test_a_change_is_integrated_while_its_lease_holds(self) -> None:
        repo = a_queue()
        with agwp.Client(SERVER) as client:
            lease = client.acquire_lease(agwp.AcquireLeaseRequest(repo=repo, paths=["a/"], holder="alice"))
            client.renew_lease(lease.lease_id, agwp.RenewLeaseRequest(holder="alice", fencing_token=lease.fencing_token))
            change = agwp.IntegrateRequest(
                repo=repo,
                change_digest=DIGEST,
                paths=["a/b"],
                fencing_tokens=[lease.fencing_token],
                holder="alice",
                validation=agwp.Validation(queue=repo),
            )
            integration = client.integrate(change)
            self.assertEqual(("validating", 1), (integration.state, integration.sequence))
            self.assertEqual([integration], client.list_integrations(repo).integrations)
            client.cancel_job(integration.job_id or "")
            self.assertEqual("rejected", client.get_integration(integration.integration_id).state)
            client.release_lease(lease.lease_id, agwp.ReleaseLeaseRequest(holder="alice", fencing_token=lease.fencing_token))
            self.assertEqual(["released"], [each.state for each in client.list_leases(repo).leases])
            with self.assertRaises(agwp.AgwpError) as refused:
                client.integrate(change)
            self.assertEqual("not_holder", refused.exception.reason)


if __name__ == "__main__":
    unittest.main()
