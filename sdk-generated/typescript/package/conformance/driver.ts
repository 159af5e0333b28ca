/** Drives the SDK by lines of JSON, so that one set of tests can hold the SDKs of all languages to the same behaviour. */
import { createInterface } from 'node:readline';
import { AgwpClient, AgwpError, LostClaim, NoAnswer, Outcome, parseJson, Worker, writeJson } from '@agwp/sdk';
import type { ClaimedJob } from '@agwp/sdk';

type Line = { [key: string]: any };

const running = new Map<string, { job: ClaimedJob; finish: (line: Line) => void }>();
let worker: Worker | undefined;

function tell(event: Line): void {
  process.stdout.write(`${writeJson(event)}\n`);
}

function handle(job: ClaimedJob): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    running.set(job.id, {
      job,
      finish: (line) => {
        running.delete(job.id);
        if (line['outcome'] === 'throw') {
          reject(new Error(line['summary'] ?? 'thrown on purpose'));
          return;
        }
        resolve(outcomeOf(line));
      },
    });
    job.signal.addEventListener('abort', () => {
      if (running.delete(job.id)) {
        tell({ event: 'stopped', job_id: job.id });
        reject(job.signal.reason);
      }
    });
    tell({ event: 'claimed', job_id: job.id, attempts: job.attempts, fencing_token: job.fencingToken });
  });
}

function outcomeOf(line: Line): Outcome {
  if (line['outcome'] === 'retry') {
    return Outcome.retry('asked_to_retry', line['summary'], line['retry_delay_seconds']);
  }
  const verdict = line['outcome'] === 'failed' ? Outcome.failed(line['summary']) : Outcome.passed(line['summary']);
  return line['attestation'] === undefined
    ? verdict
    : verdict.withAttestation('text/plain', new TextEncoder().encode(line['attestation']));
}

function start(line: Line): void {
  worker = new Worker(new AgwpClient(line['server']), {
    label: line['label'],
    queues: line['queues'],
    leaseSeconds: line['lease_seconds'],
    waitSeconds: line['wait_seconds'],
    concurrency: line['concurrency'],
    graceSeconds: line['grace_seconds'],
    requireFencing: line['require_fencing'],
    handler: handle,
    listener: {
      handlerFailed: (job, thrown) => console.error(`job ${job.jobId}:`, thrown),
      reported: (job, outcome) => tell({ event: 'reported', job_id: job.jobId, outcome: outcome.verdict }),
      lost: (job, why) => tell({ event: 'lost', job_id: job.jobId, why }),
      released: (job) => tell({ event: 'released', job_id: job.jobId }),
      unknown: (job) => tell({ event: 'unknown', job_id: job.jobId }),
      unavailable: (problem) => {
        console.error(problem.message);
        tell({ event: 'unavailable' });
      },
    },
  });
  worker.run().then(
    () => tell({ event: 'ended' }),
    (error: Error) => tell({ event: 'ended', error: error.message, type: typeOf(error) }),
  );
  tell({ event: 'started' });
}

function typeOf(error: unknown): string {
  if (error instanceof LostClaim || error instanceof NoAnswer) {
    return error.name;
  }
  return error instanceof AgwpError ? 'Agwp' : error instanceof Error ? error.name : 'Error';
}

// An unknown field goes through for the SDK to refuse, and so does one that is known only under its name in TypeScript.
function fromWire(json: any, key = ''): any {
  if (key === 'payload' || key === 'result' || typeof json !== 'object' || json === null) {
    return key === 'run_at' ? new Date(json) : json;
  }
  if (Array.isArray(json)) {
    return json.map((item) => fromWire(item));
  }
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      /[A-Z]/.test(name) ? `"${name}"` : name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      fromWire(value, name),
    ]),
  );
}

function toWire(value: any, key = ''): any {
  if (key === 'payload' || key === 'result' || typeof value !== 'object' || value === null || value instanceof Date) {
    return value;
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  if (Array.isArray(value)) {
    return value.map((item) => toWire(item));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toWire(item, name)]),
  );
}

function perform(client: AgwpClient, line: Line): Promise<unknown> {
  const jobId: string = line['job_id'];
  const request = fromWire(line['request'] ?? {});
  const query = fromWire(line['query'] ?? {});
  switch (line['operation']) {
    case 'enqueueJob':
      return client.enqueueJob(request);
    case 'enqueueJobs':
      return client.enqueueJobs(request);
    case 'listJobs':
      return client.listJobs(query);
    case 'claimJob':
      return client.claimJob(request);
    case 'getJob':
      return client.getJob(jobId);
    case 'heartbeatJob':
      return client.heartbeatJob(jobId, request);
    case 'completeJob':
      return client.completeJob(jobId, request);
    case 'failJob':
      return client.failJob(jobId, request);
    case 'releaseJob':
      return client.releaseJob(jobId, request);
    case 'cancelJob':
      return client.cancelJob(jobId);
    case 'retryJob':
      return client.retryJob(jobId);
    case 'getAttestation':
      return client.getAttestation(jobId);
    case 'listQueues':
      return client.listQueues(query);
    case 'getQueue':
      return client.getQueue(line['queue']);
    case 'updateQueue':
      return client.updateQueue(line['queue'], request);
    default:
      throw new TypeError(`no operation ${line['operation']}`);
  }
}

async function call(line: Line): Promise<void> {
  const id = line['id'];
  try {
    tell({ event: 'answer', id, body: toWire(await perform(new AgwpClient(line['server']), line)) });
  } catch (error) {
    if (error instanceof AgwpError) {
      const { code, reason, status, message } = error;
      tell({ event: 'refused', id, type: typeOf(error), code, reason, status, detail: message });
      return;
    }
    tell({ event: 'invalid', id, message: String(error) });
  }
}

async function close(): Promise<void> {
  await worker?.close();
  tell({ event: 'closed' });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (text) => {
  if (text.trim() === '') {
    return;
  }
  const line = parseJson(text) as Line;
  switch (line['do']) {
    case 'start':
      start(line);
      break;
    case 'finish':
      running.get(line['job_id'])?.finish(line);
      break;
    case 'progress':
      running.get(line['job_id'])?.job.progress(line['percent'], line['message']);
      break;
    case 'close':
      void close();
      break;
    case 'call':
      void call(line);
      break;
    default:
      console.error(`not understood: ${text}`);
  }
});
lines.on('close', () => {
  void Promise.resolve(worker?.close()).then(() => process.exit(0));
});
tell({ event: 'ready' });
