package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class AttemptsNeverFallTest {
  private static final int STEPS = 400;

  @EveryDatabase
  void attempts_never_falls_whatever_operation_runs(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aQueuedJob("\"max_attempts\": 3");
    List<Consumer<Random>> operations = List.of(
        random -> api.claim("w" + random.nextInt(2)),
        random -> api.claim("w" + random.nextInt(2)),
        random -> api.call("heartbeat", jobId, "w" + random.nextInt(2)),
        random -> api.call("fail", jobId, "w" + random.nextInt(2), "\"retry_delay_seconds\": 0"),
        random -> api.call("fail", jobId, "w" + random.nextInt(2), "\"terminal\": true"),
        random -> api.call("release", jobId, "w" + random.nextInt(2)),
        random -> api.cancel(jobId),
        random -> api.retry(jobId),
        random -> database.change("update job set lease_expires_at = 1, due_at = 1 where state = 'claimed'"),
        random -> api.post("/v1/jobs", "{\"queue\": \"other\", \"unique_key\": \"k\"}"));

    Random random = new Random(7);
    long attempts = 0;
    for (int step = 0; step < STEPS; step++) {
      operations.get(random.nextInt(operations.size())).accept(random);
      long now = api.job(jobId).get("attempts").asLong();
      assertThat(now).isBetween(attempts, attempts + 1);
      attempts = now;
    }
    api.claim("w1");
    api.call("complete", jobId, "w1");

    assertThat(attempts).as("the walk claimed often enough to mean something").isGreaterThan(20);
    assertThat(api.job(jobId).get("attempts").asLong()).isGreaterThanOrEqualTo(attempts);
  }

  @EveryDatabase
  void a_release_does_not_use_up_an_attempt(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aQueuedJob("\"max_attempts\": 2");
    for (int claims = 1; claims <= 3; claims++) {
      assertThat(api.claim("w1").get(0).get("attempts").asInt()).isEqualTo(claims);
      assertThat(api.call("release", jobId, "w1").ok().get("state").asText()).isEqualTo("queued");
    }

    // Both attempts are still to be had.
    assertThat(api.claim("w1").get(0).get("attempts").asInt()).isEqualTo(4);
    assertThat(api.call("fail", jobId, "w1", "\"retry_delay_seconds\": 0").ok().get("state").asText()).isEqualTo("queued");
    assertThat(api.claim("w1").get(0).get("attempts").asInt()).isEqualTo(5);
    assertThat(api.call("fail", jobId, "w1", "\"retry_delay_seconds\": 0").ok().get("state").asText()).isEqualTo("dead");
  }

  @EveryDatabase
  void a_retry_allows_one_more_attempt_and_attempts_keeps_counting(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1", "\"max_attempts\": 1");
    api.call("fail", jobId, "w1").ok();

    var retried = api.retry(jobId).ok();

    assertThat(retried.get("state").asText()).isEqualTo("queued");
    assertThat(retried.get("attempts").asInt()).isEqualTo(1);
    assertThat(retried.get("max_attempts").asInt()).isEqualTo(2);
    assertThat(retried.has("finished_at")).isFalse();
    assertThat(api.claim("w1").get(0).get("attempts").asInt()).isEqualTo(2);
    assertThat(api.call("fail", jobId, "w1").ok().get("state").asText()).isEqualTo("dead");
  }
}
