import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { AgwpClient, LostClaim, NoAnswer } from '@agwp/sdk';
import { aClient, answerJson, aQueue, aStub, completions, FaultProxy, JOB, refused, serverUrl } from './support.js';

test('every_operation_reaches_the_server', async () => {
  const client = aClient();
  const queue = aQueue();
  const runAt = new Date('2020-01-01T00:00:00.000Z');
  const body = new Uint8Array([0, 1, 254, 255]);

  const first = await client.enqueueJob({ queue, payload: { n: 9007199254740993n }, priority: 7, runAt, uniqueKey: 'k' });
  const again = await client.enqueueJob({ queue, uniqueKey: 'k' });
  const { jobs } = await client.enqueueJobs({ jobs: [{ queue }, { queue, maxAttempts: 1 }] });
  assert.equal(again.jobId, first.jobId);
  assert.deepEqual(first.payload, { n: 9007199254740993n });
  assert.equal(first.runAt.getTime(), runAt.getTime());
  assert.deepEqual(await client.getJob(first.jobId), first);

  const page = await client.listJobs({ queue, pageSize: 2 });
  const rest = await client.listJobs({ queue, pageSize: 2, pageToken: page.nextPageToken });
  assert.deepEqual([page.jobs.length, rest.jobs.length, rest.nextPageToken], [2, 1, undefined]);

  const claim = await client.claimJob({ queues: [queue], worker: 'w1', maxJobs: 3 });
  assert.equal(claim.fencingEnforced, true);
  assert.equal(claim.jobs[0]?.jobId, first.jobId);
  const token = { worker: 'w1', fencingToken: claim.jobs[0].attempts };
  const kept = await client.heartbeatJob(first.jobId, { ...token, progress: 40, statusMessage: 'half' });
  assert.deepEqual([kept.progress, kept.statusMessage], [40, 'half']);
  const ended = await client.completeJob(first.jobId, {
    ...token,
    outcome: 'passed',
    result: { big: 18446744073709551615n },
    attestation: { mediaType: 'application/x-test', body: Buffer.from(body).toString('base64') },
  });
  assert.deepEqual([ended.state, ended.outcome, ended.result], ['succeeded', 'passed', { big: 18446744073709551615n }]);
  const attestation = await client.getAttestation(first.jobId);
  assert.deepEqual(attestation, { mediaType: 'application/x-test', body });
  assert.equal(ended.attestationDigest, `sha256:${createHash('sha256').update(body).digest('hex')}`);

  const [second, third] = jobs.map((job) => job.jobId) as [string, string];
  assert.equal((await client.releaseJob(second, { worker: 'w1', fencingToken: 1 })).state, 'queued');
  assert.equal((await client.failJob(third, { worker: 'w1', fencingToken: 1, reason: 'r', message: 'm' })).state, 'dead');
  assert.equal((await client.retryJob(third)).state, 'queued');
  assert.equal((await client.cancelJob(third)).state, 'cancelled');

  assert.deepEqual([(await client.updateQueue(queue, { paused: true })).paused, (await client.getQueue(queue)).depth.succeeded], [true, 1]);
  assert.ok((await client.listQueues({ pageSize: 1000 })).queues.some((each) => each.queue === queue));
  assert.ok((await client.getAuditHead()).seq >= 0);
  assert.ok((await client.listAuditEvents({ after: 0, limit: 1 })).events.length <= 1);
});

test('a_refused_call_says_all_the_server_said', async () => {
  const error = await refused(aClient().enqueueJob({ queue: 'a b' }));

  assert.deepEqual([error.name, error.code, error.status, error.reason], ['AgwpError', 'invalid_argument', 400, undefined]);
  assert.equal(error.fieldErrors[0]?.field, 'queue');
  assert.match(error.requestId ?? '', /.+/);
  assert.notEqual(error.message, '');
});

test('a_claim_that_is_not_held_is_lost_and_a_missing_token_or_attestation_is_not', async () => {
  const client = aClient();
  const queue = aQueue();
  const job = await client.enqueueJob({ queue });
  await client.claimJob({ queues: [queue], worker: 'w1' });

  for (const call of [
    () => client.heartbeatJob(job.jobId, { worker: 'w2' }),
    () => client.completeJob(job.jobId, { worker: 'w1', outcome: 'passed', fencingToken: 2 }),
    () => client.failJob(job.jobId, { worker: 'w2' }),
    () => client.releaseJob('none', { worker: 'w1' }),
  ]) {
    assert.ok((await refused(call())) instanceof LostClaim);
  }
  await client.updateQueue(queue, { requireFencing: true });
  const missing = await refused(client.heartbeatJob(job.jobId, { worker: 'w1' }));
  assert.deepEqual([missing.name, missing.reason], ['AgwpError', 'fencing_token_required']);
  await client.updateQueue(queue, { requireFencing: false, attestation: 'required' });
  const unattested = await refused(client.completeJob(job.jobId, { worker: 'w1', outcome: 'passed' }));
  assert.deepEqual([unattested.name, unattested.reason], ['AgwpError', 'attestation_required']);
  assert.equal((await refused(client.getJob('none'))).name, 'AgwpError');
  assert.equal((await client.getJob(job.jobId)).state, 'claimed');
});

test('fields_and_words_of_a_later_release_do_no_harm', async (t) => {
  const stub = await aStub(t, (seen, response) =>
    seen.method === 'GET'
      ? answerJson(response, JOB.replace('"claimed"', '"paused","shade":{"a":[1]},"outcome":"flaky","summary":null'))
      : answerJson(response, '{"code":"too_shady","reason":"it_rains","detail":"d","shade":1,"errors":[{"field":"f","message":"m","x":1}]}', 418),
  );
  const client = aClient(stub.url);

  const job = await client.getJob('j1');
  const error = await refused(client.enqueueJob({ queue: 'q' }));

  assert.deepEqual([job.state, job.outcome, job.summary, 'shade' in job], ['paused', 'flaky', undefined, false]);
  assert.deepEqual([error.code, error.reason, error.status, error.fieldErrors], ['too_shady', 'it_rains', 418, [{ field: 'f', message: 'm' }]]);
});

test('a_uint64_survives_intact', async (t) => {
  const queue =
    '{"queue":"q","paused":false,"depth":{"queued":18446744073709551615,"claimed":9007199254740993,"succeeded":1,"dead":0,"cancelled":0},' +
    '"unfenced_calls":[{"principal":"p","worker":"w","calls":18446744073709551614,"last_at":"2026-12-01T10:00:00.000Z"}]}';
  const stub = await aStub(t, (seen, response) => answerJson(response, seen.method === 'GET' ? queue : JOB));
  const client = aClient(stub.url);

  const read = await client.getQueue('q');
  await client.releaseJob('j1', { worker: 'w1', fencingToken: 18446744073709551615n });

  assert.deepEqual([read.depth.queued, read.depth.claimed, read.depth.succeeded], [18446744073709551615n, 9007199254740993n, 1]);
  assert.equal(read.unfencedCalls?.[0]?.calls, 18446744073709551614n);
  assert.equal(stub.seen[1]?.body, '{"worker":"w1","fencing_token":18446744073709551615}');
});

test('absent_stays_absent_and_is_never_sent_as_null', async (t) => {
  const stub = await aStub(t, (_seen, response) => answerJson(response, JOB));
  const client = aClient(stub.url);

  await client.enqueueJob({ queue: 'q', payload: undefined, uniqueKey: null as unknown as string });
  await client.completeJob('j1', { worker: 'w1', outcome: 'passed' });
  await client.listJobs({ queue: 'q', state: undefined }).catch(() => {});

  assert.deepEqual(
    stub.seen.map((seen) => seen.body || seen.url),
    ['{"queue":"q"}', '{"worker":"w1","outcome":"passed"}', '/v1/jobs?queue=q'],
  );
});

test('a_request_that_cannot_be_written_is_the_callers_error_and_is_never_sent', async (t) => {
  const stub = await aStub(t, (_seen, response) => answerJson(response, JOB));
  const client = aClient(stub.url);
  const cyclic: { [key: string]: unknown } = {};
  cyclic['self'] = cyclic;

  await assert.rejects(client.completeJob('j1', { worker: 'w1', outcome: 'passed', fencingToken: NaN }), /RangeError: fencing_token must be/);
  await assert.rejects(client.claimJob({ queues: ['q'], worker: 'w1', maxJobs: Infinity }), RangeError);
  await assert.rejects(client.enqueueJob({ queue: 'q', uniqueKey: 'k', payload: cyclic }), TypeError);

  assert.deepEqual(stub.seen, []);
});

test('a_name_that_would_reach_another_resource_is_refused', async (t) => {
  const stub = await aStub(t, (_seen, response) => answerJson(response, JOB));
  const client = aClient(stub.url);

  for (const name of ['', '.', '..']) {
    await assert.rejects(client.getJob(name), TypeError);
    await assert.rejects(client.getQueue(name), TypeError);
  }
  await client.getJob('a/b?c#d');

  assert.deepEqual(stub.seen.map((seen) => seen.url), ['/v1/jobs/a%2Fb%3Fc%23d']);
});

test('a_lost_answer_is_repeated_only_where_that_is_safe', async (t) => {
  let calls = 0;
  const stub = await aStub(t, (_seen, response) => (calls++ === 0 ? response.socket?.destroy() : answerJson(response, `{"jobs":[],"results":[],${JOB.slice(1)}`)));
  const client = aClient(stub.url);
  const w1 = { worker: 'w1' };
  for (const [safe, name, call] of [
    [true, 'getJob', () => client.getJob('j')],
    [true, 'listJobs', () => client.listJobs()],
    [true, 'heartbeatJob', () => client.heartbeatJob('j', w1)],
    [true, 'cancelJob', () => client.cancelJob('j')],
    [true, 'updateQueue', () => client.updateQueue('q', { paused: true })],
    [true, 'claimJob', () => client.claimJob({ queues: ['q'], ...w1 })],
    [true, 'enqueueJob with a key', () => client.enqueueJob({ queue: 'q', uniqueKey: 'k' })],
    [false, 'enqueueJob', () => client.enqueueJob({ queue: 'q' })],
    [true, 'enqueueJobs with keys', () => client.enqueueJobs({ jobs: [{ queue: 'q', uniqueKey: 'k' }] })],
    [false, 'enqueueJobs', () => client.enqueueJobs({ jobs: [{ queue: 'q', uniqueKey: 'k' }, { queue: 'q' }] })],
    [true, 'completeJob with a token', () => client.completeJob('j', { ...w1, outcome: 'passed', fencingToken: 1 })],
    [false, 'completeJob with 0', () => client.completeJob('j', { ...w1, outcome: 'passed', fencingToken: 0 })],
    [false, 'completeJob', () => client.completeJob('j', { ...w1, outcome: 'passed' })],
    [true, 'heartbeatJobs', () => client.heartbeatJobs({ heartbeats: [{ jobId: 'j', heartbeat: w1 }] })],
    [true, 'completeJobs with tokens', () => client.completeJobs(completions({ fencingToken: 1 }, { fencingToken: 2n }))],
    [false, 'completeJobs with a 0', () => client.completeJobs(completions({ fencingToken: 1 }, { fencingToken: 0 }))],
    [false, 'completeJobs with one without', () => client.completeJobs(completions({ fencingToken: 1 }, {}))],
    [false, 'failJobs', () => client.failJobs({ failures: [{ jobId: 'j', failure: { ...w1, fencingToken: 1 } }] })],
    [false, 'failJob', () => client.failJob('j', { ...w1, fencingToken: 1 })],
    [false, 'releaseJob', () => client.releaseJob('j', { ...w1, fencingToken: 1 })],
    [false, 'retryJob', () => client.retryJob('j')],
  ] as [boolean, string, () => Promise<unknown>][]) {
    calls = 0;
    if (safe) {
      await call();
    } else {
      const error = await refused(call());
      assert.ok(error instanceof NoAnswer, name);
      assert.deepEqual([error.code, error.status], ['unavailable', 0], name);
    }
    assert.equal(calls, safe ? 2 : 1, name);
  }
});

test('a_503_is_repeated_as_a_lost_answer_is_and_a_429_always', async (t) => {
  let calls = 0;
  let status = 503;
  const stub = await aStub(t, (_seen, response) => answerJson(response, calls++ === 0 ? '{}' : JOB, calls === 1 ? status : 200));
  const client = aClient(stub.url);

  await client.getJob('j');
  assert.equal(calls, 2);
  calls = 0;
  assert.equal((await refused(client.failJob('j', { worker: 'w1' }))).status, 503);
  assert.equal(calls, 1);
  calls = 0;
  status = 429;
  await client.failJob('j', { worker: 'w1' });
  assert.equal(calls, 2);
});

test('retry_after_is_waited_and_the_tries_have_a_limit', async (t) => {
  const stub = await aStub(t, (_seen, response) => answerJson(response, '{}', 429, { 'Retry-After': '1' }));
  const beganMs = performance.now();

  const error = await refused(new AgwpClient(stub.url, { triesMax: 2 }).retryJob('j'));

  assert.deepEqual([error.status, error.code, stub.seen.length], [429, 'internal', 2]);
  assert.ok(performance.now() - beganMs >= 1000);
});

test('a_refused_connection_is_tried_again_for_every_operation', async (t) => {
  // A port that was just free: nobody listens there until the stub does.
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const port = (probe.address() as AddressInfo).port;
  await new Promise((resolve) => probe.close(resolve));
  const beganMs = performance.now();

  const error = await refused(new AgwpClient(`http://127.0.0.1:${port}`, { triesMax: 3 }).retryJob('j'));

  assert.ok(error instanceof NoAnswer);
  assert.match(error.message, /ECONNREFUSED/);
  assert.ok(performance.now() - beganMs < 5000);
  const { createServer: http } = await import('node:http');
  const late = http((_request, response) => answerJson(response, JOB));
  const answer = aClient(`http://localhost:${port}`).retryJob('j');
  await new Promise<void>((resolve) => late.listen(port, resolve));
  t.after(() => {
    late.close();
    late.closeAllConnections();
  });
  assert.equal((await answer).jobId, 'j1');
});

test('a_call_ends_when_its_time_is_over_or_its_caller_gives_up', async (t) => {
  const stub = await aStub(t, () => {});
  const client = new AgwpClient(stub.url, { requestTimeoutSeconds: 0.2, triesMax: 1 });
  const giveUp = new AbortController();

  assert.match((await refused(client.getJob('j'))).message, /within the time allowed/);
  const waiting = refused(new AgwpClient(stub.url).getJob('j', { signal: giveUp.signal }));
  giveUp.abort();
  assert.match((await waiting).message, /gave up/);
  assert.equal((await refused(new AgwpClient(stub.url).getJob('j', { signal: AbortSignal.abort() }))).name, 'NoAnswer');
});

test('a_claim_waits_for_the_long_poll_beside_its_time_limit', async () => {
  const client = new AgwpClient(serverUrl(), { requestTimeoutSeconds: 1, triesMax: 1 });

  assert.deepEqual((await client.claimJob({ queues: [aQueue()], worker: 'w1', waitSeconds: 2 })).jobs, []);
});

test('an_answer_that_is_not_of_the_contract_is_no_answer', async (t) => {
  let answer: [number, string] = [200, ''];
  const stub = await aStub(t, (_seen, response) => answerJson(response, answer[1], answer[0], { Location: '/elsewhere' }));
  const client = aClient(stub.url);

  for (const each of [
    [200, '<html>'],
    [200, '[]'],
    [204, ''],
    [302, ''],
  ] as [number, string][]) {
    answer = each;
    assert.ok((await refused(client.getJob('j'))) instanceof NoAnswer, String(answer));
  }
  answer = [502, '<html>'];
  const page = await refused(client.getJob('j'));
  assert.deepEqual([page.status, page.code, page.name], [502, 'internal', 'AgwpError']);
  assert.equal(stub.seen.length, 5);
});

test('a_claim_whose_answer_was_lost_is_answered_again', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const job = await aClient().enqueueJob({ queue });
  proxy.once('/claim', 'lost after');

  const { jobs } = await aClient(proxy.url).claimJob({ queues: [queue], worker: 'w1' });

  assert.deepEqual([jobs.length, jobs[0]?.jobId, jobs[0]?.attempts], [1, job.jobId, 1]);
  assert.equal(proxy.count('/claim'), 2);
});

test('a_server_that_is_no_url_is_refused', () => {
  for (const server of ['', 'localhost:8080', 'ftp://host', 'http://u:p@host', 'http://host?x=1']) {
    assert.throws(() => new AgwpClient(server), TypeError, server);
  }
  for (const options of [{ triesMax: 0 }, { triesMax: 101 }, { requestTimeoutSeconds: 0 }, { requestTimeoutSeconds: Number.NaN }]) {
    assert.throws(() => new AgwpClient('http://host', options), RangeError);
  }
});
