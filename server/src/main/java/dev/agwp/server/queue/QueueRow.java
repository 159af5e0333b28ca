package dev.agwp.server.queue;

/** A row of the queue table. */
public record QueueRow(String name, boolean paused, boolean requireFencing) {}
