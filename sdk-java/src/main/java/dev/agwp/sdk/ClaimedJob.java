package dev.agwp.sdk;

import dev.agwp.sdk.model.Job;
import java.util.Map;

/** A job this worker holds. */
public final class ClaimedJob {
  private final Job job;
  private final Claim claim;

  ClaimedJob(Job job, Claim claim) {
    this.job = job;
    this.claim = claim;
  }

  /** The job as it was when claimed. */
  public Job job() {
    return job;
  }

  public String id() {
    return job.getJobId();
  }

  /** What to do; never null. */
  public Map<String, Object> payload() {
    return job.getPayload() == null ? Map.of() : job.getPayload();
  }

  /** Which claim of the job this is, counted from 1. */
  public long attempts() {
    return job.getAttempts();
  }

  /**
   * The fencing token of this claim, 1 to 4294967295: larger than that of every earlier claim of the job. The worker sends it with every
   * call; give it to every store you write to for the job, so that a paused worker cannot write over what its successor wrote
   * ({@link FencingGuard}).
   */
  public long fencingToken() {
    return claim.fencingToken();
  }

  /**
   * Says how far the work is; sent with the next heartbeat.
   *
   * @param percent 0..100
   * @param message for people, at most 4096 characters; null leaves the last one
   */
  public void progress(int percent, String message) {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("percent must be 0..100, got " + percent);
    }
    if (message != null && message.length() > Outcome.TEXT_CHARS_MAX) {
      throw new IllegalArgumentException("message must be at most " + Outcome.TEXT_CHARS_MAX + " characters");
    }
    claim.progress(percent, message);
  }

  /** True once somebody else may work on the job: stop, and touch nothing outside any more. */
  public boolean isLost() {
    return claim.isLost();
  }
}
