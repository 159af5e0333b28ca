// pg-boss: callers that fetch jobs and complete them, one or many at a time.
import { PgBoss } from "pg-boss";
import { versionOf } from "./version.mjs";

const [size, url, callers, warmUpJobs, jobs, payload] = process.argv.slice(2);
const JOBS_PER_INSERT = 1000;

const boss = new PgBoss({ connectionString: url, max: Number(callers), supervise: false, schedule: false });
boss.on("error", (failed) => {
  throw failed;
});
await boss.start();
await workOff("warm-up", Number(warmUpJobs));
const seconds = await workOff("bench", Number(jobs));
console.log(`RESULT pg-boss ${versionOf("pg-boss")}: ${jobs} ${seconds}`);
process.exit(0);

async function workOff(queue, count) {
  await boss.createQueue(queue);
  for (let left = count; left > 0; left -= JOBS_PER_INSERT) {
    await boss.insert(queue, Array.from({ length: Math.min(left, JOBS_PER_INSERT) }, () => ({ data: JSON.parse(payload) })));
  }
  let ended = 0;
  const caller = async () => {
    while (ended < count) {
      const claimed = await boss.fetch(queue, { batchSize: Number(size) });
      if (claimed.length > 0) {
        await boss.complete(queue, claimed.map((job) => job.id));
        ended += claimed.length;
      }
    }
  };
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: Number(callers) }, caller));
  return Number(process.hrtime.bigint() - start) / 1e9;
}
