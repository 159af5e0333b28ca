import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgwpError, LostClaim } from '@agwp/sdk';
import type { JobResults } from '@agwp/sdk';
import { aClient, answerJson, aQueue, aStub, completions, FaultProxy, JOB, refused } from './support.js';

const HEARTBEATS = { heartbeats: [{ jobId: 'j1', heartbeat: { worker: 'w1', fencingToken: 18446744073709551615n, statusMessage: undefined } }] };
const FAILURES = { failures: [{ jobId: 'j1', failure: { worker: 'w1', retryDelaySeconds: 0, claimNext: { queues: ['q'] } } }] };

test('each_call_of_many_is_sent_as_it_would_be_alone', async (t) => {
  const stub = await aStub(t, (_seen, response) => answerJson(response, '{"results":[]}'));
  const client = aClient(stub.url);

  await client.heartbeatJobs(HEARTBEATS);
  await client.completeJobs(completions({ attestation: { mediaType: 'a/b', body: 'eA==' } }, { result: { a: null } }));
  await client.failJobs(FAILURES);

  assert.deepEqual(
    stub.seen.map((seen) => [seen.url, seen.body]),
    [
      ['/v1/jobs/heartbeat', '{"heartbeats":[{"job_id":"j1","heartbeat":{"worker":"w1","fencing_token":18446744073709551615}}]}'],
      [
        '/v1/jobs/complete',
        '{"completions":[{"job_id":"j1","completion":{"worker":"w1","outcome":"passed","attestation":{"media_type":"a/b","body":"eA=="}}},' +
          '{"job_id":"j2","completion":{"worker":"w1","outcome":"passed","result":{"a":null}}}]}',
      ],
      ['/v1/jobs/fail', '{"failures":[{"job_id":"j1","failure":{"worker":"w1","retry_delay_seconds":0,"claim_next":{"queues":["q"]}}}]}'],
    ],
  );
});

test('each_result_of_many_is_a_job_or_an_error', async (t) => {
  const stub = await aStub(t, (_seen, response) =>
    answerJson(
      response,
      `{"more":2,"results":[{"job":${JOB},"took_ms":3},
        {"error":{"code":"not_found","detail":"gone","reason":"not_holder","hint":"x"}},
        {"error":{"code":"failed_precondition","detail":"old","reason":"stale_fencing_token"}},
        {"error":{"code":"failed_precondition","detail":"none","reason":"fencing_token_required"}},
        {"error":{"code":"failed_precondition","detail":"none","reason":"attestation_required"}},
        {"error":{"code":"teapot","detail":"d","errors":[{"field":"f","message":"m","x":1}]}},
        {"postponed":{"until":1}}]}`,
    ),
  );
  const client = aClient(stub.url);

  for (const call of [() => client.heartbeatJobs(HEARTBEATS), () => client.completeJobs(completions({})), () => client.failJobs(FAILURES)]) {
    const { results }: JobResults = await call();
    assert.equal(results[0]?.job?.jobId, 'j1');
    assert.deepEqual(
      results.map(({ error }) => error?.name),
      [undefined, 'LostClaim', 'LostClaim', 'AgwpError', 'AgwpError', 'AgwpError', undefined],
    );
    const lost = results[1]?.error;
    assert.ok(lost instanceof LostClaim && lost instanceof AgwpError);
    assert.deepEqual([lost.code, lost.reason, lost.message, lost.status], ['not_found', 'not_holder', 'gone', 200]);
    assert.equal(results[1]?.job, undefined);
    const later = results[5]?.error;
    assert.deepEqual([later?.code, later?.reason, later?.fieldErrors], ['teapot', undefined, [{ field: 'f', message: 'm' }]]);
    assert.equal(results[6]?.job, undefined);
  }
});

test('a_server_without_calls_for_many_lost_no_claim', async (t) => {
  const stub = await aStub(t, (_seen, response) => answerJson(response, '{"code":"not_found","detail":"d"}', 404));
  const client = aClient(stub.url);

  for (const call of [() => client.heartbeatJobs(HEARTBEATS), () => client.completeJobs(completions({})), () => client.failJobs(FAILURES)]) {
    assert.equal((await refused(call())).name, 'AgwpError');
  }
});

test('fields_and_words_of_a_later_release_do_no_harm_within_a_next_job', async (t) => {
  const third = JOB.replace('"j1"', '"j3"').replace('"attempts":1', '"attempts":9007199254740993,"payload":{"a":null}');
  const second = JOB.replace('"claimed"', `"paused","shade":{"a":[1]},"next_job":${third}`);
  const stub = await aStub(t, (_seen, response) => answerJson(response, JOB.replace('"j1"', `"j1","next_job":${second}`)));

  const job = await aClient(stub.url).failJob('j1', { worker: 'w1', claimNext: { queues: ['q'] } });

  assert.deepEqual([job.nextJob?.state, job.nextJob && 'shade' in job.nextJob], ['paused', false]);
  const last = job.nextJob?.nextJob;
  assert.deepEqual([last?.jobId, last?.attempts, last?.payload, last?.nextJob], ['j3', 9007199254740993n, { a: null }, undefined]);
  assert.ok(last?.runAt instanceof Date);
});

test('a_completion_is_repeated_with_the_same_claim_of_the_next_job', async (t) => {
  let calls = 0;
  const answer = `{"results":[],${JOB.slice(1)}`;
  const stub = await aStub(t, (_seen, response) => (++calls % 2 === 1 ? response.socket?.destroy() : answerJson(response, answer)));
  const client = aClient(stub.url);
  const claimNext = { queues: ['q'] };

  await client.completeJob('j1', { worker: 'w1', outcome: 'passed', fencingToken: 1, claimNext });
  await client.completeJobs(completions({ fencingToken: 1, claimNext }, { fencingToken: 1, claimNext: { queues: ['q'], requestId: 'r1' } }));

  const [one, oneAgain, many, manyAgain] = stub.seen.map((seen) => seen.body.match(/"request_id":"[^"]+"/g));
  assert.deepEqual([one?.length, many?.length, many?.[1]], [1, 2, '"request_id":"r1"']);
  assert.deepEqual([oneAgain, manyAgain], [one, many]);
  assert.deepEqual(claimNext, { queues: ['q'] });
});

test('many_jobs_are_kept_given_up_and_ended_in_one_call_each', async () => {
  const client = aClient();
  const queue = aQueue();
  await client.enqueueJobs({ jobs: [{ queue }, { queue }, { queue, priority: -1 }] });
  const { jobs } = await client.claimJob({ queues: [queue], worker: 'w1', maxJobs: 2 });
  const [first, second] = jobs.map((job) => job.jobId) as [string, string];
  const token = { worker: 'w1', fencingToken: 1 };

  const kept = await client.heartbeatJobs({ heartbeats: [first, 'none', second].map((jobId) => ({ jobId, heartbeat: token })) });
  assert.deepEqual(kept.results.map((result) => result.job?.jobId ?? result.error?.reason), [first, 'unknown_job', second]);

  const { results } = await client.failJobs({ failures: [{ jobId: second, failure: token }] });
  assert.equal(results[0]?.job?.state, 'queued');

  const completion = { ...token, outcome: 'passed' as const, claimNext: { queues: [queue] } };
  const [ended, lost] = (await client.completeJobs({ completions: [first, second].map((jobId) => ({ jobId, completion })) })).results;
  assert.deepEqual([ended?.job?.state, ended?.job?.nextJob?.state], ['succeeded', 'claimed']);
  assert.ok(lost?.error instanceof LostClaim);
});

test('a_failure_gives_the_next_job_and_so_does_a_completion_whose_answer_was_lost', async (t) => {
  const proxy = await FaultProxy.start(t);
  const client = aClient(proxy.url);
  const queue = aQueue();
  const { jobs } = await client.enqueueJobs({ jobs: [0, -1, -2].map((priority) => ({ queue, priority })) });
  const [first, second, third] = jobs.map((job) => job.jobId) as [string, string, string];
  await client.claimJob({ queues: [queue], worker: 'w1' });
  const token = { worker: 'w1', fencingToken: 1, claimNext: { queues: [queue], leaseSeconds: 30 } };

  proxy.once('/complete', 'lost after');
  const ended = await client.completeJob(first, { ...token, outcome: 'passed' });
  assert.equal(ended.nextJob?.jobId, second);
  assert.equal(proxy.count('/complete'), 2);
  assert.equal((await client.getJob(third)).state, 'queued');

  assert.equal((await client.failJob(second, { ...token, terminal: true })).nextJob?.jobId, third);
  assert.equal((await client.completeJob(third, { ...token, outcome: 'passed' })).nextJob, undefined);
});
