import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outcome, UnfencedServer } from '@agwp/sdk';
import type { ClaimedJob } from '@agwp/sdk';
import { aClient, answerJson, aQueue, aStub, aWorker, eventually, FaultProxy, untilAborted } from './support.js';

async function aJob(queue: string, more: { payload?: { [key: string]: unknown }; maxAttempts?: number } = {}): Promise<string> {
  return (await aClient().enqueueJob({ queue, ...more })).jobId;
}

async function inState(jobId: string, state: string) {
  return eventually(`job ${jobId} is ${state}`, async () => {
    const job = await aClient().getJob(jobId);
    return job.state === state && job;
  });
}

test('each_outcome_ends_the_job_as_the_contract_says', async (t) => {
  const queue = aQueue();
  const outcomes: Record<string, () => Outcome> = {
    passed: () => Outcome.passed('fine').withResult({ n: 2n ** 60n }).withLogUrl('http://log').withAttestation('a/b', Buffer.from('seen')),
    failed: () => Outcome.failed('broken'),
    retry: () => Outcome.retry('later', 'm', 3600),
    dead: () => Outcome.dead('never', 'm'),
    nothing: () => undefined as unknown as Outcome,
    throws: () => {
      throw new TypeError('no such thing');
    },
  };
  const ids: Record<string, string> = {};
  for (const name of Object.keys(outcomes)) {
    ids[name] = await aJob(queue, { payload: { name } });
  }

  const { heard } = aWorker(t, aClient(), { queues: [queue], concurrency: 3, handler: (job) => outcomes[job.payload['name']]!() });

  const passed = await inState(ids['passed']!, 'succeeded');
  assert.deepEqual([passed.outcome, passed.summary, passed.result, passed.logUrl], ['passed', 'fine', { n: 2n ** 60n }, 'http://log']);
  assert.equal(Buffer.from((await aClient().getAttestation(passed.jobId)).body).toString(), 'seen');
  assert.equal((await inState(ids['failed']!, 'succeeded')).outcome, 'failed');
  assert.equal((await inState(ids['dead']!, 'dead')).lastError?.reason, 'never');
  for (const [name, reason, message] of [
    ['retry', 'later', 'm'],
    ['nothing', 'no_outcome', 'the handler returned no Outcome'],
    ['throws', 'handler_failed', 'TypeError: no such thing'],
  ] as const) {
    const error = (await eventually(name, async () => (await aClient().getJob(ids[name]!)).lastError))!;
    assert.deepEqual([error.reason, error.message], [reason, message]);
  }
  await eventually('all is heard', () => heard.reported.length >= 6);
  assert.ok(heard.handlerFailed[0] instanceof TypeError);
});

test('no_more_jobs_are_held_than_run_at_once', async (t) => {
  const queue = aQueue();
  for (let each = 0; each < 6; each++) {
    await aJob(queue);
  }
  let now = 0;
  let most = 0;
  const handler = async () => {
    most = Math.max(most, ++now);
    const depth = (await aClient().getQueue(queue)).depth;
    assert.ok(Number(depth.claimed) <= 2, `${depth.claimed} are held`);
    now--;
    return Outcome.passed();
  };

  const { heard } = aWorker(t, aClient(), { queues: [queue], concurrency: 2, handler });

  await eventually('all are done', () => heard.reported.length === 6);
  assert.equal(most, 2);
  assert.deepEqual(heard.handlerFailed, []);
});

test('heartbeats_keep_a_claim_past_its_lease_and_carry_progress_and_token', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  const handler = async (job: ClaimedJob) => {
    job.progress(40, 'half');
    await eventually('four heartbeats', () => proxy.count('/heartbeat') >= 4);
    assert.throws(() => job.progress(101), RangeError);
    assert.throws(() => job.progress(1, 'x'.repeat(4097)), RangeError);
    return Outcome.passed(`token ${job.fencingToken}`);
  };

  aWorker(t, aClient(proxy.url), { queues: [queue], leaseSeconds: 1, handler });

  const job = await inState(id, 'succeeded');
  assert.deepEqual([job.attempts, job.progress, job.statusMessage, job.summary], [1, 40, 'half', 'token 1']);
  for (const seen of proxy.seen.filter((each) => /heartbeat|complete/.test(each.url))) {
    assert.equal(JSON.parse(seen.body).fencing_token, 1, seen.url);
  }
});

test('a_claim_the_server_says_is_lost_stops_the_handler_and_nothing_is_reported', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  let held: ClaimedJob | undefined;

  const { heard } = aWorker(t, aClient(proxy.url), {
    queues: [queue],
    leaseSeconds: 1,
    handler: (job) => {
      held = job;
      return untilAborted(job.signal);
    },
  });
  await eventually('it is claimed', () => held);
  await aClient().cancelJob(id);

  await eventually('it is lost', () => heard.lost[0]);
  assert.ok(held?.isLost);
  assert.deepEqual([heard.reported, heard.handlerFailed, proxy.count('/complete') + proxy.count('/fail')], [[], [], 0]);
});

test('a_stale_claim_of_the_same_label_is_fenced_off', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  proxy.fault = (seen) => (seen.url.includes('/heartbeat') ? 'lost before' : 'none');
  let finish: (outcome: Outcome) => void = () => {};
  const { heard } = aWorker(t, aClient(proxy.url), {
    queues: [queue],
    leaseSeconds: 1,
    handler: () => new Promise<Outcome>((resolve) => (finish = resolve)),
  });
  await eventually('it is claimed', () => heard.claimed[0]);
  const again = await eventually('its restart has the job', async () => {
    const { jobs } = await aClient().claimJob({ queues: [queue], worker: 'w1', waitSeconds: 1, leaseSeconds: 60 });
    return jobs[0];
  });

  finish(Outcome.passed('stale'));

  await eventually('it is lost', () => heard.lost[0]);
  const job = await aClient().getJob(id);
  assert.deepEqual([job.state, job.attempts, job.outcome], ['claimed', again.attempts, undefined]);
});

test('a_lease_that_ran_out_while_the_server_was_unreachable_loses_the_claim', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  await aJob(queue);
  proxy.fault = (seen) => (seen.url.includes('/heartbeat') ? 'lost before' : 'none');
  const beganMs = performance.now();

  const { heard } = aWorker(t, aClient(proxy.url), { queues: [queue], leaseSeconds: 2, handler: (job) => untilAborted(job.signal) });

  assert.match(await eventually('it is lost', () => heard.lost[0]), /lease ran out/);
  assert.ok(performance.now() - beganMs >= 2000);
  assert.equal(proxy.count('/fail'), 0);
});

test('a_heartbeat_without_answer_is_unknown_and_sent_again', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  proxy.once('/heartbeat', 'lost after');
  const handler = async () => {
    await eventually('heartbeats', () => proxy.count('/heartbeat') >= 3);
    return Outcome.passed();
  };

  const { heard } = aWorker(t, aClient(proxy.url), { queues: [queue], leaseSeconds: 1, handler });

  await inState(id, 'succeeded');
  assert.deepEqual(heard.lost, []);
});

test('a_claim_whose_answer_was_lost_strands_no_job', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  proxy.once('/claim', 'lost after');

  aWorker(t, aClient(proxy.url), { queues: [queue], handler: () => Outcome.passed() });

  assert.equal((await inState(id, 'succeeded')).attempts, 1);
});

for (const fault of ['lost before', 'lost after', 'unavailable after'] as const) {
  for (const [name, path, outcome, state] of [
    ['complete', '/complete', () => Outcome.passed().withAttestation('a/b', Buffer.from('x')), 'succeeded'],
    ['fail', '/fail', () => Outcome.retry('later', 'm', 3600), 'queued'],
    ['dead', '/fail', () => Outcome.dead('never'), 'dead'],
  ] as const) {
    test(`the_report_of_${name}_whose_answer_was_${fault.replace(' ', '_')}_is_resolved`, async (t) => {
      const proxy = await FaultProxy.start(t);
      const queue = aQueue();
      const id = await aJob(queue);
      proxy.once(path, fault);

      const { heard } = aWorker(t, aClient(proxy.url), { queues: [queue], handler: outcome });

      await eventually('it is reported', () => heard.reported.length === 1);
      const job = await aClient().getJob(id);
      assert.deepEqual([job.state, job.attempts, heard.lost, heard.unknown], [state, 1, [], []]);
      // What the server had taken is not sent a second time, but for a completion, whose repeat is answered.
      assert.equal(proxy.count(path), name === 'complete' || fault === 'lost before' ? 2 : 1);
    });
  }
}

test('a_heartbeat_that_meets_its_own_completion_is_no_loss', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  // The heartbeat reaches the server after the completion that was sent later, and is refused.
  proxy.hold = async (seen) => seen.url.includes('/heartbeat') && inState(id, 'succeeded');
  let refused = '';
  proxy.edit = (seen, body) => {
    refused = seen.url.includes('/heartbeat') ? body : refused;
    return body;
  };
  let signal: AbortSignal | undefined;
  const handler = async (job: ClaimedJob) => {
    signal = job.signal;
    await eventually('a heartbeat is sent', () => proxy.count('/heartbeat') === 1);
    return Outcome.passed();
  };

  const { heard } = aWorker(t, aClient(proxy.url), { queues: [queue], leaseSeconds: 9, handler });

  assert.match(await eventually('the heartbeat is refused', () => refused !== '' && refused), /not_found/);
  await eventually('it is reported', () => heard.reported.length === 1);
  assert.deepEqual([heard.lost, signal?.aborted], [[], false]);
});

test('an_outcome_the_server_refuses_ends_the_attempt_and_says_why', async (t) => {
  const queue = aQueue();
  const id = await aJob(queue, { maxAttempts: 1 });

  aWorker(t, aClient(), { queues: [queue], handler: () => Outcome.passed('x'.repeat(5000)) });

  const error = (await inState(id, 'dead')).lastError;
  assert.equal(error?.reason, 'outcome_refused');
  assert.match(error?.message ?? '', /summary/);
});

test('an_outcome_that_cannot_be_written_ends_the_attempt_and_says_why', async (t) => {
  const queue = aQueue();
  const id = await aJob(queue, { maxAttempts: 1 });
  const cyclic: { [key: string]: unknown } = {};
  cyclic['self'] = cyclic;

  aWorker(t, aClient(), { queues: [queue], handler: () => Outcome.passed('x').withResult(cyclic) });

  const error = (await inState(id, 'dead')).lastError;
  assert.equal(error?.reason, 'outcome_refused');
  assert.match(error?.message ?? '', /circular/);
});

test('close_lets_handlers_end_within_the_grace_time', async (t) => {
  const queue = aQueue();
  const id = await aJob(queue);
  let finish: (outcome: Outcome) => void = () => {};
  const { worker, heard, ran } = aWorker(t, aClient(), {
    queues: [queue],
    graceSeconds: 15,
    handler: () => new Promise<Outcome>((resolve) => (finish = resolve)),
  });
  await eventually('it is claimed', () => heard.claimed[0]);

  const closed = worker.close();
  finish(Outcome.passed());
  await closed;

  assert.equal(await ran, undefined);
  assert.equal((await aClient().getJob(id)).state, 'succeeded');
});

test('close_stops_handlers_after_the_grace_time_and_hands_their_claims_back', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const ids = [await aJob(queue), await aJob(queue)];
  proxy.once('/release', 'lost before');
  const { worker, heard } = aWorker(t, aClient(proxy.url), { queues: [queue], concurrency: 2, handler: (job) => untilAborted(job.signal) });
  await eventually('both are claimed', () => heard.claimed.length === 2);

  await worker.close();

  assert.equal(heard.released.length, 2);
  assert.deepEqual([heard.reported, heard.lost, heard.handlerFailed], [[], [], []]);
  for (const id of ids) {
    const job = await aClient().getJob(id);
    assert.deepEqual([job.state, job.attempts], ['queued', 1]);
  }
  const next = aWorker(t, aClient(), { queues: [queue], concurrency: 2, handler: () => Outcome.passed() });
  await eventually('others get them', () => next.heard.reported.length === 2);
});

test('close_hands_back_the_jobs_of_a_claim_that_was_broken_off', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  // The server gives the job; its answer never comes.
  proxy.fault = (seen) => (seen.url.includes('/claim') && proxy.count('/claim') < 3 ? 'lost after' : 'none');
  const { worker, heard } = aWorker(t, aClient(proxy.url), { queues: [queue], waitSeconds: 20, handler: () => Outcome.passed() });
  await inState(id, 'claimed');

  await worker.close();

  const job = await aClient().getJob(id);
  assert.deepEqual([job.state, job.attempts, heard.claimed.length + heard.released.length], ['queued', 1, 1]);
});

test('close_ends_a_long_poll_at_once', async (t) => {
  const proxy = await FaultProxy.start(t);
  const { worker, ran } = aWorker(t, aClient(proxy.url), {
    queues: [aQueue()],
    waitSeconds: 30,
    graceSeconds: 20,
    handler: () => Outcome.passed(),
  });
  await eventually('it waits', () => proxy.count('/claim') === 1);
  const beganMs = performance.now();

  await worker.close();

  assert.ok(performance.now() - beganMs < 5000);
  assert.equal(await ran, undefined);
  await assert.rejects(worker.run(), /runs once/);
});

test('a_worker_that_requires_fencing_ends_at_a_server_that_does_not_enforce_it', async (t) => {
  const proxy = await FaultProxy.start(t);
  const queue = aQueue();
  const id = await aJob(queue);
  proxy.edit = (seen, body) => (seen.url.includes('/claim') ? body.replace(/"fencing_enforced":true,?/, '').replace(',}', '}') : body);
  const { heard, ran } = aWorker(t, aClient(proxy.url), { queues: [queue], requireFencing: true, handler: () => Outcome.passed() });

  assert.ok((await ran) instanceof UnfencedServer);

  const job = await aClient().getJob(id);
  assert.deepEqual([job.state, heard.claimed.length, heard.released.length], ['queued', 0, 1]);
});

test('a_worker_that_requires_fencing_works_where_it_is_enforced', async (t) => {
  const queue = aQueue();
  const id = await aJob(queue);
  await aClient().updateQueue(queue, { requireFencing: true });

  aWorker(t, aClient(), { queues: [queue], requireFencing: true, handler: () => Outcome.passed() });

  await inState(id, 'succeeded');
});

test('a_claim_that_is_refused_for_good_ends_the_worker_and_an_unreachable_server_does_not', async (t) => {
  let status = 503;
  const stub = await aStub(t, (_seen, response) => answerJson(response, '{"code":"c","detail":"on purpose"}', status));
  const { heard, ran } = aWorker(t, aClient(stub.url), { queues: ['q'], handler: () => Outcome.passed() });

  await eventually('it goes on', () => heard.unavailable[0]);
  status = 403;

  assert.match(String(await ran), /on purpose/);
  const ids = stub.seen.map((seen) => JSON.parse(seen.body).request_id);
  assert.equal(new Set(ids.slice(0, 6)).size, 1, 'a claim is repeated under its id');
});

test('a_token_of_more_than_2_53_goes_with_every_call_intact', async (t) => {
  const job =
    '{"job_id":"j1","queue":"q","state":"claimed","priority":0,"attempts":9007199254740993,"max_attempts":5,' +
    '"run_at":"2026-12-01T10:00:00.000Z","created_at":"2026-12-01T10:00:00.000Z","updated_at":"2026-12-01T10:00:00.000Z"}';
  let given = false;
  const stub = await aStub(t, (seen, response) => {
    if (!seen.url.endsWith('/claim')) {
      answerJson(response, job);
      return;
    }
    setTimeout(() => answerJson(response, given ? '{"jobs":[]}' : `{"jobs":[${job}]}`), 50);
    setTimeout(() => (given = true), 50);
  });
  const { heard } = aWorker(t, aClient(stub.url), {
    queues: ['q'],
    leaseSeconds: 1,
    handler: async (held) => {
      assert.equal(held.fencingToken, 9007199254740993n);
      await eventually('a heartbeat', () => stub.seen.some((seen) => seen.url.endsWith('/heartbeat')));
      return Outcome.passed();
    },
  });

  await eventually('it is reported', () => heard.reported[0]);

  for (const seen of stub.seen.filter((each) => /heartbeat|complete/.test(each.url))) {
    assert.match(seen.body, /"fencing_token":9007199254740993[,}]/, seen.url);
  }
});

test('a_listener_that_throws_does_not_stop_the_worker', async (t) => {
  const queue = aQueue();
  const id = await aJob(queue);
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));

  aWorker(t, aClient(), {
    queues: [queue],
    listener: {
      claimed: () => {
        throw new Error('deaf');
      },
    },
    handler: () => Outcome.passed(),
  });

  await inState(id, 'succeeded');
  assert.match((await warned).message, /deaf/);
});

test('only_a_verdict_carries_evidence', () => {
  assert.throws(() => Outcome.retry('later').withAttestation('a/b', Buffer.from('x')), TypeError);
  assert.throws(() => Outcome.dead('never').withResult({}), TypeError);
  assert.throws(() => Outcome.passed().withAttestation('a/b', 'x' as unknown as Uint8Array), TypeError);
  assert.deepEqual([Outcome.failed('s').verdict, Outcome.failed('s').text, Outcome.dead('r', 'm').verdict], ['failed', 's', 'none']);
});
