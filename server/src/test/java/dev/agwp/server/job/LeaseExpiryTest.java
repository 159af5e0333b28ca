package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class LeaseExpiryTest {

  @EveryDatabase
  void a_claim_whose_lease_ran_out_goes_to_the_next_claimer(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    assertThat(api.claim("w2")).isEmpty();

    database.expireLease(jobId);

    JsonNode job = api.claim("w2").get(0);
    assertThat(job.get("job_id").asText()).isEqualTo(jobId);
    assertThat(job.get("claimed_by").asText()).isEqualTo("local|w2");
    assertThat(job.get("attempts").asInt()).isEqualTo(2);
  }

  @EveryDatabase
  void a_lease_that_ran_out_but_was_not_claimed_again_is_still_its_holders(TestDatabase database) {
    Api api = database.serve();
    for (String operation : new String[] {"heartbeat", "complete", "fail", "release"}) {
      String jobId = api.aClaimedJob("w1");
      database.expireLease(jobId);

      api.call(operation, jobId, "w1").ok();
      api.cancel(jobId);
    }
  }

  @EveryDatabase
  void a_heartbeat_after_the_lease_ran_out_takes_the_job_back_from_the_next_claimer(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    database.expireLease(jobId);
    await().until(() -> database.number("select count(*) from job where claimable") == 1);

    api.call("heartbeat", jobId, "w1").ok();

    assertThat(api.claim("w2")).isEmpty();
  }

  @EveryDatabase
  void a_lease_that_runs_out_on_the_last_attempt_ends_dead_though_nobody_claims(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1", "\"max_attempts\": 1");

    database.expireLease(jobId);

    JsonNode job = await().until(() -> api.job(jobId), dead -> dead.get("state").asText().equals("dead"));
    assertThat(job.get("last_error").get("reason").asText()).isEqualTo("lease_expired");
    assertThat(job.get("attempts").asInt()).isEqualTo(1);
    assertThat(job.has("lease_expires_at")).isFalse();
    assertThat(api.claim("w2")).isEmpty();
    api.call("complete", jobId, "w1").refused(409, "failed_precondition");
  }

  @EveryDatabase
  void a_lease_runs_out_by_the_clock_and_wakes_a_waiting_claim(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();
    api.claim("w1", "\"lease_seconds\": 1");

    JsonNode job = api.claim("w2", "\"wait_seconds\": 20").get(0);

    assertThat(job.get("claimed_by").asText()).isEqualTo("local|w2");
    assertThat(job.get("attempts").asInt()).isEqualTo(2);
  }

  @EveryDatabase
  void a_heartbeat_gives_the_whole_new_lease_and_keeps_progress_not_given(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    api.call("heartbeat", jobId, "w1", "\"progress\": 40", "\"status_message\": \"12 of 30\"").ok();
    JsonNode job = api.call("heartbeat", jobId, "w1", "\"lease_seconds\": 600", "\"progress\": null").ok();

    assertThat(job.get("progress").asInt()).isEqualTo(40);
    assertThat(job.get("status_message").asText()).isEqualTo("12 of 30");
    assertThat(Duration.between(Instant.parse(job.get("updated_at").asText()),
        Instant.parse(job.get("lease_expires_at").asText()))).isEqualTo(Duration.ofMinutes(10));
  }

  @EveryDatabase
  void a_shorter_lease_given_by_a_heartbeat_runs_out_when_it_says(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();
    String jobId = api.claim("w1", "\"lease_seconds\": 86400").get(0).get("job_id").asText();

    api.call("heartbeat", jobId, "w1", "\"lease_seconds\": 1").ok();

    assertThat(ClaimTest.ids(api.claim("w2", "\"wait_seconds\": 20"))).containsExactly(jobId);
  }

  @Test
  void a_lease_counts_from_when_the_heartbeat_is_applied_not_from_before_a_lock_wait() throws SQLException {
    try (TestDatabase database = TestDatabase.postgresql(); Connection blocker = database.connect();
        Statement statement = blocker.createStatement()) {
      Api api = database.serve();
      String jobId = api.aClaimedJob("w1");
      blocker.setAutoCommit(false);
      statement.execute("select seq from job where job_id = '" + jobId + "' for update");

      CompletableFuture<Api.Answer> heartbeat =
          api.postLater("/v1/jobs/" + jobId + "/heartbeat", "{\"worker\": \"w1\", \"lease_seconds\": 1}");
      await().until(() -> database.number(
          "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()") == 1);
      // The lock is held for longer than the lease would last if it counted from before the wait.
      statement.execute("select pg_sleep(1.2)");
      long released = database.number("select (extract(epoch from clock_timestamp()) * 1000)::bigint");
      blocker.commit();

      JsonNode job = heartbeat.orTimeout(10, TimeUnit.SECONDS).join().ok();
      assertThat(Instant.parse(job.get("lease_expires_at").asText()).toEpochMilli()).isGreaterThanOrEqualTo(released + 1000);
    }
  }
}
