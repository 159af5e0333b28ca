package dev.agwp.server.job;

/** What {@link JobMapper#enqueue} stores; a null {@code runAt} is now by the database's clock. */
public record NewJob(
    String jobId,
    String queue,
    String payload,
    int priority,
    Long runAt,
    long maxAttempts,
    String uniqueKey,
    String subjectDigest) {}
