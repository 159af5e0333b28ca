package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ADR-0012: the number of a claim tells two lives of one worker name apart. */
final class FencingTest {
  private static final String HOLDER = "local|w1";
  private static final String ATTESTATION = "\"attestation\": {\"media_type\": \"text/plain\", \"body\": \"eA==\"}";

  private static final TestDatabase SHARED = TestDatabase.sqlite();
  private static Api shared;

  @BeforeAll
  static void serve() {
    shared = SHARED.serve();
  }

  @AfterAll
  static void stop() {
    SHARED.close();
  }

  @EveryDatabase
  void a_claim_number_fences_a_stale_claimant_of_the_same_name(TestDatabase file) {
    Api api = file.serve();
    String jobId = claimedTwice(file, api);
    try (Database database = Database.open(file.url())) {
      List<String> before = file.everything();
      for (boolean wait : List.of(true, false)) {
        List<Function<Long, Function<Transaction, List<JobRow>>>> calls = List.of(
            token -> tx -> tx.jobs().heartbeat(List.of(new Heartbeat(call(jobId, token), 60, null, null)), wait),
            token -> tx -> tx.jobs().fail(List.of(new Failure(call(jobId, token), "r", null, 0L, 1000, false, null)), wait),
            token -> tx -> tx.jobs().complete(List.of(completion(jobId, token)), wait),
            token -> tx -> tx.jobs().release(List.of(new Release(call(jobId, token))), wait));

        for (Function<Long, Function<Transaction, List<JobRow>>> call : calls) {
          assertThat(database.inTransaction(call.apply(1L))).isEmpty();
          assertThat(database.inTransaction(call.apply(3L))).isEmpty();
        }
        assertThat(file.everything()).isEqualTo(before);
      }
      Function<Long, Integer> beat = token ->
          database.inTransaction(tx -> tx.jobs().heartbeat(List.of(new Heartbeat(call(jobId, token), 60, null, null)), true)).size();
      assertThat(beat.apply(2L)).isOne();
      assertThat(beat.apply(null)).isOne();
      List<JobRow> ended = database.inTransaction(tx -> tx.jobs().complete(List.of(completion(jobId, 2L)), true));
      assertThat(ended).singleElement().satisfies(job -> assertThat(job.state()).isEqualTo("succeeded"));
    }
  }

  @EveryDatabase
  void a_stale_claim_of_the_same_worker_is_fenced_off(TestDatabase database) {
    Api api = database.serve();
    String jobId = claimedTwice(database, api);
    List<String> before = database.everything();

    for (String operation : List.of("heartbeat", "fail", "release", "complete")) {
      Api.Answer stale = api.call(operation, jobId, "w1", "\"fencing_token\": 1", "\"summary\": \"stale\"");
      stale.refused(operation.equals("complete") ? 409 : 404, operation.equals("complete") ? "failed_precondition" : "not_found");
      String detail = stale.json().get("detail").asText();
      assertThat(detail).contains("fencing_token");
      assertThat(stale.json().get("reason").asText()).isEqualTo("stale_fencing_token");
      assertThat(detail.replace(jobId, "").replace(HOLDER, "")).as("it never tells the current number").doesNotContainPattern("\\d");
      assertThat(database.everything()).isEqualTo(before);
    }

    api.call("heartbeat", jobId, "w1", "\"fencing_token\": 2").ok();
    api.call("heartbeat", jobId, "w1").ok();
    assertThat(api.call("complete", jobId, "w1", "\"fencing_token\": 2").ok().get("state").asText()).isEqualTo("succeeded");
  }

  @EveryDatabase
  void a_stale_completion_leaves_no_attestation_behind(TestDatabase database) {
    Api api = database.serve();
    String jobId = claimedTwice(database, api);

    api.call("complete", jobId, "w1", "\"fencing_token\": 1", ATTESTATION, "\"result\": {\"a\": 1}")
        .refused(409, "failed_precondition");

    assertThat(database.number("select count(*) from attestation")).isZero();
    assertThat(api.job(jobId).has("result")).isFalse();
    assertThat(api.job(jobId).get("state").asText()).isEqualTo("claimed");
  }

  @EveryDatabase
  void every_call_of_the_current_claim_may_carry_its_number(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.call("release", jobId, "w1", "\"fencing_token\": 1").ok();
    assertThat(api.claim("w1")).hasSize(1);
    api.call("fail", jobId, "w1", "\"fencing_token\": 2", "\"retry_delay_seconds\": 0").ok();
    assertThat(api.claim("w1")).hasSize(1);
    api.call("complete", jobId, "w1", "\"fencing_token\": 3").ok();
  }

  @EveryDatabase
  void zero_null_and_absent_are_the_old_check(TestDatabase database) {
    Api api = database.serve();
    String jobId = claimedTwice(database, api);
    for (String token : List.of("\"fencing_token\": 0", "\"fencing_token\": null", "\"fencing_token\": 0.0", "\"fencing_token\": \"0\"")) {
      api.call("heartbeat", jobId, "w1", token).ok();
      api.call("heartbeat", jobId, "w2", token).refused(404, "not_found");
    }
    api.call("complete", jobId, "w1", "\"fencing_token\": 0").ok();
  }

  @EveryDatabase
  void a_decimal_string_and_a_whole_number_however_written_are_the_number(TestDatabase database) {
    Api api = database.serve();
    String jobId = claimedTwice(database, api);
    for (String token : List.of("\"2\"", "2.0", "2e0", "0.2E1")) {
      api.call("heartbeat", jobId, "w1", "\"fencing_token\": " + token).ok();
    }
    api.call("heartbeat", jobId, "w1", "\"fencing_token\": \"1\"").refused(404, "not_found");
    api.call("heartbeat", jobId, "w1", "\"fencing_token\": 4294967295").refused(404, "not_found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615",
      "18446744073709551616", "1e400", "1e1000000000", "-1", "1.5", "\"\"", "\" \"", "\" 1 \"", "\"+1\"", "\"01\"", "\"1.0\"",
      "\"0x1\"", "\"-1\"", "\"4294967296\"", "true", "false", "[]", "[1]", "{}"})
  void what_cannot_be_a_claim_number_is_refused_by_name_and_never_read_as_none(String token) {
    String jobId = shared.aClaimedJob("w1");
    List<String> before = SHARED.everything();
    for (String operation : List.of("heartbeat", "complete", "fail", "release")) {
      Api.Answer answer = shared.call(operation, jobId, "w1", "\"fencing_token\": " + token);
      answer.refused(400, "invalid_argument");
      assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo("fencing_token");
      assertThat(answer.json().at("/errors/0/message").asText()).contains("0..4294967295");
      assertThat(SHARED.everything()).isEqualTo(before);
    }
  }

  @EveryDatabase
  void a_repeated_completion_that_won_is_answered_with_the_stored_job(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    JsonNode ended = api.call("complete", jobId, "w1", "\"fencing_token\": 1", ATTESTATION, "\"summary\": \"once\"").ok();
    List<String> before = database.everything();

    assertThat(api.call("complete", jobId, "w1", "\"fencing_token\": 1", ATTESTATION, "\"summary\": \"twice\"").ok()).isEqualTo(ended);

    api.call("complete", jobId, "w1", "\"fencing_token\": 1").refused(409, "failed_precondition");
    api.call("complete", jobId, "w1", ATTESTATION).refused(409, "failed_precondition");
    api.call("complete", jobId, "w2", "\"fencing_token\": 1", ATTESTATION).refused(409, "failed_precondition");
    api.call("complete", jobId, "w1", "\"fencing_token\": 2", ATTESTATION).refused(409, "failed_precondition");
    api.post("/v1/jobs/" + jobId + "/complete", "{\"worker\": \"w1\", \"outcome\": \"failed\", \"fencing_token\": 1, " + ATTESTATION + "}")
        .refused(409, "failed_precondition");
    api.call("fail", jobId, "w1", "\"fencing_token\": 1").refused(404, "not_found");
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_completion_of_a_job_that_died_or_was_cancelled_is_no_repeat(TestDatabase database) {
    Api api = database.serve();
    String dead = api.aClaimedJob("w1");
    api.call("fail", dead, "w1", "\"terminal\": true").ok();
    String cancelled = api.aClaimedJob("w1");
    api.cancel(cancelled).ok();

    api.call("complete", dead, "w1", "\"fencing_token\": 1").refused(409, "failed_precondition");
    api.call("complete", cancelled, "w1", "\"fencing_token\": 1").refused(409, "failed_precondition");
  }

  private static Completion completion(String jobId, Long token) {
    return new Completion(call(jobId, token), "passed", null, null, null, null, null);
  }

  private static HolderCall call(String jobId, Long token) {
    return new HolderCall(jobId, new Holder("local", "w1"), FencingToken.of(token, false), "request");
  }

  /** A job whose lease ran out under w1 and which w1, started again, has claimed anew: its current number is 2. */
  private static String claimedTwice(TestDatabase database, Api api) {
    String jobId = api.aClaimedJob("w1");
    database.expireLease(jobId);
    assertThat(api.claim("w1").get(0).get("attempts").asInt()).isEqualTo(2);
    return jobId;
  }
}
