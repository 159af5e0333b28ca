package dev.agwp.server.queue;

/** How many jobs of a queue are in a state. */
public record DepthRow(String queue, String state, long jobs) {}
