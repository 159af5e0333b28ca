package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.server.lease.HotLeaseStatements;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a call on a lease costs when a repo has seen a hundred thousand, told by the plan and not by a clock. */
@Isolated("needs the machine for itself")
final class ManyLeasesTest {
  private static final int LEASES = 100_000;
  private static final List<String> TABLES = List.of(
      "lease_repo", "lease", "lease_path", "lease_ticket", "lease_ticket_path", "integration", "integration_path");
  /** Of as many leases as numbers. */
  private static final List<String> ROWS = List.of(
      "insert into lease_repo (repo, last_token, last_sequence) select 'r', max(n), max(n) from numbers",
      "insert into lease (repo, fencing_token, lease_id, paths, holder, request_id, state, acquired_at, expires_at) "
          + "select 'r', n, 'l' || n, '[]', 'local|w', 'q' || n, case when n % 2 = 1 then 'held' else 'released' end, n, 4102444800000 from numbers",
      "insert into lease_path (repo, path, fencing_token, held) select 'r', 'd' || (n % 1000) || '/f' || n, n, n % 2 = 1 from numbers",
      "insert into lease_ticket (repo, holder, alive_until) select 'r', 'local|w', 4102444800000 from numbers",
      "insert into lease_ticket_path (repo, path, ticket) select 'r', 'd' || (n % 1000) || '/g' || n, n from numbers",
      "insert into integration (repo, sequence, integration_id, change_digest, paths, fencing_tokens, holder, request_id, job_id, created_at) "
          + "select 'r', n, 'i' || n, 'd', '[]', '[]', 'local|w', 'q' || n, 'j' || n, n from numbers",
      "insert into integration_path (repo, path, sequence, fencing_token) select 'r', 'd' || (n % 1000) || '/f' || n, n, n from numbers");

  /** Tables that have just been filled as well, of which the planner knows nothing yet. */
  @ParameterizedTest
  @ValueSource(ints = {3_000, LEASES})
  void every_statement_of_a_lease_on_postgresql_reads_a_few_rows_of_many(int leases) throws SQLException, IOException {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api api = database.serve();
      TABLES.forEach(table -> database.change("alter table " + table + " set (autovacuum_enabled = false)"));
      fill(database, leases);
      if (leases == LEASES) {
        database.change("vacuum analyze");
      }

      for (Map.Entry<String, HotStatement> hot : hotStatements(database, leases).entrySet()) {
        JsonNode plan = new ObjectMapper().readTree(hot.getValue().explained("explain (generic_plan, format json) ").get(0));
        assertThat(plan.findValuesAsText("Node Type")).as(hot.getKey()).doesNotContain("Seq Scan");
        // Of an index that begins with the repo, the repo alone would be all of it: what another column then rules out is not counted as read.
        assertThat(scans(plan, "lease_path|lease_ticket_path|integration_path")).as(hot.getKey())
            .allMatch(scan -> scan.path("Index Cond").asText().matches(".*(path (=|>=)|ticket =).*")
                || scan.path("Index Name").asText().equals("lease_path_of_lease"), "goes to its paths");
        assertThat(hot.getValue().rowsRead()).as(hot.getKey()).isLessThanOrEqualTo(100);
      }
      assertThatLeasesGoOn(api, leases);
    }
  }

  @Test
  void every_statement_of_a_lease_on_sqlite_finds_its_rows_by_an_index() throws SQLException {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = database.serve();
      fill(database, LEASES);

      for (Map.Entry<String, HotStatement> hot : hotStatements(database, LEASES).entrySet()) {
        List<String> plan = hot.getValue().explained("explain query plan ");
        assertThat(plan).as(hot.getKey()).noneMatch(step -> step.matches("SCAN (lease|lease_path|lease_ticket|wanted|integration|integration_path)( .*)?"));
        // Of an index that begins with the repo, the repo alone would be all of it.
        assertThat(plan).as(hot.getKey()).noneMatch(step -> step.matches("SEARCH (lease_path|wanted|integration_path) .*\\(repo=\\?\\)"));
      }
      assertThatLeasesGoOn(api, LEASES);
    }
  }

  private static List<JsonNode> scans(JsonNode plan, String tables) {
    return plan.findParents("Index Name").stream().filter(scan -> scan.path("Relation Name").asText().matches(tables)).toList();
  }

  private static void fill(TestDatabase database, int leases) {
    String numbers = "with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < " + leases + ") ";
    ROWS.forEach(insert -> database.change(numbers + insert));
  }

  private static void assertThatLeasesGoOn(Api api, int leases) {
    String lease = "{\"repo\": \"r\", \"holder\": \"h\", \"paths\": [\"%s\"]}";
    assertThat(api.post("/v1/leases", lease.formatted("d1/new")).ok().get("fencing_token").asLong()).isEqualTo(leases + 1);
    api.post("/v1/leases", lease.formatted("d1/f1")).refused(409, "failed_precondition");
  }

  private static Map<String, HotStatement> hotStatements(TestDatabase database, int leases) {
    Map<String, HotStatement> statements = new LinkedHashMap<>();
    HotLeaseStatements.ofLeases(leases).forEach((name, parameters) ->
        statements.put(name, new HotStatement(database.url(), "dev.agwp.server.lease.LeaseMapper." + name, parameters, TABLES)));
    HotLeaseStatements.ofIntegrations(leases).forEach((name, parameters) -> statements.put("integration " + name,
        new HotStatement(database.url(), "dev.agwp.server.lease.IntegrationMapper." + name, parameters, TABLES)));
    return statements;
  }
}
