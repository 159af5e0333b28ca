import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { AgwpClient, AgwpError, Worker } from '@agwp/sdk';
import type { CompleteJobRequest, CompleteJobsRequest, Job, Outcome, WorkerListener, WorkerOptions } from '@agwp/sdk';

const AWAIT_MS_MAX = 20_000;

export function serverUrl(): string {
  const server = process.env['AGWP_SERVER'];
  if (server === undefined) {
    throw new Error('AGWP_SERVER must name a running server');
  }
  return server;
}

export function aClient(server = serverUrl()): AgwpClient {
  return new AgwpClient(server);
}

export const JOB =
  '{"job_id":"j1","queue":"q","state":"claimed","priority":0,"attempts":1,"max_attempts":5,"run_at":"2026-12-01T10:00:00.000Z",' +
  '"created_at":"2026-12-01T10:00:00.000Z","updated_at":"2026-12-01T10:00:00.000Z"}';

export async function refused(call: Promise<unknown>): Promise<AgwpError> {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AgwpError, String(error));
  return error;
}

export function completions(...each: Partial<CompleteJobRequest>[]): CompleteJobsRequest {
  return { completions: each.map((one, i) => ({ jobId: `j${i + 1}`, completion: { worker: 'w1', outcome: 'passed', ...one } })) };
}

export function aQueue(): string {
  return `q-${randomUUID()}`;
}

/** Awaits what the condition gives once it is neither undefined nor false. */
export async function eventually<T>(what: string, condition: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const deadlineMs = performance.now() + AWAIT_MS_MAX;
  while (performance.now() < deadlineMs) {
    const value = await condition();
    if (value !== undefined && value !== false) {
      return value;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not within ${AWAIT_MS_MAX} ms: ${what}`);
}

async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

export interface Seen {
  method: string;
  url: string;
  body: string;
  authorization?: string | undefined;
}

/** A server of the test's own, for answers no real one gives. */
export async function aStub(t: TestContext, answer: (seen: Seen, response: ServerResponse) => void): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { authorization } = request.headers;
      const one = { method: request.method ?? '', url: request.url ?? '', body: body.toString(), authorization };
      seen.push(one);
      answer(one, response);
    });
  });
  return { url: await listen(t, server), seen };
}

export function answerJson(response: ServerResponse, json: string, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(json);
}

export type Fault = 'none' | 'lost before' | 'lost after' | 'unavailable after';

/** Stands between the SDK and the real server, and loses requests or answers. */
export class FaultProxy {
  readonly seen: Seen[] = [];
  fault: (seen: Seen) => Fault = () => 'none';
  /** What a request waits for before it goes on. */
  hold: (seen: Seen) => Promise<unknown> = async () => {};
  /** Changes an answer on its way. */
  edit: (seen: Seen, body: string) => string = (_seen, body) => body;
  url = '';

  static async start(t: TestContext): Promise<FaultProxy> {
    const proxy = new FaultProxy();
    proxy.url = await listen(
      t,
      createServer((request, response) => void proxy.#carry(request, response)),
    );
    return proxy;
  }

  /** The first request that matches meets the fault; the others pass. */
  once(match: string, fault: Fault): void {
    let met = false;
    this.fault = (seen) => {
      if (met || !seen.url.includes(match)) {
        return 'none';
      }
      met = true;
      return fault;
    };
  }

  count(match: string): number {
    return this.seen.filter((seen) => seen.url.includes(match)).length;
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const seen = { method: request.method ?? '', url: request.url ?? '', body: body.toString() };
    this.seen.push(seen);
    const fault = this.fault(seen);
    if (fault === 'lost before') {
      request.socket.destroy();
      return;
    }
    await this.hold(seen);
    const { connection: _connection, host: _host, ...headers } = request.headers;
    const onward = httpRequest(new URL(seen.url, serverUrl()), { method: seen.method, headers, agent: false }, (answer) => {
      void bodyOf(answer).then((answered) => {
        if (fault === 'lost after') {
          request.socket.destroy();
        } else if (fault === 'unavailable after') {
          answerJson(response, '{"code":"unavailable","detail":"on purpose"}', 503);
        } else {
          const { 'content-length': _length, 'transfer-encoding': _encoding, connection: _close, ...kept } = answer.headers;
          const edited = Buffer.from(this.edit(seen, answered.toString()));
          response.writeHead(answer.statusCode ?? 500, { ...kept, 'content-length': edited.length }).end(edited);
        }
      });
    });
    onward.on('error', () => request.socket.destroy());
    // A caller that has gone takes its long poll with it, as it does without a proxy.
    response.on('close', () => onward.destroy());
    onward.end(body);
  }
}

export interface Heard {
  claimed: Job[];
  reported: Outcome[];
  released: Job[];
  lost: string[];
  unknown: Job[];
  unavailable: AgwpError[];
  handlerFailed: unknown[];
}

/** A worker that runs until the test ends, and what its listener heard. */
export function aWorker(
  t: TestContext,
  client: AgwpClient,
  options: Pick<WorkerOptions, 'queues' | 'handler'> & Partial<WorkerOptions>,
): { worker: Worker; heard: Heard; ran: Promise<unknown> } {
  const heard: Heard = { claimed: [], reported: [], released: [], lost: [], unknown: [], unavailable: [], handlerFailed: [] };
  const listener: WorkerListener = {
    claimed: (job) => heard.claimed.push(job),
    reported: (_job, outcome) => heard.reported.push(outcome),
    released: (job) => heard.released.push(job),
    lost: (_job, why) => heard.lost.push(why),
    unknown: (job) => heard.unknown.push(job),
    unavailable: (problem) => heard.unavailable.push(problem),
    handlerFailed: (_job, thrown) => heard.handlerFailed.push(thrown),
  };
  const worker = new Worker(client, { label: 'w1', waitSeconds: 1, leaseSeconds: 30, graceSeconds: 0, listener, ...options });
  const ran = worker.run().then(
    () => undefined,
    (error: unknown) => error,
  );
  t.after(() => worker.close());
  return { worker, heard, ran };
}

/** Resolves never, rejects when the signal is aborted: a handler that works until it is stopped. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}
