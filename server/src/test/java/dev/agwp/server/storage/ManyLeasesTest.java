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

/** What a call on a lease costs when a repo has seen a hundred thousand, told by the plan and not by a clock. */
@Isolated("needs the machine for itself")
final class ManyLeasesTest {
  private static final int LEASES = 100_000;
  private static final List<String> TABLES = List.of(
      "insert into lease_repo (repo, last_token, last_sequence) values ('r', " + LEASES + ", " + LEASES + ")",
      "insert into lease (repo, fencing_token, lease_id, paths, holder, request_id, state, acquired_at, expires_at) "
          + "select 'r', n, 'l' || n, '[]', 'local|w', 'q' || n, case when n % 2 = 1 then 'held' else 'released' end, n, 4102444800000 from numbers",
      "insert into lease_path (repo, path, fencing_token, held) select 'r', 'd' || (n % 1000) || '/f' || n, n, n % 2 = 1 from numbers",
      "insert into lease_ticket (repo, holder, alive_until) select 'r', 'local|w', 4102444800000 from numbers",
      "insert into lease_ticket_path (repo, path, ticket) select 'r', 'd' || (n % 1000) || '/g' || n, n from numbers",
      "insert into integration (repo, sequence, integration_id, change_digest, paths, fencing_tokens, holder, request_id, job_id, created_at) "
          + "select 'r', n, 'i' || n, 'd', '[]', '[]', 'local|w', 'q' || n, 'j' || n, n from numbers",
      "insert into integration_path (repo, path, sequence, fencing_token) select 'r', 'd' || (n % 1000) || '/f' || n, n, n from numbers");
  private static final String NUMBERS =
      "with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < " + LEASES + ") ";

  @Test
  void every_statement_of_a_lease_on_postgresql_reads_a_few_rows_of_a_hundred_thousand() throws SQLException, IOException {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api api = database.serve();
      fill(database);
      database.change("vacuum analyze");

      for (Map.Entry<String, List<String>> plan : plans(database).entrySet()) {
        JsonNode root = new ObjectMapper().readTree(plan.getValue().get(0));
        assertThat(root.findParents("Relation Name")).as(plan.getKey()).noneMatch(node -> node.get("Node Type").asText().equals("Seq Scan")
            && !List.of("lease_repo", "job").contains(node.get("Relation Name").asText()));
        assertThat(rowsRead(root)).as(plan.getKey()).isLessThanOrEqualTo(100);
      }
      assertThatLeasesGoOn(api);
    }
  }

  @Test
  void every_statement_of_a_lease_on_sqlite_finds_its_rows_by_an_index() throws SQLException {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = database.serve();
      fill(database);

      plans(database).forEach((statement, plan) -> {
        assertThat(plan).as(statement).noneMatch(step -> step.matches("SCAN (lease|lease_path|lease_ticket|wanted|integration|integration_path)( .*)?"));
        // Of an index that begins with the repo, the repo alone would be all of it.
        assertThat(plan).as(statement).noneMatch(step -> step.matches("SEARCH (lease_path|wanted|integration_path) .*\\(repo=\\?\\)"));
      });
      assertThatLeasesGoOn(api);
    }
  }

  private static void fill(TestDatabase database) {
    TABLES.forEach(insert -> database.change(insert.contains("numbers") ? NUMBERS + insert : insert));
  }

  private static void assertThatLeasesGoOn(Api api) {
    String lease = "{\"repo\": \"r\", \"holder\": \"h\", \"paths\": [\"%s\"]}";
    assertThat(api.post("/v1/leases", lease.formatted("d1/new")).ok().get("fencing_token").asLong()).isEqualTo(LEASES + 1);
    api.post("/v1/leases", lease.formatted("d1/f1")).refused(409, "failed_precondition");
  }

  private static Map<String, List<String>> plans(TestDatabase database) throws SQLException {
    Map<String, List<String>> plans = new LinkedHashMap<>(
        Plans.of(database, "dev.agwp.server.lease.LeaseMapper", HotLeaseStatements.ofLeases()));
    Plans.of(database, "dev.agwp.server.lease.IntegrationMapper", HotLeaseStatements.ofIntegrations())
        .forEach((statement, plan) -> plans.put("integration " + statement, plan));
    return plans;
  }

  private static long rowsRead(JsonNode plan) {
    long rows = 0;
    for (JsonNode node : plan.findParents("Relation Name")) {
      if (!node.get("Node Type").asText().equals("ModifyTable")) {
        rows += (node.get("Actual Rows").asLong() + node.path("Rows Removed by Filter").asLong()) * node.get("Actual Loops").asLong();
      }
    }
    return rows;
  }
}
