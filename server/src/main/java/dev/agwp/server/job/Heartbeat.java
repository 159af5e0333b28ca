package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

/** What {@link JobMapper#heartbeat} writes. */
public record Heartbeat(@JsonUnwrapped HolderCall call, int leaseSeconds, Integer progress, String statusMessage)
    implements OfHolder {}
