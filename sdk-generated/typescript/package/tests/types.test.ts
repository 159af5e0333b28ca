import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgwpClient, Outcome, Worker } from '@agwp/sdk';
import type { Job } from '@agwp/sdk';
import { aClient, aQueue } from './support.js';

// Each line below must not compile, and each is refused at run time, where JavaScript would drop the field in silence.
test('a_mistyped_field_does_not_compile_and_is_refused_at_run_time', async () => {
  const client = aClient();
  const queue = aQueue();
  const job = await client.enqueueJob({ queue });
  for (const call of [
    // @ts-expect-error
    () => client.enqueueJob({ queue, uniqueKy: 'k' }),
    // @ts-expect-error
    () => client.enqueueJob({ queue, unique_key: 'k' }),
    // @ts-expect-error
    () => client.enqueueJobs({ jobs: [{ queue, prio: 1 }] }),
    // @ts-expect-error
    () => client.enqueueJobs({ job: [{ queue }] }),
    // @ts-expect-error
    () => client.claimJob({ queues: [queue], worker: 'w1', waitSecs: 1 }),
    // @ts-expect-error
    () => client.heartbeatJob(job.jobId, { worker: 'w1', token: 1 }),
    // @ts-expect-error
    () => client.completeJob(job.jobId, { worker: 'w1', outcome: 'passed', fencing_token: 1 }),
    // @ts-expect-error
    () => client.completeJob(job.jobId, { worker: 'w1', outcome: 'passed', attestation: { mediaType: 'a/b', body: 'eA==', sig: '' } }),
    // @ts-expect-error
    () => client.failJob(job.jobId, { worker: 'w1', retryDelay: 1 }),
    // @ts-expect-error
    () => client.completeJob(job.jobId, { worker: 'w1', outcome: 'passed', claimNext: { queues: [queue], waitSeconds: 1 } }),
    // @ts-expect-error
    () => client.failJob(job.jobId, { worker: 'w1', claimNext: { queue } }),
    // @ts-expect-error
    () => client.heartbeatJobs({ heartbeats: [{ jobId: job.jobId, heartbeat: { worker: 'w1', token: 1 } }] }),
    // @ts-expect-error
    () => client.completeJobs({ completions: [{ job: job.jobId, completion: { worker: 'w1', outcome: 'passed' } }] }),
    // @ts-expect-error
    () => client.completeJobs({ completions: [{ jobId: job.jobId, completion: { worker: 'w1', outcome: 'passed', claimNext: { queue } } }] }),
    // @ts-expect-error
    () => client.failJobs({ failures: [{ jobId: job.jobId, failure: { worker: 'w1', retryDelay: 1 } }] }),
    // @ts-expect-error
    () => client.failJobs({ failure: [] }),
    // @ts-expect-error
    () => client.failJobs({ failures: [{ jobId: job.jobId }] }),
    // @ts-expect-error
    () => client.releaseJob(job.jobId, { worker: 'w1', fence: 1 }),
    // @ts-expect-error
    () => client.listJobs({ limit: 1 }),
    // @ts-expect-error
    () => client.listQueues({ queue }),
    // @ts-expect-error
    () => client.updateQueue(queue, { pause: true }),
    // @ts-expect-error
    () => client.getJob(job.jobId, { timeout: 1 }),
    // @ts-expect-error
    () => client.getJob(7),
    // @ts-expect-error
    async () => new AgwpClient('http://127.0.0.1:1', { retries: 1 }),
    // @ts-expect-error
    async () => new Worker(client, { label: 'w1', queues: [queue], handler: () => Outcome.passed(), lease: 1 }),
  ]) {
    await assert.rejects(call, TypeError, String(call));
  }
  assert.deepEqual(await client.getJob(job.jobId), job);
  assert.equal((await client.listJobs({ queue })).jobs.length, 1);
});

test('a_mistyped_field_of_an_answer_and_a_wrong_type_do_not_compile', () => {
  const read = (job: Job): unknown[] => [
    // @ts-expect-error
    job.jobid,
    // @ts-expect-error
    job.lastError?.why,
    // @ts-expect-error
    job.nextJob?.jobid,
  ];
  // @ts-expect-error
  const outcome = () => aClient().completeJob('j', { worker: 'w1', outcome: 'succeeded' });
  // @ts-expect-error
  const token = () => aClient().releaseJob('j', { worker: 'w1', fencingToken: '1' });
  // @ts-expect-error
  const body = () => aClient().completeJob('j', { worker: 'w1', outcome: 'passed', attestation: { mediaType: 'a/b', body: new Uint8Array() } });
  assert.equal([read, outcome, token, body].length, 4);
});

test('a_worker_with_an_option_out_of_its_range_is_not_made', () => {
  const client = aClient();
  const good = { label: 'w1', queues: ['q'], handler: () => Outcome.passed() };
  for (const bad of [
    { label: '' },
    { label: 'a|b' },
    { label: 'x'.repeat(129) },
    { queues: [] },
    { queues: ['a b'] },
    { queues: Array.from({ length: 33 }, (_, each) => `q${each}`) },
    { leaseSeconds: 0 },
    { leaseSeconds: 86_401 },
    { leaseSeconds: 1.5 },
    { waitSeconds: -1 },
    { waitSeconds: 61 },
    { concurrency: 0 },
    { concurrency: 1001 },
    { graceSeconds: -1 },
    { graceSeconds: Number.NaN },
  ]) {
    assert.throws(() => new Worker(client, { ...good, ...bad }), /must be/, JSON.stringify(bad));
  }
});
