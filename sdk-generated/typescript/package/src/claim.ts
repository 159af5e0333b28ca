import type { AgwpClient } from './client.js';
import { LostClaim } from './errors.js';
import type { Job } from './models/Job.js';

const AGAIN_MS_MIN = 200;

/**
 * One claim from when it was given until it is ended or lost. Heartbeats at a third of the lease; when the server cannot be reached
 * the claim is kept until its lease has run out by this machine's own monotonic clock, since until then nobody else gets the job.
 */
export class Claim {
  readonly #client: AgwpClient;
  readonly #leaseSeconds: number;
  readonly #leaseMs: number;
  readonly #stop = new AbortController();
  #state: 'held' | 'ending' | 'lost' = 'held';
  #whyLost = '';
  #leaseEndsMs: number;
  #next: NodeJS.Timeout | undefined;
  #percent: number | undefined;
  #message: string | undefined;

  /** @param atOnce when the claim may be older than its answer, because that came late */
  constructor(
    client: AgwpClient,
    readonly job: Job,
    readonly label: string,
    leaseSeconds: number,
    atOnce: boolean,
  ) {
    this.#client = client;
    this.#leaseSeconds = leaseSeconds;
    this.#leaseMs = leaseSeconds * 1000;
    this.#leaseEndsMs = performance.now() + this.#leaseMs;
    this.#schedule(atOnce ? 0 : this.#leaseMs / 3);
  }

  /** The number of this claim: a later claim of the job, though by a worker of the same label, has a larger one. */
  get fencingToken(): number | bigint {
    return this.job.attempts;
  }

  /** Aborted when the handler is to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isLost(): boolean {
    return this.#state === 'lost';
  }

  get whyLost(): string {
    return this.#whyLost;
  }

  progress(percent: number, message: string | undefined): void {
    this.#percent = percent;
    this.#message = message ?? this.#message;
  }

  /** Stops the handler of a claim that is still held. */
  cancel(why: string): void {
    this.#stop.abort(new Error(why));
  }

  /** Ends the heartbeats so that the outcome can be reported. False when the claim was lost before: nothing is to be reported then. */
  beginEnd(): boolean {
    if (this.#state === 'lost') {
      return false;
    }
    this.#state = 'ending';
    clearTimeout(this.#next);
    return true;
  }

  async #beat(): Promise<void> {
    if (this.#state !== 'held') {
      return;
    }
    const sentMs = performance.now();
    const timeoutMs = Math.max(AGAIN_MS_MIN, Math.min(this.#leaseMs / 3, this.#leaseEndsMs - sentMs));
    try {
      await this.#client.heartbeatJob(
        this.job.jobId,
        {
          worker: this.label,
          fencingToken: this.fencingToken,
          leaseSeconds: this.#leaseSeconds,
          progress: this.#percent,
          statusMessage: this.#message,
        },
        { triesMax: 1, requestTimeoutSeconds: timeoutMs / 1000 },
      );
      // From before the call: the server's lease began later, so this one ends first.
      this.#leaseEndsMs = sentMs + this.#leaseMs;
      this.#schedule(this.#leaseMs / 3 - (performance.now() - sentMs));
    } catch (problem) {
      if (problem instanceof LostClaim) {
        this.#lose(problem.message);
        return;
      }
      this.#tryAgain();
    }
  }

  #tryAgain(): void {
    const leftMs = this.#leaseEndsMs - performance.now();
    if (leftMs > 0) {
      this.#schedule(Math.min(leftMs, Math.max(AGAIN_MS_MIN, this.#leaseMs / 10)));
      return;
    }
    this.#lose('its lease ran out while the server could not be reached');
  }

  #lose(why: string): void {
    // A heartbeat that was under way when the claim ended finds it ended: that is no loss.
    if (this.#state !== 'held') {
      return;
    }
    this.#state = 'lost';
    this.#whyLost = why;
    this.#stop.abort(new Error(`the claim is lost: ${why}`));
  }

  #schedule(ms: number): void {
    if (this.#state === 'held') {
      this.#next = setTimeout(() => void this.#beat(), Math.max(0, ms));
    }
  }
}
