// graphile-worker: its own pool of workers, by default or with what its documentation gives for throughput.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { versionOf } from "./version.mjs";

const [mode, url, callers, warmUpJobs, jobs, payload] = process.argv.slice(2);
const TUNED = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
const JOBS_PER_INSERT = 1000;

const logger = new Logger(() => () => {});
const utils = await makeWorkerUtils({ connectionString: url, logger });
await utils.migrate();

// Both queues are full before the workers start: they look for new jobs only every two seconds once they found none.
await enqueue("warm-up", Number(warmUpJobs));
await enqueue("bench", Number(jobs));

const warmedUp = counted(Number(warmUpJobs));
const handled = counted(Number(jobs));
const runner = await run({
  preset: {
    worker: { connectionString: url, concurrentJobs: Number(callers), maxPoolSize: Number(callers) + 2, logger, ...(mode === "tuned" ? TUNED : {}) },
  },
  noHandleSignals: true,
  taskList: {
    "warm-up": () => warmedUp.oneMore(),
    bench: () => handled.oneMore(),
  },
});
await handled.all;
// Handled is not ended: the last completions are still on their way.
await untilNoneIsLeft();
const seconds = Number(process.hrtime.bigint() - handled.firstAt()) / 1e9;
console.log(`RESULT graphile-worker ${versionOf("graphile-worker")}: ${jobs} ${seconds}`);
await runner.stop();
await utils.release();
process.exit(0);

async function enqueue(task, count) {
  for (let left = count; left > 0; left -= JOBS_PER_INSERT) {
    await utils.addJobs(Array.from({ length: Math.min(left, JOBS_PER_INSERT) }, () => ({ identifier: task, payload: JSON.parse(payload) })));
  }
}

async function untilNoneIsLeft() {
  let left = 1;
  while (left > 0) {
    left = await utils.withPgClient(async (client) => {
      const answer = await client.query("select count(*)::int as left from graphile_worker._private_jobs");
      return answer.rows[0].left;
    });
  }
}

function counted(count) {
  let left = count;
  let first;
  let done;
  const all = new Promise((resolve) => {
    done = resolve;
  });
  return {
    all,
    firstAt: () => first,
    oneMore: () => {
      first ??= process.hrtime.bigint();
      left -= 1;
      if (left === 0) {
        done();
      }
    },
  };
}
