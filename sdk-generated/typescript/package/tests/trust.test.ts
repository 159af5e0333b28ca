import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AgwpClient, NoAnswer } from '@agwp/sdk';
import { aQueue, refused } from './support.js';

const { AGWP_TLS_SERVER: tlsServer = '', AGWP_TLS_CA: caFile = '' } = process.env;

test('a_ca_file_says_whom_to_trust', async () => {
  const trusting = new AgwpClient(tlsServer, { caFile });
  const queue = aQueue();
  const { jobId } = await trusting.enqueueJob({ queue, payload: { text: 'ä', large: 2n ** 60n } });

  assert.deepEqual((await trusting.getJob(jobId)).payload, { text: 'ä', large: 2n ** 60n });
  assert.equal((await refused(trusting.getJob('no-such-job'))).status, 404);
  const error = await refused(new AgwpClient(tlsServer, { triesMax: 1 }).getJob(jobId));
  assert.ok(error instanceof NoAnswer);
  assert.match(error.message, /certificate/);
});

test('a_call_with_a_ca_file_ends_at_its_time_limit_and_when_it_is_broken_off', async () => {
  const client = new AgwpClient(tlsServer, { caFile, triesMax: 1 });
  const claim = { queues: [aQueue()], worker: 'w1', waitSeconds: 1 };

  assert.match((await refused(client.claimJob({ ...claim, waitSeconds: 60 }, { signal: AbortSignal.timeout(200) }))).message, /gave up/);
  assert.match((await refused(client.getJob('j1', { requestTimeoutSeconds: 0.000_001 }))).message, /time allowed/);
  assert.deepEqual((await client.claimJob(claim)).jobs, []);
});

test('a_ca_file_without_certificates_is_refused_by_name', () => {
  const empty = join(mkdtempSync(join(tmpdir(), 'agwp-')), 'empty.pem');
  writeFileSync(empty, '');
  for (const file of [empty, `${empty}.none`]) {
    assert.throws(() => new AgwpClient('https://127.0.0.1:1', { caFile: file }), { name: 'TypeError', message: /empty\.pem/ });
  }
});
