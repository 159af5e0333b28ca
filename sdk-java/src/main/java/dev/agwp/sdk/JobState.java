package dev.agwp.sdk;

/**
 * The values of {@code Job.state} this release knows. It is text and not an enum, so that a value of a later release does not break
 * this one: treat what is not listed here as "not ended, not mine".
 */
public final class JobState {
  /** Waits for its {@code run_at} or for a claim. */
  public static final String QUEUED = "queued";
  /** Has a holder, whose lease may have run out. */
  public static final String CLAIMED = "claimed";
  /** Was completed, whatever its outcome. */
  public static final String SUCCEEDED = "succeeded";
  /** Ended without a verdict. */
  public static final String DEAD = "dead";
  /** Was cancelled. */
  public static final String CANCELLED = "cancelled";

  private JobState() {}
}
