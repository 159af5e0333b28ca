"""AGWP: enqueue jobs, claim them under leases with fencing tokens, and lease files.

:class:`Client` has a method for each operation of the contract, :class:`Worker` and :class:`AsyncWorker` run a handler for each job.
"""

from agwp._async_worker import AsyncWorker
from agwp._claim import ClaimedJob
from agwp._client import Client
from agwp._errors import AccessRefused, AgwpError, FieldError, LostClaim, NoAnswer, UnfencedServer
from agwp._generated.models.acquire_lease_request import AcquireLeaseRequest
from agwp._generated.models.attestation import Attestation
from agwp._generated.models.attestation_policy import AttestationPolicy
from agwp._generated.models.audit_event import AuditEvent
from agwp._generated.models.audit_head import AuditHead
from agwp._generated.models.claim_job_request import ClaimJobRequest
from agwp._generated.models.claim_job_response import ClaimJobResponse
from agwp._generated.models.claim_next import ClaimNext
from agwp._generated.models.complete_job_request import CompleteJobRequest
from agwp._generated.models.complete_jobs_request import CompleteJobsRequest
from agwp._generated.models.enqueue_job_request import EnqueueJobRequest
from agwp._generated.models.enqueue_jobs_request import EnqueueJobsRequest
from agwp._generated.models.enqueue_jobs_response import EnqueueJobsResponse
from agwp._generated.models.fail_job_request import FailJobRequest
from agwp._generated.models.fail_jobs_request import FailJobsRequest
from agwp._generated.models.heartbeat_job_request import HeartbeatJobRequest
from agwp._generated.models.heartbeat_jobs_request import HeartbeatJobsRequest
from agwp._generated.models.integrate_request import IntegrateRequest
from agwp._generated.models.integration import Integration
from agwp._generated.models.job import Job
from agwp._generated.models.job_completion import JobCompletion
from agwp._generated.models.job_error import JobError
from agwp._generated.models.job_failure import JobFailure
from agwp._generated.models.job_heartbeat import JobHeartbeat
from agwp._generated.models.job_outcome import JobOutcome
from agwp._generated.models.lease import Lease
from agwp._generated.models.list_audit_events_response import ListAuditEventsResponse
from agwp._generated.models.list_integrations_response import ListIntegrationsResponse
from agwp._generated.models.list_jobs_response import ListJobsResponse
from agwp._generated.models.list_leases_response import ListLeasesResponse
from agwp._generated.models.list_queues_response import ListQueuesResponse
from agwp._generated.models.queue import Queue
from agwp._generated.models.queue_depth import QueueDepth
from agwp._generated.models.release_job_request import ReleaseJobRequest
from agwp._generated.models.release_lease_request import ReleaseLeaseRequest
from agwp._generated.models.renew_lease_request import RenewLeaseRequest
from agwp._generated.models.unfenced_calls import UnfencedCalls
from agwp._generated.models.update_queue_request import UpdateQueueRequest
from agwp._generated.models.validation import Validation
from agwp._outcome import Outcome
from agwp._results import JobResult, JobResults
from agwp._states import JobState
from agwp._worker import Worker, WorkerListener

__all__ = [
    "AccessRefused",
    "AcquireLeaseRequest",
    "AgwpError",
    "AsyncWorker",
    "Attestation",
    "AttestationPolicy",
    "AuditEvent",
    "AuditHead",
    "ClaimJobRequest",
    "ClaimJobResponse",
    "ClaimNext",
    "ClaimedJob",
    "Client",
    "CompleteJobRequest",
    "CompleteJobsRequest",
    "EnqueueJobRequest",
    "EnqueueJobsRequest",
    "EnqueueJobsResponse",
    "FailJobRequest",
    "FailJobsRequest",
    "FieldError",
    "HeartbeatJobRequest",
    "HeartbeatJobsRequest",
    "IntegrateRequest",
    "Integration",
    "Job",
    "JobCompletion",
    "JobError",
    "JobFailure",
    "JobHeartbeat",
    "JobOutcome",
    "JobResult",
    "JobResults",
    "JobState",
    "Lease",
    "ListAuditEventsResponse",
    "ListIntegrationsResponse",
    "ListJobsResponse",
    "ListLeasesResponse",
    "ListQueuesResponse",
    "LostClaim",
    "NoAnswer",
    "Outcome",
    "Queue",
    "QueueDepth",
    "ReleaseJobRequest",
    "ReleaseLeaseRequest",
    "RenewLeaseRequest",
    "UnfencedCalls",
    "UnfencedServer",
    "UpdateQueueRequest",
    "Validation",
    "Worker",
    "WorkerListener",
]
