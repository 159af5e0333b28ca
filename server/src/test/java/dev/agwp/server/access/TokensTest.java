package dev.agwp.server.access;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bearer tokens, as their holders meet them. */
final class TokensTest {
  /** What "within seconds" is held to. */
  private static final int FELT_WITHIN_SECONDS = 4;
  private static final Scope[] EVERY_SCOPE = Scope.values();

  @EveryDatabase
  void the_principal_of_a_claim_is_that_of_the_token(TestDatabase database) {
    try (database) {
      Api ci = database.serve().as(database.aToken("ci@build/1", EVERY_SCOPE));
      ci.aQueuedJob();

      assertThat(ci.claim("w1").get(0).get("claimed_by").asText()).isEqualTo("ci@build/1|w1");
    }
  }

  @EveryDatabase
  void an_unknown_token_and_a_wrong_secret_are_refused_in_the_same_words(TestDatabase database) {
    try (database) {
      String token = database.aToken("ci", EVERY_SCOPE);
      Api api = database.serve();
      String wrongSecret = token.substring(0, token.length() - 43) + "A".repeat(43);
      String unknown = "agwp_0123456789abcdef_" + "A".repeat(43);
      List<String> before = database.everything();

      for (String bad : List.of(wrongSecret, unknown, "agwp_x_y", "agwp_", token + "A", token.substring(1), "Zm9v", "a.b.c")) {
        Api.Answer answer = api.as(bad).post("/v1/jobs", "{\"queue\": \"q\"}");
        answer.refused(401, "unauthenticated");
        assertThat(answer.json().get("detail").asText()).isEqualTo("the credential is not valid");
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
      }
      api.post("/v1/jobs?access_token=" + token, "{\"queue\": \"q\"}").refused(401, "unauthenticated");
      assertThat(database.everything()).isEqualTo(before);
    }
  }

  @Test
  void a_header_that_is_not_one_bearer_token_is_refused_also_where_no_credential_is_asked_for() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = database.serve();
      api.get("/v1/queues").ok();
      for (String header : List.of("Basic dTpw", "Bearer", "Bearer ", "Bearer a b", "Bearer a,b", "Bearer a, Bearer b", "agwp_x", "bearer\ta")) {
        api.send(api.request("/v1/queues").header("Authorization", header).build()).refused(401, "unauthenticated");
      }
      String token = database.aToken("ci", EVERY_SCOPE);
      api.send(api.request("/v1/queues").header("Authorization", "bEARER " + token).build()).ok();
      api.send(api.request("/v1/queues").header("Authorization", "Bearer " + token).header("Authorization", "Bearer " + token).build())
          .refused(401, "unauthenticated");
    }
  }

  @EveryDatabase
  void a_token_that_has_expired_is_refused_within_seconds_and_says_so_to_its_holder(TestDatabase database) {
    try (database) {
      String token = database.aToken("ci", EVERY_SCOPE);
      Api ci = database.serve().as(token);
      ci.get("/v1/queues").ok();

      database.expire(token);

      awaitRefused(ci, "expired");
    }
  }

  @Test
  void what_is_done_to_a_token_every_replica_feels_within_seconds() {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api first = database.serve();
      Api second = database.serve();
      second.get("/v1/queues").ok();

      String revoked = database.aToken("a", EVERY_SCOPE);
      String expired = database.aToken("b", EVERY_SCOPE);
      await("the first token").atMost(FELT_WITHIN_SECONDS, SECONDS).until(() -> second.get("/v1/queues").status() == 401);
      for (Api replica : List.of(first, second)) {
        replica.as(revoked).get("/v1/queues").ok();
        replica.as(expired).get("/v1/queues").ok();
      }

      database.revoke(revoked);
      database.expire(expired);

      for (Api replica : List.of(first, second)) {
        awaitRefused(replica.as(revoked), "revoked");
        awaitRefused(replica.as(expired), "expired");
      }
    }
  }

  @EveryDatabase
  void revoking_the_last_token_does_not_open_the_server_again(TestDatabase database) {
    try (database) {
      String token = database.aToken("ci", EVERY_SCOPE);
      Api api = database.serve();
      database.revoke(token);

      awaitRefused(api.as(token), "revoked");
      api.get("/v1/queues").refused(401, "unauthenticated");
      database.serve().get("/v1/queues").refused(401, "unauthenticated");
    }
  }

  @EveryDatabase
  void a_claim_that_waits_gets_no_job_once_its_token_is_revoked(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      String token = database.aToken("worker", Scope.WORK);
      Api producer = api.as(database.aToken("producer", Scope.ENQUEUE, Scope.READ));
      CompletableFuture<Api.Answer> claim =
          api.as(token).postLater("/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"w\", \"wait_seconds\": 30}");
      await().until(() -> api.get("/metrics").text().contains("agwp_claims_waiting 1.0"));
      database.revoke(token);
      awaitRefused(api.as(token), "revoked");

      String job = producer.aQueuedJob();

      assertThat(claim.join().ok().get("jobs")).isEmpty();
      assertThat(producer.job(job).get("state").asText()).isEqualTo("queued");
    }
  }

  @EveryDatabase
  void the_last_use_of_a_token_is_stored(TestDatabase database) {
    try (database) {
      String token = database.aToken("ci", EVERY_SCOPE);
      Api api = database.serve();
      api.as(token.substring(0, token.length() - 43) + "A".repeat(43)).get("/v1/queues");
      assertThat(database.rows("select last_used_at from access_token")).containsExactly("null");

      api.as(token).get("/v1/queues").ok();

      assertThat(database.number("select count(*) from access_token where last_used_at >= created_at")).isEqualTo(1);
    }
  }

  @EveryDatabase
  void a_database_holds_no_secret(TestDatabase database) {
    try (database) {
      String token = database.aToken("ci", EVERY_SCOPE);

      assertThat(token).matches("agwp_[0-9a-f]{16}_[A-Za-z0-9_-]{43}");
      assertThat(database.rows("select * from access_token").toString()).doesNotContain(token.substring(22)).contains("ci");
      assertThat(database.rows("select secret_hash from access_token").get(0)).matches("[0-9a-f]{64}");
    }
  }

  @EveryDatabase
  void many_callers_at_once_are_each_taken_for_who_they_are(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      List<Api> callers = IntStream.range(0, 8).mapToObj(i -> api.as(database.aToken("p" + i, EVERY_SCOPE))).toList();
      IntStream.range(0, 160).forEach(i -> callers.get(0).aQueuedJob());

      List<CompletableFuture<Api.Answer>> claims = IntStream.range(0, 160).mapToObj(i ->
          callers.get(i % 8).postLater("/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"w" + i + "\"}")).toList();

      for (int i = 0; i < claims.size(); i++) {
        assertThat(claims.get(i).join().ok().at("/jobs/0/claimed_by").asText()).isEqualTo("p" + i % 8 + "|w" + i);
      }
    }
  }

  private static void awaitRefused(Api api, String why) {
    await(why).atMost(FELT_WITHIN_SECONDS, SECONDS).until(() -> api.get("/v1/queues").status() == 401);
    assertThat(api.get("/v1/queues").json().get("detail").asText()).contains(why);
  }
}
