package dev.agwp.sdk;

/** Does the work of one job. */
@FunctionalInterface
public interface JobHandler {
  /**
   * Runs on a thread of its own, which is interrupted when the claim is lost or the worker drains; what is returned after that is
   * not reported.
   *
   * @return how the attempt ended
   * @throws Exception ends the attempt without a verdict, with the exception as its reason; the server tries again
   */
  Outcome run(ClaimedJob job) throws Exception;
}
