"""How an attempt ended."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional

from agwp._generated.models.attestation import Attestation
from agwp._generated.models.complete_job_request import CompleteJobRequest
from agwp._generated.models.fail_job_request import FailJobRequest
from agwp._generated.models.job_outcome import JobOutcome

TEXT_CHARS_MAX = 4096

# The worker puts its own label in when it reports.
_ANY_LABEL = "-"


def text_chars(text: str) -> int:
    """How long the server finds a text: it counts UTF-16 units, so a character outside the basic plane is two."""
    return len(text.encode("utf-16-le", "replace")) // 2


def cut(text: str) -> str:
    """The beginning of a text that nobody measured, as much of it as the contract takes."""
    return text.encode("utf-16-le", "replace")[: 2 * TEXT_CHARS_MAX].decode("utf-16-le", "ignore")


class Outcome:
    """How an attempt ended: with a verdict (:meth:`passed`, :meth:`failed`), which completes the job, or without one (:meth:`retry`,
    :meth:`dead`), which fails the attempt. Each raises ``ValueError`` when an argument is out of its range.
    """

    def __init__(self, completion: Optional[CompleteJobRequest], failure: Optional[FailJobRequest]) -> None:
        self._completion = completion
        self._failure = failure

    @classmethod
    def passed(
        cls,
        summary: Optional[str] = None,
        *,
        result: Optional[Dict[str, Any]] = None,
        attestation: Optional[Attestation] = None,
        log_url: Optional[str] = None,
    ) -> "Outcome":
        """The validation ran to its end and found nothing wrong.

        Args:
            summary: for people, at most 4096 characters.
            result: what was found, for programs: at most 256 KiB as JSON, nested at most 64 deep.
            attestation: the evidence, ``Attestation(media_type="application/vnd.in-toto+json", body=b"...")``; 1 byte to 1 MiB, stored
                byte for byte.
            log_url: where the log is, an http or https URL of at most 2048 characters.
        """
        return cls._verdict(JobOutcome.PASSED, summary, result, attestation, log_url)

    @classmethod
    def failed(
        cls,
        summary: Optional[str] = None,
        *,
        result: Optional[Dict[str, Any]] = None,
        attestation: Optional[Attestation] = None,
        log_url: Optional[str] = None,
    ) -> "Outcome":
        """The validation ran to its end and found something wrong. The arguments as for :meth:`passed`."""
        return cls._verdict(JobOutcome.FAILED, summary, result, attestation, log_url)

    @classmethod
    def retry(cls, reason: str, message: Optional[str] = None, *, delay_seconds: Optional[int] = None) -> "Outcome":
        """There is no verdict; try again.

        Args:
            reason: a word for programs, 1 to 256 characters.
            message: a sentence for people, at most 4096 characters.
            delay_seconds: before the next attempt, 0 to 31536000 (a year). None leaves it to the server's backoff.
        """
        return cls(None, FailJobRequest(worker=_ANY_LABEL, reason=reason, message=message, retry_delay_seconds=delay_seconds))

    @classmethod
    def dead(cls, reason: str, message: Optional[str] = None) -> "Outcome":
        """There is no verdict and there never will be one: the job ends dead. The arguments as for :meth:`retry`."""
        return cls(None, FailJobRequest(worker=_ANY_LABEL, reason=reason, message=message, terminal=True))

    @classmethod
    def _verdict(
        cls,
        outcome: JobOutcome,
        summary: Optional[str],
        result: Optional[Dict[str, Any]],
        attestation: Optional[Attestation],
        log_url: Optional[str],
    ) -> "Outcome":
        # What is no JSON is told to the handler, which made it.
        json.dumps(result, allow_nan=False)
        return cls(
            CompleteJobRequest(
                worker=_ANY_LABEL, outcome=outcome, summary=summary, result=result, attestation=attestation, log_url=log_url
            ),
            None,
        )

    @property
    def verdict(self) -> str:
        """``passed``, ``failed``, or ``none`` without a verdict."""
        return "none" if self._completion is None else self._completion.outcome.value

    @property
    def text(self) -> Optional[str]:
        """What is said of it, for people; None when nothing is."""
        if self._completion is not None:
            return self._completion.summary
        return None if self._failure is None else self._failure.message

    def __repr__(self) -> str:
        return f"Outcome({self.verdict}, {self.text!r})"
