package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class CancelAndRetryTest {

  @EveryDatabase
  void a_cancel_ends_a_queued_or_claimed_job_at_once(TestDatabase database) {
    Api api = database.serve();
    String claimed = api.aClaimedJob("w1");
    String queued = api.aQueuedJob();
    for (String jobId : List.of(claimed, queued)) {
      JsonNode job = api.cancel(jobId).ok();
      assertThat(job.get("state").asText()).isEqualTo("cancelled");
      assertThat(job.has("claimed_by")).isFalse();
      assertThat(job.has("finished_at")).isTrue();
      assertThat(api.cancel(jobId).ok()).as("a repeated cancel changes nothing").isEqualTo(job);
    }
    assertThat(api.claim("w1")).isEmpty();
    api.call("heartbeat", claimed, "w1").refused(404, "not_found");
    api.call("complete", claimed, "w1").refused(409, "failed_precondition");
  }

  @EveryDatabase
  void a_job_that_succeeded_or_died_is_not_cancelled(TestDatabase database) {
    Api api = database.serve();
    String succeeded = api.aClaimedJob("w1");
    api.call("complete", succeeded, "w1").ok();
    String dead = api.aClaimedJob("w1");
    api.call("fail", dead, "w1", "\"terminal\": true").ok();
    List<String> before = database.everything();

    api.cancel(succeeded).refused(409, "failed_precondition");
    api.cancel(dead).refused(409, "failed_precondition");

    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_cancelled_job_that_is_retried_can_be_claimed_again(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.cancel(jobId).ok();

    assertThat(api.retry(jobId).ok().get("state").asText()).isEqualTo("queued");

    assertThat(api.claim("w1").get(0).get("attempts").asInt()).isEqualTo(2);
  }

  @EveryDatabase
  void a_job_that_has_not_ended_or_succeeded_is_not_retried(TestDatabase database) {
    Api api = database.serve();
    String succeeded = api.aClaimedJob("w1");
    api.call("complete", succeeded, "w1").ok();
    String claimed = api.aClaimedJob("w1");
    String queued = api.aQueuedJob();
    List<String> before = database.everything();

    for (String jobId : List.of(succeeded, claimed, queued)) {
      api.retry(jobId).refused(409, "failed_precondition");
    }

    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_retry_whose_unique_key_is_taken_by_a_live_job_is_refused(TestDatabase database) {
    Api api = database.serve();
    String dead = api.aClaimedJob("w1", "\"unique_key\": \"k\"");
    api.call("fail", dead, "w1", "\"terminal\": true").ok();
    api.aQueuedJob("\"unique_key\": \"k\"");
    List<String> before = database.everything();

    api.retry(dead).refused(409, "already_exists");

    assertThat(database.everything()).isEqualTo(before);
  }
}
