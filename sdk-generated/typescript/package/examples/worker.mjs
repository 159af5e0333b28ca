// tag::worker
import { readFile } from 'node:fs/promises';
import { AgwpClient, Outcome, Worker } from '@agwp/sdk';

const client = new AgwpClient(process.env.AGWP_SERVER ?? 'http://127.0.0.1:8080');
const worker = new Worker(client, {
  label: 'checker-1',
  queues: ['validate'],
  concurrency: 2,
  handler: async (job) => {
    job.progress(50, `reading ${job.payload.path}`);
    const text = await readFile(job.payload.path, { encoding: 'utf8', signal: job.signal });
    return text === '' ? Outcome.failed('the file is empty') : Outcome.passed(`${text.split('\n').length} lines`);
  },
});
process.once('SIGTERM', () => worker.close());
process.once('SIGINT', () => worker.close());
await worker.run();
// end::worker
