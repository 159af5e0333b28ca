import { AgwpError, LostClaim } from './errors.js';
import type { JobResult as Message } from './models/JobResult.js';
import { JobResultsFromJSON } from './models/JobResults.js';
import { fieldErrorsIn, isLoss, OK, textIn } from './transport.js';

/** What came of one call of many: a `job`, or an `error`. */
export interface JobResult extends Omit<Message, 'error'> {
  /**
   * Why the call was refused and changed nothing, a LostClaim when the caller does not hold the job (any more). Absent when it was
   * applied.
   */
  error?: AgwpError;
}

/** What came of each call. */
export interface JobResults {
  /** One result for each call, in their order. */
  results: JobResult[];
}

export function jobResultsFrom(json: unknown): JobResults {
  const { results } = JobResultsFromJSON(json);
  return { results: results.map(({ error, ...result }) => (error === undefined ? result : { ...result, error: typed(error) })) };
}

// The generator takes the contract's Error for that of JavaScript and leaves it as it came.
function typed(error: object): AgwpError {
  const said = error as Record<string, unknown>;
  const code = textIn(said, 'code') ?? 'internal';
  const reason = textIn(said, 'reason');
  const refusal = {
    status: OK,
    code,
    ...(reason === undefined ? {} : { reason }),
    detail: textIn(said, 'detail') ?? code,
    fieldErrors: fieldErrorsIn(said),
  };
  // As for a call of its own, which would be answered with 404 or 409. A missing token is no loss.
  const lost = (code === 'not_found' || code === 'failed_precondition') && isLoss(reason);
  return lost ? new LostClaim(refusal) : new AgwpError(refusal);
}
