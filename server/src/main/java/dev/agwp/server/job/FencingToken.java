package dev.agwp.server.job;

/**
 * The number of a claim, or none; the only place that knows that 0 means none (ADR-0012). Whether a value is a number at all, and
 * not above 4294967295, the contract's own limits have checked before.
 */
record FencingToken(Long attempts) {
  static FencingToken of(Long given) {
    return new FencingToken(given == null || given == 0 ? null : given);
  }

  boolean isGiven() {
    return attempts != null;
  }

  boolean isOf(JobRow job) {
    return attempts != null && attempts == job.attempts();
  }
}
