import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgwpError } from '@agwp/sdk';
import { aClient, answerJson, aQueue, aStub, FaultProxy, refused } from './support.js';

const ACQUIRE = { repo: 'r', paths: ['a/'], holder: 'alice' };
const LEASE =
  '{"lease_id":"l1","repo":"r","paths":["a/"],"holder":"local|alice","fencing_token":9007199254740991,"acquired_at":' +
  '"2026-12-01T10:00:00.000Z","expires_at":"2026-12-01T10:01:00.000Z","state":"mislaid","colour":"blue"}';

test('an_answer_of_a_later_release_about_a_lease_is_read', async (t) => {
  const stub = await aStub(t, (_seen, response) => answerJson(response, LEASE));

  const lease = await aClient(stub.url).renewLease('l1', { holder: 'alice', fencingToken: 9007199254740991 });

  assert.deepEqual([lease.state, lease.fencingToken], ['mislaid', 9007199254740991]);
  assert.deepEqual(
    stub.seen.map((seen) => [seen.url, seen.body]),
    [['/v1/leases/l1/renew', '{"holder":"alice","fencing_token":9007199254740991}']],
  );
});

test('a_mistyped_field_of_a_lease_or_a_validation_is_refused_where_it_is_given', async () => {
  const client = aClient('http://127.0.0.1:1');
  const change = { repo: 'r', changeDigest: 'd', paths: ['a'], fencingTokens: [1], holder: 'alice' };

  await assert.rejects(client.acquireLease({ ...ACQUIRE, ttl: 5 } as never), TypeError);
  await assert.rejects(client.integrate({ ...change, validation: { queu: 'q' } } as never), TypeError);
  await assert.rejects(client.listLeases({ repo: 'r', size: 5 } as never), TypeError);
});

test('a_change_is_integrated_once_though_answers_were_lost', async (t) => {
  const proxy = await FaultProxy.start(t);
  const client = aClient(proxy.url);
  const repo = aQueue();
  const change = {
    repo,
    changeDigest: `sha256:${'ab'.repeat(32)}`,
    paths: ['a/b'],
    fencingTokens: [1],
    holder: 'alice',
    validation: { queue: repo },
  };

  proxy.once('/v1/leases', 'lost after');
  const lease = await client.acquireLease({ ...ACQUIRE, repo });
  assert.equal(lease.fencingToken, 1);
  proxy.once('/v1/integrations', 'lost after');
  const integration = await client.integrate(change);
  assert.deepEqual([integration.sequence, integration.state], [1, 'validating']);
  assert.deepEqual((await client.listIntegrations({ repo })).integrations, [integration]);
  assert.equal((await client.getIntegration(integration.integrationId)).jobId, integration.jobId);

  await client.releaseLease(lease.leaseId, { holder: 'alice', fencingToken: lease.fencingToken });
  assert.equal((await client.listLeases({ repo })).leases[0]?.state, 'released');
  const late = await refused(client.integrate(change));
  assert.ok(late instanceof AgwpError);
  assert.deepEqual([late.code, late.reason], ['failed_precondition', 'not_holder']);
});
