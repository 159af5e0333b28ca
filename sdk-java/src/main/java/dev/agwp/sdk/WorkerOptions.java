package dev.agwp.sdk;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** What a {@link Worker} was built with, checked against the contract's limits. */
record WorkerOptions(
    String label, List<String> queues, int leaseSeconds, int waitSeconds, int concurrency, Duration grace, boolean requireFencing) {
  static final int JOBS_PER_CLAIM_MAX = 100;
  private static final int LEASE_SECONDS_MAX = 86_400;
  private static final int WAIT_SECONDS_MAX = 60;
  private static final int CONCURRENCY_MAX = 1_000;
  private static final int QUEUES_MAX = 32;
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9._:/@-]{1,128}");
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

  WorkerOptions {
    require(LABEL.matcher(label).matches(), "label must be 1..128 characters of A-Z a-z 0-9 . _ : / @ -, got " + label);
    require(!queues.isEmpty() && queues.size() <= QUEUES_MAX, "there must be 1.." + QUEUES_MAX + " queues, got " + queues.size());
    for (String queue : queues) {
      require(QUEUE.matcher(queue).matches(), "a queue must be 1..128 characters of A-Z a-z 0-9 . _ : -, got " + queue);
    }
    range("leaseSeconds", leaseSeconds, 1, LEASE_SECONDS_MAX);
    range("waitSeconds", waitSeconds, 0, WAIT_SECONDS_MAX);
    range("concurrency", concurrency, 1, CONCURRENCY_MAX);
    require(!grace.isNegative(), "grace must not be negative, got " + grace);
    queues = List.copyOf(queues);
  }

  private static void range(String name, int value, int min, int max) {
    require(value >= min && value <= max, name + " must be " + min + ".." + max + ", got " + value);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
