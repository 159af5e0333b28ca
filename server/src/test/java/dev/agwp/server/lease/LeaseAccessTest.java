package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Who may lease and integrate, where credentials are asked for (ADR-0017). */
final class LeaseAccessTest {
  private static final NamePatterns TEAM = new NamePatterns(List.of("team-*"));

  @EveryDatabase
  void a_validation_needs_what_enqueuing_needs_and_without_it_nothing_is_stored(TestDatabase database) {
    Api api = database.serve();
    Leases worker = Leases.of(api.as(database.aToken("alice", Scope.WORK)));
    Leases team = Leases.of(api.as(database.aToken("alice", TEAM, Scope.WORK, Scope.ENQUEUE)));
    ObjectNode lease = worker.given("w", "a");
    List<String> before = database.everything();

    refused(worker.integrate(lease, List.of("a"), validation("team-a")), "validation");
    refused(team.integrate(lease, List.of("a"), validation("other")), "validation.queue");
    assertThat(database.everything()).isEqualTo(before);

    assertThat(worker.integrate(lease, List.of("a")).ok().get("state").asText()).isEqualTo("accepted");
    assertThat(team.integrate(lease, List.of("a"), validation("team-a")).ok().get("state").asText()).isEqualTo("validating");
  }

  @EveryDatabase
  void the_right_lease_label_and_token_under_another_principal_are_refused(TestDatabase database) {
    Api api = database.serve();
    Leases alice = Leases.of(api.as(database.aToken("alice", Scope.WORK)));
    Leases mallory = Leases.of(api.as(database.aToken("mallory", Scope.WORK)));
    ObjectNode lease = alice.given("w", "a");
    assertThat(lease.get("holder").asText()).isEqualTo("alice|w");
    List<String> before = database.everything();

    for (Api.Answer answer : List.of(mallory.renew(lease), mallory.release(lease), mallory.integrate(lease, List.of("a")))) {
      answer.refused(409, "failed_precondition");
      assertThat(answer.json().get("reason").asText()).isEqualTo("not_holder");
    }

    assertThat(database.everything()).isEqualTo(before);
    alice.integrate(lease, List.of("a")).ok();
  }

  @EveryDatabase
  void an_acquire_that_waits_gets_no_lease_once_its_token_is_revoked(TestDatabase database) {
    Api api = database.serve();
    Leases alice = Leases.of(api.as(database.aToken("alice", Scope.WORK, Scope.READ)));
    String token = database.aToken("bob", Scope.WORK);
    Leases bob = Leases.of(api.as(token));
    ObjectNode lease = alice.given("w", "a");
    CompletableFuture<Api.Answer> waiting = bob.acquireLater("w", List.of("a"), "\"wait_seconds\": 30");
    await().until(() -> api.get("/metrics").text().contains("agwp_leases_waiting 1.0"));
    database.revoke(token);
    await().until(() -> bob.api().get("/v1/leases?repo=r").status() == 401);

    alice.release(lease).ok();

    waiting.join().refused(409, "failed_precondition");
    assertThat(alice.api().get("/v1/leases?repo=r").ok().get("leases")).hasSize(1);
  }

  private static String validation(String queue) {
    return "\"validation\": {\"queue\": \"" + queue + "\"}";
  }

  private static void refused(Api.Answer answer, String field) {
    answer.refused(403, "permission_denied");
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo(field);
  }
}
