/** A request message of the contract: its name and the fields it has. */
export interface Message<T> {
  readonly name: string;
  readonly fields: readonly (keyof T & string)[];
}

/**
 * The fields come from the generated reader, which sets all it knows, so that they are not listed a second time.
 *
 * @param required the least JSON the reader can read
 */
export function message<T extends object>(name: string, read: (json: unknown) => T, required: object = {}): Message<T> {
  return { name, fields: Object.keys(read(required)) as (keyof T & string)[] };
}

/**
 * The request with the fields that are given, those that are undefined or null left out: absent is never sent as null.
 *
 * @throws TypeError when it is no object or has a field the message has not. TypeScript says so at compile time; JavaScript would drop
 *     the field in silence.
 */
export function checked<T extends object>(what: Message<T>, request: T): T {
  if (typeof request !== 'object' || request === null) {
    throw new TypeError(`${what.name} must be an object, got ${request === null ? 'null' : typeof request}`);
  }
  const known = new Set<string>(what.fields);
  for (const field in request) {
    if (!known.has(field)) {
      const meant = field.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
      const hint = known.has(meant) ? `, but ${meant}` : `; it has ${what.fields.join(', ')}`;
      throw new TypeError(`${what.name} has no field ${field}${hint}`);
    }
  }
  const given: Partial<T> = {};
  for (const field of what.fields) {
    if (request[field] !== undefined && request[field] !== null) {
      given[field] = request[field];
    }
  }
  return given as T;
}

/** @throws RangeError when the value is no integer from min to max */
export function integer(name: string, value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be an integer ${min}..${max}, got ${value}`);
  }
  return value;
}

/** @throws RangeError when the value is not more than 0 and at most max seconds */
export function positiveSeconds(name: string, value: number, max: number): number {
  if (typeof value !== 'number' || !(value > 0 && value <= max)) {
    throw new RangeError(`${name} must be more than 0 and at most ${max} seconds, got ${value}`);
  }
  return value;
}
