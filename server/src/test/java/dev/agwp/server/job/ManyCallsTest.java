package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** heartbeatJobs, completeJobs and failJobs. */
@Execution(ExecutionMode.CONCURRENT)
final class ManyCallsTest {
  private static final String TOKEN = "\"worker\": \"w\", \"fencing_token\": 1";

  @EveryDatabase
  void each_call_of_many_is_answered_by_itself_in_its_order(TestDatabase database) {
    Api api = database.serve();
    String mine = api.aClaimedJob("w");
    String others = api.aClaimedJob("other");
    String stale = api.aClaimedJob("w");
    api.call("release", stale, "w").ok();
    assertThat(api.claim("w")).hasSize(1);
    List<String> jobs = List.of(others, mine, "no-such-job", stale);

    for (String operation : List.of("heartbeat", "complete")) {
      JsonNode results = many(api, operation, jobs, TOKEN + (operation.equals("complete") ? ", \"outcome\": \"passed\"" : ""));
      assertThat(results).extracting(result -> result.at("/error/reason").asText())
          .containsExactly("not_holder", "", "unknown_job", "stale_fencing_token");
      assertThat(results.get(1).at("/job/job_id").asText()).isEqualTo(mine);
      assertThat(results.get(1).has("error")).isFalse();
      assertThat(results.get(0).at("/error/code").asText()).isEqualTo(operation.equals("complete") ? "failed_precondition" : "not_found");
    }
    assertThat(api.job(mine).get("state").asText()).isEqualTo("succeeded");
    assertThat(api.job(others).get("state").asText()).isEqualTo("claimed");
    assertThat(api.job(stale).get("state").asText()).isEqualTo("claimed");
  }

  @EveryDatabase
  void a_hundred_jobs_are_ended_in_one_call_each_with_its_attestation(TestDatabase database) {
    Api api = database.serve();
    List<String> jobs = claimed(api, 100);

    JsonNode results = many(api, "complete", jobs,
        TOKEN + ", \"outcome\": \"failed\", \"attestation\": {\"media_type\": \"text/plain\", \"body\": \"eA==\"}");

    assertThat(results).extracting(result -> result.at("/job/job_id").asText()).containsExactlyElementsOf(jobs);
    assertThat(database.number("select count(*) from attestation")).isEqualTo(100);
    assertThat(many(api, "complete", jobs, TOKEN + ", \"outcome\": \"failed\", \"attestation\": {\"media_type\": \"text/plain\", "
        + "\"body\": \"eA==\"}")).as("repeated").allMatch(result -> result.at("/job/state").asText().equals("succeeded"));
    assertThat(database.number("select count(*) from attestation")).isEqualTo(100);
  }

  @EveryDatabase
  void attempts_given_up_together_can_be_claimed_again(TestDatabase database) {
    Api api = database.serve();
    List<String> jobs = claimed(api, 3);

    many(api, "fail", jobs, TOKEN + ", \"retry_delay_seconds\": 0");

    assertThat(api.claim("next", "\"max_jobs\": 5")).extracting(job -> job.get("attempts").asInt()).containsExactly(2, 2, 2);
  }

  @EveryDatabase
  void a_request_with_a_fault_in_one_call_applies_none(TestDatabase database) {
    Api api = database.serve();
    List<String> jobs = claimed(api, 2);
    List<String> before = database.everything();

    refused(api, "complete", "completions[1].completion.outcome", completion(jobs.get(0), "\"outcome\": \"passed\""),
        completion(jobs.get(1), ""));
    refused(api, "complete", "completions[1].completion.attestation.body", completion(jobs.get(0), "\"outcome\": \"passed\""),
        completion(jobs.get(1), "\"outcome\": \"passed\", \"attestation\": {\"media_type\": \"text/plain\", \"body\": \"\"}"));
    refused(api, "complete", "completions[1].job_id", completion(jobs.get(0), "\"outcome\": \"passed\""),
        completion(jobs.get(0), "\"outcome\": \"failed\""));
    refused(api, "complete", "completions[0].job_id", "{\"completion\": {" + TOKEN + ", \"outcome\": \"passed\"}}");
    refused(api, "complete", "completions[0]", "null");
    refused(api, "complete", "completions[0].completion.claim_next.queues[0]",
        completion(jobs.get(0), "\"outcome\": \"passed\", \"claim_next\": {\"queues\": [null]}"));
    refused(api, "complete", "completions", IntStream.range(0, 101)
        .mapToObj(i -> completion("job" + i, "\"outcome\": \"passed\"")).toArray(String[]::new));
    refused(api, "complete", "completions");

    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void faults_are_told_in_the_order_of_the_request(TestDatabase database) {
    Api.Answer answer = database.serve().post("/v1/jobs/heartbeat", "{\"heartbeats\": [" + "{},".repeat(11) + "{}]}");

    answer.refused(400, "invalid_argument");
    assertThat(answer.json().get("errors").findValuesAsText("field").stream().map(field -> field.replaceAll("\\D", "")).distinct())
        .containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11");
  }

  /** Half a million faulty items: looked at one by one they would take minutes. */
  @EveryDatabase
  void a_list_that_is_too_long_is_refused_before_its_items_are_looked_at(TestDatabase database) {
    Api.Answer answer = database.serve().post("/v1/jobs/heartbeat", "{\"heartbeats\": [" + "{},".repeat(500_000) + "{}]}");

    answer.refused(400, "invalid_argument");
    assertThat(answer.json().get("detail").asText()).isEqualTo("heartbeats must be a list of 1..100 items");
    assertThat(answer.json().get("errors")).hasSize(1);
  }

  private static void refused(Api api, String operation, String field, String... calls) {
    Api.Answer answer = api.post("/v1/jobs/" + operation, "{\"completions\": [" + String.join(", ", calls) + "]}");
    answer.refused(400, "invalid_argument");
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo(field);
    assertThat(answer.json().get("detail").asText()).startsWith(field + " ");
  }

  private static String completion(String jobId, String more) {
    return "{\"job_id\": \"" + jobId + "\", \"completion\": {" + TOKEN + (more.isEmpty() ? "" : ", " + more) + "}}";
  }

  private static List<String> claimed(Api api, int jobs) {
    IntStream.range(0, jobs).forEach(i -> api.aQueuedJob());
    JsonNode claimed = api.claim("w", "\"max_jobs\": " + jobs);
    assertThat(claimed).hasSize(jobs);
    return claimed.findValuesAsText("job_id");
  }

  private static JsonNode many(Api api, String operation, List<String> jobs, String call) {
    String list = operation.equals("heartbeat") ? "heartbeats" : operation.equals("complete") ? "completions" : "failures";
    String member = list.substring(0, list.length() - 1);
    return api.post("/v1/jobs/" + operation, jobs.stream()
        .map(jobId -> "{\"job_id\": \"" + jobId + "\", \"" + member + "\": {" + call + "}}")
        .collect(Collectors.joining(", ", "{\"" + list + "\": [", "]}"))).ok().get("results");
  }
}
