package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;

final class IntegrateTest {

  @EveryDatabase
  void a_change_whose_leases_hold_is_the_next_of_its_repo(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode folder = leases.given("alice", "src/");
    ObjectNode file = leases.given("alice", "README");

    Api.Answer answer = leases.integrate("alice", List.of(1L, 2L), List.of("src/a.c", "README", "src/deep/er/"));

    assertThat(answer.status()).isEqualTo(201);
    ObjectNode integration = answer.ok();
    assertThat(integration.get("sequence").asLong()).isEqualTo(1);
    assertThat(integration.get("repo").asText()).isEqualTo("r");
    assertThat(integration.get("change_digest").asText()).isEqualTo(Leases.DIGEST);
    assertThat(integration.get("paths").toString()).isEqualTo("[\"src/a.c\",\"README\",\"src/deep/er/\"]");
    assertThat(integration.get("fencing_tokens").toString()).isEqualTo("[1,2]");
    assertThat(integration.get("state").asText()).isEqualTo("accepted");
    assertThat(integration.has("job_id")).isFalse();
    assertThat(leases.integrate(folder, List.of("src/")).ok().get("sequence").asLong()).isEqualTo(2);
    assertThat(leases.integrate(file, List.of("README")).ok().get("sequence").asLong()).isEqualTo(3);
  }

  @EveryDatabase
  void the_first_path_without_a_current_lease_of_the_caller_is_named(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a", "deep/b");
    leases.given("bob", "c");
    List<String> before = database.everything();

    refused(leases.integrate(lease, List.of("a", "nobodys", "c")), 1, "not_holder");
    refused(leases.integrate(lease, List.of("a", "c", "nobodys")), 1, "not_holder");
    refused(leases.integrate("alice", List.of(2L), List.of("c")), 0, "not_holder");
    refused(leases.integrate("alice", List.of(2L), List.of("a")), 0, "stale_fencing_token");
    refused(leases.integrate("bob", List.of(1L), List.of("a")), 0, "not_holder");
    // A lease on a file in a folder does not cover the folder.
    refused(leases.integrate(lease, List.of("deep/")), 0, "not_holder");
    assertThat(database.everything()).isEqualTo(before);

    Leases.expire(database, lease);
    List<String> expired = database.everything();
    refused(leases.integrate(lease, List.of("deep/b")), 0, "lease_expired");
    assertThat(database.everything()).isEqualTo(expired);
    leases.renew(lease).ok();
    leases.integrate(lease, List.of("deep/b")).ok();
    leases.release(lease).ok();
    refused(leases.integrate(lease, List.of("deep/b")), 0, "not_holder");
  }

  @EveryDatabase
  void a_lease_that_was_given_to_another_integrates_no_more(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode stale = leases.given("alice", "src/");
    Leases.expire(database, stale);
    ObjectNode current = leases.given("alice", "src/a.c");

    refused(leases.integrate(stale, List.of("src/a.c")), 0, "stale_fencing_token");
    refused(leases.integrate(stale, List.of("src/b.c")), 0, "not_holder");
    leases.integrate(current, List.of("src/a.c")).ok();
  }

  @EveryDatabase
  void a_token_smaller_than_one_ever_given_or_integrated_is_refused_whatever_the_rows_of_leases_say(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode stale = leases.given("alice", "src/");
    Leases.expire(database, stale);
    ObjectNode given = leases.given("bob", "src/a.c");

    // As if nobody had taken it: only the newer lease's own row still tells.
    revive(database, 1);
    refused(leases.integrate(stale, List.of("src/")), 0, "stale_fencing_token");
    refused(leases.integrate(stale, List.of("src/b.c", "src/a.c")), 1, "stale_fencing_token");

    database.change("update lease_path set held = (fencing_token = 2)");
    leases.integrate(given, List.of("src/a.c")).ok();
    database.change("delete from lease_path where fencing_token = 2");
    database.change("delete from lease where fencing_token = 2");
    revive(database, 1);
    // Now the integration alone remembers.
    List<String> before = database.everything();
    refused(leases.integrate(stale, List.of("src/")), 0, "stale_fencing_token");
    refused(leases.integrate(stale, List.of("src/a.c")), 0, "stale_fencing_token");
    assertThat(database.everything()).isEqualTo(before);
    leases.integrate(stale, List.of("src/b.c")).ok();
  }

  @EveryDatabase
  void a_base_is_refused_once_a_later_integration_touched_an_overlapping_path(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a", "b/");
    String first = base(leases.integrate(lease, List.of("a", "b/c")).ok());
    String second = base(leases.integrate(lease, List.of("b/d"), first).ok());
    List<String> before = database.everything();

    refused(leases.integrate(lease, List.of("a", "b/"), first), 1, "stale_base");
    refused(leases.integrate(lease, List.of("b/d"), first), 0, "stale_base");
    Api.Answer unknown = leases.integrate(lease, List.of("a"), "\"base\": \"no-such-integration\"");
    unknown.refused(409, "failed_precondition");
    assertThat(unknown.json().get("reason").asText()).isEqualTo("stale_base");
    assertThat(unknown.json().at("/errors/0/field").asText()).isEqualTo("base");
    Leases another = new Leases(leases.api(), "another");
    another.integrate(another.given("alice", "a"), List.of("a"), first).refused(409, "failed_precondition");
    database.change("delete from lease where repo = 'another'");
    database.change("delete from lease_path where repo = 'another'");
    database.change("delete from lease_repo where repo = 'another'");
    assertThat(database.everything()).isEqualTo(before);

    leases.integrate(lease, List.of("b/c", "a"), first).ok();
    leases.integrate(lease, List.of("b/d"), second).ok();
    // Whoever does not say what it builds on is not asked.
    leases.integrate(lease, List.of("b/")).ok();
  }

  @EveryDatabase
  void a_rejected_integration_is_no_change_to_build_on(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a");
    String base = base(leases.integrate(lease, List.of("a")).ok());
    ObjectNode rejected = leases.integrate(lease, List.of("a"), "\"validation\": {\"queue\": \"q\"}").ok();

    refused(leases.integrate(lease, List.of("a"), base), 0, "stale_base");
    leases.api().cancel(rejected.get("job_id").asText()).ok();
    leases.integrate(lease, List.of("a"), base).ok();
  }

  @EveryDatabase
  void a_change_that_was_rejected_is_not_validated_again_once_another_came_in_without_it(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    Api api = leases.api();
    ObjectNode lease = leases.given("alice", "a", "b/", "c");
    String base = base(leases.integrate(lease, List.of("a")).ok());
    ObjectNode rejected = leases.integrate(lease, List.of("a", "b/c"), "\"validation\": {\"queue\": \"q\"}").ok();
    String job = rejected.get("job_id").asText();
    api.cancel(job).ok();
    leases.integrate(lease, List.of("a"), base(rejected)).ok();
    leases.integrate(lease, List.of("a")).ok();
    leases.integrate(lease, List.of("c"), base).ok();

    // None of these was let in because it had been rejected.
    api.retry(job).ok();
    api.cancel(job).ok();
    ObjectNode without = leases.integrate(lease, List.of("b/"), base).ok();
    List<String> before = database.everything();

    Api.Answer refused = api.retry(job);

    refused.refused(409, "failed_precondition");
    assertThat(refused.json().get("reason").asText()).isEqualTo("stale_base");
    assertThat(refused.json().get("detail").asText()).contains(without.get("integration_id").asText()).contains("b/c");
    assertThat(database.everything()).isEqualTo(before);
    assertThat(leases.state(rejected)).isEqualTo("rejected");
  }

  @EveryDatabase
  void of_two_rejected_changes_on_one_base_only_one_is_validated_again(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    Api api = leases.api();
    ObjectNode lease = leases.given("alice", "a", "b");
    String base = base(leases.integrate(lease, List.of("a")).ok());
    String validation = base + ", \"validation\": {\"queue\": \"q\"}";
    ObjectNode first = leases.integrate(lease, List.of("a"), validation).ok();
    api.cancel(first.get("job_id").asText()).ok();
    ObjectNode other = leases.integrate(lease, List.of("b"), validation).ok();
    ObjectNode second = leases.integrate(lease, List.of("b", "a"), "\"validation\": {\"queue\": \"q\"}").ok();
    api.cancel(second.get("job_id").asText()).ok();
    ObjectNode third = leases.integrate(lease, List.of("a"), validation).ok();
    api.cancel(third.get("job_id").asText()).ok();
    api.retry(first.get("job_id").asText()).ok();
    List<String> before = database.everything();

    Api.Answer refused = api.retry(third.get("job_id").asText());

    refused.refused(409, "failed_precondition");
    assertThat(refused.json().get("reason").asText()).isEqualTo("stale_base");
    assertThat(refused.json().get("detail").asText()).contains(first.get("integration_id").asText()).contains("changed a ");
    assertThat(database.everything()).isEqualTo(before);
    // It names no base, and so may follow whatever came before it.
    api.retry(second.get("job_id").asText()).ok();
    assertThat(leases.state(other)).isEqualTo("validating");
    // Free again once the other is rejected.
    api.cancel(second.get("job_id").asText()).ok();
    api.cancel(first.get("job_id").asText()).ok();
    api.retry(third.get("job_id").asText()).ok();
    api.retry(first.get("job_id").asText()).refused(409, "failed_precondition");
  }

  @EveryDatabase
  void a_repeated_integrate_is_answered_with_what_it_did_whatever_became_of_its_lease(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    ObjectNode lease = leases.given("alice", "a");
    String[] extra = {"\"request_id\": \"q1\"", "\"validation\": {\"queue\": \"q\", \"payload\": {\"n\": 1, \"m\": 2}}"};
    ObjectNode integration = leases.integrate(lease, List.of("a"), extra).ok();
    leases.release(lease).ok();
    List<String> before = database.everything();

    Api.Answer repeated = leases.integrate(lease, List.of("a"), extra);

    assertThat(repeated.status()).isEqualTo(200);
    assertThat(repeated.ok()).isEqualTo(integration);
    leases.integrate(lease, List.of("b"), extra).refused(400, "invalid_argument");
    leases.integrate(lease, List.of("a"), extra[0], extra[1].replace("\"n\": 1, \"m\": 2", "\"m\": 2, \"n\": 1")).ok();
    leases.integrate(lease, List.of("a"), extra[0], extra[1].replace("\"q\"", "\"p\"")).refused(400, "invalid_argument");
    leases.integrate(lease, List.of("a"), extra[0], extra[1].replace("1", "3")).refused(400, "invalid_argument");
    leases.integrate(lease, List.of("a"), extra[0]).refused(400, "invalid_argument");
    leases.integrate(lease, List.of("a"), extra[0], extra[1], base(integration)).refused(400, "invalid_argument");
    Api.Answer otherChange = leases.api().post("/v1/integrations", "{\"repo\": \"r\", \"holder\": \"alice\", \"paths\": [\"a\"], "
        + "\"fencing_tokens\": [1], \"request_id\": \"q1\", \"change_digest\": \"" + Leases.DIGEST.replace("ab", "cd") + "\"}");
    otherChange.refused(400, "invalid_argument");
    assertThat(otherChange.json().at("/errors/0/field").asText()).isEqualTo("request_id");
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void integrations_are_read_and_listed_in_pages_newest_first(TestDatabase database) {
    Api api = database.serve();
    Leases leases = Leases.of(api);
    ObjectNode lease = leases.given("alice", "a");
    ObjectNode first = leases.integrate(lease, List.of("a")).ok();
    leases.integrate(lease, List.of("a")).ok();

    ObjectNode page = api.get("/v1/integrations?repo=r&page_size=1").ok();
    ObjectNode last = api.get("/v1/integrations?repo=r&page_size=1&page_token=" + page.get("next_page_token").asText()).ok();

    assertThat(page.at("/integrations/0/sequence").asLong()).isEqualTo(2);
    assertThat(last.get("integrations").get(0)).isEqualTo(first)
        .isEqualTo(api.get("/v1/integrations/" + first.get("integration_id").asText()).ok());
    assertThat(last.has("next_page_token")).isFalse();
    api.get("/v1/leases?repo=r&page_token=" + page.get("next_page_token").asText()).refused(400, "invalid_argument");
    api.get("/v1/jobs?page_token=" + page.get("next_page_token").asText()).refused(400, "invalid_argument");
    assertThat(api.get("/v1/integrations?repo=nobody").ok().get("integrations")).isEmpty();
    Api.Answer unknown = api.get("/v1/integrations/no-such-integration");
    unknown.refused(404, "not_found");
    assertThat(unknown.json().get("reason").asText()).isEqualTo("unknown_integration");
  }

  @EveryDatabase
  void a_page_of_integrations_of_many_long_paths_is_cut_and_the_next_one_goes_on_there(TestDatabase database) {
    Api api = database.serve();
    Leases leases = Leases.of(api);
    ObjectNode lease = leases.given("alice", "d/");
    for (int i = 0; i < 10; i++) {
      leases.integrate(lease, Leases.aMegabyteOfPaths("d/")).ok();
    }

    ObjectNode first = api.get("/v1/integrations?repo=r").ok();
    ObjectNode second = api.get("/v1/integrations?repo=r&page_token=" + first.get("next_page_token").asText()).ok();

    assertThat(first.get("integrations").findValuesAsText("sequence")).containsExactly("10", "9", "8", "7", "6", "5", "4", "3");
    assertThat(second.get("integrations").findValuesAsText("sequence")).containsExactly("2", "1");
    assertThat(second.has("next_page_token")).isFalse();
  }

  private static void refused(Api.Answer answer, int place, String reason) {
    answer.refused(409, "failed_precondition");
    assertThat(answer.json().get("reason").asText()).as(answer.json().toString()).isEqualTo(reason);
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo("paths[" + place + "]");
  }

  private static String base(JsonNode integration) {
    return "\"base\": \"" + integration.get("integration_id").asText() + "\"";
  }

  /** Makes an ended lease look held. */
  private static void revive(TestDatabase database, long token) {
    database.change("update lease set state = 'held', expires_at = acquired_at + 60000 where fencing_token = " + token);
    database.change("update lease_path set held = (fencing_token = " + token + ")");
  }
}
