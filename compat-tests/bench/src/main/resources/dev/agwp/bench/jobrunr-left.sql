select count(*) from jobrunr_jobs where state in ('ENQUEUED', 'PROCESSING')
