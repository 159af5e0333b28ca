package dev.agwp.server.job;

/** What {@link JobMapper#settleDue} did to one job that was due. */
public record SettledJob(String queue, String state, boolean claimable) {
  /** The lease of the claim ran out: the job is claimable again or ended dead. */
  boolean leaseExpired() {
    return state.equals("dead") || state.equals("claimed") && claimable;
  }
}
