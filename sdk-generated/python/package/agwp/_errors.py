"""What a call ends with when it has no result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple


@dataclass(frozen=True)
class FieldError:
    """A field at fault: ``field`` as the request names it, for example ``jobs[3].queue``, and in ``message`` what it must be."""

    field: str
    message: str


class AgwpError(Exception):
    """A call that was refused, or whose fate is not known; ``str()`` of it says what was wrong and what to send instead.

    Decide by ``code``, and for a refused call on a job, a lease or an integration by ``reason``. A word this release does not know is given as the server sent it.

    Attributes:
        code: the kind of problem, for example ``invalid_argument``; the contract lists them, and later releases may add some.
        reason: why a call on a job was refused: ``unknown_job``, ``not_holder``, ``stale_fencing_token``, ``fencing_token_required``,
            ``job_ended``, ``job_cancelled``, or ``attestation_required``, ``attestation_unsigned``, ``attestation_invalid`` or
            ``attestation_mismatch``. Of leases and integrations: ``unknown_lease``, ``lease_held``, ``not_holder``,
            ``stale_fencing_token``, ``lease_released``, ``lease_expired``, ``unknown_integration`` or ``stale_base``. Later releases may
            add some. None where none of them is why, and from servers before 1.2.0.
        status: the HTTP status, 400 to 599; 0 when no answer came, and 200 for one call of many, which is refused within an answer.
        field_errors: the fields at fault; empty where no field is.
        request_id: what the server's log calls this request; None when no answer came, and for one call of many.
    """

    def __init__(
        self,
        detail: str,
        *,
        code: str,
        reason: Optional[str] = None,
        status: int = 0,
        field_errors: Sequence[FieldError] = (),
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.reason = reason
        self.status = status
        self.field_errors: Tuple[FieldError, ...] = tuple(field_errors)
        self.request_id = request_id


class AccessRefused(AgwpError):
    """The server does not know the caller (``code`` is ``unauthenticated``), or does not let it do this (``permission_denied``).

    Nothing was done, and a repeat with the same token would be refused too.
    """


class LostClaim(AgwpError):
    """The caller does not hold the job (any more): stop working on it."""


def is_loss(reason: Optional[str]) -> bool:
    """Whether a reason means that the claim is gone. A missing token, or an attestation the queue does not take, is no loss: it is held."""
    return reason != "fencing_token_required" and not (reason or "").startswith("attestation_")


class NoAnswer(AgwpError):
    """Whether the server did it is not known (``code`` is ``unavailable``, ``status`` is 0): read the job."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, code="unavailable")


class UnfencedServer(RuntimeError):
    """A worker that requires fencing met a server that does not say it checks fencing tokens: one before release 1.2.0.

    What it gave was handed back. Upgrade the servers, all of them, before the workers require it.
    """

    def __init__(self) -> None:
        super().__init__(
            "the server does not say that it checks fencing tokens (fencing_enforced), as servers do from release 1.2.0 on; "
            "what it gave was handed back. Upgrade the server, or work without require_fencing"
        )
