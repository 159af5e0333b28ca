import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Claim } from './claim.js';
import type { AgwpClient } from './client.js';
import { AccessRefused, AgwpError, LostClaim } from './errors.js';
import type { Job } from './models/Job.js';
import { clipped } from './outcome.js';
import type { Completion, Failure, Outcome } from './outcome.js';
import { pause } from './pause.js';

const TRY_FOR_MS_MIN = 60_000;
const PAUSE_MS_MAX = 2_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

export type Result = 'taken' | 'lost' | 'unknown';

/**
 * Tells the server how a claim ended. When no answer comes it looks the job up: the report may have been taken, and reporting it
 * again would then be refused; or it was not, and is sent again.
 */
export class Reports {
  /** @param signal ends the tries when the worker has no more time */
  constructor(
    private readonly client: AgwpClient,
    private readonly leaseSeconds: number,
    private readonly signal: AbortSignal,
  ) {}

  async report(claim: Claim, outcome: Outcome): Promise<Result> {
    const completion = outcome.completion();
    try {
      return await (completion === undefined ? this.#fail(claim, outcome.failure()) : this.#complete(claim, completion));
    } catch (refused) {
      if (refused instanceof AccessRefused) {
        // It says nothing of the outcome: to report another one in its place would make a failure of a success.
        return 'unknown';
      }
      // The outcome itself was refused, for example a summary that is too long. Silence would leave the job to its lease.
      return this.#fail(claim, { reason: 'outcome_refused', message: clipped(`the outcome was refused: ${messageOf(refused)}`) });
    }
  }

  async release(claim: Claim): Promise<Result> {
    const request = { worker: claim.label, fencingToken: claim.fencingToken };
    return this.#untilKnown(
      claim,
      () => this.client.releaseJob(claim.job.jobId, request, { signal: this.signal }),
      (now) => now.state === 'queued' && now.attempts === claim.job.attempts,
    );
  }

  #complete(claim: Claim, completion: Completion): Promise<Result> {
    const request = { ...completion, worker: claim.label, fencingToken: claim.fencingToken };
    const attestation = completion.attestation;
    const digest = attestation === undefined ? undefined : `sha256:${sha256(Buffer.from(attestation.body, 'base64'))}`;
    return this.#untilKnown(
      claim,
      () => this.client.completeJob(claim.job.jobId, request, { signal: this.signal }),
      (now) => now.state === 'succeeded' && isOfHolder(claim, now) && now.outcome === completion.outcome && now.attestationDigest === digest,
    );
  }

  #fail(claim: Claim, failure: Failure): Promise<Result> {
    const request = { ...failure, worker: claim.label, fencingToken: claim.fencingToken };
    return this.#untilKnown(
      claim,
      () => this.client.failJob(claim.job.jobId, request, { signal: this.signal }),
      (now) => now.state !== 'claimed' && now.attempts === claim.job.attempts && now.lastError?.reason === failure.reason,
    );
  }

  async #untilKnown(claim: Claim, report: () => Promise<Job>, wasTaken: (now: Job) => boolean): Promise<Result> {
    const giveUpMs = performance.now() + Math.max(TRY_FOR_MS_MIN, this.leaseSeconds * 1000);
    while (true) {
      try {
        await report();
        return 'taken';
      } catch (failed) {
        if (failed instanceof LostClaim) {
          // An earlier try may have been taken, and a server of 1.0.0 refuses the repeat.
          return (await this.#lookUp(claim, wasTaken)) === true ? 'taken' : 'lost';
        }
        if (!(failed instanceof AgwpError) || isRefusal(failed)) {
          throw failed;
        }
        const taken = await this.#lookUp(claim, wasTaken);
        if (taken !== undefined) {
          return taken ? 'taken' : 'lost';
        }
        if (performance.now() > giveUpMs || !(await pause(Math.random() * PAUSE_MS_MAX, this.signal))) {
          return 'unknown';
        }
      }
    }
  }

  /** True or false when the job tells; undefined when it is held as before or cannot be read. */
  async #lookUp(claim: Claim, wasTaken: (now: Job) => boolean): Promise<boolean | undefined> {
    let now: Job;
    try {
      now = await this.client.getJob(claim.job.jobId, { signal: this.signal });
    } catch (unreadable) {
      if (unreadable instanceof AgwpError) {
        return undefined;
      }
      throw unreadable;
    }
    return now.state === 'claimed' && isOfHolder(claim, now) ? undefined : wasTaken(now);
  }
}

function isRefusal(failed: AgwpError): boolean {
  return failed.status !== 0 && failed.status < SERVER_ERROR && failed.status !== TOO_MANY_REQUESTS;
}

function isOfHolder(claim: Claim, now: Job): boolean {
  // A label holds no bar, so what follows the last one is the label.
  return now.attempts === claim.job.attempts && now.claimedBy !== undefined && now.claimedBy.endsWith(`|${claim.label}`);
}

function sha256(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

function messageOf(refused: unknown): string {
  return refused instanceof Error ? refused.message : String(refused);
}
