package dev.agwp.server.lease;

/** The lease that stands at a path. */
public record Cover(String path, long fencingToken, String holder, boolean unexpired) {}
