package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class LostClaimTest {
  private static final Map<String, Integer> STATUS_OF_LOST_CLAIM =
      Map.of("heartbeat", 404, "fail", 404, "release", 404, "complete", 409);
  private static final String ATTESTATION = "\"attestation\": {\"media_type\": \"text/plain\", \"body\": \"eA==\"}";

  @EveryDatabase
  void a_call_of_a_worker_that_lost_its_claim_changes_nothing(TestDatabase database) {
    Api api = database.serve();
    String expired = api.aClaimedJob("w1");
    database.expireLease(expired);
    assertThat(api.claim("w2")).hasSize(1);
    String ended = api.aClaimedJob("w1");
    api.call("complete", ended, "w1").ok();
    String cancelled = api.aClaimedJob("w1");
    api.cancel(cancelled).ok();
    String failed = api.aClaimedJob("w1", "\"max_attempts\": 2");
    api.call("fail", failed, "w1", "\"retry_delay_seconds\": 3600").ok();
    String dead = api.aClaimedJob("w1");
    api.call("fail", dead, "w1", "\"terminal\": true").ok();
    String released = api.aClaimedJob("w1");
    api.call("release", released, "w1").ok();

    Map<String, String> reasons = Map.of(expired, "not_holder", ended, "job_ended", cancelled, "job_cancelled", failed, "not_holder",
        dead, "job_ended", released, "not_holder");
    List<String> before = database.everything();
    reasons.forEach((jobId, reason) -> {
      STATUS_OF_LOST_CLAIM.forEach((operation, status) -> {
        String[] extra = operation.equals("complete") ? new String[] {ATTESTATION, "\"result\": {\"a\": 1}"} : new String[0];
        Api.Answer answer = api.call(operation, jobId, "w1", extra);
        answer.refused(status, status == 404 ? "not_found" : "failed_precondition");
        assertThat(answer.json().get("detail").asText()).contains(jobId).contains("local|w1");
        assertThat(answer.json().get("reason").asText()).isEqualTo(reason);
        assertThat(database.everything()).isEqualTo(before);
      });
    });
  }

  @EveryDatabase
  void a_call_of_another_worker_changes_nothing(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    List<String> before = database.everything();
    STATUS_OF_LOST_CLAIM.forEach((operation, status) -> {
      Api.Answer answer = api.call(operation, jobId, "w2");
      answer.refused(status, status == 404 ? "not_found" : "failed_precondition");
      assertThat(answer.json().get("reason").asText()).isEqualTo("not_holder");
      api.call(operation, jobId, "W1").refused(status, status == 404 ? "not_found" : "failed_precondition");
      assertThat(database.everything()).isEqualTo(before);
    });
    api.call("complete", jobId, "w1").ok();
  }

  @EveryDatabase
  void a_call_on_an_unknown_job_is_not_found(TestDatabase database) {
    Api api = database.serve();
    List<Api.Answer> answers = new ArrayList<>();
    for (String operation : List.of("heartbeat", "complete", "fail", "release")) {
      answers.add(api.call(operation, "019aeb3c-5a40-7c3e-9f0b-2f6b8f1d3c55", "w1"));
    }
    answers.add(api.cancel("019aeb3c-5a40-7c3e-9f0b-2f6b8f1d3c55"));
    answers.add(api.retry("no-such-job"));
    answers.add(api.get("/v1/jobs/no-such-job"));
    answers.add(api.get("/v1/jobs/no-such-job/attestation"));
    for (Api.Answer answer : answers) {
      answer.refused(404, "not_found");
      assertThat(answer.json().get("reason").asText()).isEqualTo("unknown_job");
    }
  }

  @EveryDatabase
  void a_refusal_that_is_none_of_the_reasons_bears_none(TestDatabase database) {
    Api api = database.serve();
    String ended = api.aClaimedJob("w1");
    api.call("complete", ended, "w1").ok();
    String queued = api.aQueuedJob();

    assertThat(api.cancel(ended).json().get("reason").asText()).isEqualTo("job_ended");
    assertThat(api.retry(ended).json().get("reason").asText()).isEqualTo("job_ended");
    assertThat(api.retry(queued).json().has("reason")).isFalse();
    assertThat(api.get("/v1/jobs/" + ended + "/attestation").json().has("reason")).isFalse();
    assertThat(api.get("/v1/queues/none").json().has("reason")).isFalse();
  }
}
