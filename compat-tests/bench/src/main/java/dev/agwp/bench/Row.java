package dev.agwp.bench;

/**
 * A contender with so many callers.
 *
 * @param id what {@code --only} takes
 * @param jobsFactor how many times the jobs of the slowest it works off, so that its run lasts long enough to be measured
 */
record Row(String id, boolean ours, int callers, int jobsFactor, Contender contender) {
  /** Begins the ids of rows that take long to fill and are measured only when asked for. */
  static final String FLAT = "flat-";
}
