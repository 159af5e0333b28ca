"""A completion as it is sent."""

from __future__ import annotations

import base64
import uuid
from typing import Any, Dict

from agwp._generated.models.complete_job_request import CompleteJobRequest


def to_send(completion: CompleteJobRequest) -> CompleteJobRequest:
    """The evidence in base64, and a name for the claim of the next job: without one a repeat would claim one more, and nobody would
    know of the first.
    """
    changed: Dict[str, Any] = {}
    attestation = completion.attestation
    if attestation is not None and isinstance(attestation.body, bytes):
        body = base64.b64encode(attestation.body).decode("ascii")
        changed["attestation"] = attestation.model_copy(update={"body": body})
    claim_next = completion.claim_next
    if claim_next is not None and claim_next.request_id is None:
        changed["claim_next"] = claim_next.model_copy(update={"request_id": str(uuid.uuid4())})
    return completion.model_copy(update=changed)
