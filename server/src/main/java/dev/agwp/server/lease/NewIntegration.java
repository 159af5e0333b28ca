package dev.agwp.server.lease;

/** What {@link IntegrationMapper#store} stores. */
public record NewIntegration(
    String repo,
    long sequence,
    String integrationId,
    String changeDigest,
    String paths,
    String fencingTokens,
    String base,
    String holder,
    String requestId,
    String jobId,
    long nowMs) {}
