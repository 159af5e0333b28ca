package dev.agwp.server.attestation;

import static dev.agwp.server.testing.Signer.attestation;
import static dev.agwp.server.testing.Signer.bare;
import static dev.agwp.server.testing.Signer.enveloped;
import static dev.agwp.server.testing.Signer.statement;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.attestation.Statement;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.Signer;
import dev.agwp.server.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** ADR-0019: what an attestation says is held against the job, and a queue can require one. */
@Execution(ExecutionMode.CONCURRENT)
final class AttestationTest {
  private static final String HEX = "ab".repeat(32);
  private static final String SUBJECT = "\"subject_digest\": \"sha256:" + HEX + "\"";
  private static final String TOKEN = "\"fencing_token\": 1";
  private static final String OTHER = attestation("text/plain", "seen");

  @EveryDatabase
  void a_statement_about_the_job_is_stored_and_served_byte_for_byte(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);
    String spaced = statement(HEX, jobId, 1).replace(",", " ,\n ");

    JsonNode job = api.call("complete", jobId, "w", TOKEN, bare(spaced)).ok();

    Api.Answer stored = api.get("/v1/jobs/" + jobId + "/attestation");
    assertThat(new String(stored.http().body(), StandardCharsets.UTF_8)).isEqualTo(spaced);
    assertThat(stored.header("Content-Type")).isEqualTo(Statement.MEDIA_TYPE);
    assertThat(job.has("attestation_key_id")).as("nobody signed it").isFalse();
  }

  @EveryDatabase
  void a_signature_by_a_key_of_the_caller_is_told_with_the_job(TestDatabase database) {
    Api api = database.serve();
    Signer ed25519 = Signer.ed25519().addedFor("local", database);
    Signer p256 = Signer.p256().addedFor("local", database);
    for (Signer signer : List.of(ed25519, p256)) {
      String jobId = api.aClaimedJob("w", SUBJECT);

      api.call("complete", jobId, "w", TOKEN, enveloped(signer.signed(statement(HEX, jobId, 1)))).ok();

      assertThat(api.job(jobId).get("attestation_key_id").asText()).isEqualTo(signer.key().id());
    }
  }

  @EveryDatabase
  void a_signature_by_a_stranger_is_stored_and_told_by_nothing_where_none_is_required(TestDatabase database) {
    Api api = database.serve();
    Signer stranger = Signer.ed25519().addedFor("somebody-else", database);
    String jobId = api.aClaimedJob("w", SUBJECT);

    JsonNode job = api.call("complete", jobId, "w", TOKEN, enveloped(stranger.signed(statement(HEX, jobId, 1)))).ok();

    assertThat(job.has("attestation_key_id")).isFalse();
    assertThat(job.has("attestation_digest")).isTrue();
  }

  @EveryDatabase
  void a_job_without_a_subject_digest_takes_a_statement_about_any_subject(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w");

    api.call("complete", jobId, "w", TOKEN, bare(statement("[{\"digest\":{\"md5\":\"00\"}}]",
        "{\"job_id\":\"" + jobId + "\",\"fencing_token\":1}"))).ok();
  }

  @EveryDatabase
  void what_ag_worker_of_every_release_sends_is_taken(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);
    api.patch("/v1/queues/q", "{\"attestation\": \"required\"}").ok();

    api.call("complete", jobId, "w", bare(testResult(jobId, 1))).ok();
  }

  @EveryDatabase
  void a_test_result_of_another_job_or_attempt_is_refused(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);

    refused(database, api.call("complete", jobId, "w", bare(testResult("other", 1))), database.everything(), 400, "attestation_mismatch");
    refused(database, api.call("complete", jobId, "w", bare(testResult(jobId, 2))), database.everything(), 400, "attestation_mismatch");
    assertThat(api.job(jobId).get("state").asText()).isEqualTo("claimed");
  }

  @EveryDatabase
  void a_statement_of_an_earlier_claim_is_refused_to_the_holder_of_the_present_one(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);
    api.call("fail", jobId, "w", TOKEN, "\"retry_delay_seconds\": 0").ok();
    assertThat(api.claim("w")).hasSize(1);
    List<String> before = database.everything();

    for (String token : List.of("\"fencing_token\": 2", "\"fencing_token\": 0")) {
      Api.Answer answer = api.call("complete", jobId, "w", token, bare(statement(HEX, jobId, 1)));
      refused(database, answer, before, 400, "attestation_mismatch");
      assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo("attestation.body");
    }
    refused(database, api.call("complete", jobId, "w", TOKEN, bare(statement(HEX, jobId, 1))), before, 409, "stale_fencing_token");
    api.call("complete", jobId, "w", "\"fencing_token\": 2", bare(statement(HEX, jobId, 2))).ok();
  }

  @EveryDatabase
  void a_stranger_hears_nothing_of_what_the_attestation_lacks(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);
    api.patch("/v1/queues/q", "{\"attestation\": \"signed\"}").ok();

    refused(database, api.call("complete", jobId, "stranger", bare(statement("cd".repeat(32), jobId, 7))), database.everything(), 409, "not_holder");
  }

  @EveryDatabase
  void a_statement_that_names_another_principal_is_refused(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);
    String predicate = "{\"job_id\":\"" + jobId + "\",\"fencing_token\":1,\"principal\":\"%s\"}";
    String subjects = "[{\"digest\":{\"sha256\":\"" + HEX + "\"}}]";

    refused(database, api.call("complete", jobId, "w", bare(statement(subjects, predicate.formatted("root")))), database.everything(), 400,
        "attestation_mismatch");
    api.call("complete", jobId, "w", bare(statement(subjects, predicate.formatted("local")))).ok();
  }

  @EveryDatabase
  void other_media_types_are_stored_unread(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);

    api.call("complete", jobId, "w", TOKEN, OTHER).ok();

    assertThat(new String(api.get("/v1/jobs/" + jobId + "/attestation").http().body(), StandardCharsets.UTF_8)).isEqualTo("seen");
  }

  @EveryDatabase
  void many_completions_are_each_held_against_their_own_job(TestDatabase database) {
    Api api = database.serve();
    String first = api.aClaimedJob("w", SUBJECT);
    String second = api.aClaimedJob("w", SUBJECT);
    api.patch("/v1/queues/q", "{\"attestation\": \"required\"}").ok();

    JsonNode results = api.post("/v1/jobs/complete", "{\"completions\": [" + completion(first, bare(statement("cd".repeat(32), first, 1))) + ","
        + completion(second, bare(statement(HEX, second, 1))) + "]}").ok().get("results");

    assertThat(results.at("/0/error/reason").asText()).isEqualTo("attestation_mismatch");
    assertThat(results.at("/1/job/state").asText()).isEqualTo("succeeded");
    assertThat(database.rows("select job_id from attestation")).containsExactly(second);

    List<String> before = database.everything();
    Api.Answer malformed = api.post("/v1/jobs/complete", "{\"completions\": [" + completion(first, bare("{}")) + "]}");
    malformed.refused(400, "invalid_argument");
    assertThat(malformed.json().at("/errors/0/field").asText()).isEqualTo("completions[0].completion.attestation.body");
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void completions_are_counted_by_what_they_carried(TestDatabase database) {
    Api api = database.serve();
    Signer signer = Signer.ed25519().addedFor("local", database);
    String none = api.aClaimedJob("w");
    api.call("complete", none, "w").ok();
    String other = api.aClaimedJob("w");
    api.call("complete", other, "w", OTHER).ok();
    String unsigned = api.aClaimedJob("w", SUBJECT);
    api.call("complete", unsigned, "w", bare(statement(HEX, unsigned, 1))).ok();
    String unverified = api.aClaimedJob("w", SUBJECT);
    api.call("complete", unverified, "w", enveloped(Signer.p256().signed(statement(HEX, unverified, 1)))).ok();
    String signed = api.aClaimedJob("w", SUBJECT);
    api.call("complete", signed, "w", enveloped(signer.signed(statement(HEX, signed, 1)))).ok();
    api.call("complete", "no-such-job", "w").refused(404, "not_found");

    String metrics = new String(api.get("/metrics").http().body(), StandardCharsets.UTF_8);
    for (String kind : List.of("none", "other", "unsigned", "unverified", "signed")) {
      assertThat(metrics).contains("agwp_attestations_total{kind=\"" + kind + "\",queue=\"q\"} 1.0");
    }
  }

  @EveryDatabase
  void a_completion_that_is_repeated_is_counted_once(TestDatabase database) {
    Api api = database.serve();
    String one = api.aClaimedJob("w");
    String many = "{\"completions\": [" + completion(api.aClaimedJob("w"), OTHER) + "]}";

    for (int i = 0; i < 2; i++) {
      api.call("complete", one, "w", TOKEN).ok();
      assertThat(api.post("/v1/jobs/complete", many).ok().at("/results/0/job/state").asText()).isEqualTo("succeeded");
    }

    assertThat(api.get("/metrics").text()).contains("agwp_attestations_total{kind=\"none\",queue=\"q\"} 1.0")
        .contains("agwp_attestations_total{kind=\"other\",queue=\"q\"} 1.0");
  }

  private static String completion(String jobId, String attestation) {
    return "{\"job_id\": \"" + jobId + "\", \"completion\": {\"worker\": \"w\", \"outcome\": \"passed\", " + TOKEN + ", " + attestation + "}}";
  }

  /** As ag-worker of releases 1.0.0 to 1.3.0 writes it. */
  private static String testResult(String jobId, long attempts) {
    return "{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[{\"name\":\"" + jobId + "\",\"digest\":{\"sha256\":\"" + HEX + "\"}}],"
        + "\"predicateType\":\"https://in-toto.io/attestation/test-result/v0.1\",\"predicate\":{\"result\":\"PASSED\",\"configuration\":["
        + "{\"name\":\"command\",\"mediaType\":\"application/json\",\"content\":\"WyJ0cnVlIl0=\",\"annotations\":{\"agwp_job_id\":\"" + jobId
        + "\",\"agwp_queue\":\"q\",\"agwp_attempts\":" + attempts + "}}]}}";
  }

  private static void refused(TestDatabase database, Api.Answer answer, List<String> before, int status, String reason) {
    assertThat(answer.status()).as(answer.json().toString()).isEqualTo(status);
    assertThat(answer.json().get("reason").asText()).isEqualTo(reason);
    assertThat(database.everything()).isEqualTo(before);
  }
}
