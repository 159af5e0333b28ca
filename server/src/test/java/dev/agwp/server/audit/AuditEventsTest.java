package dev.agwp.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.attestation.Sha256;
import dev.agwp.server.access.Tokens;
import dev.agwp.server.attestation.RegisteredKeys;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.storage.Database;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.AuditRows;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.Signer;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.Contract;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class AuditEventsTest {
  private static final String ATTESTATION = "\"attestation\": {\"media_type\": \"text/plain\", \"body\": \""
      + Base64.getEncoder().encodeToString("secret attestation".getBytes(StandardCharsets.UTF_8)) + "\"}";
  private static final String OF_HOLDER = "{\"holder\": \"w\", \"fencing_token\": 1}";
  private static final String ATTESTATION_DIGEST = digest("secret attestation");

  /** An operation that comes to the contract must come to this table. */
  @EveryDatabase
  void every_operation_that_changes_something_leaves_exactly_one_event(TestDatabase database) {
    Api api = database.serve();
    List<String> held = IntStream.range(0, 8).mapToObj(i -> api.aClaimedJob("w")).toList();
    Map<String, Runnable> changes = new LinkedHashMap<>();
    changes.put("heartbeatJob", () -> api.call("heartbeat", held.get(0), "w").ok());
    changes.put("heartbeatJobs", () -> api.post("/v1/jobs/heartbeat", many("heartbeats", "heartbeat", held.get(0), "")).ok());
    changes.put("completeJob", () -> api.call("complete", held.get(1), "w").ok());
    changes.put("completeJobs",
        () -> api.post("/v1/jobs/complete", many("completions", "completion", held.get(2), ", \"outcome\": \"failed\"")).ok());
    changes.put("failJob", () -> api.call("fail", held.get(3), "w", "\"terminal\": true").ok());
    changes.put("failJobs", () -> api.post("/v1/jobs/fail", many("failures", "failure", held.get(4), ", \"terminal\": true")).ok());
    changes.put("cancelJob", () -> api.cancel(held.get(5)).ok());
    changes.put("releaseJob", () -> api.call("release", held.get(6), "w").ok());
    changes.put("claimJob", () -> assertThat(api.claim("w")).hasSize(1));
    changes.put("retryJob", () -> api.retry(held.get(5)).ok());
    changes.put("enqueueJob", api::aQueuedJob);
    changes.put("enqueueJobs", () -> api.post("/v1/jobs/batch", "{\"jobs\": [{\"queue\": \"q\"}]}").ok());
    changes.put("updateQueue", () -> api.patch("/v1/queues/q", "{\"paused\": true}").ok());
    String lease = "{\"repo\": \"r\", \"holder\": \"w\", \"paths\": [\"a\"]}";
    changes.put("acquireLease", () -> api.post("/v1/leases", lease).ok());
    changes.put("renewLease", () -> api.post("/v1/leases/" + leaseId(api) + "/renew", OF_HOLDER).ok());
    changes.put("integrate", () -> api.post("/v1/integrations", "{\"repo\": \"r\", \"holder\": \"w\", \"paths\": [\"a\"], "
        + "\"change_digest\": \"" + digest("change") + "\", \"fencing_tokens\": [1]}").ok());
    changes.put("releaseLease", () -> api.post("/v1/leases/" + leaseId(api) + "/release", OF_HOLDER).ok());

    changes.forEach((operation, change) -> {
      List<String> before = AuditRows.kinds(database);
      change.run();
      assertThat(AuditRows.kinds(database)).as(operation).hasSize(before.size() + 1);
    });

    assertThat(AuditRows.kinds(database).subList(16, 33)).containsExactly("job_heartbeat", "job_heartbeat", "job_completed",
        "job_completed", "job_failed", "job_failed", "job_cancelled", "job_released", "job_claimed", "job_retried", "job_enqueued",
        "job_enqueued", "queue_updated", "lease_acquired", "lease_renewed", "integration_accepted", "lease_released");
    Set<String> changing = Contract.load().operations().stream().filter(operation -> !operation.method().equals("get"))
        .map(Contract.Operation::id).collect(Collectors.toSet());
    assertThat(changes.keySet()).isEqualTo(changing);
  }

  private static String leaseId(Api api) {
    return api.get("/v1/leases?repo=r").ok().at("/leases/0/lease_id").asText();
  }

  private static String many(String list, String member, String jobId, String more) {
    return "{\"" + list + "\": [{\"job_id\": \"" + jobId + "\", \"" + member + "\": {\"worker\": \"w\"" + more + "}}]}";
  }

  @EveryDatabase
  void an_event_says_who_changed_what_when_and_by_which_claim(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.send(api.request("/v1/jobs/" + jobId + "/complete").header("Content-Type", "application/json").header("X-Request-Id", "my-call")
        .POST(BodyPublishers.ofString("{\"worker\": \"w1\", \"outcome\": \"passed\"}")).build()).ok();

    Event completed = AuditRows.events(database).get(2);

    assertThat(completed.text(Field.KIND)).isEqualTo("job_completed");
    assertThat(completed.atMs()).isEqualTo(database.number("select updated_at from job"));
    assertThat(completed.text(Field.PRINCIPAL)).isEqualTo("local");
    assertThat(completed.text(Field.WORKER)).isEqualTo("w1");
    assertThat(completed.text(Field.QUEUE)).isEqualTo("q");
    assertThat(completed.text(Field.JOB_ID)).isEqualTo(jobId);
    assertThat(completed.number(Field.ATTEMPTS)).isEqualTo(1);
    assertThat(completed.text(Field.OUTCOME)).isEqualTo("passed");
    assertThat(completed.text(Field.REQUEST_ID)).isEqualTo("my-call");
  }

  @EveryDatabase
  void an_event_holds_digests_and_never_what_they_are_of(TestDatabase database) {
    Api api = database.serve();
    String subject = "sha256:" + "a".repeat(64);
    String jobId = api.aClaimedJob("w1", "\"payload\": {\"key\": \"secret payload\"}", "\"subject_digest\": \"" + subject + "\"");
    api.call("complete", jobId, "w1", "\"summary\": \"secret summary\"", "\"result\": {\"key\": \"secret result\"}", ATTESTATION).ok();
    String failed = api.aClaimedJob("w1");
    api.call("fail", failed, "w1", "\"reason\": \"crashed\"", "\"message\": \"secret message\"").ok();

    List<Event> events = AuditRows.events(database);

    assertThat(events.get(0).text(Field.SUBJECT_DIGEST)).isEqualTo(subject);
    assertThat(events.get(0).text(Field.PAYLOAD_DIGEST)).isEqualTo(digest("{\"key\":\"secret payload\"}"));
    assertThat(events.get(2).text(Field.RESULT_DIGEST)).isEqualTo(digest("{\"key\":\"secret result\"}"));
    assertThat(events.get(2).text(Field.ATTESTATION_DIGEST)).isEqualTo(ATTESTATION_DIGEST);
    assertThat(events.get(5).text(Field.REASON)).isEqualTo("crashed");
    assertThat(events).noneMatch(event -> new String(event.preimage(), StandardCharsets.UTF_8).contains("secret"));
  }

  @EveryDatabase
  void a_refused_completion_leaves_its_event_and_nothing_else(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    List<String> before = database.everything();

    api.call("complete", jobId, "w1", "\"fencing_token\": 7", ATTESTATION).refused(409, "failed_precondition");
    api.call("complete", jobId, "w2", ATTESTATION).refused(409, "failed_precondition");
    api.call("complete", "unknown", "w1").refused(404, "not_found");

    List<Event> refused = AuditRows.events(database).subList(2, 5);
    assertThat(refused).extracting(event -> event.text(Field.KIND)).containsOnly("completion_refused");
    assertThat(refused).extracting(event -> event.text(Field.REASON)).containsExactly("stale_fencing_token", "not_holder", "unknown_job");
    assertThat(refused).extracting(event -> event.text(Field.ATTESTATION_DIGEST)).containsExactly(ATTESTATION_DIGEST, ATTESTATION_DIGEST, null);
    assertThat(refused).extracting(event -> event.number(Field.ATTEMPTS)).containsExactly(7L, null, null);
    assertThat(refused).extracting(event -> event.text(Field.QUEUE)).containsExactly("q", "q", null);
    assertThat(refused).extracting(event -> event.text(Field.JOB_ID)).containsExactly(jobId, jobId, "unknown");
    assertThat(refused).noneMatch(event -> new String(event.preimage(), StandardCharsets.UTF_8).contains("secret"));
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_completion_refused_for_what_its_attestation_says_leaves_its_event(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    String junk = "\"attestation\": {\"media_type\": \"application/vnd.in-toto+json\", \"body\": \"eA==\"}";

    api.call("complete", jobId, "w1", junk).refused(400, "invalid_argument");

    Event refused = AuditRows.events(database).get(2);
    assertThat(refused.text(Field.KIND)).isEqualTo("completion_refused");
    assertThat(refused.text(Field.QUEUE)).isEqualTo("q");
    assertThat(refused.text(Field.REASON)).isEqualTo("invalid_argument");
    assertThat(refused.text(Field.ATTESTATION_DIGEST)).isEqualTo(digest("x"));
    api.call("complete", jobId, "w1").ok();
  }

  @EveryDatabase
  void tokens_and_keys_leave_events_of_whose_they_are_and_no_secret(TestDatabase database) {
    database.serve();
    try (Database opened = Database.open(database.url())) {
      Tokens tokens = new Tokens(opened);
      String secret = tokens.create("ci", List.of(Scope.WORK), NamePatterns.ALL, null);
      String id = tokens.list().get(0).id();
      tokens.revoke(id);
      tokens.revoke(id);
      Signer signer = Signer.ed25519();
      RegisteredKeys keys = new RegisteredKeys(opened);
      keys.add("ci", signer.key().publicHalf());
      keys.add("ci", signer.key().publicHalf());
      keys.revoke(signer.key().publicHalf().id());
      keys.revoke(signer.key().publicHalf().id());

      List<Event> events = AuditRows.events(database);
      assertThat(events).extracting(event -> event.text(Field.KIND))
          .containsExactly("token_created", "token_revoked", "key_added", "key_revoked");
      assertThat(events.get(0).text(Field.SUBJECT)).isEqualTo(id);
      assertThat(events).allMatch(event -> event.text(Field.DETAIL).startsWith("principal=ci"));
      assertThat(events).noneMatch(event -> new String(event.preimage(), StandardCharsets.UTF_8).contains(secret));
    }
  }

  @EveryDatabase
  void of_many_completions_each_refused_one_leaves_its_event(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w");

    api.post("/v1/jobs/complete", "{\"completions\": [{\"job_id\": \"unknown\", \"completion\": {\"worker\": \"w\", \"outcome\": \"passed\"}},"
        + "{\"job_id\": \"" + jobId + "\", \"completion\": {\"worker\": \"w\", \"outcome\": \"passed\"}}]}").ok();

    assertThat(AuditRows.kinds(database)).containsExactlyInAnyOrder("job_enqueued", "job_claimed", "job_completed", "completion_refused");
  }

  @EveryDatabase
  void a_completion_without_the_token_that_is_required_leaves_its_event(TestDatabase database) {
    Api api = database.serveRequiringFencing();
    String jobId = api.aClaimedJob("w");

    api.call("complete", jobId, "w").refused(409, "failed_precondition");

    assertThat(AuditRows.events(database).get(2).text(Field.REASON)).isEqualTo("fencing_token_required");
  }

  @EveryDatabase
  void a_completion_that_is_repeated_leaves_no_second_event(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");

    api.call("complete", jobId, "w1", "\"fencing_token\": 1").ok();
    api.call("complete", jobId, "w1", "\"fencing_token\": 1").ok();

    assertThat(AuditRows.kinds(database)).containsExactly("job_enqueued", "job_claimed", "job_completed");
  }

  @EveryDatabase
  void what_changes_nothing_leaves_no_event(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1", "\"unique_key\": \"k\"");
    api.claim("w1", "\"request_id\": \"r\"");
    List<String> before = AuditRows.kinds(database);

    assertThat(api.post("/v1/jobs", "{\"queue\": \"q\", \"unique_key\": \"k\"}").ok().get("job_id").asText()).isEqualTo(jobId);
    for (String call : List.of("heartbeat", "fail", "release")) {
      api.call(call, jobId, "w2").refused(404, "not_found");
    }
    api.retry(jobId).refused(409, "failed_precondition");
    api.cancel("unknown").refused(404, "not_found");
    api.patch("/v1/queues/unknown", "{\"paused\": true}").refused(404, "not_found");
    api.post("/v1/jobs", "{\"queue\": \"not a name\"}").refused(400, "invalid_argument");
    api.post("/v1/jobs/" + jobId + "/complete", "{\"worker\": \"w1\"}").refused(400, "invalid_argument");
    assertThat(api.claim("w1")).isEmpty();

    assertThat(AuditRows.kinds(database)).isEqualTo(before);
  }

  @EveryDatabase
  void a_claim_that_is_repeated_leaves_no_second_event(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();

    api.claim("w1", "\"request_id\": \"r\"");
    api.claim("w1", "\"request_id\": \"r\"");

    assertThat(AuditRows.kinds(database)).containsExactly("job_enqueued", "job_claimed");
  }

  @EveryDatabase
  void a_lease_that_runs_out_leaves_an_event_of_who_lost_it(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1", "\"max_attempts\": 2");

    database.expireLease(jobId);
    assertThat(api.claim("w2")).hasSize(1);
    database.expireLease(jobId);
    assertThat(api.claim("w3")).isEmpty();

    List<Event> events = AuditRows.events(database);
    assertThat(events).extracting(event -> event.text(Field.KIND))
        .containsExactly("job_enqueued", "job_claimed", "job_lease_expired", "job_claimed", "job_lease_expired");
    assertThat(events.get(2).text(Field.WORKER)).isEqualTo("w1");
    assertThat(events.get(2).text(Field.OUTCOME)).isEqualTo("claimed");
    assertThat(events.get(2).number(Field.ATTEMPTS)).isEqualTo(1);
    assertThat(events.get(4).text(Field.PRINCIPAL)).isEqualTo("local");
    assertThat(events.get(4).text(Field.WORKER)).isEqualTo("w2");
    assertThat(events.get(4).text(Field.OUTCOME)).isEqualTo("dead");
    assertThat(events.get(4).text(Field.REQUEST_ID)).isNull();
  }

  @EveryDatabase
  void the_job_that_comes_with_an_outcome_leaves_its_own_event(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    String next = api.aQueuedJob();

    api.call("complete", jobId, "w1", "\"claim_next\": {\"queues\": [\"q\"]}").ok();

    List<Event> events = AuditRows.events(database);
    assertThat(events).extracting(event -> event.text(Field.KIND))
        .containsExactly("job_enqueued", "job_claimed", "job_enqueued", "job_completed", "job_claimed");
    assertThat(events.get(4).text(Field.JOB_ID)).isEqualTo(next);
    assertThat(events.get(4).text(Field.REQUEST_ID)).isEqualTo(events.get(3).text(Field.REQUEST_ID));
  }

  @EveryDatabase
  void a_thousand_jobs_of_one_call_leave_their_events_in_their_order(TestDatabase database) {
    Api api = database.serve();

    JsonNode jobs = api.post("/v1/jobs/batch", "{\"jobs\": [" + "{\"queue\": \"q\"},".repeat(999) + "{\"queue\": \"q\"}]}").ok().get("jobs");

    assertThat(AuditRows.events(database)).extracting(event -> event.text(Field.JOB_ID))
        .containsExactlyElementsOf(jobs.findValuesAsText("job_id"));
  }

  @EveryDatabase
  void what_was_changed_of_a_queue_is_on_record(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();
    api.patch("/v1/queues/q", "{\"require_fencing\": true}").ok();

    Event updated = AuditRows.events(database).get(1);

    assertThat(updated.text(Field.QUEUE)).isEqualTo("q");
    assertThat(updated.text(Field.DETAIL)).isEqualTo("paused=false require_fencing=true attestation=none");
  }

  @EveryDatabase
  void a_transaction_that_is_rolled_back_leaves_no_event(TestDatabase file) {
    try (Database database = Database.open(file.url())) {
      assertThatThrownBy(() -> database.inTransaction(tx -> {
        tx.audit(Event.of(EventKind.QUEUE_UPDATED, 1));
        throw new IllegalStateException("after the event");
      })).hasMessage("after the event");

      assertThat(AuditRows.events(file)).isEmpty();
    }
  }

  private static String digest(String text) {
    return Sha256.written(Sha256.hash(text.getBytes(StandardCharsets.UTF_8)));
  }
}
