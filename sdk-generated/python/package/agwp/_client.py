"""The client: a method for each operation of the contract."""

from __future__ import annotations

import json
import os
import random
import ssl
import threading
import uuid
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any, Callable, Optional, Tuple, Type, TypeVar, Union
from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError, TimeoutError as Urllib3Timeout

from agwp._completion import to_send
from agwp._connection import Alarms, Breaker, call_within, make_endable
from agwp._errors import AccessRefused, AgwpError, FieldError, LostClaim, NoAnswer, is_loss
from agwp._generated.api.audit_api import AuditApi
from agwp._generated.api.integrations_api import IntegrationsApi
from agwp._generated.api.jobs_api import JobsApi
from agwp._generated.api.leases_api import LeasesApi
from agwp._generated.api.queues_api import QueuesApi
from agwp._generated.api_client import ApiClient
from agwp._generated.configuration import Configuration
from agwp._generated.exceptions import ApiException
from agwp._generated.models.acquire_lease_request import AcquireLeaseRequest
from agwp._generated.models.audit_head import AuditHead
from agwp._generated.models.claim_job_request import ClaimJobRequest
from agwp._generated.models.claim_job_response import ClaimJobResponse
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
from agwp._generated.models.lease import Lease
from agwp._generated.models.list_audit_events_response import ListAuditEventsResponse
from agwp._generated.models.list_integrations_response import ListIntegrationsResponse
from agwp._generated.models.list_jobs_response import ListJobsResponse
from agwp._generated.models.list_leases_response import ListLeasesResponse
from agwp._generated.models.list_queues_response import ListQueuesResponse
from agwp._generated.models.queue import Queue
from agwp._generated.models.release_job_request import ReleaseJobRequest
from agwp._generated.models.release_lease_request import ReleaseLeaseRequest
from agwp._generated.models.renew_lease_request import RenewLeaseRequest
from agwp._generated.models.update_queue_request import UpdateQueueRequest
from agwp._results import JobResults
from agwp._token import Bearer, NoToken, Token, is_safe_at

_FIRST_PAUSE_SECONDS = 0.1
_PAUSE_SECONDS_MAX = 10.0
_TRIES_MAX_MAX = 100
_CONNECTIONS_KEPT_MAX = 1000

A = TypeVar("A")


def _version() -> str:
    try:
        return version("agwp")
    except PackageNotFoundError:
        return "0"


def _authorities(ca_file: Union[str, os.PathLike[str]]) -> str:
    path = os.fspath(ca_file)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except OSError as unusable:
        raise ValueError(f"ca_file must be a PEM file with certificates, got {path!r}: {unusable}") from unusable
    return path


class _Failed(Exception):
    """A try that had no result: ``error`` for the caller, and what is known of whether the server did it."""

    def __init__(self, error: AgwpError, *, not_done: bool = False, maybe_done: bool = False, retry_after: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.not_done = not_done
        self.maybe_done = maybe_done
        self.retry_after = retry_after


class Client:
    """A client of one server. Threads may share it.

    Every method takes the contract's request and gives its answer; it raises :class:`AgwpError` when the server refuses,
    :class:`NoAnswer` when no answer came, and ``ValueError`` (of pydantic) for an argument that is none or is out of range. A call is
    repeated by itself, with growing random pauses, only where that can do no harm: when no connection came about, when the server answered
    429, and, for operations that are safe to repeat, when it answered 503 or the answer was lost. The README has the table.

    Args:
        server: where it is reached, for example ``http://127.0.0.1:8080``.
        connect_timeout: seconds to wait for a connection. More than 0. Defaults to 10.
        request_timeout: seconds to wait for a whole answer, beside what a claim asks the server to wait. More than 0. Defaults to 30.
        tries_max: how often a call is tried in all, where it may be repeated. 1..100; 1 never repeats. Defaults to 5.
        token: the bearer token that says who calls, or a function that gives it, asked before each request by any thread, so that a changed
            token is used from then on. Defaults to none.
        allow_insecure_token: send the token over plain http to another machine too, where whoever stands between can read it. Defaults to
            False, and ``ValueError`` for such a server.
        ca_file: a PEM file with the certificates of the authorities to trust for https, and no others. Defaults to those of the system.
    """

    def __init__(
        self,
        server: str,
        *,
        connect_timeout: float = 10.0,
        request_timeout: float = 30.0,
        tries_max: int = 5,
        token: Optional[Token] = None,
        allow_insecure_token: bool = False,
        ca_file: Optional[Union[str, os.PathLike[str]]] = None,
    ) -> None:
        url = urlsplit(server)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"the server must be an http or https URL such as http://127.0.0.1:8080, got {server!r}")
        if not connect_timeout > 0:
            raise ValueError(f"connect_timeout must be more than 0, got {connect_timeout}")
        if not request_timeout > 0:
            raise ValueError(f"request_timeout must be more than 0, got {request_timeout}")
        if not 1 <= tries_max <= _TRIES_MAX_MAX:
            raise ValueError(f"tries_max must be 1..{_TRIES_MAX_MAX}, got {tries_max}")
        if token is not None and not allow_insecure_token and not is_safe_at(url):
            raise ValueError(f"a token would be sent readable to {server!r}; use https, or allow_insecure_token=True")
        self._bearer = Bearer(token)
        self._server = server.rstrip("/")
        self._connect_timeout = float(connect_timeout)
        self._request_timeout = float(request_timeout)
        self._tries_max = tries_max
        self._closed = threading.Event()
        self._alarms = Alarms()
        # No repeats and no redirects by urllib3, which does not know what is safe to repeat here.
        api = ApiClient(
            Configuration(
                host=self._server,
                retries=urllib3.Retry(total=False),
                connection_pool_maxsize=_CONNECTIONS_KEPT_MAX,
                ssl_ca_cert=None if ca_file is None else _authorities(ca_file),
            )
        )
        api.user_agent = f"agwp-python/{_version()}"
        self._connections = api.rest_client.pool_manager
        make_endable(self._connections)
        self._jobs = JobsApi(api)
        self._queues = QueuesApi(api)
        self._audit = AuditApi(api)
        self._leases = LeasesApi(api)
        self._integrations = IntegrationsApi(api)

    def enqueue_job(self, request: EnqueueJobRequest) -> Job:
        """Stores a job, or answers the live one with its ``unique_key``. Repeated after a lost answer only with a key."""
        return self._call(Job, self._jobs.enqueue_job_without_preload_content, request, repeat=request.unique_key is not None)

    def enqueue_jobs(self, request: EnqueueJobsRequest) -> EnqueueJobsResponse:
        """Stores 1..1000 jobs, all or none, and answers them in the same order.

        Repeated after a lost answer only when every job has a ``unique_key``.
        """
        keyed = all(job.unique_key is not None for job in request.jobs)
        return self._call(EnqueueJobsResponse, self._jobs.enqueue_jobs_without_preload_content, request, repeat=keyed)

    def claim_job(self, request: ClaimJobRequest) -> ClaimJobResponse:
        """Claims jobs: those of the answer are in claim order, none when none came within ``wait_seconds``.

        Repeated after a lost answer with the same ``request_id``, so that jobs which the server gave already come back; one is made when
        the request has none.
        """
        return self._claim(request, None)

    def _claim(self, request: ClaimJobRequest, breaker: Optional[Breaker]) -> ClaimJobResponse:
        if request.request_id is None:
            request = request.model_copy(update={"request_id": str(uuid.uuid4())})
        return self._call(
            ClaimJobResponse,
            self._jobs.claim_job_without_preload_content,
            request,
            repeat=True,
            wait=request.wait_seconds or 0,
            breaker=breaker,
        )

    def heartbeat_job(self, job_id: str, request: HeartbeatJobRequest) -> Job:
        """Keeps a claim and says how far the work is. Raises :class:`LostClaim` when the caller does not hold the job (any more)."""
        return self._call(Job, self._jobs.heartbeat_job_without_preload_content, job_id, request, repeat=True, of_holder=True)

    def heartbeat_jobs(self, request: HeartbeatJobsRequest) -> JobResults:
        """Keeps 1..100 claims, each as :meth:`heartbeat_job` would; a refused one leaves the others alone and is an ``error`` of the
        answer. Servers before release 1.3.0 do not have it.
        """
        return self._call(JobResults, self._jobs.heartbeat_jobs_without_preload_content, request, repeat=True)

    def _heartbeat_once(self, job_id: str, request: HeartbeatJobRequest, within: float) -> Job:
        """One try: for a caller that has its own plan for what comes next."""
        return self._call(
            Job, self._jobs.heartbeat_job_without_preload_content, job_id, request, repeat=False, of_holder=True, once_within=within
        )

    def complete_job(self, job_id: str, request: CompleteJobRequest) -> Job:
        """Ends a job with an outcome.

        Repeated after a lost answer only with a ``fencing_token``: a server of release 1.1.0 or later answers the repeat of a completion
        that won with the stored job. :class:`Worker` also finds out what became of one on older servers. The ``body`` of the attestation
        is bytes, or a string that is base64 already. A ``claim_next`` without a ``request_id`` gets one, so that a repeat is answered with
        the same ``next_job``.

        Raises :class:`LostClaim` when the caller does not hold the job (any more); nothing was stored then.
        """
        return self._call(
            Job,
            self._jobs.complete_job_without_preload_content,
            job_id,
            to_send(request),
            repeat=bool(request.fencing_token),
            of_holder=True,
        )

    def complete_jobs(self, request: CompleteJobsRequest) -> JobResults:
        """Ends 1..100 jobs, each as :meth:`complete_job` would; a refused one leaves the others alone and is an ``error`` of the answer.

        Repeated after a lost answer only when every completion has its ``fencing_token``. Servers before release 1.3.0 do not have it.
        """
        completions = [each.model_copy(update={"completion": to_send(each.completion)}) for each in request.completions]
        return self._call(
            JobResults,
            self._jobs.complete_jobs_without_preload_content,
            request.model_copy(update={"completions": completions}),
            repeat=all(each.completion.fencing_token for each in completions),
        )

    def fail_job(self, job_id: str, request: FailJobRequest) -> Job:
        """Gives an attempt up. Raises :class:`LostClaim` when the caller does not hold the job (any more)."""
        return self._call(Job, self._jobs.fail_job_without_preload_content, job_id, request, repeat=False, of_holder=True)

    def fail_jobs(self, request: FailJobsRequest) -> JobResults:
        """Gives 1..100 attempts up, each as :meth:`fail_job` would; a refused one leaves the others alone and is an ``error`` of the
        answer. Never repeated after a lost answer. Servers before release 1.3.0 do not have it.
        """
        return self._call(JobResults, self._jobs.fail_jobs_without_preload_content, request, repeat=False)

    def release_job(self, job_id: str, request: ReleaseJobRequest) -> Job:
        """Hands a claim back unused. Raises :class:`LostClaim` when the caller does not hold the job (any more)."""
        return self._call(Job, self._jobs.release_job_without_preload_content, job_id, request, repeat=False, of_holder=True)

    def cancel_job(self, job_id: str) -> Job:
        """Ends a queued or claimed job at once; a cancelled one is answered as it is."""
        return self._call(Job, self._jobs.cancel_job_without_preload_content, job_id, repeat=True)

    def retry_job(self, job_id: str) -> Job:
        """Puts a dead or cancelled job back with one more attempt allowed."""
        return self._call(Job, self._jobs.retry_job_without_preload_content, job_id, repeat=False)

    def get_job(self, job_id: str) -> Job:
        """The job as it stands."""
        return self._call(Job, self._jobs.get_job_without_preload_content, job_id, repeat=True)

    def list_jobs(
        self,
        *,
        queue: Optional[str] = None,
        state: Optional[str] = None,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
    ) -> ListJobsResponse:
        """One page of jobs, newest first.

        Args:
            queue: only jobs of this queue. None: all.
            state: only jobs in this state, see :class:`JobState`. None: all.
            page_size: 1..1000. None: the server's default, 100.
            page_token: the ``next_page_token`` of the page before. None: the first page.
        """
        return self._call(
            ListJobsResponse,
            self._jobs.list_jobs_without_preload_content,
            repeat=True,
            queue=queue,
            state=state,
            page_size=page_size,
            page_token=page_token,
        )

    def get_attestation(self, job_id: str) -> bytes:
        """The attestation as the worker sent it, byte for byte; its SHA-256 is the job's ``attestation_digest``."""
        return self._call(bytes, self._jobs.get_attestation_without_preload_content, job_id, repeat=True, _headers={"Accept": "*/*"})

    def list_queues(self, *, page_size: Optional[int] = None, page_token: Optional[str] = None) -> ListQueuesResponse:
        """One page of queues by name; the parameters as for :meth:`list_jobs`, the server's default size is 1000."""
        return self._call(
            ListQueuesResponse, self._queues.list_queues_without_preload_content, repeat=True, page_size=page_size, page_token=page_token
        )

    def get_queue(self, queue: str) -> Queue:
        """The queue with its depth, and who called for its jobs without a fencing token."""
        return self._call(Queue, self._queues.get_queue_without_preload_content, queue, repeat=True)

    def update_queue(self, queue: str, request: UpdateQueueRequest) -> Queue:
        """Changes what the request names of the queue and leaves the rest."""
        return self._call(Queue, self._queues.update_queue_without_preload_content, queue, request, repeat=True)

    def list_audit_events(self, *, after: Optional[int] = None, limit: Optional[int] = None) -> ListAuditEventsResponse:
        """Sealed events of the audit log in their order, from the one after ``after`` on; none when nothing more is sealed yet.

        Args:
            after: the ``seq`` after which to begin. None: the beginning.
            limit: 1..1000. None: the server's default, 100.
        """
        return self._call(
            ListAuditEventsResponse, self._audit.list_audit_events_without_preload_content, repeat=True, after=after, limit=limit
        )

    def get_audit_head(self) -> AuditHead:
        """How far the audit log is sealed."""
        return self._call(AuditHead, self._audit.get_audit_head_without_preload_content, repeat=True)

    def acquire_lease(self, request: AcquireLeaseRequest) -> Lease:
        """Leases paths exclusively, all or none.

        Repeated after a lost answer with the same ``request_id``, so that a lease which the server gave already comes back; one is made
        when the request has none. Servers before release 1.5.0 do not have it.
        """
        if request.request_id is None:
            request = request.model_copy(update={"request_id": str(uuid.uuid4())})
        return self._call(
            Lease, self._leases.acquire_lease_without_preload_content, request, repeat=True, wait=request.wait_seconds or 0
        )

    def renew_lease(self, lease_id: str, request: RenewLeaseRequest) -> Lease:
        """Keeps a lease. It is lost when the error's code is ``not_found`` or ``failed_precondition``."""
        return self._call(Lease, self._leases.renew_lease_without_preload_content, lease_id, request, repeat=True)

    def release_lease(self, lease_id: str, request: ReleaseLeaseRequest) -> Lease:
        """Gives a lease back; one that its holder has released before is answered as it is."""
        return self._call(Lease, self._leases.release_lease_without_preload_content, lease_id, request, repeat=True)

    def list_leases(self, repo: str, *, page_size: Optional[int] = None, page_token: Optional[str] = None) -> ListLeasesResponse:
        """One page of the leases of a repo, newest first; the parameters as for :meth:`list_jobs`."""
        return self._call(
            ListLeasesResponse,
            self._leases.list_leases_without_preload_content,
            repo,
            repeat=True,
            page_size=page_size,
            page_token=page_token,
        )

    def integrate(self, request: IntegrateRequest) -> Integration:
        """Takes a change in while its leases hold.

        Repeated after a lost answer with the same ``request_id``, so that a change is integrated once; one is made when the request has
        none. Servers before release 1.5.0 do not have it.
        """
        if request.request_id is None:
            request = request.model_copy(update={"request_id": str(uuid.uuid4())})
        return self._call(Integration, self._integrations.integrate_without_preload_content, request, repeat=True)

    def get_integration(self, integration_id: str) -> Integration:
        """The integration with the state that its job gives it now."""
        return self._call(Integration, self._integrations.get_integration_without_preload_content, integration_id, repeat=True)

    def list_integrations(
        self, repo: str, *, page_size: Optional[int] = None, page_token: Optional[str] = None
    ) -> ListIntegrationsResponse:
        """One page of the integrations of a repo, newest first; the parameters as for :meth:`list_jobs`."""
        return self._call(
            ListIntegrationsResponse,
            self._integrations.list_integrations_without_preload_content,
            repo,
            repeat=True,
            page_size=page_size,
            page_token=page_token,
        )

    def close(self) -> None:
        """Ends the pauses between tries and the kept connections; calls that pause then raise what the last try did."""
        self._closed.set()
        self._connections.clear()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _call(
        self,
        answer: Type[A],
        operation: Callable[..., Any],
        *arguments: Any,
        repeat: bool,
        wait: float = 0.0,
        of_holder: bool = False,
        once_within: Optional[float] = None,
        breaker: Optional[Breaker] = None,
        **options: Any,
    ) -> A:
        """Tries the operation; ``repeat`` says that it is safe to repeat when the server may have done it."""
        within = self._request_timeout + wait if once_within is None else once_within
        tries_max = self._tries_max if once_within is None else 1
        tries = 0
        while True:
            tries += 1
            try:
                return self._read(answer, self._try(operation, arguments, options, within, breaker))
            except _Failed as failed:
                may_repeat = failed.not_done or (failed.maybe_done and repeat)
                if tries < tries_max and may_repeat and self._pause(tries, failed.retry_after, breaker):
                    continue
                raise (_lost_claim(failed.error) if of_holder else failed.error) from failed.__cause__

    def _try(
        self, operation: Callable[..., Any], arguments: Tuple[Any, ...], options: Any, within: float, breaker: Optional[Breaker]
    ) -> bytes:
        timeouts = (min(self._connect_timeout, within), within)
        try:
            options = {**options, "_headers": {**options.get("_headers", {}), **self._bearer.headers()}}
        except NoToken as none:
            raise _Failed(NoAnswer(f"not sent to {self._server}: {none}")) from none
        with call_within(within, self._alarms, breaker) as call:
            try:
                response = operation(*arguments, _request_timeout=timeouts, **options)
                body: bytes = response.data
            except (HTTPError, OSError, ApiException) as failure:
                # A connection that never was carried nothing to the server.
                not_done = isinstance(failure, (NewConnectionError, ConnectTimeoutError))
                error = NoAnswer(f"no answer from {self._server}: {call.ended or _why(failure)}")
                raise _Failed(error, not_done=not_done, maybe_done=True) from failure
            if call.ended:
                # An answer without a length looks whole when its connection is shut.
                raise _Failed(NoAnswer(f"no answer from {self._server}: {call.ended}"), maybe_done=True)
        if 200 <= response.status < 300:
            return body
        if response.status < 400:
            raise _Failed(NoAnswer(f"{self._server} answered what is not of its contract: HTTP status {response.status}"))
        raise _Failed(
            self._problem(response, body),
            # With 429 the server says that it did nothing; before a 503 its database may have committed.
            not_done=response.status == 429,
            maybe_done=response.status == 503,
            retry_after=_retry_after(response),
        )

    def _read(self, answer: Type[A], body: bytes) -> A:
        if answer is bytes:
            return body  # type: ignore[return-value]
        try:
            message: A = answer.from_dict(json.loads(body))  # type: ignore[attr-defined]
            return message
        except (ValueError, TypeError, AttributeError) as unreadable:
            error = NoAnswer(f"{self._server} answered what is not of its contract: {unreadable}")
            raise _Failed(error) from unreadable

    def _problem(self, response: Any, body: bytes) -> AgwpError:
        # A proxy on the way may answer with a page of its own, so nothing is taken for granted.
        try:
            problem = json.loads(body)
        except ValueError:
            problem = None
        if not isinstance(problem, dict):
            problem = {}
        errors = problem.get("errors")
        reason = problem.get("reason")
        kind = AccessRefused if response.status in (401, 403) else AgwpError
        return kind(
            str(problem.get("detail") or f"{self._server} answered {response.status}"),
            code=str(problem.get("code") or "internal"),
            reason=None if reason is None else str(reason),
            status=response.status,
            field_errors=[
                FieldError(str(each.get("field", "")), str(each.get("message", "")))
                for each in (errors if isinstance(errors, list) else [])
                if isinstance(each, dict)
            ],
            request_id=response.headers.get("X-Request-Id"),
        )

    def _pause(self, tries: int, retry_after: float, breaker: Optional[Breaker]) -> bool:
        """Full jitter: anything up to a bound that doubles, so that many clients do not come back at once. False when closed."""
        most = min(_PAUSE_SECONDS_MAX, _FIRST_PAUSE_SECONDS * 2 ** (tries - 1))
        ended = self._closed if breaker is None else breaker.broken
        return not ended.wait(min(retry_after, _PAUSE_SECONDS_MAX) + random.uniform(0.0, most)) and not self._closed.is_set()


def _lost_claim(error: AgwpError) -> AgwpError:
    """The error for a holder: a claim that is gone, or as it was."""
    if error.status not in (404, 409) or not is_loss(error.reason):
        return error
    return LostClaim(
        str(error),
        code=error.code,
        reason=error.reason,
        status=error.status,
        field_errors=error.field_errors,
        request_id=error.request_id,
    )


def _retry_after(response: Any) -> float:
    asked = response.headers.get("Retry-After", "")
    return float(asked) if asked.isascii() and asked.isdigit() else 0.0


def _why(failure: BaseException) -> str:
    # First: in some releases of urllib3 it is a ConnectTimeoutError, too.
    if isinstance(failure, NewConnectionError):
        return "the connection was refused, or the host is not known"
    if isinstance(failure, ConnectTimeoutError):
        return "no connection within the time allowed"
    if isinstance(failure, Urllib3Timeout):
        return "it did not come within the time allowed"
    return str(failure) or type(failure).__name__
