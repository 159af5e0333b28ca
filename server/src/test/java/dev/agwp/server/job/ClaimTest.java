package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class ClaimTest {

  @EveryDatabase
  void a_claim_gives_the_job_a_holder_a_lease_and_one_more_attempt(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob("\"payload\": {\"path\": \"a\"}");

    JsonNode job = api.claim("w1", "\"lease_seconds\": 30").get(0);

    assertThat(job.get("state").asText()).isEqualTo("claimed");
    assertThat(job.get("claimed_by").asText()).isEqualTo("local|w1");
    assertThat(job.get("attempts").asInt()).isEqualTo(1);
    assertThat(job.get("payload").get("path").asText()).isEqualTo("a");
    assertThat(Duration.between(time(job, "updated_at"), time(job, "lease_expires_at"))).isEqualTo(Duration.ofSeconds(30));
  }

  @EveryDatabase
  void the_highest_priority_goes_first_then_the_oldest_run_at(TestDatabase database) {
    Api api = database.serve();
    String late = api.aQueuedJob("\"run_at\": \"2026-01-02T00:00:00Z\"");
    String early = api.aQueuedJob("\"run_at\": \"2026-01-01T00:00:00Z\"");
    String urgent = api.aQueuedJob("\"priority\": 1", "\"run_at\": \"2026-01-03T00:00:00Z\"");
    String idle = api.aQueuedJob("\"priority\": -1", "\"run_at\": \"2025-01-01T00:00:00Z\"");

    assertThat(ids(api.claim("w1", "\"max_jobs\": 10"))).containsExactly(urgent, early, late, idle);
  }

  @EveryDatabase
  void several_queues_are_one_order(TestDatabase database) {
    Api api = database.serve();
    List<String> expected = new ArrayList<>();
    for (int i = 9; i >= 0; i--) {
      expected.add(0, api.post("/v1/jobs", "{\"queue\": \"q" + i % 3 + "\", \"run_at\": \"2026-01-" + (i + 10)
          + "T00:00:00Z\", \"priority\": " + (i == 9 ? 5 : 0) + "}").ok().get("job_id").asText());
    }
    expected.add(0, expected.remove(9));

    JsonNode jobs = api.post("/v1/jobs/claim",
        "{\"queues\": [\"q0\", \"q1\", \"q2\", \"q0\", \"none\"], \"worker\": \"w\", \"max_jobs\": 7}").ok().get("jobs");

    assertThat(ids(jobs)).isEqualTo(expected.subList(0, 7));
  }

  @EveryDatabase
  void a_claim_never_takes_more_than_max_jobs(TestDatabase database) {
    Api api = database.serve();
    IntStream.range(0, 20).forEach(i -> api.aQueuedJob());

    assertThat(api.claim("w1", "\"max_jobs\": 7")).hasSize(7);
    assertThat(api.claim("w1")).hasSize(1);
    assertThat(database.number("select count(*) from job where state = 'claimed'")).isEqualTo(8);
  }

  @EveryDatabase
  void a_job_whose_run_at_has_not_come_is_not_claimed(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aQueuedJob("\"run_at\": \"2100-01-01T00:00:00Z\"");

    assertThat(api.claim("w1")).isEmpty();

    database.makeDue(jobId);
    assertThat(ids(api.claim("w1"))).containsExactly(jobId);
  }

  @EveryDatabase
  void an_unknown_queue_has_simply_no_jobs(TestDatabase database) {
    assertThat(database.serve().claim("w1")).isEmpty();
    assertThat(database.number("select count(*) from queue")).isZero();
  }

  @EveryDatabase
  void a_repeated_request_id_is_answered_with_the_same_jobs(TestDatabase database) {
    Api api = database.serve();
    IntStream.range(0, 5).forEach(i -> api.aQueuedJob());

    JsonNode first = api.claim("w1", "\"max_jobs\": 3", "\"request_id\": \"r1\"");
    List<String> before = database.everything();
    JsonNode repeated = api.claim("w1", "\"max_jobs\": 3", "\"request_id\": \"r1\"");

    assertThat(repeated).isEqualTo(first);
    assertThat(database.everything()).isEqualTo(before);
    // Another worker's request id is another claim, and so is the same one once its jobs have ended.
    assertThat(ids(api.claim("w2", "\"request_id\": \"r1\""))).doesNotContainAnyElementsOf(ids(first)).hasSize(1);
    first.forEach(job -> api.call("complete", job.get("job_id").asText(), "w1").ok());
    assertThat(ids(api.claim("w1", "\"request_id\": \"r1\""))).doesNotContainAnyElementsOf(ids(first)).hasSize(1);
  }

  @EveryDatabase
  void a_request_id_delivered_many_times_at_once_claims_once(TestDatabase database) {
    Api api = database.serve();
    IntStream.range(0, 20).forEach(i -> api.aQueuedJob());

    List<CompletableFuture<Api.Answer>> deliveries = IntStream.range(0, 8)
        .mapToObj(i -> api.postLater("/v1/jobs/claim",
            "{\"queues\": [\"q\"], \"worker\": \"w1\", \"max_jobs\": 2, \"request_id\": \"r1\"}"))
        .toList();

    List<JsonNode> answers = deliveries.stream().map(delivery -> (JsonNode) delivery.join().ok().get("jobs")).toList();
    assertThat(answers).allMatch(answer -> answer.equals(answers.get(0)));
    assertThat(database.number("select count(*) from job where state = 'claimed'")).isEqualTo(2);
  }

  static List<String> ids(JsonNode jobs) {
    return jobs.findValuesAsText("job_id");
  }

  private static Instant time(JsonNode job, String field) {
    return Instant.parse(job.get(field).asText());
  }
}
