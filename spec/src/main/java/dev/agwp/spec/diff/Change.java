package dev.agwp.spec.diff;

/**
 * One difference between two contracts.
 *
 * @param place where, for example {@code HeartbeatJobRequest.fencing_token} or {@code claimJob 200 application/json}
 * @param before what stood there; empty for an addition
 * @param after what stands there; empty for a removal
 */
public record Change(Rule rule, String place, String before, String after) {}
