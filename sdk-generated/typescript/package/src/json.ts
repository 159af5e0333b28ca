import { randomUUID } from 'node:crypto';

// A string is matched whole, so that digits in it are left alone.
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
// 2^53 has 16 digits.
const MAYBE_UNSAFE = /\d{16}/;

/**
 * Reads JSON as `JSON.parse` does, except that an integer beyond ±(2^53 - 1) becomes a bigint instead of being rounded.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!MAYBE_UNSAFE.test(text)) {
    return JSON.parse(text);
  }
  const mark = randomUUID();
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked, (key, value: unknown) => {
    if (key.startsWith(mark)) {
      throw new SyntaxError(`a name must be a string, got ${key.slice(mark.length)}`);
    }
    return typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  });
}

/**
 * Writes JSON as `JSON.stringify` does, except that a bigint is written as the number it is.
 *
 * @throws RangeError for a number that is not finite, which would be written as null: a fencing token of NaN would switch fencing off
 * @throws TypeError for what JSON has no form for and would be dropped (functions, symbols, maps and sets), or that holds itself
 */
export function writeJson(value: unknown): string {
  const mark = randomUUID();
  let marked = false;
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, replaced: unknown) {
    // Not what was replaced: a toJSON that an application gave to bigints has made it a string by now.
    const original = this[key];
    if (typeof original === 'number' && !Number.isFinite(original)) {
      throw new RangeError(`${key} must be a finite number, got ${original}`);
    }
    if (typeof original === 'function' || typeof original === 'symbol') {
      throw new TypeError(`${key} must be a value that JSON has, got a ${typeof original}`);
    }
    if (original instanceof Map || original instanceof Set) {
      throw new TypeError(`${key} must be a value that JSON has, got a ${original.constructor.name}, which would be written as {}`);
    }
    if (typeof original !== 'bigint') {
      return replaced;
    }
    marked = true;
    return `${mark}${original}`;
  });
  return marked ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1') : text;
}
