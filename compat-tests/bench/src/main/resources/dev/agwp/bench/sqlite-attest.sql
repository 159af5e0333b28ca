insert into bench_attestation (job_id, attempts, body)
values (:id, :attempts, :attestation)
