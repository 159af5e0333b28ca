"""What came of the calls of one request for many jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, cast

from agwp._errors import AgwpError, FieldError, LostClaim, is_loss
from agwp._generated.models.error import Error
from agwp._generated.models.job import Job
from agwp._generated.models.job_results import JobResults as Message

_OK = 200


@dataclass(frozen=True)
class JobResult:
    """What came of one call of many.

    Attributes:
        job: the job as it stands after the call. None when the call was refused.
        error: why the call was refused and changed nothing, a :class:`LostClaim` when the caller does not hold the job (any more). None
            when it was applied.
        additional_properties: what a later release says besides.
    """

    job: Optional[Job]
    error: Optional[AgwpError]
    additional_properties: Dict[str, Any]


@dataclass(frozen=True)
class JobResults:
    """What came of each call.

    Attributes:
        results: one for each call, in their order.
        additional_properties: what a later release says besides.
    """

    results: List[JobResult]
    additional_properties: Dict[str, Any]

    @classmethod
    def from_dict(cls, answer: Dict[str, Any]) -> "JobResults":
        message = cast(Message, Message.from_dict(answer))
        results = [
            JobResult(each.job, None if each.error is None else _typed(each.error), each.additional_properties)
            for each in message.results
        ]
        return cls(results, message.additional_properties)


def _typed(error: Error) -> AgwpError:
    # As for a call of its own, which would be answered with 404 or 409.
    lost = error.code in ("not_found", "failed_precondition") and is_loss(error.reason)
    faults = [FieldError(each.var_field, each.message) for each in error.errors or []]
    return (LostClaim if lost else AgwpError)(
        error.detail, code=error.code, reason=error.reason, status=_OK, field_errors=faults
    )
