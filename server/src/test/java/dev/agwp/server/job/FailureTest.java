package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class FailureTest {

  @EveryDatabase
  void a_failed_attempt_is_queued_again_after_the_delay_asked_for(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    JsonNode job = api.call("fail", jobId, "w1", "\"reason\": \"crashed\"", "\"message\": \"signal 9\"",
        "\"retry_delay_seconds\": 90").ok();

    assertThat(job.get("state").asText()).isEqualTo("queued");
    assertThat(job.has("claimed_by")).isFalse();
    assertThat(job.has("lease_expires_at")).isFalse();
    assertThat(delay(job)).isEqualTo(Duration.ofSeconds(90));
    assertThat(job.get("last_error").get("reason").asText()).isEqualTo("crashed");
    assertThat(job.get("last_error").get("message").asText()).isEqualTo("signal 9");
    assertThat(job.get("last_error").get("at")).isEqualTo(job.get("updated_at"));
    assertThat(api.claim("w1")).isEmpty();
    database.makeDue(jobId);
    assertThat(api.claim("w2").get(0).get("attempts").asInt()).isEqualTo(2);
  }

  @EveryDatabase
  void a_delay_of_zero_makes_the_job_claimable_at_once(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    api.call("fail", jobId, "w1", "\"retry_delay_seconds\": 0").ok();

    assertThat(ClaimTest.ids(api.claim("w1"))).containsExactly(jobId);
  }

  @EveryDatabase
  void without_a_delay_the_backoff_doubles_up_to_an_hour_with_jitter(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aQueuedJob("\"max_attempts\": 20");
    for (int attempt = 1; attempt <= 16; attempt++) {
      database.makeDue(jobId);
      assertThat(api.claim("w1")).hasSize(1);

      Duration delay = delay(api.call("fail", jobId, "w1").ok());

      long mostMs = Math.min(3_600_000, 500L << attempt);
      assertThat(delay.toMillis()).isBetween(mostMs / 2, mostMs);
    }
  }

  @EveryDatabase
  void the_last_allowed_attempt_ends_dead(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1", "\"max_attempts\": 2");
    assertThat(api.call("fail", jobId, "w1", "\"retry_delay_seconds\": 0").ok().get("state").asText()).isEqualTo("queued");
    assertThat(api.claim("w1")).hasSize(1);

    JsonNode job = api.call("fail", jobId, "w1").ok();

    assertThat(job.get("state").asText()).isEqualTo("dead");
    assertThat(job.has("finished_at")).isTrue();
    assertThat(job.get("last_error").get("reason").asText()).isEqualTo("failed");
    assertThat(api.claim("w1")).isEmpty();
  }

  @EveryDatabase
  void a_terminal_failure_ends_dead_whatever_attempts_are_left(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    assertThat(api.call("fail", jobId, "w1", "\"terminal\": true", "\"retry_delay_seconds\": 5").ok().get("state").asText())
        .isEqualTo("dead");
  }

  private static Duration delay(JsonNode job) {
    return Duration.between(Instant.parse(job.get("updated_at").asText()), Instant.parse(job.get("run_at").asText()));
  }
}
