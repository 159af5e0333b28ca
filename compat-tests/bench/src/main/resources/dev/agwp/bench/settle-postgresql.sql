vacuum analyze job;
checkpoint
