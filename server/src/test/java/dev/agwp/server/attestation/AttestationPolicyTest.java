package dev.agwp.server.attestation;

import static dev.agwp.server.testing.Signer.attestation;
import static dev.agwp.server.testing.Signer.bare;
import static dev.agwp.server.testing.Signer.enveloped;
import static dev.agwp.server.testing.Signer.statement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.Signer;
import dev.agwp.server.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** ADR-0019: what a queue requires of the attestations of its jobs. */
@Execution(ExecutionMode.CONCURRENT)
final class AttestationPolicyTest {
  private static final String HEX = "ab".repeat(32);
  private static final String SUBJECT = "\"subject_digest\": \"sha256:" + HEX + "\"";
  private static final String TOKEN = "\"fencing_token\": 1";

  @EveryDatabase
  void a_queue_that_requires_an_attestation_refuses_completions_without_a_statement(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);
    require(api, "required");
    List<String> before = database.everything();

    refused(database, api.call("complete", jobId, "w", TOKEN), before, "attestation_required");
    refused(database, api.call("complete", jobId, "w"), before, "attestation_required");
    refused(database, api.call("complete", jobId, "w", TOKEN, attestation("text/plain", "seen")), before, "attestation_required");

    api.call("complete", jobId, "w", TOKEN, bare(statement(HEX, jobId, 1))).ok();
  }

  @EveryDatabase
  void a_queue_that_requires_a_signature_takes_one_of_the_callers_own_keys_alone(TestDatabase database) {
    Api api = database.serve();
    Signer mine = Signer.p256().addedFor("local", database);
    Signer stranger = Signer.ed25519().addedFor("somebody-else", database);
    String jobId = api.aClaimedJob("w", SUBJECT);
    String statement = statement(HEX, jobId, 1);
    require(api, "signed");
    List<String> before = database.everything();

    refused(database, api.call("complete", jobId, "w", TOKEN), before, "attestation_required");
    refused(database, api.call("complete", jobId, "w", TOKEN, attestation("text/plain", "seen")), before, "attestation_required");
    refused(database, api.call("complete", jobId, "w", TOKEN, bare(statement)), before, "attestation_unsigned");
    refused(database, api.call("complete", jobId, "w", TOKEN, enveloped(Signer.ed25519().signed(statement))), before, "attestation_invalid");
    refused(database, api.call("complete", jobId, "w", TOKEN, enveloped(stranger.signed(statement))), before, "attestation_invalid");

    assertThat(api.call("complete", jobId, "w", TOKEN, enveloped(mine.signed(statement))).ok().get("attestation_key_id").asText())
        .isEqualTo(mine.key().id());
  }

  @EveryDatabase
  void what_is_required_is_of_one_queue_and_can_be_taken_back(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w");
    assertThat(api.get("/v1/queues/q").ok().get("attestation").asText()).isEqualTo("none");
    api.post("/v1/jobs", "{\"queue\": \"other\"}").ok();
    String other = api.post("/v1/jobs/claim", "{\"queues\": [\"other\"], \"worker\": \"w\"}").ok().at("/jobs/0/job_id").asText();

    require(api, "required");
    api.call("complete", other, "w").ok();
    assertThat(api.patch("/v1/queues/q", "{\"paused\": false}").ok().get("attestation").asText()).as("left as it was").isEqualTo("required");
    assertThat(api.get("/v1/queues").ok().at("/queues/1/attestation").asText()).isEqualTo("required");

    require(api, "none");
    api.call("complete", jobId, "w").ok();
  }

  @EveryDatabase
  void a_policy_there_is_not_changes_nothing(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();
    List<String> before = database.everything();

    for (String wrong : List.of("\"always\"", "1", "{}", "\"\"")) {
      Api.Answer answer = api.patch("/v1/queues/q", "{\"paused\": true, \"attestation\": " + wrong + "}");
      answer.refused(400, "invalid_argument");
      assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo("attestation");
    }

    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_revoked_key_signs_nothing_more_on_any_replica_and_what_it_signed_stays(TestDatabase database) {
    Api api = database.serve();
    Api replica = database.isPostgresql() ? database.serve() : api;
    Signer signer = Signer.ed25519().addedFor("local", database);
    String before = api.aClaimedJob("w", SUBJECT);
    String after = api.aClaimedJob("w", SUBJECT);
    require(api, "signed");
    String attestation = enveloped(signer.signed(statement(HEX, before, 1)));
    // Both have seen the key while it counted.
    refusedWith(replica.call("complete", after, "w", TOKEN, enveloped(Signer.p256().signed(statement(HEX, after, 1)))), "attestation_invalid");
    api.call("complete", before, "w", TOKEN, attestation).ok();

    signer.revoke(database);

    List<String> stored = database.everything();
    for (Api each : List.of(api, replica)) {
      refused(database, each.call("complete", after, "w", TOKEN, enveloped(signer.signed(statement(HEX, after, 1)))), stored, "attestation_invalid");
      assertThat(each.job(before).get("attestation_key_id").asText()).isEqualTo(signer.key().id());
      each.call("complete", before, "w", TOKEN, attestation).ok();
    }
  }

  @EveryDatabase
  void a_new_key_counts_within_seconds_on_a_server_that_runs(TestDatabase database) {
    Api api = database.serve();
    Signer signer = Signer.ed25519();
    String jobId = api.aClaimedJob("w", SUBJECT);
    require(api, "signed");
    String signed = enveloped(signer.signed(statement(HEX, jobId, 1)));
    refusedWith(api.call("complete", jobId, "w", TOKEN, signed), "attestation_invalid");

    signer.addedFor("local", database);

    await().until(() -> api.call("complete", jobId, "w", TOKEN, signed).status() == 200);
  }

  @EveryDatabase
  void a_completion_that_won_is_answered_again_whatever_is_required_since(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w", SUBJECT);
    String bare = bare(statement(HEX, jobId, 1));
    api.call("complete", jobId, "w", TOKEN, bare).ok();
    require(api, "signed");
    List<String> before = database.everything();

    assertThat(api.call("complete", jobId, "w", TOKEN, bare).ok().get("state").asText()).isEqualTo("succeeded");

    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void completions_at_once_are_each_decided_by_their_own_attestation(TestDatabase database) {
    Api api = database.serve();
    Signer signer = Signer.ed25519().addedFor("local", database);
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      jobs.add(api.aClaimedJob("w", SUBJECT));
    }
    require(api, "signed");

    List<CompletableFuture<Api.Answer>> answers = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      String statement = statement(HEX, jobs.get(i), 1);
      String attestation = i % 2 == 0 ? enveloped(signer.signed(statement)) : bare(statement);
      answers.add(api.postLater("/v1/jobs/" + jobs.get(i) + "/complete",
          "{\"worker\": \"w\", \"outcome\": \"passed\", " + TOKEN + ", " + attestation + "}"));
    }

    for (int i = 0; i < jobs.size(); i++) {
      assertThat(answers.get(i).join().status()).as(String.valueOf(i)).isEqualTo(i % 2 == 0 ? 200 : 409);
    }
    assertThat(database.number("select count(*) from attestation")).isEqualTo(10);
    assertThat(database.number("select count(*) from job where state = 'succeeded' and attestation_key_id is not null")).isEqualTo(10);
  }

  private static void require(Api api, String policy) {
    assertThat(api.patch("/v1/queues/q", "{\"attestation\": \"" + policy + "\"}").ok().get("attestation").asText()).isEqualTo(policy);
  }

  private static void refused(TestDatabase database, Api.Answer answer, List<String> before, String reason) {
    refusedWith(answer, reason);
    assertThat(database.everything()).isEqualTo(before);
  }

  private static void refusedWith(Api.Answer answer, String reason) {
    answer.refused(409, "failed_precondition");
    assertThat(answer.json().get("reason").asText()).isEqualTo(reason);
    assertThat(answer.json().get("detail").asText()).startsWith("the queue q requires a").contains(": ");
  }
}
