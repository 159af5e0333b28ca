import { AccessRefused, AgwpError, LostClaim, NoAnswer } from './errors.js';
import type { FieldError } from './errors.js';
import { parseJson, writeJson } from './json.js';
import { pause } from './pause.js';
import { querystring } from './runtime.js';
import type { RequestOpts } from './runtime.js';
import type { Bearer } from './token.js';
import type { Fetch } from './trust.js';

const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 10_000;
const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const CONFLICT = 409;
const ERROR = 400;
export const OK = 200;
const REDIRECT = 300;
const FENCING_TOKEN_REQUIRED = 'fencing_token_required';

/** How a call is carried. */
export interface Plan {
  /** Whether it may be repeated when it was sent and no answer came. */
  readonly repeatSafe: boolean;
  /** Whether a refusal can mean that the caller's claim is lost. */
  readonly ofHolder?: boolean;
  readonly timeoutMs: number;
  readonly triesMax: number;
  readonly signal?: AbortSignal | undefined;
}

/** A successful answer. */
export interface Answer {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** One try that failed: what to tell the caller, and what decides whether there is another. */
class Failed {
  constructor(
    readonly problem: AgwpError,
    readonly repeat: 'always' | 'if safe' | 'never',
    readonly retryAfterMs = 0,
  ) {}
}

/** Carries the requests of the generated client: typed errors, and repeats where they are safe. */
export class Transport {
  constructor(
    readonly base: string,
    private readonly bearer: Bearer,
    private readonly send: Fetch = fetch,
  ) {}

  async json<T>(request: RequestOpts, plan: Plan, read: (json: any) => T): Promise<T> {
    const answer = await this.call(request, { Accept: 'application/json' }, plan);
    try {
      const json = parseJson(new TextDecoder().decode(answer.body));
      if (typeof json !== 'object' || json === null || Array.isArray(json)) {
        throw new TypeError('no JSON object');
      }
      return read(json);
    } catch (unreadable) {
      throw new NoAnswer(`${this.base} answered what is not of its contract: ${String(unreadable)}`, unreadable);
    }
  }

  async call(request: RequestOpts, headers: Record<string, string>, plan: Plan): Promise<Answer> {
    // Before the first try: what cannot be written is the caller's error, and no answer that did not come.
    const sent = request.body === undefined ? null : writeJson(request.body);
    for (let tries = 1; ; tries++) {
      const answer = await this.once(request, sent, headers, plan);
      if (!(answer instanceof Failed)) {
        return answer;
      }
      const mayRepeat = answer.repeat === 'always' || (answer.repeat === 'if safe' && plan.repeatSafe);
      if (tries >= plan.triesMax || !mayRepeat) {
        throw answer.problem;
      }
      // Full jitter: anything up to a bound that doubles, so that many clients do not come back at once.
      const mostMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (tries - 1));
      if (!(await pause(answer.retryAfterMs + Math.random() * mostMs, plan.signal))) {
        throw answer.problem;
      }
    }
  }

  private async once(request: RequestOpts, sent: string | null, headers: Record<string, string>, plan: Plan): Promise<Answer | Failed> {
    const query = querystring(request.query ?? {});
    let authorization: Record<string, string>;
    try {
      authorization = await this.bearer.headers();
    } catch (noToken) {
      return new Failed(new NoAnswer(`not sent to ${this.base}: ${(noToken as Error).message}`, noToken), 'never');
    }
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(new Error('it did not come within the time allowed')), plan.timeoutMs);
    const abort = () => stop.abort(new Error('the caller gave up'));
    plan.signal?.addEventListener('abort', abort, { once: true });
    if (plan.signal?.aborted) {
      abort();
    }
    try {
      const response = await this.send(this.base + request.path + (query === '' ? '' : `?${query}`), {
        method: request.method,
        headers: { ...request.headers, ...headers, ...authorization },
        body: sent,
        // The contract knows no redirects, and a followed one would change the method of a call.
        redirect: 'manual',
        signal: stop.signal,
      });
      const body = new Uint8Array(await response.arrayBuffer());
      return response.status >= OK && response.status < REDIRECT ? { headers: response.headers, body } : this.refused(response, body, plan);
    } catch (noAnswer) {
      const why = stop.signal.aborted ? (stop.signal.reason as Error).message : reasonOf(noAnswer);
      const problem = new NoAnswer(`no answer from ${this.base}: ${why}`, noAnswer);
      return new Failed(problem, plan.signal?.aborted ? 'never' : neverSent(noAnswer) ? 'always' : 'if safe');
    } finally {
      clearTimeout(timer);
      plan.signal?.removeEventListener('abort', abort);
    }
  }

  private refused(response: Response, body: Uint8Array, plan: Plan): Failed {
    const status = response.status;
    if (status < ERROR) {
      return new Failed(new NoAnswer(`${this.base} answered what is not of its contract: status ${status}`), 'never');
    }
    const problem = objectIn(body);
    const reason = textIn(problem, 'reason');
    const requestId = response.headers.get('X-Request-Id');
    const refusal = {
      status,
      code: textIn(problem, 'code') ?? 'internal',
      ...(reason === undefined ? {} : { reason }),
      // A proxy on the way may answer with a page of its own.
      detail: textIn(problem, 'detail') ?? `${this.base} answered ${status}`,
      fieldErrors: fieldErrorsIn(problem),
      ...(requestId === null ? {} : { requestId }),
    };
    const lost = plan.ofHolder && (status === NOT_FOUND || status === CONFLICT) && isLoss(reason);
    // Of a 429 the server says that it did nothing; before a 503 the database may have committed and lost its answer.
    const repeat = status === TOO_MANY_REQUESTS ? 'always' : status === SERVICE_UNAVAILABLE ? 'if safe' : 'never';
    const told = lost
      ? new LostClaim(refusal)
      : status === UNAUTHORIZED || status === FORBIDDEN
        ? new AccessRefused(refusal)
        : new AgwpError(refusal);
    return new Failed(told, repeat, retryAfterMs(response.headers));
  }
}

/** Whether a reason means that the claim is gone. A missing token, or an attestation the queue does not take, is no loss: the claim is held. */
export function isLoss(reason: string | undefined): boolean {
  return reason !== FENCING_TOKEN_REQUIRED && !reason?.startsWith('attestation_');
}

function retryAfterMs(headers: Headers): number {
  const seconds = headers.get('Retry-After') ?? '';
  return /^\d+$/.test(seconds) ? Math.min(PAUSE_MS_MAX, Number(seconds) * 1000) : 0;
}

function objectIn(body: Uint8Array): Record<string, unknown> {
  try {
    const json = parseJson(new TextDecoder().decode(body));
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function textIn(problem: Record<string, unknown>, field: string): string | undefined {
  const value = problem[field];
  return typeof value === 'string' ? value : undefined;
}

export function fieldErrorsIn(problem: Record<string, unknown>): FieldError[] {
  const errors = Array.isArray(problem['errors']) ? (problem['errors'] as Record<string, unknown>[]) : [];
  return errors.map((error) => ({ field: String(error?.['field'] ?? ''), message: String(error?.['message'] ?? '') }));
}

// fetch says only "fetch failed"; what happened is the cause, or among the errors of a cause that tried several addresses.
function causesOf(failure: unknown): { code?: string; syscall?: string; message?: string }[] {
  const cause = failure instanceof Error && failure.cause !== undefined ? failure.cause : failure;
  return cause instanceof AggregateError ? cause.errors : [cause as object];
}

function neverSent(failure: unknown): boolean {
  return causesOf(failure).every(
    ({ code, syscall }) => syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT',
  );
}

function reasonOf(failure: unknown): string {
  return causesOf(failure)
    .map((cause) => cause.message || cause.code || String(cause))
    .join('; ');
}
