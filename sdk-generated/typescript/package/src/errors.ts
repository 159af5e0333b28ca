/** A field at fault: `field` as the request names it on the wire, for example `jobs[3].queue`, and what it must be. */
export interface FieldError {
  field: string;
  message: string;
}

/** What a server said of a call it refused. */
export interface Refusal {
  status: number;
  code: string;
  reason?: string;
  detail: string;
  fieldErrors: readonly FieldError[];
  requestId?: string;
}

/**
 * A call that was refused, or whose fate is not known.
 *
 * Decide by `code`, and for a refused call on a job, a lease or an integration by `reason`. A word this release does not know is given as the server sent it.
 */
export class AgwpError extends Error {
  /** The kind of problem, for example `invalid_argument`; the contract lists them, and later releases may add some. */
  readonly code: string;
  /**
   * Why a call on a job was refused: `unknown_job`, `not_holder`, `stale_fencing_token`, `fencing_token_required`, `job_ended`,
   * `job_cancelled`, or `attestation_required`, `attestation_unsigned`, `attestation_invalid` or `attestation_mismatch`. Of leases and
   * integrations: `unknown_lease`, `lease_held`, `not_holder`, `stale_fencing_token`, `lease_released`, `lease_expired`,
   * `unknown_integration` or `stale_base`. Later releases may add some. Undefined where none of them is why, and from servers before release
   * 1.2.0.
   */
  readonly reason: string | undefined;
  /** The HTTP status, 400 to 599; 0 when no answer came, and 200 for one call of many, which is refused within an answer. */
  readonly status: number;
  /** The fields at fault; empty where no field is. */
  readonly fieldErrors: readonly FieldError[];
  /** What the server's log calls this request; undefined when no answer came, and for one call of many. */
  readonly requestId: string | undefined;

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.detail, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = refusal.code;
    this.reason = refusal.reason;
    this.status = refusal.status;
    this.fieldErrors = refusal.fieldErrors;
    this.requestId = refusal.requestId;
  }
}

/**
 * The server does not know the caller, code `unauthenticated`, or does not let it do this, `permission_denied`. Nothing was done, and a
 * repeat with the same token would be refused too.
 */
export class AccessRefused extends AgwpError {}

/** The caller does not hold the job (any more): stop working on it. */
export class LostClaim extends AgwpError {}

/** No answer came, so whether the server did it is not known; `code` is `unavailable` and `status` 0. */
export class NoAnswer extends AgwpError {
  constructor(detail: string, cause?: unknown) {
    super({ status: 0, code: 'unavailable', detail, fieldErrors: [] }, cause);
  }
}

/**
 * A worker that requires fencing met a server that does not say it checks fencing tokens: one before release 1.2.0. The jobs it gave
 * were handed back. Upgrade the servers, all of them, before the workers require it.
 */
export class UnfencedServer extends Error {
  constructor() {
    super(
      'the server does not say that it checks fencing tokens (fencing_enforced), as servers do from release 1.2.0 on; what it gave was ' +
        'handed back. Upgrade the server, or work without requireFencing',
    );
    this.name = 'UnfencedServer';
  }
}
