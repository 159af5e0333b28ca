package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

/** What {@link JobMapper#release} hands back. */
public record Release(@JsonUnwrapped HolderCall call) implements OfHolder {}
