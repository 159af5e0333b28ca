package dev.agwp.server.job;

/** What {@link JobMapper#complete} writes. */
public record Completion(
    HolderCall call,
    String outcome,
    String summary,
    String result,
    String logUrl,
    String attestationDigest) {}
