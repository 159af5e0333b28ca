package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** claim_next of completeJob and failJob. */
@Execution(ExecutionMode.CONCURRENT)
final class ClaimNextTest {
  private static final String NEXT = "\"claim_next\": {\"queues\": [\"q\"], \"lease_seconds\": 600, \"request_id\": \"r1\"}";

  @EveryDatabase
  void a_completion_gives_its_worker_the_next_job_in_one_call(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("w");
    String second = api.aQueuedJob();

    JsonNode answer = api.call("complete", first, "w", "\"fencing_token\": 1", NEXT).ok();

    assertThat(answer.get("state").asText()).isEqualTo("succeeded");
    assertThat(answer.at("/next_job/job_id").asText()).isEqualTo(second);
    assertThat(answer.at("/next_job/claimed_by").asText()).isEqualTo("local|w");
    assertThat(answer.at("/next_job/attempts").asInt()).isOne();
    assertThat(api.call("complete", second, "w", "\"fencing_token\": 1", NEXT).ok().has("next_job")).as("nothing is left").isFalse();
    assertThat(api.job(first).has("next_job")).isFalse();
  }

  @EveryDatabase
  void a_failure_gives_its_worker_the_next_job_too(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("w");
    String second = api.aQueuedJob();

    JsonNode answer = api.call("fail", first, "w", "\"fencing_token\": 1", "\"retry_delay_seconds\": 3600", NEXT).ok();

    assertThat(answer.get("state").asText()).isEqualTo("queued");
    assertThat(answer.at("/next_job/job_id").asText()).isEqualTo(second);
  }

  @EveryDatabase
  void a_call_that_is_refused_claims_nothing(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("other");
    api.aQueuedJob();
    List<String> before = database.everything();

    api.call("complete", first, "w", "\"fencing_token\": 1", NEXT).refused(409, "failed_precondition");
    api.call("fail", first, "w", "\"fencing_token\": 1", NEXT).refused(404, "not_found");

    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_completion_that_is_repeated_is_answered_with_the_job_it_claimed_before(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("w");
    String second = api.aQueuedJob();
    api.aQueuedJob();
    String[] call = {"\"fencing_token\": 1", NEXT};

    assertThat(api.call("complete", first, "w", call).ok().at("/next_job/job_id").asText()).isEqualTo(second);
    List<String> after = database.everything();
    assertThat(api.call("complete", first, "w", call).ok().at("/next_job/job_id").asText()).isEqualTo(second);

    assertThat(database.everything()).isEqualTo(after);
  }

  @EveryDatabase
  void a_completion_that_is_repeated_claims_nothing_more(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("w");
    String second = api.aQueuedJob();
    String third = api.aQueuedJob();
    String unnamed = "\"claim_next\": {\"queues\": [\"q\"]}";

    assertThat(api.call("complete", first, "w", "\"fencing_token\": 1", unnamed).ok().at("/next_job/job_id").asText()).isEqualTo(second);
    assertThat(api.call("complete", first, "w", "\"fencing_token\": 1", unnamed).ok().has("next_job")).isFalse();
    assertThat(api.call("complete", first, "w", "\"fencing_token\": 1", NEXT).ok().has("next_job")).isFalse();

    assertThat(api.job(third).get("state").asText()).isEqualTo("queued");
  }

  @EveryDatabase
  void the_next_job_of_a_failure_whose_answer_was_lost_is_found_by_claim_job(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("w");
    String second = api.aQueuedJob();
    api.call("fail", first, "w", "\"fencing_token\": 1", "\"retry_delay_seconds\": 3600", NEXT).ok();

    assertThat(api.claim("w", "\"request_id\": \"r1\"")).singleElement()
        .satisfies(job -> assertThat(job.get("job_id").asText()).isEqualTo(second));
  }

  @EveryDatabase
  void jobs_that_one_worker_ends_at_once_each_give_it_another(TestDatabase database) {
    Api api = database.serve();
    List<String> held = IntStream.range(0, 20).mapToObj(i -> api.aClaimedJob("w")).toList();
    Set<String> waiting = new HashSet<>(IntStream.range(0, 20).mapToObj(i -> api.aQueuedJob()).toList());

    List<CompletableFuture<Api.Answer>> calls = held.stream().map(jobId -> api.postLater("/v1/jobs/" + jobId + "/complete",
        "{\"worker\": \"w\", \"fencing_token\": 1, \"outcome\": \"passed\", \"claim_next\": {\"queues\": [\"q\"]}}")).toList();

    assertThat(calls.stream().map(call -> call.join().ok().at("/next_job/job_id").asText())).containsExactlyInAnyOrderElementsOf(waiting);
  }
}
