package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.Map;

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

    List<String> before = database.everything();
    for (String jobId : List.of(expired, ended, cancelled, failed, dead, released)) {
      STATUS_OF_LOST_CLAIM.forEach((operation, status) -> {
        String[] extra = operation.equals("complete") ? new String[] {ATTESTATION, "\"result\": {\"a\": 1}"} : new String[0];
        Api.Answer answer = api.call(operation, jobId, "w1", extra);
        answer.refused(status, status == 404 ? "not_found" : "failed_precondition");
        assertThat(answer.json().get("detail").asText()).contains(jobId).contains("local|w1");
        assertThat(database.everything()).isEqualTo(before);
      });
    }
  }

  @EveryDatabase
  void a_call_of_another_worker_changes_nothing(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    List<String> before = database.everything();
    STATUS_OF_LOST_CLAIM.forEach((operation, status) -> {
      api.call(operation, jobId, "w2").refused(status, status == 404 ? "not_found" : "failed_precondition");
      api.call(operation, jobId, "W1").refused(status, status == 404 ? "not_found" : "failed_precondition");
      assertThat(database.everything()).isEqualTo(before);
    });
    api.call("complete", jobId, "w1").ok();
  }

  @EveryDatabase
  void a_call_on_an_unknown_job_is_not_found(TestDatabase database) {
    Api api = database.serve();
    for (String operation : List.of("heartbeat", "complete", "fail", "release")) {
      api.call(operation, "019aeb3c-5a40-7c3e-9f0b-2f6b8f1d3c55", "w1").refused(404, "not_found");
    }
    api.cancel("019aeb3c-5a40-7c3e-9f0b-2f6b8f1d3c55").refused(404, "not_found");
    api.retry("no-such-job").refused(404, "not_found");
    api.get("/v1/jobs/no-such-job").refused(404, "not_found");
    api.get("/v1/jobs/no-such-job/attestation").refused(404, "not_found");
  }
}
