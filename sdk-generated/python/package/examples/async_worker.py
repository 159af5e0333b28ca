"""Runs a command for each job and kills it when the job is cancelled or the claim is lost."""

# tag::async_worker
import asyncio
import signal
import sys

import agwp


async def check(job: agwp.ClaimedJob) -> agwp.Outcome:
    process = await asyncio.create_subprocess_exec("test", "-s", job.payload["path"])
    try:
        status = await process.wait()
    except asyncio.CancelledError:
        process.kill()
        raise
    return agwp.Outcome.passed() if status == 0 else agwp.Outcome.failed(f"exit status {status}")


async def main() -> None:
    with agwp.Client(sys.argv[1]) as client:
        async with agwp.AsyncWorker(client, "checker-2", ["validate"], check, concurrency=2) as worker:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, worker.stop)
            await worker.run()


asyncio.run(main())
# end::async_worker
