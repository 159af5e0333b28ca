// tag::producer
import { AgwpClient, AgwpError } from '@agwp/sdk';

const client = new AgwpClient(process.env.AGWP_SERVER ?? 'http://127.0.0.1:8080');
try {
  const job = await client.enqueueJob({
    queue: 'validate',
    payload: { path: 'package.json' },
    uniqueKey: 'validate:package.json',
  });
  console.log(job.jobId, job.state);
} catch (refused) {
  if (!(refused instanceof AgwpError)) throw refused;
  console.error(refused.code, refused.message, refused.fieldErrors);
  process.exitCode = 1;
}
// end::producer
