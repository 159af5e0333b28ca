/** Calls and recodes as the code says that is generated from one release, which lies beside it: one JSON object a line, in and out. */
import { createInterface } from 'node:readline';
import { fromBinary, fromJson, toBinary } from '@bufbuild/protobuf';
import type { DescMessage } from '@bufbuild/protobuf';
import * as protobuf from './agwp_pb.js';
import { JobsApi } from './apis/index.js';
import { parseJson, writeJson } from './json.js';
import * as models from './models/index.js';
import { Configuration, ResponseError } from './runtime.js';

type Fields = { [name: string]: any };

const PROTOBUF = { 'Content-Type': 'application/x-protobuf', Accept: 'application/x-protobuf' };

class Invalid extends Error {}

const requestOf = (operation: string): string => `${operation[0]!.toUpperCase()}${operation.slice(1)}Request`;

function model(name: string): { read: (json: unknown) => unknown; write: (message: unknown) => Fields } {
  const all: Fields = models;
  if (all[`${name}FromJSON`] === undefined) {
    throw new Invalid(`there is no ${name}`);
  }
  return { read: all[`${name}FromJSON`], write: all[`${name}ToJSON`] };
}

function schema(name: string): DescMessage {
  const all: Fields = protobuf;
  return all[`${name}Schema`];
}

async function callJson(order: Fields): Promise<Fields> {
  const { operation, request } = order;
  const { read, write } = model(requestOf(operation));
  const typed = read(request);
  const sent = write(typed);
  const dropped = Object.keys(request).filter((name) => sent[name] === undefined);
  if (dropped.length > 0) {
    throw new Invalid(`${requestOf(operation)} has no ${dropped}`);
  }
  const api: Fields = new JobsApi(new Configuration({ basePath: order['server'] }));
  try {
    const job: models.Job = await api[operation]({ jobId: order['job_id'], [`${operation}Request`]: typed });
    return { event: 'answer', job_id: job.jobId };
  } catch (refused) {
    if (!(refused instanceof ResponseError)) {
      throw refused;
    }
    const problem: Fields = await refused.response.json();
    return { event: 'refused', code: problem['code'] };
  }
}

async function callProtobuf(order: Fields): Promise<Fields> {
  const { operation } = order;
  const type = schema(requestOf(operation));
  const body = toBinary(type, asInvalid(() => fromJson(type, order['request'])));
  const address = `${order['server']}/v1/jobs/${order['job_id']}/${operation.slice(0, -'Job'.length)}`;
  const answer = await fetch(address, { method: 'POST', headers: PROTOBUF, body: Buffer.from(body) });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return answer.ok
    ? { event: 'answer', job_id: fromBinary(protobuf.JobSchema, bytes).jobId }
    : { event: 'refused', code: fromBinary(protobuf.ErrorSchema, bytes).code };
}

function recodeJson(bytes: Buffer, message: string): Buffer {
  const { read, write } = model(message);
  return Buffer.from(writeJson(write(read(parseJson(bytes.toString())))));
}

function recodeProtobuf(bytes: Buffer, message: string): Buffer {
  // Without its unknown fields, else what the release does not know would go through unread.
  return Buffer.from(toBinary(schema(message), fromBinary(schema(message), bytes, { readUnknownFields: false })));
}

function asInvalid<T>(read: () => T): T {
  try {
    return read();
  } catch (malformed) {
    throw new Invalid(malformed instanceof Error ? malformed.message : String(malformed));
  }
}

async function obey(order: Fields): Promise<Fields> {
  const inJson = order['format'] === 'json';
  if (order['do'] === 'call') {
    return inJson ? callJson(order) : callProtobuf(order);
  }
  const recode = inJson ? recodeJson : recodeProtobuf;
  const recoded = asInvalid(() => recode(Buffer.from(order['bytes'], 'base64'), order['message']));
  return { event: 'recoded', bytes: recoded.toString('base64') };
}

const tell = (event: Fields): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);

tell({ event: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const order: Fields = JSON.parse(line);
  try {
    tell({ ...(await obey(order)), id: order['id'] });
  } catch (invalid) {
    if (!(invalid instanceof Invalid)) {
      throw invalid;
    }
    tell({ event: 'invalid', id: order['id'], message: invalid.message });
  }
}
