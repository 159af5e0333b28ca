package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.AuditRows;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;

/** What leases and integrations leave in the audit log (ADR-0020). */
final class LeaseAuditTest {
  private static final String VALIDATION = "\"validation\": {\"queue\": \"q\", \"max_attempts\": 1}";

  @EveryDatabase
  void an_event_of_a_lease_says_whose_it_is_by_which_token_and_of_which_call(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.api().send(leases.api().request("/v1/leases").header("Content-Type", "application/json")
        .header("X-Request-Id", "my-call").POST(BodyPublishers.ofString(leases.acquireRequest("alice", List.of("a/", "b")))).build()).ok();
    leases.renew(lease, "\"ttl_seconds\": 90").ok();
    long renewedAt = database.number("select expires_at from lease") - 90_000;
    leases.release(lease).ok();

    List<Event> events = AuditRows.events(database);

    assertThat(texts(events, Field.KIND)).containsExactly("lease_acquired", "lease_renewed", "lease_released");
    assertThat(texts(events, Field.OUTCOME)).containsExactly("held", "held", "released");
    assertThat(texts(events, Field.PRINCIPAL)).containsOnly("local");
    assertThat(texts(events, Field.WORKER)).containsOnly("alice");
    assertThat(texts(events, Field.SUBJECT)).containsOnly(lease.get("lease_id").asText());
    assertThat(texts(events, Field.DETAIL)).containsOnly("repo=r fencing_token=1 paths=" + LeaseEvents.digest("[\"a/\",\"b\"]"));
    assertThat(events.get(0).text(Field.REQUEST_ID)).isEqualTo("my-call");
    assertThat(texts(events.subList(1, 3), Field.REQUEST_ID)).doesNotContainNull().doesNotContain("my-call");
    assertThat(events).extracting(Event::atMs).containsExactly(database.number("select acquired_at from lease"), renewedAt,
        events.get(2).atMs());
    assertThat(events.get(2).atMs()).isBetween(renewedAt, renewedAt + 60_000);
  }

  @EveryDatabase
  void a_lease_that_another_one_ends_leaves_an_event_of_who_lost_it(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lost = leases.given("alice", "a/");
    Leases.expire(database, lost);
    leases.given("bob", "a/b");

    List<Event> events = AuditRows.events(database);

    assertThat(texts(events, Field.KIND)).containsExactly("lease_acquired", "lease_expired", "lease_acquired");
    assertThat(events.get(1).text(Field.WORKER)).isEqualTo("alice");
    assertThat(events.get(1).text(Field.SUBJECT)).isEqualTo(lost.get("lease_id").asText());
    assertThat(events.get(1).text(Field.OUTCOME)).isEqualTo("expired");
    assertThat(events.get(1).text(Field.REQUEST_ID)).isNull();
  }

  @EveryDatabase
  void what_changes_no_lease_and_no_integration_leaves_no_event(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    String request = "\"request_id\": \"once\"";
    ObjectNode lease = leases.acquire("alice", List.of("a"), request).ok();
    leases.integrate(lease, List.of("a"), request).ok();
    ObjectNode released = leases.given("alice", "b");
    leases.release(released).ok();
    List<String> before = AuditRows.kinds(database);

    leases.acquire("alice", List.of("a"), request).ok();
    leases.integrate(lease, List.of("a"), request).ok();
    leases.release(released).ok();
    leases.acquire("bob", List.of("a")).refused(409, "failed_precondition");
    leases.renew(released).refused(409, "failed_precondition");
    leases.call("release", lease.get("lease_id").asText(), "bob", 1).refused(409, "failed_precondition");
    leases.integrate(lease, List.of("../a")).refused(400, "invalid_argument");

    assertThat(AuditRows.kinds(database)).isEqualTo(before);
  }

  @EveryDatabase
  void an_integration_leaves_its_event_and_one_each_time_its_job_moves_it(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    Api api = leases.api();
    ObjectNode lease = leases.given("alice", "a");
    ObjectNode first = leases.integrate(lease, List.of("a"), VALIDATION).ok();
    api.call("complete", api.claim("w1").get(0).get("job_id").asText(), "w1").ok();
    String cancelled = leases.integrate(lease, List.of("a"), VALIDATION).ok().get("job_id").asText();
    api.cancel(cancelled).ok();
    api.retry(cancelled).ok();
    api.claim("w2");
    database.expireLease(cancelled);
    assertThat(api.claim("w3")).isEmpty();
    leases.integrate(lease, List.of("a"), VALIDATION).ok();
    api.call("fail", api.claim("w4").get(0).get("job_id").asText(), "w4").ok();
    api.call("complete", api.aClaimedJob("w5"), "w5").ok();

    List<Event> accepted = ofKind(database, "integration_accepted");
    List<Event> moved = ofKind(database, "integration_moved");

    assertThat(texts(accepted, Field.OUTCOME)).containsExactly("validating", "validating", "validating");
    assertThat(texts(moved, Field.OUTCOME)).containsExactly("validated", "rejected", "validating", "rejected", "rejected");
    assertThat(texts(moved, Field.WORKER)).containsExactly("w1", null, null, "w2", "w4");
    for (Event event : List.of(accepted.get(0), moved.get(0))) {
      assertThat(event.text(Field.SUBJECT)).isEqualTo(first.get("integration_id").asText());
      assertThat(event.text(Field.SUBJECT_DIGEST)).isEqualTo(Leases.DIGEST);
      assertThat(event.text(Field.JOB_ID)).isEqualTo(first.get("job_id").asText());
      assertThat(event.text(Field.QUEUE)).isEqualTo("q");
      assertThat(event.text(Field.DETAIL))
          .isEqualTo("sequence=1 repo=r paths=" + LeaseEvents.digest("[\"a\"]") + " fencing_tokens=[1]");
      assertThat(event.text(Field.REQUEST_ID)).isNotNull();
    }
    assertThat(accepted.get(0).text(Field.WORKER)).isEqualTo("alice");
    assertThat(moved.get(0).number(Field.ATTEMPTS)).isEqualTo(1);
  }

  /** A large call is written by itself and not with others. */
  @EveryDatabase
  void a_large_completion_leaves_the_event_of_the_integration_that_it_moves_too(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    Api api = leases.api();
    leases.integrate(leases.given("alice", "a"), List.of("a"), VALIDATION).ok();
    String job = api.claim("w1").get(0).get("job_id").asText();

    api.post("/v1/jobs/" + job + "/complete",
        "{\"worker\": \"w1\", \"outcome\": \"failed\", \"result\": {\"log\": \"" + "x".repeat(100_000) + "\"}}").ok();

    assertThat(texts(ofKind(database, "integration_moved"), Field.OUTCOME)).containsExactly("rejected");
  }

  @EveryDatabase
  void a_job_that_goes_on_moves_no_integration(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    Api api = leases.api();
    leases.integrate(leases.given("alice", "a"), List.of("a"), "\"validation\": {\"queue\": \"q\", \"max_attempts\": 9}").ok();
    String job = api.claim("w1").get(0).get("job_id").asText();
    api.call("heartbeat", job, "w1").ok();
    api.call("fail", job, "w1", "\"retry_delay_seconds\": 0").ok();
    api.claim("w2");
    api.call("release", job, "w2").ok();
    api.claim("w3");
    database.expireLease(job);
    assertThat(api.claim("w4")).hasSize(1);

    assertThat(ofKind(database, "integration_moved")).isEmpty();
  }

  @EveryDatabase
  void a_refused_integrate_leaves_its_event_and_nothing_else(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.given("alice", "a");
    List<String> before = database.everything();

    leases.integrate("bob", List.of(1L), List.of("a"), VALIDATION).refused(409, "failed_precondition");
    leases.integrate("alice", List.of(7L), List.of("a")).refused(409, "failed_precondition");
    new Leases(leases.api(), "unknown").integrate("alice", List.of(1L), List.of("a")).refused(409, "failed_precondition");

    List<Event> refused = ofKind(database, "integration_refused");
    assertThat(texts(refused, Field.REASON)).containsExactly("not_holder", "stale_fencing_token", "not_holder");
    assertThat(texts(refused, Field.WORKER)).containsExactly("bob", "alice", "alice");
    assertThat(texts(refused, Field.SUBJECT_DIGEST)).containsOnly(Leases.DIGEST);
    assertThat(refused.get(1).text(Field.DETAIL)).isEqualTo("repo=r paths=" + LeaseEvents.digest("[\"a\"]") + " fencing_tokens=[7]");
    assertThat(AuditRows.kinds(database)).hasSize(4);
    assertThat(database.everything()).isEqualTo(before);
  }

  private static List<Event> ofKind(TestDatabase database, String kind) {
    return AuditRows.events(database).stream().filter(event -> event.text(Field.KIND).equals(kind)).toList();
  }

  private static List<String> texts(List<Event> events, Field field) {
    return events.stream().map(event -> event.text(field)).toList();
  }
}
