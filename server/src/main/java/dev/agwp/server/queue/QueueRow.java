package dev.agwp.server.queue;

/**
 * A row of the queue table.
 *
 * @param attestation what completions must carry: {@code none}, {@code required} or {@code signed}
 */
public record QueueRow(String name, boolean paused, boolean requireFencing, String attestation) {}
