package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

/**
 * What {@link JobMapper#fail} writes.
 *
 * @param retryDelayMs null for the backoff of the job's attempts, times {@code jitterPermille} / 1000
 * @param next null for nothing
 */
public record Failure(
    @JsonUnwrapped HolderCall call,
    String reason,
    String message,
    Long retryDelayMs,
    int jitterPermille,
    boolean terminal,
    @JsonIgnore Claiming next) implements OfHolder {}
