package dev.agwp.bench;

import java.util.List;
import java.util.Optional;

/** Ours against theirs, each the best of its rows, and what is wanted of it. */
record Ratio(String says, List<String> ours, List<String> theirs, double wanted) {
  private static final List<String> ONE_AT_A_TIME = List.of("agwp-64");
  private static final List<String> CLAIM_NEXT = List.of("agwp-64-claim-next");
  private static final List<String> FLOOR = List.of("floor-64");

  static final List<Ratio> WANTED = List.of(
      new Ratio("one at a time at 64 callers, to bare SQL at 64", ONE_AT_A_TIME, List.of("pgbench-64", "jdbc-64"), 3.5),
      new Ratio("one at a time at 64 callers, to the floor without a database", ONE_AT_A_TIME, FLOOR, 0.8),
      new Ratio("that floor, to stock Jersey", FLOOR, List.of("stock-jersey-64"), 1.5),
      new Ratio("one at a time at 16 callers, to bare SQL at 16", List.of("agwp-16"), List.of("pgbench-16", "jdbc-16"), 0.6),
      new Ratio("coalesced, to a commit a call (release 1.2.0)", ONE_AT_A_TIME, List.of("agwp-1.2.0-64"), 3),
      new Ratio("one at a time, to pg-boss one at a time", ONE_AT_A_TIME, List.of("pg-boss-16"), 2),
      new Ratio("one at a time, to JobRunr", ONE_AT_A_TIME, List.of("jobrunr-16"), 2),
      new Ratio("one at a time, to graphile-worker by default", ONE_AT_A_TIME, List.of("graphile-16"), 1),
      new Ratio("claim_next, to db-scheduler", CLAIM_NEXT, List.of("db-scheduler-16", "db-scheduler-64"), 1),
      new Ratio("claim_next, to beanstalkd with fsync", CLAIM_NEXT, List.of("beanstalkd-16", "beanstalkd-64"), 1),
      new Ratio("16 callers x 32 jobs, to pg-boss 32 at a time",
          List.of("agwp-16x32", "agwp-16x32-at-once"), List.of("pg-boss-16x32"), 1.4),
      new Ratio("SQLite over HTTP, to an fsync a call in process", List.of("agwp-sqlite-64"), List.of("sqlite-64"), 7),
      new Ratio("beside 1,000,000 claimable jobs, to beside 1,000", List.of("flat-1m"), List.of("flat-1k"), 0.9),
      new Ratio("beside 100,000 claimable jobs, to beside 1,000", List.of("flat-100k"), List.of("flat-1k"), 0.83),
      new Ratio("beside 1,000,000 of 10 priorities, to beside 1,000", List.of("flat-priorities"), List.of("flat-1k"), 0.83),
      new Ratio("beside 1,000,000 scheduled jobs, to beside 1,000", List.of("flat-scheduled"), List.of("flat-1k"), 0.83),
      new Ratio("beside 1,000,000 ended jobs, to beside 1,000", List.of("flat-ended"), List.of("flat-1k"), 0.83),
      new Ratio("where jobs went through at full speed before, to beside 1,000", List.of("flat-bloated"), List.of("flat-1k"), 0.83));

  /** Empty when one side was not measured. */
  Optional<Double> of(Results results) {
    return results.best(ours).flatMap(our -> results.best(theirs).map(our::to));
  }
}
