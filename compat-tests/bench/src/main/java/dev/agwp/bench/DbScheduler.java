package dev.agwp.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;

/** db-scheduler in the JVM of its workers, polling as its README advises for throughput: lock-and-fetch. */
final class DbScheduler implements Contender {
  private static final double LOWER_LIMIT_PER_THREAD = 1.0;
  private static final double UPPER_LIMIT_PER_THREAD = 4.0;

  private final Postgres postgres;

  DbScheduler(Postgres postgres) {
    this.postgres = postgres;
  }

  @Override
  public String name() {
    return "db-scheduler, lock-and-fetch";
  }

  @Override
  public String version() {
    return Programs.jarOf(Scheduler.class);
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    try (Postgres.Database database = postgres.create();
        HikariDataSource pool = Pools.open(database, callers);
        Connection watching = database.connect()) {
      Sql.run(watching, "db-scheduler-schema.sql");
      EndedJobs ended = new EndedJobs(jobs, watching, "db-scheduler-left.sql");
      OneTimeTask<String> task = Tasks.oneTime("bench", String.class).execute((instance, context) -> ended.oneMore());
      Scheduler scheduler = Scheduler.create(pool, task)
          .threads(callers)
          .pollingInterval(Duration.ofMillis(100))
          .pollUsingLockAndFetch(LOWER_LIMIT_PER_THREAD, UPPER_LIMIT_PER_THREAD)
          .build();
      Instant due = Instant.now();
      scheduler.scheduleBatch(IntStream.range(0, jobs).<TaskInstance<?>>mapToObj(i -> task.instance("job-" + i, Agwp.PAYLOAD)), due);
      scheduler.start();
      try {
        return ended.await();
      } finally {
        scheduler.stop();
      }
    }
  }
}
