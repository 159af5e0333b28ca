package dev.agwp.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class QueueTest {

  @EveryDatabase
  void a_queue_tells_its_depth_by_state(TestDatabase database) {
    Api api = database.serve();
    api.call("complete", api.aClaimedJob("w"), "w").ok();
    api.call("fail", api.aClaimedJob("w"), "w", "\"terminal\": true").ok();
    api.cancel(api.aQueuedJob()).ok();
    api.aClaimedJob("w");
    api.aQueuedJob();
    api.aQueuedJob("\"run_at\": \"2100-01-01T00:00:00Z\"");

    JsonNode queue = api.get("/v1/queues/q").ok();

    assertThat(queue.get("depth").toString())
        .isEqualTo("{\"queued\":2,\"claimed\":1,\"succeeded\":1,\"dead\":1,\"cancelled\":1}");
    assertThat(queue.get("paused").asBoolean()).isFalse();
  }

  @EveryDatabase
  void the_age_is_of_the_job_that_could_have_been_claimed_longest(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aQueuedJob("\"run_at\": \"2100-01-01T00:00:00Z\"");
    assertThat(api.get("/v1/queues/q").ok().has("oldest_claimable_age_seconds")).isFalse();

    database.change("update job set run_at = run_at - 4102444800000 + 1000, due_at = 1 where job_id = '" + jobId + "'");

    // Since one second after the beginning of 1970.
    assertThat(api.get("/v1/queues/q").ok().get("oldest_claimable_age_seconds").asLong()).isGreaterThan(1_700_000_000L);
  }

  @EveryDatabase
  void a_paused_queue_gives_no_jobs_until_it_goes_on(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();

    assertThat(api.patch("/v1/queues/q", "{\"paused\": true}").ok().get("paused").asBoolean()).isTrue();
    assertThat(api.claim("w")).isEmpty();
    assertThat(api.patch("/v1/queues/q", "{}").ok().get("paused").asBoolean()).as("not given: left as it was").isTrue();
    assertThat(api.patch("/v1/queues/q", "{\"paused\": false}").ok().get("paused").asBoolean()).isFalse();
    assertThat(api.claim("w")).hasSize(1);
  }

  @EveryDatabase
  void the_holder_of_a_job_of_a_paused_queue_keeps_its_claim(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w");
    api.patch("/v1/queues/q", "{\"paused\": true}").ok();

    api.call("heartbeat", jobId, "w").ok();
    api.call("complete", jobId, "w").ok();
  }

  @EveryDatabase
  void a_queue_without_a_job_is_not_found(TestDatabase database) {
    Api api = database.serve();

    api.get("/v1/queues/none").refused(404, "not_found");
    api.patch("/v1/queues/none", "{\"paused\": true}").refused(404, "not_found");

    assertThat(database.everything()).isEmpty();
  }

  @EveryDatabase
  void what_calls_must_carry_can_be_said_before_the_first_job(TestDatabase database) {
    Api api = database.serve();

    JsonNode queue = api.patch("/v1/queues/q", "{\"attestation\": \"required\"}").ok();
    assertThat(api.patch("/v1/queues/other", "{\"require_fencing\": true}").ok().get("require_fencing").asBoolean()).isTrue();

    assertThat(queue.get("attestation").asText()).isEqualTo("required");
    assertThat(queue.get("depth").get("queued").asLong()).isZero();
    api.call("complete", api.aClaimedJob("w"), "w").refused(409, "failed_precondition");
  }

  @EveryDatabase
  void queues_are_listed_by_name_a_page_at_a_time(TestDatabase database) {
    Api api = database.serve();
    for (String name : List.of("b", "a", "d", "c", "B")) {
      api.post("/v1/jobs", "{\"queue\": \"" + name + "\"}").ok();
    }

    List<String> names = new ArrayList<>();
    JsonNode page = api.get("/v1/queues?page_size=2").ok();
    page.get("queues").forEach(queue -> names.add(queue.get("queue").asText()));
    while (page.has("next_page_token")) {
      page = api.get("/v1/queues?page_size=2&page_token=" + page.get("next_page_token").asText()).ok();
      page.get("queues").forEach(queue -> names.add(queue.get("queue").asText()));
    }

    assertThat(names).containsExactly("B", "a", "b", "c", "d");
    // AAA is base64 for two NULs, which PostgreSQL could not even compare.
    api.get("/v1/queues?page_token=AAA").refused(400, "invalid_argument");
    api.get("/v1/queues?page_token=nonsense!").refused(400, "invalid_argument");
  }

  @EveryDatabase
  void a_lease_that_ran_out_counts_as_claimable_in_the_age(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w");
    assertThat(api.get("/v1/queues/q").ok().has("oldest_claimable_age_seconds")).isFalse();
    database.expireLease(jobId);
    await().until(() -> api.get("/v1/queues/q").ok().has("oldest_claimable_age_seconds"));
  }
}
