import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, writeJson } from '@agwp/sdk';

test('an_integer_beyond_2_53_is_read_as_a_bigint_and_a_smaller_one_as_a_number', () => {
  for (const [text, value] of [
    ['0', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['0.30000000000000004', 0.30000000000000004],
    ['1e20', 1e20],
    ['12345678901234567890.5', 12345678901234567890.5],
  ] as const) {
    assert.deepEqual(parseJson(`{"a":[${text}]}`), { a: [value] }, text);
  }
});

test('digits_in_texts_and_names_are_left_alone', () => {
  const text = '{"9007199254740993":"9007199254740993","q":"\\"9007199254740993\\\\","n":[9007199254740993, 9007199254740993]}';

  const read = parseJson(text);

  assert.deepEqual(read, {
    '9007199254740993': '9007199254740993',
    q: '"9007199254740993\\',
    n: [9007199254740993n, 9007199254740993n],
  });
  assert.equal(writeJson(read), text.replace(', ', ','));
});

test('what_is_no_json_is_a_syntax_error_also_with_large_numbers', () => {
  for (const text of ['', '{', '[9007199254740993', '9007199254740993x', '[09007199254740993]', '{9007199254740993:1}']) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test('a_bigint_is_written_as_the_number_it_is', () => {
  assert.equal(writeJson({ a: 18446744073709551615n, b: [-1n, 'x', null], c: { d: 1.5 } }), '{"a":18446744073709551615,"b":[-1,"x",null],"c":{"d":1.5}}');
});

test('what_json_cannot_say_is_refused_and_never_becomes_null', () => {
  for (const [value, wrong] of [
    [{ fencing_token: NaN }, RangeError],
    [{ list: [1, -Infinity] }, RangeError],
    [{ payload: { call: () => 1 } }, TypeError],
    [{ payload: { mark: Symbol('s') } }, TypeError],
    [{ payload: new Map([['a', 1]]) }, TypeError],
    [{ payload: { seen: new Set([1]) } }, TypeError],
  ] as const) {
    assert.throws(() => writeJson(value), wrong);
  }
  assert.throws(() => writeJson({ fencing_token: NaN }), /fencing_token must be a finite number, got NaN/);
  assert.equal(writeJson({ absent: undefined, nothing: null }), '{"nothing":null}');
});

test('a_large_text_with_large_numbers_is_read', () => {
  const long = 'x\\n'.repeat(1_000_000);

  const read = parseJson(`{"s":"${long}","n":9007199254740993}`) as { s: string; n: bigint };

  assert.equal(read.s.length, 2_000_000);
  assert.equal(read.n, 9007199254740993n);
});
