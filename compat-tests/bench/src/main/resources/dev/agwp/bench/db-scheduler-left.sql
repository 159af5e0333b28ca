select count(*) from scheduled_tasks
