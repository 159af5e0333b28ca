package dev.agwp.server.queue;

/** How long the oldest claimable job of a queue has been claimable. */
public record AgeRow(String queue, long ageMs) {}
