package dev.agwp.server.job;

/**
 * The number of a claim, or none; the only place that knows that 0 means none (ADR-0012). Whether a value is a number at all, and
 * not above 4294967295, the contract's own limits have checked before.
 *
 * @param attempts null when not given
 * @param required whether this server refuses calls without one, whatever their queue says (ADR-0013)
 */
public record FencingToken(Long attempts, boolean required) {
  static FencingToken of(Long given, boolean required) {
    return new FencingToken(given == null || given == 0 ? null : given, required);
  }

  boolean isGiven() {
    return attempts != null;
  }

  boolean isOf(JobRow job) {
    return attempts != null && attempts == job.attempts();
  }
}
