package dev.agwp.server.lease;

/**
 * A path that another integration touched.
 *
 * @param place where the path stands in the request
 */
public record Changed(int place, String integrationId) {}
