package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("measures time")
final class LeaseWaitTest {
  private static final String WAIT = "\"wait_seconds\": 60";

  @EveryDatabase
  void a_waiting_acquire_gets_its_lease_the_moment_the_paths_are_released(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("w0", "a/");
    // The server looks for itself each second: a single release could be found by luck, five in a row hardly.
    for (int i = 1; i <= 5; i++) {
      CompletableFuture<Api.Answer> waiting = leases.acquireLater("w" + i, List.of("a/", "free"), WAIT);
      awaitTickets(database, 1);

      long released = System.nanoTime();
      leases.release(held).ok();

      held = granted(waiting);
      assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(Duration.ofMillis(500));
      awaitTickets(database, 0);
    }
  }

  @EveryDatabase
  void a_validation_wakes_a_waiting_worker(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a");
    for (int i = 1; i <= 5; i++) {
      var claim = leases.api().postLater("/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"w1\", \"wait_seconds\": 30}");
      await().until(() -> new String(leases.api().get("/metrics").http().body(), StandardCharsets.UTF_8).contains("agwp_claims_waiting 1.0"));

      long began = System.nanoTime();
      ObjectNode integration = leases.integrate(lease, List.of("a"), "\"validation\": {\"queue\": \"q\"}").ok();

      assertThat(claim.join().ok().at("/jobs/0/job_id").asText()).isEqualTo(integration.get("job_id").asText());
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(500));
    }
  }

  @EveryDatabase
  void a_waiting_acquire_gets_the_paths_of_a_lease_that_expires(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.acquire("alice", List.of("a"), "\"ttl_seconds\": 1").ok();

    ObjectNode lease = leases.acquire("bob", List.of("a"), "\"wait_seconds\": 20").ok();

    assertThat(lease.get("fencing_token").asLong()).isEqualTo(2);
  }

  @EveryDatabase
  void those_who_wait_are_served_in_the_order_in_which_they_came(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("w0", "a");
    List<CompletableFuture<Api.Answer>> waiting = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      waiting.add(leases.acquireLater("w" + i, List.of("a"), WAIT));
      awaitTickets(database, i);
    }

    for (CompletableFuture<Api.Answer> next : waiting) {
      leases.release(held).ok();
      held = granted(next);
      assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(waiting.indexOf(next) + 1);
    }
  }

  @EveryDatabase
  void nobody_passes_one_that_waits_for_an_overlapping_path(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("alice", "a");
    CompletableFuture<Api.Answer> bob = leases.acquireLater("bob", List.of("a", "b/"), WAIT);
    awaitTickets(database, 1);
    List<String> before = database.everything();

    // b/ is held by nobody, but bob would starve.
    Api.Answer refused = leases.acquire("carol", List.of("b/c"));
    refused.refused(409, "failed_precondition");
    assertThat(refused.json().get("reason").asText()).isEqualTo("lease_held");
    assertThat(refused.json().get("detail").asText()).contains("local|bob").contains("waits");
    assertThat(database.everything()).isEqualTo(before);
    CompletableFuture<Api.Answer> dave = leases.acquireLater("dave", List.of("b/c"), WAIT);
    awaitTickets(database, 2);
    leases.given("erin", "c");

    leases.release(held).ok();
    ObjectNode lease = granted(bob);
    assertThat(dave).isNotDone();
    leases.release(lease).ok();
    granted(dave);
  }

  @EveryDatabase
  void who_waits_in_vain_is_refused_and_leaves_nothing_behind(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.given("alice", "a");
    List<String> before = database.everything();

    long began = System.nanoTime();
    Api.Answer refused = leases.acquire("bob", List.of("a"), "\"wait_seconds\": 1");

    refused.refused(409, "failed_precondition");
    assertThat(refused.json().get("detail").asText()).contains("local|alice");
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofMillis(950), Duration.ofSeconds(5));
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_client_that_hangs_up_gives_up_its_place(TestDatabase database) throws IOException {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("alice", "a");
    String body = leases.acquireRequest("gone", List.of("a", "b"), WAIT);
    try (Socket socket = new Socket(leases.api().base().getHost(), leases.api().base().getPort())) {
      socket.getOutputStream().write(("POST /v1/leases HTTP/1.1\r\nHost: agwp\r\nContent-Type: application/json\r\n"
          + "Content-Length: " + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
      awaitTickets(database, 1);
    }
    CompletableFuture<Api.Answer> next = leases.acquireLater("bob", List.of("b"), WAIT);

    // Long before its wait or its ticket would have ended.
    assertThat(next.orTimeout(8, TimeUnit.SECONDS).join().status()).isEqualTo(201);
    leases.release(held).ok();
    leases.given("carol", "a");
  }

  @EveryDatabase
  void a_ticket_whose_server_died_ends_by_itself(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.given("alice", "a");
    database.change("insert into lease_ticket (repo, holder, alive_until) select 'r', 'local|dead', max(acquired_at) + 3000 from lease");
    database.change("insert into lease_ticket_path (repo, path, ticket) select 'r', 'b', seq from lease_ticket");
    leases.acquire("bob", List.of("b")).refused(409, "failed_precondition");

    leases.acquire("bob", List.of("b"), "\"wait_seconds\": 20").ok();

    // Nobody waits as long as that: the next one to wait sweeps it away.
    database.change("update lease_ticket set alive_until = 1");
    leases.acquire("carol", List.of("a"), "\"wait_seconds\": 1").refused(409, "failed_precondition");
    assertThat(database.number("select count(*) from lease_ticket")).isZero();
    assertThat(database.number("select count(*) from lease_ticket_path")).isZero();
  }

  @EveryDatabase
  void a_waiting_acquire_keeps_its_place_longer_than_a_ticket_lives_by_itself(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("alice", "a");
    CompletableFuture<Api.Answer> bob = leases.acquireLater("bob", List.of("a"), WAIT);
    awaitTickets(database, 1);

    database.change("update lease_ticket set alive_until = 1");
    await().until(() -> database.number("select count(*) from lease_ticket where alive_until > 1") == 1);

    CompletableFuture<Api.Answer> carol = leases.acquireLater("carol", List.of("a"), WAIT);
    awaitTickets(database, 2);
    leases.release(held).ok();
    granted(bob);
    assertThat(carol).isNotDone();
  }

  @EveryDatabase
  void many_waiting_acquires_hold_no_threads(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("alice", "a/");
    // More than the server has threads for requests.
    List<CompletableFuture<Api.Answer>> waiting = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      waiting.add(leases.acquireLater("w" + i, List.of("a/f" + i), WAIT));
    }
    awaitTickets(database, 300);
    assertThat(leases.api().get("/metrics").http().body()).asString(StandardCharsets.UTF_8).contains("agwp_leases_waiting 300.0");

    leases.release(held).ok();

    assertThat(waiting.stream().map(each -> granted(each).get("fencing_token").asLong()).distinct()).hasSize(300);
  }

  @EveryDatabase
  void what_is_waited_for_has_a_limit(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("alice", "d/");
    List<CompletableFuture<Api.Answer>> waiting = IntStream.range(0, 4)
        .mapToObj(i -> leases.acquireLater("bob" + i, deepPaths(i), WAIT)).toList();
    awaitTickets(database, 4);

    leases.acquire("carol", deepPaths(4), WAIT).refused(429, "resource_exhausted");
    leases.acquire("carol", deepPaths(4)).refused(409, "failed_precondition");

    leases.release(held).ok();
    waiting.forEach(LeaseWaitTest::granted);
    leases.acquire("carol", deepPaths(4), WAIT).ok();
  }

  /** Nearly as much as a request may name: each path has folders of its own above it. */
  private static List<String> deepPaths(int number) {
    return IntStream.range(0, 340).mapToObj(i -> "d/" + number + "-" + i + "/" + "a/".repeat(58) + "b").toList();
  }

  @EveryDatabase
  void a_server_that_stops_sends_waiting_acquires_away_to_try_again_and_takes_their_tickets_along(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.given("alice", "a");
    CompletableFuture<Api.Answer> waiting = leases.acquireLater("bob", List.of("a"), WAIT);
    awaitTickets(database, 1);

    leases.api().server().close();

    Api.Answer refused = waiting.orTimeout(10, TimeUnit.SECONDS).join();
    refused.refused(503, "unavailable");
    assertThat(refused.header("Retry-After")).isNotNull();
    assertThat(database.number("select count(*) from lease_ticket")).isZero();
  }

  @EveryDatabase
  void a_waiting_acquire_that_was_sent_again_is_answered_with_the_lease_of_the_first(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    assertSentAgainIsAnswered(database, leases, leases);
  }

  @Test
  void a_waiting_acquire_that_was_sent_again_to_another_replica_is_answered_there() {
    try (TestDatabase database = TestDatabase.postgresql()) {
      assertSentAgainIsAnswered(database, Leases.of(database.serve()), Leases.of(database.serve()));
    }
  }

  private static void assertSentAgainIsAnswered(TestDatabase database, Leases here, Leases there) {
    ObjectNode held = here.given("bob", "a");
    String[] extra = {WAIT, "\"request_id\": \"q1\""};
    CompletableFuture<Api.Answer> first = here.acquireLater("alice", List.of("a"), extra);
    awaitTickets(database, 1);
    CompletableFuture<Api.Answer> again = there.acquireLater("alice", List.of("a"), extra);
    awaitTickets(database, 2);

    here.release(held).ok();

    assertThat(granted(again)).isEqualTo(granted(first));
    awaitTickets(database, 0);
  }

  @Test
  void a_release_at_one_replica_wakes_who_waits_at_another_within_500_ms() {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Leases here = Leases.of(database.serve());
      Leases there = Leases.of(database.serve());
      await().until(() -> database.number("select count(*) from pg_stat_activity "
          + "where datname = current_database() and query like '%listen agwp_claimable%'") >= 2);
      ObjectNode held = here.given("w0", "a");
      // Once a replica looks for itself each second: a single release could be found by luck, ten in a row cannot.
      for (int i = 1; i <= 10; i++) {
        CompletableFuture<Api.Answer> waiting = there.acquireLater("w" + i, List.of("a"), WAIT);
        awaitTickets(database, 1);

        long released = System.nanoTime();
        here.release(held).ok();

        held = granted(waiting);
        assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(Duration.ofMillis(500));
      }
    }
  }

  private static ObjectNode granted(CompletableFuture<Api.Answer> waiting) {
    return waiting.orTimeout(30, TimeUnit.SECONDS).join().ok();
  }

  private static void awaitTickets(TestDatabase database, int tickets) {
    await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(10))
        .until(() -> database.number("select count(*) from lease_ticket") == tickets);
  }
}
