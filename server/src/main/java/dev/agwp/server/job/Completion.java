package dev.agwp.server.job;

/** What {@link JobMapper#complete} writes. */
public record Completion(
    String jobId,
    String holder,
    Long token,
    String outcome,
    String summary,
    String result,
    String logUrl,
    String attestationDigest) {}
