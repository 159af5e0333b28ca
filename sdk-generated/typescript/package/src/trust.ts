import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createSecureContext } from 'node:tls';

/** What the transport needs of `fetch`. */
export type Fetch = (url: string, init: Sent) => Promise<Response>;

export interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/**
 * As `fetch`, which has no option for this, with trust in the authorities of a PEM file and in no others.
 *
 * @throws TypeError when the file holds none
 */
export function fetchTrusting(caFile: string): Fetch {
  const agent = new Agent({ keepAlive: true, ca: authorities(caFile) });
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent, method, headers, signal }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const status = answer.statusCode ?? 0;
          const given = Object.entries(answer.headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
          resolve(new Response(BODILESS.includes(status) ? null : Buffer.concat(chunks), { status, headers: given }));
        });
      });
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
}

// The statuses with which a Response must have no body.
const BODILESS = [204, 205, 304];

function authorities(caFile: string): string {
  try {
    const pem = readFileSync(caFile, 'utf8');
    // Node.js takes a text without certificates in silence.
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
      throw new Error('it holds no BEGIN CERTIFICATE');
    }
    createSecureContext({ ca: pem });
    return pem;
  } catch (unusable) {
    throw new TypeError(`caFile must be a PEM file with certificates, got ${caFile}: ${(unusable as Error).message}`, { cause: unusable });
  }
}
