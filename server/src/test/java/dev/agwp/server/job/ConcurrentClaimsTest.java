package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("measures time, or needs the machine for itself")
final class ConcurrentClaimsTest {
  private static final int THREADS = 64;
  private static final int JOBS = 2_000;
  private static final int MAX_JOBS = 3;

  @EveryDatabase
  void sixty_four_threads_claim_two_thousand_jobs_once_each(TestDatabase database)
      throws InterruptedException, ExecutionException {
    List<Api> servers = database.isPostgresql() ? List.of(database.serve(), database.serve()) : List.of(database.serve());
    enqueue(servers.get(0));
    Map<String, AtomicInteger> claims = new ConcurrentHashMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> workers = IntStream.range(0, THREADS)
          .<Callable<Void>>mapToObj(i -> () -> claimAndCompleteAll(servers.get(i % servers.size()), "w" + i, claims))
          .toList();
      for (Future<Void> worker : threads.invokeAll(workers)) {
        worker.get();
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(claims).hasSize(JOBS);
    assertThat(claims.values()).allMatch(count -> count.get() == 1);
    assertThat(database.number("select count(*) from job where state = 'succeeded' and attempts = 1")).isEqualTo(JOBS);
  }

  /** Every answer must be a success: a 503 "database is locked" would fail in {@link Api.Answer#ok}. */
  private static Void claimAndCompleteAll(Api api, String worker, Map<String, AtomicInteger> claims) {
    for (JsonNode jobs = claim(api, worker); !jobs.isEmpty(); jobs = claim(api, worker)) {
      assertThat(jobs.size()).isLessThanOrEqualTo(MAX_JOBS);
      for (JsonNode job : jobs) {
        String jobId = job.get("job_id").asText();
        claims.computeIfAbsent(jobId, id -> new AtomicInteger()).incrementAndGet();
        api.call("complete", jobId, worker).ok();
      }
    }
    return null;
  }

  // Skipping locked rows can leave a claim empty-handed while jobs are left, so it waits a moment for what others leave.
  private static JsonNode claim(Api api, String worker) {
    return api.post("/v1/jobs/claim", "{\"queues\": [\"q0\", \"q1\"], \"worker\": \"" + worker + "\", \"max_jobs\": " + MAX_JOBS
        + ", \"wait_seconds\": 2}").ok().get("jobs");
  }

  private static void enqueue(Api api) {
    for (int batch = 0; batch < JOBS / 1000; batch++) {
      api.post("/v1/jobs/batch", IntStream.range(0, 1000)
          .mapToObj(i -> "{\"queue\": \"q" + i % 2 + "\", \"priority\": " + i % 5 + "}")
          .collect(Collectors.joining(",", "{\"jobs\": [", "]}"))).ok();
    }
  }
}
