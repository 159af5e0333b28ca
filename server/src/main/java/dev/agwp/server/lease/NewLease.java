package dev.agwp.server.lease;

/** What {@link LeaseMapper#store} stores. */
public record NewLease(
    String repo, long fencingToken, String leaseId, String paths, String holder, String requestId, long nowMs, int ttlSeconds) {}
