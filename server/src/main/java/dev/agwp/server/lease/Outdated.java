package dev.agwp.server.lease;

/**
 * A path whose covering token is not the highest.
 *
 * @param place where the path stands in the request
 */
public record Outdated(int place, long fencingToken) {}
