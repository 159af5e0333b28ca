package dev.agwp.server.access;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** From a server that lets in everybody to one that asks for a credential. */
final class RollOutTest {
  private static final AccessOptions ALLOW_ANONYMOUS = new AccessOptions(false, true, List.of(), 0, 0, Set.of());
  private static final AccessOptions EXPOSED = new AccessOptions(true, false, List.of(), 0, 0, Set.of());

  @EveryDatabase
  void a_server_without_tokens_serves_everybody_as_local_until_the_first_one_is_made(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      api.aQueuedJob();
      assertThat(api.claim("w").get(0).get("claimed_by").asText()).isEqualTo("local|w");

      database.aToken("ci", Scope.READ);

      await().atMost(4, SECONDS).until(() -> api.get("/v1/queues").status() == 401);
    }
  }

  @EveryDatabase
  void allow_anonymous_goes_on_serving_callers_without_a_credential_and_counts_them(TestDatabase database) {
    try (database) {
      String token = database.aToken("ci", Scope.values());
      Api api = database.serve(ALLOW_ANONYMOUS);
      api.as(token).aQueuedJob();
      api.as(token).get("/v1/queues").ok();

      assertThat(api.claim("w").get(0).get("claimed_by").asText()).isEqualTo("local|w");

      String metrics = api.get("/metrics").text();
      assertThat(metrics).contains("agwp_anonymous_calls_total{operation=\"claimJob\"} 1.0")
          .doesNotContain("agwp_anonymous_calls_total{operation=\"listQueues\"}");
      api.as("agwp_wrong").get("/v1/queues").refused(401, "unauthenticated");
    }
  }

  @Test
  void a_server_that_others_can_reach_does_not_start_before_a_credential_is_asked_for() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      assertThatThrownBy(() -> database.serve(EXPOSED)).isInstanceOf(BadAccessOptions.class).hasMessageContaining("token create");

      database.aToken("ci", Scope.READ);

      database.serve(EXPOSED).get("/v1/queues").refused(401, "unauthenticated");
    }
  }

  @Test
  void what_stands_beside_the_contract_is_open_to_this_machine_and_the_metrics_ask_others_for_a_credential_that_may_read_all() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      String reader = database.aToken("reader", Scope.READ);
      String ofOneQueue = database.aToken("reader", new NamePatterns(List.of("q")), Scope.READ);
      String worker = database.aToken("worker", Scope.WORK, Scope.ENQUEUE, Scope.OPERATE);
      Api local = database.serve();
      Api exposed = database.serve(EXPOSED);

      for (String path : List.of("/healthz", "/readyz", "/docs", "/docs/start.js", "/docs/openapi.json", "/openapi.yaml")) {
        assertThat(local.get(path).status()).as(path).isEqualTo(200);
        assertThat(exposed.get(path).status()).as(path).isEqualTo(200);
      }
      assertThat(local.get("/metrics").status()).isEqualTo(200);
      assertThat(exposed.get("/metrics").status()).isEqualTo(401);
      assertThat(exposed.as(worker).get("/metrics").status()).isEqualTo(403);
      assertThat(exposed.as(ofOneQueue).get("/metrics").status()).isEqualTo(403);
      assertThat(exposed.as(reader).get("/metrics").status()).isEqualTo(200);
    }
  }
}
