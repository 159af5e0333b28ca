import { randomUUID } from 'node:crypto';
import { checked, message } from './check.js';
import type { Message } from './check.js';
import { AttestationFromJSON } from './models/Attestation.js';
import type { Attestation } from './models/Attestation.js';
import { ClaimNextFromJSON } from './models/ClaimNext.js';
import type { ClaimNext } from './models/ClaimNext.js';
import { CompleteJobRequestFromJSON } from './models/CompleteJobRequest.js';
import type { CompleteJobRequest } from './models/CompleteJobRequest.js';
import { CompleteJobsRequestFromJSON } from './models/CompleteJobsRequest.js';
import type { CompleteJobsRequest } from './models/CompleteJobsRequest.js';
import { FailJobRequestFromJSON } from './models/FailJobRequest.js';
import type { FailJobRequest } from './models/FailJobRequest.js';
import { FailJobsRequestFromJSON } from './models/FailJobsRequest.js';
import type { FailJobsRequest } from './models/FailJobsRequest.js';
import { HeartbeatJobRequestFromJSON } from './models/HeartbeatJobRequest.js';
import type { HeartbeatJobRequest } from './models/HeartbeatJobRequest.js';
import { HeartbeatJobsRequestFromJSON } from './models/HeartbeatJobsRequest.js';
import type { HeartbeatJobsRequest } from './models/HeartbeatJobsRequest.js';
import { IntegrateRequestFromJSON } from './models/IntegrateRequest.js';
import type { IntegrateRequest } from './models/IntegrateRequest.js';
import { JobCompletionFromJSON } from './models/JobCompletion.js';
import { JobFailureFromJSON } from './models/JobFailure.js';
import { JobHeartbeatFromJSON } from './models/JobHeartbeat.js';
import { ValidationFromJSON } from './models/Validation.js';
import type { Validation } from './models/Validation.js';

const HEARTBEAT_JOB = message('HeartbeatJobRequest', HeartbeatJobRequestFromJSON);
const HEARTBEAT_JOBS = message('HeartbeatJobsRequest', HeartbeatJobsRequestFromJSON, { heartbeats: [] });
const JOB_HEARTBEAT = message('JobHeartbeat', JobHeartbeatFromJSON);
const COMPLETE_JOB = message('CompleteJobRequest', CompleteJobRequestFromJSON);
const COMPLETE_JOBS = message('CompleteJobsRequest', CompleteJobsRequestFromJSON, { completions: [] });
const JOB_COMPLETION = message('JobCompletion', JobCompletionFromJSON);
const FAIL_JOB = message('FailJobRequest', FailJobRequestFromJSON);
const FAIL_JOBS = message('FailJobsRequest', FailJobsRequestFromJSON, { failures: [] });
const JOB_FAILURE = message('JobFailure', JobFailureFromJSON);
const ATTESTATION = message<Attestation>('Attestation', AttestationFromJSON);
const CLAIM_NEXT = message<ClaimNext>('ClaimNext', ClaimNextFromJSON);
const INTEGRATE = message('IntegrateRequest', IntegrateRequestFromJSON);
const VALIDATION = message<Validation>('Validation', ValidationFromJSON);

// What has messages inside, checked at every depth.

export function checkedHeartbeat(request: HeartbeatJobRequest): HeartbeatJobRequest {
  return checked(HEARTBEAT_JOB, request);
}

export function checkedHeartbeats(request: HeartbeatJobsRequest): HeartbeatJobsRequest {
  const { heartbeats } = checked(HEARTBEAT_JOBS, request);
  return {
    heartbeats: checkedItems('HeartbeatJobsRequest.heartbeats', JOB_HEARTBEAT, heartbeats).map((each) => ({
      ...each,
      heartbeat: checkedHeartbeat(each.heartbeat),
    })),
  };
}

export function checkedCompletion(request: CompleteJobRequest): CompleteJobRequest {
  const completion = checked(COMPLETE_JOB, request);
  if (completion.attestation !== undefined) {
    completion.attestation = checked(ATTESTATION, completion.attestation);
  }
  if (completion.claimNext !== undefined) {
    // Without a name a repeat would claim one more job, and nobody would know of the first.
    completion.claimNext = { requestId: randomUUID(), ...checked(CLAIM_NEXT, completion.claimNext) };
  }
  return completion;
}

export function checkedCompletions(request: CompleteJobsRequest): CompleteJobsRequest {
  const { completions } = checked(COMPLETE_JOBS, request);
  return {
    completions: checkedItems('CompleteJobsRequest.completions', JOB_COMPLETION, completions).map((each) => ({
      ...each,
      completion: checkedCompletion(each.completion),
    })),
  };
}

export function checkedFailure(request: FailJobRequest): FailJobRequest {
  const failure = checked(FAIL_JOB, request);
  if (failure.claimNext !== undefined) {
    failure.claimNext = checked(CLAIM_NEXT, failure.claimNext);
  }
  return failure;
}

export function checkedFailures(request: FailJobsRequest): FailJobsRequest {
  const { failures } = checked(FAIL_JOBS, request);
  return {
    failures: checkedItems('FailJobsRequest.failures', JOB_FAILURE, failures).map((each) => ({
      ...each,
      failure: checkedFailure(each.failure),
    })),
  };
}

export function checkedIntegrate(request: IntegrateRequest): IntegrateRequest {
  const given = checked(INTEGRATE, request);
  if (given.validation !== undefined) {
    given.validation = checked(VALIDATION, given.validation);
  }
  return { ...given, requestId: given.requestId ?? randomUUID() };
}

/** The items of a list, each of them checked. @throws TypeError when it is no list */
export function checkedItems<T extends object>(name: string, what: Message<T>, items: T[]): T[] {
  if (!Array.isArray(items)) {
    throw new TypeError(`${name} must be an array of ${what.name}`);
  }
  return items.map((item) => checked(what, item));
}
