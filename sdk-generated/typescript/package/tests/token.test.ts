import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { AccessRefused, AgwpClient, NoAnswer, Outcome } from '@agwp/sdk';
import { answerJson, aStub, aWorker, JOB, refused } from './support.js';

const SECRET = 'jc_7_very-secret';

function everyWordOf(thrown: unknown): string {
  return `${inspect(thrown, { depth: 10, showHidden: true })} ${String(thrown)} ${(thrown as Error).stack}`;
}

function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (thrown) {
    return thrown as Error;
  }
  return assert.fail('nothing was thrown');
}

test('the_token_goes_with_every_request', async (t) => {
  const { url, seen } = await aStub(t, (_seen, response) => answerJson(response, JOB));
  const client = new AgwpClient(url, { token: SECRET });

  await client.enqueueJob({ queue: 'q' });
  await client.getJob('j1');
  await client.getAttestation('j1');

  assert.deepEqual(
    seen.map((each) => each.authorization),
    Array(3).fill(`Bearer ${SECRET}`),
  );
});

test('without_a_token_none_is_sent', async (t) => {
  const { url, seen } = await aStub(t, (_seen, response) => answerJson(response, JOB));

  await new AgwpClient(url).getJob('j1');

  assert.deepEqual(
    seen.map((each) => each.authorization),
    [undefined],
  );
});

test('a_changed_token_is_sent_from_the_next_request_on', async (t) => {
  const { url, seen } = await aStub(t, (_seen, response) => answerJson(response, JOB));
  const tokens = ['first', 'second'];
  const client = new AgwpClient(url, { token: async () => tokens.shift()! });

  await client.getJob('j1');
  await client.getJob('j1');

  assert.deepEqual(
    seen.map((each) => each.authorization),
    ['Bearer first', 'Bearer second'],
  );
});

for (const [status, code] of [
  [401, 'unauthenticated'],
  [403, 'permission_denied'],
] as const) {
  test(`a_refused_caller_is_told_so_and_the_call_is_not_repeated: ${code}`, async (t) => {
    const { url, seen } = await aStub(t, (_seen, response) => answerJson(response, `{"code":"${code}","detail":"no"}`, status));

    const error = await refused(new AgwpClient(url, { token: SECRET }).getJob('j1'));

    assert.ok(error instanceof AccessRefused);
    assert.deepEqual([error.code, error.status, error.message, error.name], [code, status, 'no', 'AccessRefused']);
    assert.equal(seen.length, 1);
    assert.ok(!everyWordOf(error).includes(SECRET));
  });
}

test('a_worker_that_is_refused_ends_and_makes_no_failure_of_its_outcome', async (t) => {
  let token = 'good';
  const { url, seen } = await aStub(t, (request, response) => {
    if (request.url.endsWith('/claim') && request.authorization === 'Bearer good') {
      answerJson(response, `{"jobs":[${JOB}]}`);
    } else {
      answerJson(response, '{"code":"unauthenticated","detail":"no"}', 401);
    }
  });
  const { heard, ran } = aWorker(t, new AgwpClient(url, { token: () => token }), {
    queues: ['q'],
    handler: () => {
      token = 'revoked';
      return Outcome.passed('done');
    },
  });

  assert.ok((await ran) instanceof AccessRefused);
  assert.deepEqual([heard.unknown.length, heard.reported.length], [1, 0]);
  assert.ok(!seen.some((each) => each.url.endsWith('/fail')));
  assert.ok(seen.length < 6, 'it does not ask again and again');
});

test('a_source_that_gives_no_token_ends_the_call_unsent', async (t) => {
  const { url, seen } = await aStub(t, (_seen, response) => answerJson(response, JOB));
  const sources = [() => Promise.reject(new Error(SECRET)), () => '', () => undefined as unknown as string];
  for (const token of sources) {
    const error = await refused(new AgwpClient(url, { token }).getJob('j1'));

    assert.ok(error instanceof NoAnswer);
    assert.match(error.message, /the source of the token/);
    assert.ok(!error.message.includes(SECRET));
  }
  assert.equal(seen.length, 0);
});

test('nothing_that_is_printed_or_thrown_shows_the_token', async () => {
  const client = new AgwpClient('http://127.0.0.1:1', { token: SECRET, triesMax: 1 });

  assert.ok(!everyWordOf(client).includes(SECRET));
  assert.ok(!JSON.stringify(client).includes(SECRET));
  assert.ok(!everyWordOf(await refused(client.getJob('j1'))).includes(SECRET));
  for (const malformed of [`${SECRET}\n`, `${SECRET} x`, `ü${SECRET}`, '']) {
    const error = thrownBy(() => new AgwpClient('http://127.0.0.1:1', { token: malformed }));
    assert.match(error.message, /a token must be/);
    assert.ok(!everyWordOf(error).includes(SECRET));
  }
});

test('a_token_is_not_sent_readable_to_another_machine', () => {
  for (const server of ['http://agwp.example', 'http://10.0.0.1:8080', 'http://127.example', 'http://[::2]']) {
    assert.match(thrownBy(() => new AgwpClient(server, { token: SECRET })).message, /use https/);
    assert.ok(new AgwpClient(server, { token: SECRET, allowInsecureToken: true }));
  }
  for (const server of ['https://agwp.example', 'http://localhost:8080', 'http://127.0.0.2', 'http://[::1]:8080']) {
    assert.ok(new AgwpClient(server, { token: SECRET }));
  }
});
