package dev.agwp.bench;

import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.scheduling.BackgroundJob;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;

/** JobRunr in the JVM of its workers. Public with its handler, since JobRunr calls that by name. */
public final class JobRunrPeer implements Contender {
  private static EndedJobs ended;

  private final Postgres postgres;

  JobRunrPeer(Postgres postgres) {
    this.postgres = postgres;
  }

  @Override
  public String name() {
    return "JobRunr";
  }

  @Override
  public String version() {
    return Programs.jarOf(JobRunr.class);
  }

  /** Handles a job. */
  public static void work(String payload) {
    ended.oneMore();
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    try (Postgres.Database database = postgres.create();
        HikariDataSource pool = Pools.open(database, callers);
        Connection watching = database.connect()) {
      JobRunr.configure().useStorageProvider(new PostgresStorageProvider(pool)).initialize();
      ended = new EndedJobs(jobs, watching, "jobrunr-left.sql");
      BackgroundJob.enqueue(IntStream.range(0, jobs).mapToObj(i -> Agwp.PAYLOAD), payload -> JobRunrPeer.work(payload));
      try {
        JobRunr.configure()
            .useStorageProvider(new PostgresStorageProvider(pool))
            .useBackgroundJobServer(usingStandardBackgroundJobServerConfiguration()
                .andWorkerCount(callers)
                .andPollInterval(Duration.ofSeconds(5)))
            .initialize();
        return ended.await();
      } finally {
        JobRunr.destroy();
      }
    }
  }
}
