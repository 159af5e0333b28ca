package dev.agwp.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Times a peer that hands jobs to handlers of ours: from its first job, since it polls, until its tables say that none is left. */
final class EndedJobs {
  private static final int RUN_SECONDS_MAX = 120;

  private final int jobs;
  private final Connection watching;
  private final String left;
  private final AtomicLong firstAt = new AtomicLong();
  private final CountDownLatch handled;

  EndedJobs(int jobs, Connection watching, String left) {
    this.jobs = jobs;
    this.watching = watching;
    this.left = left;
    handled = new CountDownLatch(jobs);
  }

  void oneMore() {
    firstAt.compareAndSet(0, System.nanoTime());
    handled.countDown();
  }

  Contender.Result await() throws IOException, SQLException, InterruptedException {
    if (!handled.await(RUN_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IOException(handled.getCount() + " of " + jobs + " jobs were not handled in " + RUN_SECONDS_MAX + " s");
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(RUN_SECONDS_MAX);
    try (PreparedStatement count = watching.prepareStatement(Sql.named(left))) {
      while (count(count) > 0) {
        if (System.nanoTime() > deadline) {
          throw new IOException("jobs that were handled did not end in " + RUN_SECONDS_MAX + " s");
        }
      }
    }
    return new Contender.Result(jobs, (System.nanoTime() - firstAt.get()) / 1e9);
  }

  private static long count(PreparedStatement count) throws SQLException {
    try (ResultSet answer = count.executeQuery()) {
      answer.next();
      return answer.getLong(1);
    }
  }
}
