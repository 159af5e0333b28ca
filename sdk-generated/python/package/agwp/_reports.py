"""Tells the server how a claim ended, and finds out when no answer comes."""

from __future__ import annotations

import base64
import enum
import hashlib
import logging
import random
import threading
import time
from typing import Callable, Optional, Tuple

from agwp._claim import Claim
from agwp._client import Client
from agwp._errors import AccessRefused, AgwpError, LostClaim
from agwp._generated.models.complete_job_request import CompleteJobRequest
from agwp._generated.models.fail_job_request import FailJobRequest
from agwp._generated.models.job import Job
from agwp._generated.models.release_job_request import ReleaseJobRequest
from agwp._outcome import Outcome, cut
from agwp._states import JobState

_log = logging.getLogger("agwp")
_TRY_FOR_SECONDS_MIN = 60.0
_PAUSE_SECONDS_MAX = 2.0


class Result(enum.Enum):
    TAKEN = 1
    LOST = 2
    UNKNOWN = 3


class Reports:
    """When no answer comes it looks the job up: the report may have been taken, and reporting it again would then be refused; or it was
    not, and is sent again.
    """

    def __init__(self, client: Client, lease_seconds: int) -> None:
        self._client = client
        self._lease = lease_seconds
        self.given_up = threading.Event()

    def report(self, claim: Claim, outcome: Outcome) -> Tuple[Result, Outcome]:
        """What became of the report, and which outcome it was: not the one given when the server refused that."""
        try:
            return self._send(claim, outcome), outcome
        except AccessRefused as stranger:
            # It says nothing of the outcome: to report another one in its place would make a failure of a success.
            _log.warning("job %s: the server refuses this worker, its lease will run out: %s", claim.job.job_id, stranger)
            return Result.UNKNOWN, outcome
        except AgwpError as refused:
            # For example a result that is too large. Silence would leave the job to its lease.
            outcome = Outcome.retry("outcome_refused", cut(f"the outcome was refused: {refused}"))
        try:
            return self._send(claim, outcome), outcome
        except AgwpError as refused_too:
            _log.warning("job %s: %s; its lease will run out: %s", claim.job.job_id, outcome.text, refused_too)
            return Result.UNKNOWN, outcome

    def _send(self, claim: Claim, outcome: Outcome) -> Result:
        if outcome._completion is not None:
            return self._complete(claim, outcome._completion)
        assert outcome._failure is not None
        return self._fail(claim, outcome._failure)

    def _complete(self, claim: Claim, completion: CompleteJobRequest) -> Result:
        request = completion.model_copy(update={"worker": claim.label, "fencing_token": claim.fencing_token})
        digest = None
        if request.attestation is not None:
            body = request.attestation.body
            digest = "sha256:" + hashlib.sha256(body if isinstance(body, bytes) else base64.b64decode(body)).hexdigest()

        def taken(now: Job) -> bool:
            return (
                now.state == JobState.SUCCEEDED
                and _is_of_holder(claim, now)
                and now.outcome == request.outcome.value
                and now.attestation_digest == digest
            )

        return self._until_known(claim, lambda: self._client.complete_job(claim.job.job_id, request), taken)

    def _fail(self, claim: Claim, failure: FailJobRequest) -> Result:
        request = failure.model_copy(update={"worker": claim.label, "fencing_token": claim.fencing_token})

        def taken(now: Job) -> bool:
            return (
                now.state != JobState.CLAIMED
                and now.attempts == claim.job.attempts
                and now.last_error is not None
                and now.last_error.reason == request.reason
            )

        return self._until_known(claim, lambda: self._client.fail_job(claim.job.job_id, request), taken)

    def release(self, claim: Claim) -> Result:
        request = ReleaseJobRequest(worker=claim.label, fencing_token=claim.fencing_token)

        def taken(now: Job) -> bool:
            return now.state == JobState.QUEUED and now.attempts == claim.job.attempts

        try:
            return self._until_known(claim, lambda: self._client.release_job(claim.job.job_id, request), taken)
        except AgwpError as refused:
            _log.warning("job %s: its release was refused: %s", claim.job.job_id, refused)
            return Result.UNKNOWN

    def _until_known(self, claim: Claim, report: Callable[[], Job], was_taken: Callable[[Job], bool]) -> Result:
        give_up = time.monotonic() + max(_TRY_FOR_SECONDS_MIN, self._lease)
        while True:
            try:
                report()
                return Result.TAKEN
            except LostClaim:
                # An earlier try may have been taken, and a server of 1.0.0 refuses the repeat.
                return Result.TAKEN if self._look_up(claim, was_taken) else Result.LOST
            except AgwpError as failed:
                # 429 is no verdict on the outcome: the server was only busy.
                if 0 < failed.status < 500 and failed.status != 429:
                    raise
            taken = self._look_up(claim, was_taken)
            if taken is not None:
                return Result.TAKEN if taken else Result.LOST
            if time.monotonic() > give_up or self.given_up.wait(random.uniform(0.0, _PAUSE_SECONDS_MAX)):
                return Result.UNKNOWN

    def _look_up(self, claim: Claim, was_taken: Callable[[Job], bool]) -> Optional[bool]:
        """True or False when the job tells; None when it is held as before or cannot be read."""
        try:
            now = self._client.get_job(claim.job.job_id)
        except AgwpError:
            return None
        if now.state == JobState.CLAIMED and _is_of_holder(claim, now):
            return None
        return was_taken(now)


def _is_of_holder(claim: Claim, now: Job) -> bool:
    # A label holds no bar, so what follows the last one is the label.
    return now.attempts == claim.job.attempts and now.claimed_by is not None and now.claimed_by.endswith("|" + claim.label)
