"""The token a client sends: when, where to, and that nobody else gets to see it."""

from __future__ import annotations

import logging
import traceback
import unittest
from typing import Any, Callable, List

import agwp
from support import JOB, Heard, Stub, answer, problem

SECRET = "jc_7_very-secret"
TAKEN = answer(200, JOB)


def authorizations(stub: Stub) -> List[Any]:
    return [request["headers"].get("Authorization") for request in stub.requests]


def every_word_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)) + repr(error)


class TokenTest(unittest.TestCase):
    def raised(self, call: Callable[[], Any]) -> BaseException:
        with self.assertRaises(Exception) as raised:
            call()
        return raised.exception

    def test_the_token_goes_with_every_request(self) -> None:
        with Stub(TAKEN) as stub, agwp.Client(stub.url, token=SECRET) as client:
            client.enqueue_job(agwp.EnqueueJobRequest(queue="q"))
            client.get_job("j1")
            client.get_attestation("j1")
            self.assertEqual([f"Bearer {SECRET}"] * 3, authorizations(stub))

    def test_without_a_token_none_is_sent(self) -> None:
        with Stub(TAKEN) as stub, agwp.Client(stub.url) as client:
            client.get_job("j1")
            self.assertEqual([None], authorizations(stub))

    def test_a_changed_token_is_sent_from_the_next_request_on(self) -> None:
        tokens = iter(["first", "second"])
        with Stub(TAKEN) as stub, agwp.Client(stub.url, token=lambda: next(tokens)) as client:
            client.get_job("j1")
            client.get_job("j1")
            self.assertEqual(["Bearer first", "Bearer second"], authorizations(stub))

    def test_a_refused_caller_is_told_so_and_the_call_is_not_repeated(self) -> None:
        for status, code in ((401, "unauthenticated"), (403, "permission_denied")):
            with self.subTest(code), Stub(problem(status, code)) as stub, agwp.Client(stub.url, token=SECRET) as client:
                refused = self.raised(lambda: client.get_job("j1"))
                assert isinstance(refused, agwp.AccessRefused)
                self.assertEqual((code, status), (refused.code, refused.status))
                self.assertEqual(1, len(stub.requests))
                self.assertNotIn(SECRET, every_word_of(refused))

    def test_a_worker_that_is_refused_ends_and_makes_no_failure_of_its_outcome(self) -> None:
        claimed = answer(200, {"jobs": [JOB], "fencing_enforced": True})
        heard = Heard()
        with Stub(claimed, problem(401, "unauthenticated")) as stub, agwp.Client(stub.url, token=SECRET) as client:
            worker = agwp.Worker(client, "w1", ["q"], lambda job: agwp.Outcome.passed(), listener=heard)
            with self.assertRaises(agwp.AccessRefused), worker:
                worker.run()
            self.assertEqual(["claimed", "unknown"], heard.words())
            self.assertEqual([], [request["path"] for request in stub.requests if request["path"].endswith("/fail")])
            self.assertLess(len(stub.requests), 6)

    def test_a_source_that_gives_no_token_ends_the_call_unsent(self) -> None:
        def failing() -> str:
            raise RuntimeError(SECRET)

        for source in (failing, lambda: "", lambda: None):
            with self.subTest(source), Stub(TAKEN) as stub, agwp.Client(stub.url, token=source) as client:  # type: ignore[arg-type]
                error = self.raised(lambda: client.get_job("j1"))
                assert isinstance(error, agwp.NoAnswer)
                self.assertIn("the source of the token", str(error))
                self.assertNotIn(SECRET, str(error))
                self.assertEqual([], stub.requests)

    def test_nothing_that_is_printed_raised_or_logged_shows_the_token(self) -> None:
        with self.assertLogs(level=logging.DEBUG) as logs, Stub(TAKEN) as stub, agwp.Client(stub.url, token=SECRET) as client:
            client.get_job("j1")
            self.assertNotIn(SECRET, repr(client) + str(vars(client)))
        self.assertNotIn(SECRET, "".join(logs.output))
        with agwp.Client("http://127.0.0.1:1", token=SECRET, tries_max=1) as client:
            self.assertNotIn(SECRET, every_word_of(self.raised(lambda: client.get_job("j1"))))
        for malformed in (SECRET + "\n", SECRET + " x", "ü" + SECRET, ""):
            error = self.raised(lambda: agwp.Client("http://127.0.0.1:1", token=malformed))
            self.assertIn("a token must be", str(error))
            self.assertNotIn(SECRET, every_word_of(error).replace("token=malformed", ""))

    def test_a_token_is_not_sent_readable_to_another_machine(self) -> None:
        for server in ("http://agwp.example", "http://10.0.0.1:8080", "http://127.example", "http://[::2]"):
            with self.subTest(server), self.assertRaisesRegex(ValueError, "use https"):
                agwp.Client(server, token=SECRET)
            agwp.Client(server, token=SECRET, allow_insecure_token=True).close()
        for server in ("https://agwp.example", "http://localhost:8080", "http://127.0.0.2", "http://[::1]:8080"):
            agwp.Client(server, token=SECRET).close()
