package dev.agwp.server.job;

/** Which queue a job is on; it never changes. */
record JobQueueRow(String jobId, String queue) {}
