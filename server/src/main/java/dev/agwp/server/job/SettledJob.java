package dev.agwp.server.job;

/**
 * What {@link JobMapper#settleDue} did to one job that was due.
 *
 * @param claimedBy null when nobody holds it
 * @param settledAt milliseconds since 1970 by the database's clock
 */
public record SettledJob(String jobId, String queue, String state, boolean claimable, long attempts, String claimedBy, long settledAt) {
  /** The lease of the claim ran out: the job is claimable again or ended dead. */
  boolean leaseExpired() {
    return state.equals("dead") || state.equals("claimed") && claimable;
  }
}
