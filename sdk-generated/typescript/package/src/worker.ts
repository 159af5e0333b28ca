import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { checked, integer } from './check.js';
import type { Message } from './check.js';
import { Claim } from './claim.js';
import { AgwpClient } from './client.js';
import { AgwpError, UnfencedServer } from './errors.js';
import type { ClaimJobRequest } from './models/ClaimJobRequest.js';
import type { ClaimJobResponse } from './models/ClaimJobResponse.js';
import type { Job } from './models/Job.js';
import { clipped, Outcome, TEXT_CHARS_MAX } from './outcome.js';
import { pause, settlesWithin } from './pause.js';
import { Reports } from './reports.js';

const LEASE_SECONDS_DEFAULT = 60;
const LEASE_SECONDS_MAX = 86_400;
const WAIT_SECONDS_DEFAULT = 20;
const WAIT_SECONDS_MAX = 60;
const CONCURRENCY_MAX = 1_000;
const GRACE_SECONDS_DEFAULT = 10;
const GRACE_SECONDS_MAX = 86_400;
const QUEUES_MAX = 32;
const JOBS_PER_CLAIM_MAX = 100;
const UNAVAILABLE_PAUSE_MS_MAX = 5_000;
const RELEASE_WITHIN_MS = 30_000;
const PERCENT_MAX = 100;
const BAD_REQUEST = 400;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const LABEL = /^[A-Za-z0-9._:/@-]{1,128}$/;
const QUEUE = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * Works on a job and says how it ended; what it throws ends the attempt as `fail` with the reason `handler_failed`.
 *
 * It runs on the event loop that also sends the heartbeats: long computations belong in a worker thread or a process of their own.
 */
export type JobHandler = (job: ClaimedJob) => Outcome | Promise<Outcome>;

/** Hears what a Worker does, for logs and progress lines. Be quick; what it throws becomes a process warning. */
export interface WorkerListener {
  /** A job was claimed and its handler begins. */
  claimed?(job: Job): void;
  /** The handler threw; the attempt is about to be reported as failed. */
  handlerFailed?(job: Job, thrown: unknown): void;
  /** The server has taken the outcome. */
  reported?(job: Job, outcome: Outcome): void;
  /** The claim went back unused, since the worker drains. */
  released?(job: Job): void;
  /** The claim was lost, so the handler was stopped and nothing is reported. `why` is in words. */
  lost?(job: Job, why: string): void;
  /** No answer to the outcome, or to the release when there is none, so whether the server has it is not known; the lease will tell. */
  unknown?(job: Job, outcome: Outcome | undefined): void;
  /** The server cannot be reached for a claim; the worker tries again. */
  unavailable?(problem: AgwpError): void;
}

/** What a Worker is made with. */
export interface WorkerOptions {
  /**
   * Names this worker beside others of the same principal, 1 to 128 characters of `A-Z a-z 0-9 . _ : / @ -`; two that run at once need
   * different ones.
   */
  label: string;
  /** The queues to claim from, 1 to 32 names. */
  queues: readonly string[];
  /** Works on each job. */
  handler: JobHandler;
  /** Seconds a claim is held without a heartbeat; one is sent at each third of it. 1..86400. Defaults to 60. */
  leaseSeconds?: number;
  /** Seconds the server holds a claim open while there is no job. 0..60. Defaults to 20. */
  waitSeconds?: number;
  /** How many jobs run at once. 1..1000. Defaults to 1. */
  concurrency?: number;
  /** Seconds `close()` lets handlers run before it aborts them. 0..86400. Defaults to 10. */
  graceSeconds?: number;
  /**
   * Works only on servers that say they check fencing tokens, which they do from release 1.2.0 on: on another the worker hands back what
   * it was given and `run()` rejects with UnfencedServer. Defaults to false: the token is sent anyhow.
   */
  requireFencing?: boolean;
  /** Who hears what the worker does. Defaults to nobody. */
  listener?: WorkerListener;
}

const OPTIONS: Message<WorkerOptions> = {
  name: 'the options of Worker',
  fields: Object.keys({
    label: true,
    queues: true,
    handler: true,
    leaseSeconds: true,
    waitSeconds: true,
    concurrency: true,
    graceSeconds: true,
    requireFencing: true,
    listener: true,
  } satisfies Record<keyof WorkerOptions, true>) as (keyof WorkerOptions)[],
};

/** A job this worker holds. */
export class ClaimedJob {
  readonly #claim: Claim;

  /** @internal */
  constructor(claim: Claim) {
    this.#claim = claim;
  }

  /** The job as it was when claimed. */
  get job(): Job {
    return this.#claim.job;
  }

  /** The `jobId`. */
  get id(): string {
    return this.#claim.job.jobId;
  }

  /** What to do; the empty object when the producer gave nothing. */
  get payload(): { [key: string]: any } {
    return this.#claim.job.payload ?? {};
  }

  /** Which claim of the job this is, counted from 1. */
  get attempts(): number | bigint {
    return this.#claim.job.attempts;
  }

  /**
   * The fencing token of this claim, 1 to 4294967295: larger than that of every earlier claim of the job. The worker sends it with every
   * call; give it to every store you write to for the job, so that a paused worker cannot write over what its successor wrote.
   */
  get fencingToken(): number | bigint {
    return this.#claim.fencingToken;
  }

  /** Aborted when the handler is to stop, because the claim is lost or the worker closes: pass it to whatever the handler waits for. */
  get signal(): AbortSignal {
    return this.#claim.signal;
  }

  /** True once somebody else may work on the job: stop, and touch nothing outside any more. */
  get isLost(): boolean {
    return this.#claim.isLost;
  }

  /**
   * Says how far the work is; sent with the next heartbeat.
   *
   * @param percent a whole number 0..100
   * @param message for people, at most 4096 characters; without it the last one stays
   * @throws RangeError when one is out of its range
   */
  progress(percent: number, message?: string): void {
    integer('percent', percent, 0, PERCENT_MAX);
    if (message !== undefined && (typeof message !== 'string' || message.length > TEXT_CHARS_MAX)) {
      throw new RangeError(`message must be a text of at most ${TEXT_CHARS_MAX} characters`);
    }
    this.#claim.progress(percent, message);
  }
}

/**
 * Claims jobs and runs a handler for each, heartbeats meanwhile and reports how it ended.
 *
 * When the server says that a claim is lost, or its lease has run out while the server could not be reached, the handler's signal is
 * aborted and nothing is reported. A worker that is closed claims no more, gives its handlers a grace time, then aborts them and
 * hands their claims back.
 */
export class Worker {
  readonly #client: AgwpClient;
  readonly #label: string;
  readonly #queues: string[];
  readonly #handler: JobHandler;
  readonly #leaseSeconds: number;
  readonly #waitSeconds: number;
  readonly #concurrency: number;
  readonly #graceSeconds: number;
  readonly #requireFencing: boolean;
  readonly #listener: WorkerListener;
  readonly #reports: Reports;
  readonly #closing = new AbortController();
  readonly #ended = new AbortController();
  readonly #works = new Map<Claim, Promise<void>>();
  #claiming: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #draining = false;
  #wake: () => void = () => {};

  /**
   * @throws TypeError when an option is missing, not known or malformed
   * @throws RangeError when one is out of its range
   */
  constructor(client: AgwpClient, options: WorkerOptions) {
    const given = checked(OPTIONS, options);
    if (!(client instanceof AgwpClient)) {
      throw new TypeError('a Worker is made with an AgwpClient');
    }
    if (typeof given.label !== 'string' || !LABEL.test(given.label)) {
      throw new TypeError(`label must be 1..128 characters of A-Z a-z 0-9 . _ : / @ -, got ${given.label}`);
    }
    if (!Array.isArray(given.queues) || given.queues.length < 1 || given.queues.length > QUEUES_MAX) {
      throw new TypeError(`queues must be an array of 1..${QUEUES_MAX} names`);
    }
    for (const queue of given.queues as readonly string[]) {
      if (typeof queue !== 'string' || !QUEUE.test(queue)) {
        throw new TypeError(`a queue must be 1..128 characters of A-Z a-z 0-9 . _ : -, got ${queue}`);
      }
    }
    if (typeof given.handler !== 'function') {
      throw new TypeError('handler must be a function of a ClaimedJob');
    }
    this.#client = client;
    this.#label = given.label;
    this.#queues = [...given.queues];
    this.#handler = given.handler;
    this.#leaseSeconds = integer('leaseSeconds', given.leaseSeconds ?? LEASE_SECONDS_DEFAULT, 1, LEASE_SECONDS_MAX);
    this.#waitSeconds = integer('waitSeconds', given.waitSeconds ?? WAIT_SECONDS_DEFAULT, 0, WAIT_SECONDS_MAX);
    this.#concurrency = integer('concurrency', given.concurrency ?? 1, 1, CONCURRENCY_MAX);
    this.#graceSeconds = given.graceSeconds ?? GRACE_SECONDS_DEFAULT;
    if (!(this.#graceSeconds >= 0 && this.#graceSeconds <= GRACE_SECONDS_MAX)) {
      throw new RangeError(`graceSeconds must be 0..${GRACE_SECONDS_MAX}, got ${this.#graceSeconds}`);
    }
    this.#requireFencing = given.requireFencing ?? false;
    this.#listener = given.listener ?? {};
    this.#reports = new Reports(client, this.#leaseSeconds, this.#ended.signal);
    // Every report that runs listens to it.
    setMaxListeners(0, this.#ended.signal);
  }

  /**
   * Claims and works until `close()`; resolves when the last handler is done. A worker runs once.
   *
   * @throws UnfencedServer see `requireFencing`
   * @throws AgwpError when the server refuses the claim for good, for example an argument out of its range
   */
  async run(): Promise<void> {
    if (this.#claiming !== undefined) {
      throw new Error('a worker runs once; make another');
    }
    this.#claiming = this.#claimWhileOpen();
    try {
      await this.#claiming;
    } finally {
      await this.close();
    }
  }

  /**
   * Claims no more; waits for running handlers for the grace time, then aborts their signals and hands their claims back. Resolves when
   * that is done. A handler that ignores its signal is waited for 30 seconds more; then its lease is left to run out.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    const done = Promise.allSettled([this.#claiming, ...this.#works.values()]);
    if (!(await settlesWithin(this.#graceSeconds * 1000, done))) {
      this.#draining = true;
      for (const claim of this.#works.keys()) {
        claim.cancel('the worker closes');
      }
      await settlesWithin(RELEASE_WITHIN_MS, done);
    }
    this.#ended.abort();
    for (const claim of this.#works.keys()) {
      claim.beginEnd();
    }
  }

  async #claimWhileOpen(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const free = this.#concurrency - this.#works.size;
      if (free === 0) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      const claims = await this.#claims(Math.min(free, JOBS_PER_CLAIM_MAX));
      if (this.#closing.signal.aborted) {
        await Promise.all(claims.map((claim) => this.#release(claim)));
        return;
      }
      claims.forEach((claim) => this.#start(claim));
    }
  }

  #start(claim: Claim): void {
    const work = this.#work(claim).finally(() => {
      this.#works.delete(claim);
      this.#wake();
    });
    this.#works.set(claim, work);
  }

  /** Repeats one claim request until it is answered: an answer that was lost must not strand the jobs in it. */
  async #claims(jobsMax: number): Promise<Claim[]> {
    const request: ClaimJobRequest = {
      queues: this.#queues,
      worker: this.#label,
      leaseSeconds: this.#leaseSeconds,
      waitSeconds: this.#waitSeconds,
      maxJobs: jobsMax,
      requestId: randomUUID(),
    };
    const signal = this.#closing.signal;
    while (!signal.aborted) {
      const sentMs = performance.now();
      let answer: ClaimJobResponse;
      try {
        answer = await this.#client.claimJob(request, { signal });
      } catch (problem) {
        if (signal.aborted) {
          break;
        }
        if (!(problem instanceof AgwpError) || isRefusal(problem)) {
          throw problem;
        }
        this.#hear(() => this.#listener.unavailable?.(problem));
        await pause(Math.random() * UNAVAILABLE_PAUSE_MS_MAX, signal);
        continue;
      }
      const late = performance.now() - sentMs > this.#waitSeconds * 1000 + (this.#leaseSeconds * 1000) / 3;
      const claims = answer.jobs.map((job) => this.#held(job, late));
      if (this.#requireFencing && answer.fencingEnforced !== true) {
        await Promise.all(claims.map((claim) => this.#release(claim)));
        throw new UnfencedServer();
      }
      return claims;
    }
    await this.#takeBack(request);
    return [];
  }

  // The claim that was broken off may have been given jobs. Asked again under its id the server names them.
  async #takeBack(request: ClaimJobRequest): Promise<void> {
    try {
      const { jobs } = await this.#client.claimJob({ ...request, waitSeconds: 0 }, { signal: this.#ended.signal });
      await Promise.all(jobs.map((job) => this.#release(this.#held(job, false))));
    } catch (unreachable) {
      // Their leases will run out: all that can be done without the server.
      if (!(unreachable instanceof AgwpError)) {
        throw unreachable;
      }
    }
  }

  #held(job: Job, late: boolean): Claim {
    return new Claim(this.#client, job, this.#label, this.#leaseSeconds, late);
  }

  async #work(claim: Claim): Promise<void> {
    this.#hear(() => this.#listener.claimed?.(claim.job));
    const outcome = await this.#outcome(claim);
    if (!claim.beginEnd()) {
      this.#hear(() => this.#listener.lost?.(claim.job, claim.whyLost));
      return;
    }
    if (this.#draining) {
      await this.#release(claim);
      return;
    }
    const result = await this.#reports.report(claim, outcome).catch(() => 'unknown' as const);
    if (result === 'taken') {
      this.#hear(() => this.#listener.reported?.(claim.job, outcome));
    } else if (result === 'lost') {
      this.#hear(() => this.#listener.lost?.(claim.job, 'the server refused its outcome: the claim was lost before'));
    } else {
      this.#hear(() => this.#listener.unknown?.(claim.job, outcome));
    }
  }

  async #outcome(claim: Claim): Promise<Outcome> {
    try {
      const outcome: unknown = await this.#handler(new ClaimedJob(claim));
      return outcome instanceof Outcome ? outcome : Outcome.retry('no_outcome', 'the handler returned no Outcome');
    } catch (thrown) {
      // The worker's boundary: whatever a handler throws ends its attempt, never the worker, and never in silence.
      if (!claim.signal.aborted) {
        this.#hear(() => this.#listener.handlerFailed?.(claim.job, thrown));
      }
      return Outcome.retry('handler_failed', clipped(wordsOf(thrown)));
    }
  }

  async #release(claim: Claim): Promise<void> {
    if (!claim.beginEnd()) {
      this.#hear(() => this.#listener.lost?.(claim.job, claim.whyLost));
      return;
    }
    const result = await this.#reports.release(claim).catch(() => 'unknown' as const);
    if (result === 'taken') {
      this.#hear(() => this.#listener.released?.(claim.job));
    } else if (result === 'lost') {
      this.#hear(() => this.#listener.lost?.(claim.job, 'the server refused the release: the claim was lost before'));
    } else {
      this.#hear(() => this.#listener.unknown?.(claim.job, undefined));
    }
  }

  #hear(tell: () => void): void {
    try {
      tell();
    } catch (thrown) {
      process.emitWarning(`a listener of the worker ${this.#label} threw: ${wordsOf(thrown)}`, 'AgwpWarning');
    }
  }
}

function isRefusal(problem: AgwpError): boolean {
  return problem.status >= BAD_REQUEST && problem.status < SERVER_ERROR && problem.status !== TOO_MANY_REQUESTS;
}

function wordsOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'what was thrown has no words';
  }
}
