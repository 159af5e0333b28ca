package dev.agwp.server.audit;

/** An event that has no place in the log yet. */
public record PendingRow(long eventId, byte[] preimage) {}
