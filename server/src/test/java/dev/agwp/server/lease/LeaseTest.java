package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

final class LeaseTest {

  @EveryDatabase
  void a_lease_names_its_holder_its_paths_and_when_it_expires(TestDatabase database) {
    Api.Answer answer = Leases.of(database.serve()).acquire("alice", List.of("docs/", "b.c", "a.c"), "\"ttl_seconds\": 90");

    assertThat(answer.status()).isEqualTo(201);
    ObjectNode lease = answer.ok();
    assertThat(lease.get("repo").asText()).isEqualTo("r");
    assertThat(lease.get("holder").asText()).isEqualTo("local|alice");
    assertThat(lease.get("paths").toString()).isEqualTo("[\"docs/\",\"b.c\",\"a.c\"]");
    assertThat(lease.get("fencing_token").asLong()).isEqualTo(1);
    assertThat(lease.get("state").asText()).isEqualTo("held");
    assertThat(Duration.between(time(lease, "acquired_at"), time(lease, "expires_at"))).isEqualTo(Duration.ofSeconds(90));
  }

  @EveryDatabase
  void all_paths_are_leased_or_none_and_the_refusal_says_who_holds_which_until_when(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode held = leases.given("alice", "src/");
    List<String> before = database.everything();

    Api.Answer refused = leases.acquire("bob", List.of("free", "src/a.c"));

    refused.refused(409, "failed_precondition");
    assertThat(refused.json().get("reason").asText()).isEqualTo("lease_held");
    assertThat(refused.json().get("detail").asText()).contains("src/a.c", "src/", "local|alice", held.get("expires_at").asText());
    assertThat(refused.json().at("/errors/0/field").asText()).isEqualTo("paths[1]");
    assertThat(database.everything()).isEqualTo(before);
    leases.given("carol", "free");
  }

  @EveryDatabase
  void two_leases_overlap_when_they_name_one_path_or_one_is_in_the_others_folder(TestDatabase database) {
    Api api = database.serve();
    List<List<String>> overlapping = List.of(List.of("a", "a"), List.of("a/", "a/"), List.of("a/", "a/b"), List.of("a/", "a/b/"),
        List.of("a/", "a/b/c/d"), List.of("a/b/", "a/b/c"), List.of("é/", "é/ü"));
    List<List<String>> apart = List.of(List.of("a/", "ab"), List.of("a/", "a0"), List.of("a/", "a.b"), List.of("a/", "a"), List.of("a/b", "a/bc"),
        List.of("a/b/", "a/bc"), List.of("a/b", "a/c"), List.of("a/b/", "a/c/"), List.of("a", "b"), List.of("a", "a/b"), List.of("A", "a"),
        List.of("é/", "e/"));

    for (List<String> pair : overlapping) {
      assertThat(statusOfSecond(api, pair.get(0), pair.get(1))).as(pair.toString()).isEqualTo(409);
      assertThat(statusOfSecond(api, pair.get(1), pair.get(0))).as(pair.toString()).isEqualTo(409);
    }
    for (List<String> pair : apart) {
      assertThat(statusOfSecond(api, pair.get(0), pair.get(1))).as(pair.toString()).isEqualTo(201);
      assertThat(statusOfSecond(api, pair.get(1), pair.get(0))).as(pair.toString()).isEqualTo(201);
    }
  }

  private static int statusOfSecond(Api api, String first, String second) {
    Leases leases = new Leases(api, UUID.randomUUID().toString());
    leases.given("alice", first);
    return leases.acquire("bob", List.of(second)).status();
  }

  @EveryDatabase
  void an_own_lease_is_in_the_way_like_any_other_and_repos_are_apart(TestDatabase database) {
    Api api = database.serve();
    Leases.of(api).given("alice", "a");

    Leases.of(api).acquire("alice", List.of("a")).refused(409, "failed_precondition");
    new Leases(api, "another").given("alice", "a");
  }

  @EveryDatabase
  void tokens_grow_over_all_leases_of_a_repo_whatever_becomes_of_them(TestDatabase database) {
    Api api = database.serve();
    Leases leases = Leases.of(api);
    List<Long> tokens = new ArrayList<>();

    tokens.add(token(leases.given("alice", "a")));
    ObjectNode released = leases.given("alice", "b");
    tokens.add(token(released));
    leases.release(released).ok();
    ObjectNode expired = leases.given("alice", "b");
    tokens.add(token(expired));
    Leases.expire(database, expired);
    tokens.add(token(leases.given("bob", "b")));
    database.change("delete from lease_path");
    database.change("delete from lease");
    tokens.add(token(leases.given("bob", "b")));

    assertThat(tokens).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(token(new Leases(api, "another").given("alice", "a"))).isEqualTo(1);
  }

  @EveryDatabase
  void a_repeated_acquire_is_answered_with_the_lease_while_it_is_held(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    String requestId = "\"request_id\": \"q1\"";
    ObjectNode lease = leases.acquire("alice", List.of("a", "b/"), requestId).ok();
    List<String> before = database.everything();

    Api.Answer repeated = leases.acquire("alice", List.of("a", "b/"), requestId);
    assertThat(repeated.status()).isEqualTo(200);
    assertThat(repeated.ok()).isEqualTo(lease);
    Api.Answer others = leases.acquire("alice", List.of("a"), requestId);
    others.refused(400, "invalid_argument");
    assertThat(others.json().at("/errors/0/field").asText()).isEqualTo("request_id");
    leases.acquire("bob", List.of("a", "b/"), requestId).refused(409, "failed_precondition");
    assertThat(database.everything()).isEqualTo(before);

    leases.release(lease).ok();
    assertThat(token(leases.acquire("alice", List.of("a", "b/"), requestId).ok())).isEqualTo(2);
    Leases.expire(database, leases.acquire("alice", List.of("a", "b/"), requestId).ok());
    assertThat(token(leases.acquire("alice", List.of("a", "b/"), requestId).ok())).isEqualTo(3);
  }

  @EveryDatabase
  void a_renewed_lease_expires_later_counted_from_the_renewal(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a");

    ObjectNode renewed = leases.renew(lease, "\"ttl_seconds\": 1000").ok();

    assertThat(time(renewed, "expires_at")).isBetween(time(lease, "acquired_at").plusSeconds(1000), time(lease, "acquired_at").plusSeconds(1060));
    assertThat(renewed.get("acquired_at")).isEqualTo(lease.get("acquired_at"));
  }

  @EveryDatabase
  void an_expired_lease_is_its_holders_until_an_overlapping_one_is_given(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a", "b/");
    Leases.expire(database, lease);
    assertThat(listed(leases, 0).get("state").asText()).isEqualTo("expired");
    leases.given("bob", "apart");

    assertThat(leases.renew(lease).ok().get("state").asText()).isEqualTo("held");

    Leases.expire(database, lease);
    leases.given("bob", "b/c");
    List<String> before = database.everything();
    lost(leases.renew(lease), "stale_fencing_token");
    lost(leases.release(lease), "stale_fencing_token");
    assertThat(database.everything()).isEqualTo(before);
    // Its other path went with it.
    leases.given("carol", "a");
  }

  @EveryDatabase
  void a_released_lease_is_free_at_once_and_its_release_is_answered_again(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a");

    ObjectNode released = leases.release(lease).ok();

    assertThat(released.get("state").asText()).isEqualTo("released");
    leases.given("bob", "a");
    List<String> before = database.everything();
    assertThat(leases.release(lease).ok()).isEqualTo(released);
    lost(leases.renew(lease), "lease_released");
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void calls_of_others_and_with_other_tokens_are_refused_and_change_nothing(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a");
    String id = lease.get("lease_id").asText();
    List<String> before = database.everything();

    for (String operation : List.of("renew", "release")) {
      lost(leases.call(operation, id, "bob", 1), "not_holder");
      lost(leases.call(operation, id, "alice", 2), "stale_fencing_token");
      Api.Answer unknown = leases.call(operation, "no-such-lease", "alice", 1);
      unknown.refused(404, "not_found");
      assertThat(unknown.json().get("reason").asText()).isEqualTo("unknown_lease");
    }
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void leases_are_listed_by_repo_in_pages_newest_first(TestDatabase database) {
    Api api = database.serve();
    Leases leases = Leases.of(api);
    new Leases(api, "another").given("alice", "a");
    leases.release(leases.given("alice", "a")).ok();
    leases.given("alice", "b");
    leases.given("alice", "c");

    ObjectNode first = api.get("/v1/leases?repo=r&page_size=2").ok();
    ObjectNode second = api.get("/v1/leases?repo=r&page_size=2&page_token=" + first.get("next_page_token").asText()).ok();

    assertThat(first.get("leases").findValuesAsText("fencing_token")).containsExactly("3", "2");
    assertThat(second.get("leases").findValuesAsText("fencing_token")).containsExactly("1");
    assertThat(second.get("leases").get(0).get("state").asText()).isEqualTo("released");
    assertThat(second.has("next_page_token")).isFalse();
    assertThat(api.get("/v1/leases?repo=nobody").ok().get("leases")).isEmpty();
    api.get("/v1/leases").refused(400, "invalid_argument");
  }

  /** More than a statement takes parameters on PostgreSQL. */
  @EveryDatabase
  void a_folder_is_leased_whatever_number_of_expired_leases_is_in_it(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.given("alice", "a/f1");
    String numbers = "with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < 66000) ";
    database.change("update lease_repo set last_token = 66000");
    database.change("update lease set expires_at = 1");
    database.change(numbers + "insert into lease (repo, fencing_token, lease_id, paths, holder, state, acquired_at, expires_at) "
        + "select 'r', n, 'l' || n, '[]', 'local|w', 'held', 0, 1 from numbers");
    database.change(numbers + "insert into lease_path (repo, path, fencing_token, held) select 'r', 'a/f' || n, n, true from numbers");

    assertThat(leases.given("bob", "a/").get("fencing_token").asLong()).isEqualTo(66_001);

    assertThat(database.number("select count(*) from lease where state = 'expired'")).isEqualTo(66_000);
    assertThat(database.number("select count(*) from lease_path where held")).isEqualTo(1);
  }

  @EveryDatabase
  void a_page_of_leases_on_many_long_paths_is_cut_and_the_next_one_goes_on_there(TestDatabase database) {
    Api api = database.serve();
    Leases leases = Leases.of(api);
    for (int i = 0; i < 10; i++) {
      leases.acquire("alice", Leases.aMegabyteOfPaths(i + "-")).ok();
    }

    ObjectNode first = api.get("/v1/leases?repo=r").ok();
    ObjectNode second = api.get("/v1/leases?repo=r&page_token=" + first.get("next_page_token").asText()).ok();

    assertThat(first.get("leases").findValuesAsText("fencing_token")).containsExactly("10", "9", "8", "7", "6", "5", "4", "3");
    assertThat(second.get("leases").findValuesAsText("fencing_token")).containsExactly("2", "1");
    assertThat(second.has("next_page_token")).isFalse();
  }

  private static void lost(Api.Answer refused, String reason) {
    refused.refused(409, "failed_precondition");
    assertThat(refused.json().get("reason").asText()).isEqualTo(reason);
  }

  private static JsonNode listed(Leases leases, int place) {
    return leases.api().get("/v1/leases?repo=r").ok().get("leases").get(place);
  }

  private static long token(JsonNode lease) {
    return lease.get("fencing_token").asLong();
  }

  private static OffsetDateTime time(JsonNode lease, String field) {
    return OffsetDateTime.parse(lease.get(field).asText());
  }
}
