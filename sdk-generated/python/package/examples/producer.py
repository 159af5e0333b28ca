"""Enqueues a job once, however often it runs: ``python producer.py http://127.0.0.1:8080 FILE``."""

# tag::producer
import sys

import agwp

server, path = sys.argv[1:]
with agwp.Client(server) as client:
    try:
        job = client.enqueue_job(
            agwp.EnqueueJobRequest(queue="validate", payload={"path": path}, unique_key=f"validate:{path}")
        )
        print(job.job_id, job.state)
    except agwp.NoAnswer as unknown:
        sys.exit(f"it is not known whether the job is stored, run me again: {unknown}")
    except agwp.AgwpError as refused:
        sys.exit(f"{refused.code}: {refused} {refused.field_errors}")
# end::producer
