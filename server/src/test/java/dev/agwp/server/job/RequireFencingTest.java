package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** ADR-0013: fencing tokens may be required, and an operator sees before who sends none. */
@Execution(ExecutionMode.CONCURRENT)
final class RequireFencingTest {
  private static final List<String> OPERATIONS = List.of("heartbeat", "fail", "release", "complete");
  private static final String ATTESTATION = "\"attestation\": {\"media_type\": \"text/plain\", \"body\": \"eA==\"}";

  @EveryDatabase
  void a_queue_that_requires_fencing_refuses_calls_without_a_token_and_says_what_to_send(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    assertThat(require(api, "q", true).get("require_fencing").asBoolean()).isTrue();

    assertThatUnfencedCallsAreRefused(database, api, jobId, "the queue q");

    api.call("heartbeat", jobId, "w1", "\"fencing_token\": 1").ok();
    api.call("complete", jobId, "w1", "\"fencing_token\": 1", ATTESTATION).ok();
  }

  @EveryDatabase
  void a_server_that_requires_fencing_refuses_calls_without_a_token_for_every_queue(TestDatabase database) {
    Api api = database.serveRequiringFencing();
    String jobId = api.aClaimedJob("w1");
    assertThat(api.get("/v1/queues/q").ok().get("require_fencing").asBoolean()).isFalse();

    assertThatUnfencedCallsAreRefused(database, api, jobId, "this server");

    api.call("fail", jobId, "w1", "\"fencing_token\": 1", "\"retry_delay_seconds\": 0").ok();
    assertThat(api.claim("w1")).hasSize(1);
    api.call("release", jobId, "w1", "\"fencing_token\": 2").ok();
  }

  private static void assertThatUnfencedCallsAreRefused(TestDatabase database, Api api, String jobId, String who) {
    List<String> before = database.everything();
    for (String operation : OPERATIONS) {
      for (String none : List.of("\"summary\": \"absent\"", "\"fencing_token\": 0", "\"fencing_token\": null", "\"fencing_token\": \"0\"")) {
        Api.Answer answer = operation.equals("complete") ? api.call(operation, jobId, "w1", none, ATTESTATION)
            : api.call(operation, jobId, "w1", none);
        answer.refused(409, "failed_precondition");
        assertThat(answer.json().get("reason").asText()).isEqualTo("fencing_token_required");
        assertThat(answer.json().get("detail").asText()).startsWith(who + " requires a fencing_token: send the attempts");
        assertThat(database.everything()).isEqualTo(before);
      }
    }
  }

  @EveryDatabase
  void requiring_fencing_is_of_one_queue_and_can_be_taken_back(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.post("/v1/jobs", "{\"queue\": \"other\"}").ok();
    JsonNode other = api.post("/v1/jobs/claim", "{\"queues\": [\"other\"], \"worker\": \"w1\"}").ok().at("/jobs/0");

    require(api, "q", true);
    api.call("heartbeat", other.get("job_id").asText(), "w1").ok();
    api.call("heartbeat", jobId, "w1").refused(409, "failed_precondition");
    assertThat(api.patch("/v1/queues/q", "{\"paused\": true}").ok().get("require_fencing").asBoolean()).as("left as it was").isTrue();
    assertThat(api.patch("/v1/queues/q", "{}").ok().get("paused").asBoolean()).as("left as it was").isTrue();

    assertThat(require(api, "q", false).get("require_fencing").asBoolean()).isFalse();
    api.call("complete", jobId, "w1").ok();
  }

  @EveryDatabase
  void a_change_of_a_queue_is_refused_whole(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();
    List<String> before = database.everything();

    for (String wrong : List.of("\"yes\"", "1", "{}", "[true]")) {
      Api.Answer answer = api.patch("/v1/queues/q", "{\"paused\": true, \"require_fencing\": " + wrong + "}");
      answer.refused(400, "invalid_argument");
      assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo("require_fencing");
    }

    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void unfenced_calls_are_counted_by_queue_principal_and_worker_with_the_last_time(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("w1");
    String second = api.aClaimedJob("w2");
    assertThat(api.get("/v1/queues/q").ok().has("unfenced_calls")).isFalse();

    api.call("heartbeat", first, "w1").ok();
    api.call("heartbeat", first, "w1", "\"fencing_token\": 0").ok();
    api.call("heartbeat", second, "w2", "\"fencing_token\": 1").ok();
    api.call("complete", first, "w1").ok();
    api.call("fail", second, "w2").ok();

    JsonNode calls = api.get("/v1/queues/q").ok().get("unfenced_calls");
    assertThat(calls).hasSize(2);
    assertThat(who(calls.get(0))).as("latest first").isEqualTo("local w2 1");
    assertThat(who(calls.get(1))).isEqualTo("local w1 3");
    assertThat(calls.get(0).get("last_at").asText()).isGreaterThanOrEqualTo(api.job(second).get("updated_at").asText());
    assertThat(api.get("/v1/queues").ok().at("/queues/0").has("unfenced_calls")).as("lists leave it out").isFalse();

    String metrics = new String(api.get("/metrics").http().body(), StandardCharsets.UTF_8);
    assertThat(metrics).contains("agwp_unfenced_calls{principal=\"local\",queue=\"q\",worker=\"w1\"} 3.0");
    assertThat(metrics).containsPattern("agwp_unfenced_last_call_timestamp_seconds\\{principal=\"local\",queue=\"q\",worker=\"w2\"} 1\\.\\d+E9");
  }

  @EveryDatabase
  void calls_refused_because_a_token_is_required_are_counted_and_other_refusals_are_not(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.call("heartbeat", jobId, "stranger").refused(404, "not_found");
    api.call("complete", "no-such-job", "w1").refused(404, "not_found");
    assertThat(api.get("/v1/queues/q").ok().has("unfenced_calls")).isFalse();

    require(api, "q", true);
    api.call("heartbeat", jobId, "w1").refused(409, "failed_precondition");
    api.call("complete", jobId, "w1").refused(409, "failed_precondition");
    api.call("complete", jobId, "w1", "\"fencing_token\": 9").refused(409, "failed_precondition");

    JsonNode calls = api.get("/v1/queues/q").ok().get("unfenced_calls");
    assertThat(calls).hasSize(1);
    assertThat(who(calls.get(0))).isEqualTo("local w1 2");
  }

  @EveryDatabase
  void a_worker_that_did_not_call_for_30_days_is_forgotten(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.call("release", jobId, "w1").ok();
    database.change("update unfenced_call set last_at = last_at - 2592000000 - 1");
    assertThat(api.get("/v1/queues/q").ok().has("unfenced_calls")).isFalse();

    api.claim("w2");
    api.call("release", jobId, "w2").ok();

    assertThat(database.rows("select worker from unfenced_call")).containsExactly("w2");
  }

  @EveryDatabase
  void calls_of_one_worker_at_once_are_all_counted(TestDatabase database) throws InterruptedException, ExecutionException {
    Api api = database.serve();
    Api replica = database.isPostgresql() ? database.serve() : api;
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      jobs.add(api.aClaimedJob("w1"));
    }
    ExecutorService threads = Executors.newFixedThreadPool(jobs.size());
    List<Callable<Integer>> heartbeats = new ArrayList<>();
    for (String jobId : jobs) {
      for (int i = 0; i < 10; i++) {
        Api server = i % 2 == 0 ? api : replica;
        heartbeats.add(() -> server.call("heartbeat", jobId, "w1").status());
      }
    }
    for (Future<Integer> status : threads.invokeAll(heartbeats)) {
      assertThat(status.get()).isEqualTo(200);
    }
    threads.shutdown();

    assertThat(database.rows("select worker, calls from unfenced_call")).containsExactly("w1|80");
  }

  @EveryDatabase
  void a_claim_says_that_this_server_checks_tokens_though_it_gives_no_jobs(TestDatabase database) {
    Api api = database.serve();
    String claim = "{\"queues\": [\"q\"], \"worker\": \"w\"}";
    assertThat(api.post("/v1/jobs/claim", claim).ok().toString()).isEqualTo("{\"jobs\":[],\"fencing_enforced\":true}");

    api.aQueuedJob();

    JsonNode claimed = api.post("/v1/jobs/claim", claim).ok();
    assertThat(claimed.get("jobs")).hasSize(1);
    assertThat(claimed.get("fencing_enforced").asBoolean()).isTrue();
  }

  private static JsonNode require(Api api, String queue, boolean required) {
    return api.patch("/v1/queues/" + queue, "{\"require_fencing\": " + required + "}").ok();
  }

  private static String who(JsonNode calls) {
    return calls.get("principal").asText() + " " + calls.get("worker").asText() + " " + calls.get("calls").asLong();
  }
}
