import { randomUUID } from 'node:crypto';
import { IntegrationsApi } from './apis/IntegrationsApi.js';
import type { ListIntegrationsRequest } from './apis/IntegrationsApi.js';
import { JobsApi } from './apis/JobsApi.js';
import type { ListJobsRequest } from './apis/JobsApi.js';
import { AuditApi } from './apis/AuditApi.js';
import type { ListAuditEventsRequest } from './apis/AuditApi.js';
import { LeasesApi } from './apis/LeasesApi.js';
import type { ListLeasesRequest } from './apis/LeasesApi.js';
import { QueuesApi } from './apis/QueuesApi.js';
import type { ListQueuesRequest } from './apis/QueuesApi.js';
import { checked, integer, message, positiveSeconds } from './check.js';
import type { Message } from './check.js';
import { AcquireLeaseRequestFromJSON } from './models/AcquireLeaseRequest.js';
import type { AcquireLeaseRequest } from './models/AcquireLeaseRequest.js';
import { AuditHeadFromJSON } from './models/AuditHead.js';
import type { AuditHead } from './models/AuditHead.js';
import { ClaimJobRequestFromJSON } from './models/ClaimJobRequest.js';
import type { ClaimJobRequest } from './models/ClaimJobRequest.js';
import { ClaimJobResponseFromJSON } from './models/ClaimJobResponse.js';
import type { ClaimJobResponse } from './models/ClaimJobResponse.js';
import type { CompleteJobRequest } from './models/CompleteJobRequest.js';
import type { CompleteJobsRequest } from './models/CompleteJobsRequest.js';
import { EnqueueJobRequestFromJSON } from './models/EnqueueJobRequest.js';
import type { EnqueueJobRequest } from './models/EnqueueJobRequest.js';
import { EnqueueJobsRequestFromJSON } from './models/EnqueueJobsRequest.js';
import type { EnqueueJobsRequest } from './models/EnqueueJobsRequest.js';
import { EnqueueJobsResponseFromJSON } from './models/EnqueueJobsResponse.js';
import type { EnqueueJobsResponse } from './models/EnqueueJobsResponse.js';
import type { FailJobRequest } from './models/FailJobRequest.js';
import type { FailJobsRequest } from './models/FailJobsRequest.js';
import type { HeartbeatJobRequest } from './models/HeartbeatJobRequest.js';
import type { HeartbeatJobsRequest } from './models/HeartbeatJobsRequest.js';
import type { IntegrateRequest } from './models/IntegrateRequest.js';
import { IntegrationFromJSON } from './models/Integration.js';
import type { Integration } from './models/Integration.js';
import { JobFromJSON } from './models/Job.js';
import type { Job } from './models/Job.js';
import { LeaseFromJSON } from './models/Lease.js';
import type { Lease } from './models/Lease.js';
import { ListIntegrationsResponseFromJSON } from './models/ListIntegrationsResponse.js';
import type { ListIntegrationsResponse } from './models/ListIntegrationsResponse.js';
import { ListJobsResponseFromJSON } from './models/ListJobsResponse.js';
import type { ListJobsResponse } from './models/ListJobsResponse.js';
import { ListAuditEventsResponseFromJSON } from './models/ListAuditEventsResponse.js';
import type { ListAuditEventsResponse } from './models/ListAuditEventsResponse.js';
import { ListLeasesResponseFromJSON } from './models/ListLeasesResponse.js';
import type { ListLeasesResponse } from './models/ListLeasesResponse.js';
import { ListQueuesResponseFromJSON } from './models/ListQueuesResponse.js';
import type { ListQueuesResponse } from './models/ListQueuesResponse.js';
import { QueueFromJSON } from './models/Queue.js';
import type { Queue } from './models/Queue.js';
import { ReleaseJobRequestFromJSON } from './models/ReleaseJobRequest.js';
import type { ReleaseJobRequest } from './models/ReleaseJobRequest.js';
import { ReleaseLeaseRequestFromJSON } from './models/ReleaseLeaseRequest.js';
import type { ReleaseLeaseRequest } from './models/ReleaseLeaseRequest.js';
import { RenewLeaseRequestFromJSON } from './models/RenewLeaseRequest.js';
import type { RenewLeaseRequest } from './models/RenewLeaseRequest.js';
import { UpdateQueueRequestFromJSON } from './models/UpdateQueueRequest.js';
import type { UpdateQueueRequest } from './models/UpdateQueueRequest.js';
import {
  checkedCompletion,
  checkedCompletions,
  checkedFailure,
  checkedFailures,
  checkedHeartbeat,
  checkedHeartbeats,
  checkedIntegrate,
  checkedItems,
} from './requests.js';
import { jobResultsFrom } from './results.js';
import type { JobResults } from './results.js';
import { Bearer, isSafeAt } from './token.js';
import type { Token } from './token.js';
import { Transport } from './transport.js';
import type { Plan } from './transport.js';
import { fetchTrusting } from './trust.js';

const REQUEST_TIMEOUT_SECONDS_DEFAULT = 30;
const REQUEST_TIMEOUT_SECONDS_MAX = 86_400;
const TRIES_MAX_DEFAULT = 5;
const TRIES_MAX_MAX = 100;

/** What a client is made with. */
export interface ClientOptions {
  /** Seconds to wait for an answer, beside what a claim asks the server to wait. More than 0, at most 86400. Defaults to 30. */
  requestTimeoutSeconds?: number;
  /** How often a call is tried in all, where it may be repeated. 1..100; 1 never repeats. Defaults to 5. */
  triesMax?: number;
  /** The bearer token that says who calls, or a function that gives it, asked before each request. Defaults to none. */
  token?: Token;
  /**
   * Sends the token over plain http to another machine too, where whoever stands between can read it. Defaults to false, and TypeError for
   * such a server.
   */
  allowInsecureToken?: boolean;
  /** A PEM file with the certificates of the authorities to trust for https, and no others. Defaults to those that Node.js trusts. */
  caFile?: string;
}

/** What one call does otherwise than its client. */
export interface CallOptions extends Pick<ClientOptions, 'requestTimeoutSeconds' | 'triesMax'> {
  /** Breaks the call off: it ends with NoAnswer, and whether the server did it is not known. */
  signal?: AbortSignal;
}

// Not the generated types of the queries: their declarations need those of a browser, which a Node.js program may not have.

/** Which jobs listJobs answers, and which page of them. */
export interface ListJobsQuery {
  /** Only jobs of this queue. An unknown queue has no jobs. Defaults to all. */
  queue?: string;
  /** Only jobs in this state, one of `queued`, `claimed`, `succeeded`, `dead`, `cancelled`. Defaults to all. */
  state?: string;
  /** How many jobs a page holds at most, 1..1000. Defaults to 100. */
  pageSize?: number;
  /** The `nextPageToken` of the page before. Defaults to the first page. */
  pageToken?: string;
}

/** Which page listQueues answers. */
export interface ListQueuesQuery {
  /** How many queues a page holds at most, 1..1000. Defaults to 1000. */
  pageSize?: number;
  /** The `nextPageToken` of the page before. Defaults to the first page. */
  pageToken?: string;
}

/** Which events listAuditEvents answers. */
export interface ListAuditEventsQuery {
  /** The `seq` after which to begin. Defaults to 0, the beginning. */
  after?: number;
  /** How many events to answer at most, 1..1000. Defaults to 100. */
  limit?: number;
}

/** Which page of the leases or integrations of a repo is answered. */
export interface RepoQuery {
  /** The repo. An unknown one has none. */
  repo: string;
  /** How many a page holds at most, 1..1000. Defaults to 100. */
  pageSize?: number;
  /** The `nextPageToken` of the page before. Defaults to the first page. */
  pageToken?: string;
}

/** An attestation as the worker sent it. */
export interface StoredAttestation {
  /** The media type it was sent with. */
  mediaType: string;
  /** Its bytes; their SHA-256 is the job's `attestationDigest`. */
  body: Uint8Array;
}

function named<T>(name: string, fields: Record<keyof T & string, true>): Message<T> {
  return { name, fields: Object.keys(fields) as (keyof T & string)[] };
}

const CLIENT_OPTIONS = named<ClientOptions>('the options of AgwpClient', {
  requestTimeoutSeconds: true,
  triesMax: true,
  token: true,
  allowInsecureToken: true,
  caFile: true,
});
const CALL_OPTIONS = named<CallOptions>('the options of a call', { requestTimeoutSeconds: true, triesMax: true, signal: true });
// Named by the generated types: a parameter that the contract gains does not compile until it is taken up here.
const LIST_JOBS = named<ListJobsRequest>('the query of listJobs', { queue: true, state: true, pageSize: true, pageToken: true });
const LIST_QUEUES = named<ListQueuesRequest>('the query of listQueues', { pageSize: true, pageToken: true });
const LIST_AUDIT_EVENTS = named<ListAuditEventsRequest>('the query of listAuditEvents', { after: true, limit: true });
const LIST_LEASES = named<ListLeasesRequest>('the query of listLeases', { repo: true, pageSize: true, pageToken: true });
const LIST_INTEGRATIONS = named<ListIntegrationsRequest>('the query of listIntegrations', { repo: true, pageSize: true, pageToken: true });
const ENQUEUE_JOB = message('EnqueueJobRequest', EnqueueJobRequestFromJSON);
const ENQUEUE_JOBS = message('EnqueueJobsRequest', EnqueueJobsRequestFromJSON, { jobs: [] });
const CLAIM_JOB = message('ClaimJobRequest', ClaimJobRequestFromJSON);
const RELEASE_JOB = message('ReleaseJobRequest', ReleaseJobRequestFromJSON);
const UPDATE_QUEUE = message('UpdateQueueRequest', UpdateQueueRequestFromJSON);
const ACQUIRE_LEASE = message('AcquireLeaseRequest', AcquireLeaseRequestFromJSON);
const RENEW_LEASE = message('RenewLeaseRequest', RenewLeaseRequestFromJSON);
const RELEASE_LEASE = message('ReleaseLeaseRequest', ReleaseLeaseRequestFromJSON);

/**
 * A client of one server, with a method for each operation of the contract.
 *
 * Every method rejects with AgwpError when the server refuses, with NoAnswer when no answer came, and with TypeError when the request has
 * a field the contract has not. A call is repeated by itself, with growing random pauses, only where that can do no harm: when the
 * connection was refused, when the server answered 429, and, for operations that are safe to repeat, when it answered 503 or the
 * answer was lost. The README has the table.
 *
 * Integers beyond 2^53 are read as bigint and written as they are, in payloads and results too.
 */
export class AgwpClient {
  readonly #transport: Transport;
  readonly #requestTimeoutSeconds: number;
  readonly #triesMax: number;
  // They only make requests; the transport carries them.
  readonly #jobs = new JobsApi();
  readonly #queues = new QueuesApi();
  readonly #audit = new AuditApi();
  readonly #leases = new LeasesApi();
  readonly #integrations = new IntegrationsApi();

  /**
   * @param server where it is reached, for example `http://127.0.0.1:8080`
   * @throws TypeError when the server is no http or https URL, or an option is not known
   * @throws RangeError when an option is out of its range
   */
  constructor(server: string | URL, options: ClientOptions = {}) {
    const base = baseOf(server);
    const given = checked(CLIENT_OPTIONS, options);
    if (given.token !== undefined && given.allowInsecureToken !== true && !isSafeAt(new URL(base))) {
      throw new TypeError(`a token would be sent readable to ${base}; use https, or allowInsecureToken`);
    }
    const trusting = given.caFile === undefined ? undefined : fetchTrusting(given.caFile);
    this.#transport = new Transport(base, new Bearer(given.token), base.startsWith('https:') ? trusting : undefined);
    this.#requestTimeoutSeconds = positiveSeconds(
      'requestTimeoutSeconds',
      given.requestTimeoutSeconds ?? REQUEST_TIMEOUT_SECONDS_DEFAULT,
      REQUEST_TIMEOUT_SECONDS_MAX,
    );
    this.#triesMax = integer('triesMax', given.triesMax ?? TRIES_MAX_DEFAULT, 1, TRIES_MAX_MAX);
  }

  /** Stores a job, or answers the live one with its `uniqueKey`. Repeated after a lost answer only with a key. */
  async enqueueJob(request: EnqueueJobRequest, options?: CallOptions): Promise<Job> {
    const enqueueJobRequest = checked(ENQUEUE_JOB, request);
    const plan = this.#plan(enqueueJobRequest.uniqueKey !== undefined, options);
    return this.#transport.json(await this.#jobs.enqueueJobRequestOpts({ enqueueJobRequest }), plan, JobFromJSON);
  }

  /**
   * Stores 1..1000 jobs, all or none, and answers them in the same order. Repeated after a lost answer only when every job has a
   * `uniqueKey`.
   */
  async enqueueJobs(request: EnqueueJobsRequest, options?: CallOptions): Promise<EnqueueJobsResponse> {
    const jobs = checkedItems('EnqueueJobsRequest.jobs', ENQUEUE_JOB, checked(ENQUEUE_JOBS, request).jobs);
    const plan = this.#plan(
      jobs.every((job) => job.uniqueKey !== undefined),
      options,
    );
    return this.#transport.json(
      await this.#jobs.enqueueJobsRequestOpts({ enqueueJobsRequest: { jobs } }),
      plan,
      EnqueueJobsResponseFromJSON,
    );
  }

  /**
   * Claims jobs; the answer has none when none came within `waitSeconds`. Repeated after a lost answer with the same `requestId`, so that
   * jobs which the server gave already come back; one is made when the request has none.
   */
  async claimJob(request: ClaimJobRequest, options?: CallOptions): Promise<ClaimJobResponse> {
    const given = checked(CLAIM_JOB, request);
    const claimJobRequest = { ...given, requestId: given.requestId ?? randomUUID() };
    const plan = this.#plan(true, options, Number(claimJobRequest.waitSeconds ?? 0) || 0);
    return this.#transport.json(await this.#jobs.claimJobRequestOpts({ claimJobRequest }), plan, ClaimJobResponseFromJSON);
  }

  /** Keeps a claim for `leaseSeconds` from now. @throws LostClaim when the caller does not hold the job (any more) */
  async heartbeatJob(jobId: string, request: HeartbeatJobRequest, options?: CallOptions): Promise<Job> {
    const heartbeatJobRequest = checkedHeartbeat(request);
    const plan = this.#planOfHolder(true, options);
    const call = await this.#jobs.heartbeatJobRequestOpts({ jobId: segment('jobId', jobId), heartbeatJobRequest });
    return this.#transport.json(call, plan, JobFromJSON);
  }

  /**
   * Keeps 1..100 claims, each as heartbeatJob would; a refused one leaves the others alone and is an `error` of the answer. Servers before
   * release 1.3.0 do not have it.
   */
  async heartbeatJobs(request: HeartbeatJobsRequest, options?: CallOptions): Promise<JobResults> {
    const heartbeatJobsRequest = checkedHeartbeats(request);
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#jobs.heartbeatJobsRequestOpts({ heartbeatJobsRequest }), plan, jobResultsFrom);
  }

  /**
   * Ends a job with an outcome. Repeated after a lost answer only with a `fencingToken`: a server of release 1.1.0 or later answers the
   * repeat of a completion that won with the stored job. A Worker also finds out what became of one on older servers. A `claimNext` without
   * a `requestId` gets one, so that a repeat is answered with the same `nextJob`.
   *
   * @throws LostClaim when the caller does not hold the job (any more); nothing was stored then
   */
  async completeJob(jobId: string, request: CompleteJobRequest, options?: CallOptions): Promise<Job> {
    const completeJobRequest = checkedCompletion(request);
    const plan = this.#planOfHolder(isFenced(completeJobRequest), options);
    const call = await this.#jobs.completeJobRequestOpts({ jobId: segment('jobId', jobId), completeJobRequest });
    return this.#transport.json(call, plan, JobFromJSON);
  }

  /**
   * Ends 1..100 jobs, each as completeJob would; a refused one leaves the others alone and is an `error` of the answer. Repeated after a
   * lost answer only when every completion has its `fencingToken`. Servers before release 1.3.0 do not have it.
   */
  async completeJobs(request: CompleteJobsRequest, options?: CallOptions): Promise<JobResults> {
    const completeJobsRequest = checkedCompletions(request);
    const plan = this.#plan(
      completeJobsRequest.completions.every((each) => isFenced(each.completion)),
      options,
    );
    return this.#transport.json(await this.#jobs.completeJobsRequestOpts({ completeJobsRequest }), plan, jobResultsFrom);
  }

  /** Gives an attempt up; never repeated after a lost answer. @throws LostClaim when the caller does not hold the job (any more) */
  async failJob(jobId: string, request: FailJobRequest, options?: CallOptions): Promise<Job> {
    const failJobRequest = checkedFailure(request);
    const plan = this.#planOfHolder(false, options);
    return this.#transport.json(await this.#jobs.failJobRequestOpts({ jobId: segment('jobId', jobId), failJobRequest }), plan, JobFromJSON);
  }

  /**
   * Gives 1..100 attempts up, each as failJob would; a refused one leaves the others alone and is an `error` of the answer. Never repeated
   * after a lost answer. Servers before release 1.3.0 do not have it.
   */
  async failJobs(request: FailJobsRequest, options?: CallOptions): Promise<JobResults> {
    const failJobsRequest = checkedFailures(request);
    const plan = this.#plan(false, options);
    return this.#transport.json(await this.#jobs.failJobsRequestOpts({ failJobsRequest }), plan, jobResultsFrom);
  }

  /** Hands a claim back unused; never repeated after a lost answer. @throws LostClaim when the caller does not hold the job (any more) */
  async releaseJob(jobId: string, request: ReleaseJobRequest, options?: CallOptions): Promise<Job> {
    const releaseJobRequest = checked(RELEASE_JOB, request);
    const plan = this.#planOfHolder(false, options);
    const call = await this.#jobs.releaseJobRequestOpts({ jobId: segment('jobId', jobId), releaseJobRequest });
    return this.#transport.json(call, plan, JobFromJSON);
  }

  /** Ends a queued or claimed job at once; a cancelled one is answered as it is. */
  async cancelJob(jobId: string, options?: CallOptions): Promise<Job> {
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#jobs.cancelJobRequestOpts({ jobId: segment('jobId', jobId) }), plan, JobFromJSON);
  }

  /** Puts a dead or cancelled job back with at least one more attempt allowed; never repeated after a lost answer. */
  async retryJob(jobId: string, options?: CallOptions): Promise<Job> {
    const plan = this.#plan(false, options);
    return this.#transport.json(await this.#jobs.retryJobRequestOpts({ jobId: segment('jobId', jobId) }), plan, JobFromJSON);
  }

  /** The job as it stands. */
  async getJob(jobId: string, options?: CallOptions): Promise<Job> {
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#jobs.getJobRequestOpts({ jobId: segment('jobId', jobId) }), plan, JobFromJSON);
  }

  /** One page of jobs, newest first; the next one with `pageToken` = the answer's `nextPageToken`, until that is absent. */
  async listJobs(query: ListJobsQuery = {}, options?: CallOptions): Promise<ListJobsResponse> {
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#jobs.listJobsRequestOpts(checked(LIST_JOBS, query)), plan, ListJobsResponseFromJSON);
  }

  /** The attestation of the completion that ended the job, byte for byte. */
  async getAttestation(jobId: string, options?: CallOptions): Promise<StoredAttestation> {
    const plan = this.#plan(true, options);
    const call = await this.#jobs.getAttestationRequestOpts({ jobId: segment('jobId', jobId) });
    const answer = await this.#transport.call(call, { Accept: '*/*' }, plan);
    return { mediaType: answer.headers.get('Content-Type') ?? 'application/octet-stream', body: answer.body };
  }

  /** One page of queues by name, paged as listJobs is. */
  async listQueues(query: ListQueuesQuery = {}, options?: CallOptions): Promise<ListQueuesResponse> {
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#queues.listQueuesRequestOpts(checked(LIST_QUEUES, query)), plan, ListQueuesResponseFromJSON);
  }

  /** A queue with its depth by state, and who calls for its jobs without a fencing token. */
  async getQueue(queue: string, options?: CallOptions): Promise<Queue> {
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#queues.getQueueRequestOpts({ queue: segment('queue', queue) }), plan, QueueFromJSON);
  }

  /** Pauses or resumes a queue, requires fencing tokens of it; what the request does not name stays. */
  async updateQueue(queue: string, request: UpdateQueueRequest, options?: CallOptions): Promise<Queue> {
    const updateQueueRequest = checked(UPDATE_QUEUE, request);
    const plan = this.#plan(true, options);
    const call = await this.#queues.updateQueueRequestOpts({ queue: segment('queue', queue), updateQueueRequest });
    return this.#transport.json(call, plan, QueueFromJSON);
  }

  /** Sealed events of the audit log in their order, from the one after `after` on; none when nothing more is sealed yet. */
  async listAuditEvents(query: ListAuditEventsQuery = {}, options?: CallOptions): Promise<ListAuditEventsResponse> {
    const plan = this.#plan(true, options);
    const call = await this.#audit.listAuditEventsRequestOpts(checked(LIST_AUDIT_EVENTS, query));
    return this.#transport.json(call, plan, ListAuditEventsResponseFromJSON);
  }

  /** How far the audit log is sealed. */
  async getAuditHead(options?: CallOptions): Promise<AuditHead> {
    return this.#transport.json(await this.#audit.getAuditHeadRequestOpts(), this.#plan(true, options), AuditHeadFromJSON);
  }

  /**
   * Leases paths exclusively, all or none. Repeated after a lost answer with the same `requestId`, so that a lease which the server gave
   * already comes back; one is made when the request has none. Servers before release 1.5.0 do not have it.
   */
  async acquireLease(request: AcquireLeaseRequest, options?: CallOptions): Promise<Lease> {
    const given = checked(ACQUIRE_LEASE, request);
    const acquireLeaseRequest = { ...given, requestId: given.requestId ?? randomUUID() };
    const plan = this.#plan(true, options, Number(acquireLeaseRequest.waitSeconds ?? 0) || 0);
    return this.#transport.json(await this.#leases.acquireLeaseRequestOpts({ acquireLeaseRequest }), plan, LeaseFromJSON);
  }

  /** Keeps a lease. It is lost when the error's code is `not_found` or `failed_precondition`. */
  async renewLease(leaseId: string, request: RenewLeaseRequest, options?: CallOptions): Promise<Lease> {
    const renewLeaseRequest = checked(RENEW_LEASE, request);
    const plan = this.#plan(true, options);
    const call = await this.#leases.renewLeaseRequestOpts({ leaseId: segment('leaseId', leaseId), renewLeaseRequest });
    return this.#transport.json(call, plan, LeaseFromJSON);
  }

  /** Gives a lease back; one that its holder has released before is answered as it is. */
  async releaseLease(leaseId: string, request: ReleaseLeaseRequest, options?: CallOptions): Promise<Lease> {
    const releaseLeaseRequest = checked(RELEASE_LEASE, request);
    const plan = this.#plan(true, options);
    const call = await this.#leases.releaseLeaseRequestOpts({ leaseId: segment('leaseId', leaseId), releaseLeaseRequest });
    return this.#transport.json(call, plan, LeaseFromJSON);
  }

  /** One page of the leases of a repo, newest first, paged as listJobs is. */
  async listLeases(query: RepoQuery, options?: CallOptions): Promise<ListLeasesResponse> {
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#leases.listLeasesRequestOpts(checked(LIST_LEASES, query)), plan, ListLeasesResponseFromJSON);
  }

  /**
   * Takes a change in while its leases hold. Repeated after a lost answer with the same `requestId`, so that a change is integrated once;
   * one is made when the request has none. Servers before release 1.5.0 do not have it.
   */
  async integrate(request: IntegrateRequest, options?: CallOptions): Promise<Integration> {
    const integrateRequest = checkedIntegrate(request);
    const plan = this.#plan(true, options);
    return this.#transport.json(await this.#integrations.integrateRequestOpts({ integrateRequest }), plan, IntegrationFromJSON);
  }

  /** The integration with the state that its job gives it now. */
  async getIntegration(integrationId: string, options?: CallOptions): Promise<Integration> {
    const plan = this.#plan(true, options);
    const call = await this.#integrations.getIntegrationRequestOpts({ integrationId: segment('integrationId', integrationId) });
    return this.#transport.json(call, plan, IntegrationFromJSON);
  }

  /** One page of the integrations of a repo, newest first, paged as listJobs is. */
  async listIntegrations(query: RepoQuery, options?: CallOptions): Promise<ListIntegrationsResponse> {
    const plan = this.#plan(true, options);
    const call = await this.#integrations.listIntegrationsRequestOpts(checked(LIST_INTEGRATIONS, query));
    return this.#transport.json(call, plan, ListIntegrationsResponseFromJSON);
  }

  #plan(repeatSafe: boolean, options: CallOptions = {}, waitSeconds = 0): Plan {
    const given = checked(CALL_OPTIONS, options);
    const timeoutSeconds = positiveSeconds(
      'requestTimeoutSeconds',
      given.requestTimeoutSeconds ?? this.#requestTimeoutSeconds,
      REQUEST_TIMEOUT_SECONDS_MAX,
    );
    return {
      repeatSafe,
      timeoutMs: (timeoutSeconds + waitSeconds) * 1000,
      triesMax: integer('triesMax', given.triesMax ?? this.#triesMax, 1, TRIES_MAX_MAX),
      signal: given.signal,
    };
  }

  #planOfHolder(repeatSafe: boolean, options?: CallOptions): Plan {
    return { ...this.#plan(repeatSafe, options), ofHolder: true };
  }
}

function isFenced(completion: CompleteJobRequest): boolean {
  return completion.fencingToken !== undefined && Number(completion.fencingToken) !== 0;
}

function baseOf(server: string | URL): string {
  const text = String(server);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError(`the server must be an http or https URL such as http://127.0.0.1:8080, got ${text}`);
  }
  return url.href.replace(/\/+$/, '');
}

// A URL with an empty, . or .. segment names another resource: the call would be another operation.
function segment(name: string, value: string): string {
  if (typeof value !== 'string' || ['', '.', '..'].includes(value)) {
    throw new TypeError(`${name} must be a name that can stand in a path, got ${typeof value === 'string' ? `"${value}"` : typeof value}`);
  }
  return value;
}
