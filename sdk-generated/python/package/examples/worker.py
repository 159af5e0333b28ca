"""Validates files: passed when a file has lines. ``python worker.py http://127.0.0.1:8080`` works until SIGTERM or Ctrl-C."""

# tag::worker
import signal
import sys
from pathlib import Path

import agwp


def check(job: agwp.ClaimedJob) -> agwp.Outcome:
    path = Path(job.payload["path"])
    job.progress(50, f"reading {path}")
    lines = len(path.read_text().splitlines())
    return agwp.Outcome.passed(f"{lines} lines") if lines else agwp.Outcome.failed("the file is empty")


with agwp.Client(sys.argv[1]) as client:
    with agwp.Worker(client, "checker-1", ["validate"], check, concurrency=2) as worker:
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        worker.run()
# end::worker
