-- 1 row: the token is not older than any seen, go on. 0 rows: a later claim has written already, roll back.
insert into agwp_fencing_guard (job_id, token)
values (?, ?)
    on conflict (job_id) do update
   set token = excluded.token
 where agwp_fencing_guard.token <= excluded.token
