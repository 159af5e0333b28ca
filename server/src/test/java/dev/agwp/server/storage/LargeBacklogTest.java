package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.server.job.HotStatements;
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

/** What a call costs when a million jobs wait, told by the plan and not by a clock. */
@Isolated("measures time, or needs the machine for itself")
final class LargeBacklogTest {
  private static final int JOBS = 1_000_000;
  private static final String JOB_MAPPER = "dev.agwp.server.job.JobMapper.";
  private static final String COLUMNS = "insert into job (job_id, queue, state, claimable, due_at, priority, run_at, "
      + "max_attempts, created_at, updated_at, payload) ";
  private static final String VALUES = "'j' || n, 'q' || (n % 2), 'queued', n % 10 <> 0, "
      + "case when n % 10 = 0 then 4102444800000 end, n % 7, case when n % 10 = 0 then 4102444800000 else n end, 5, n, n, '{}'";

  /** A table that has just been filled as well, of which the planner knows nothing yet. */
  @ParameterizedTest
  @ValueSource(ints = {3_000, JOBS})
  void every_statement_of_a_job_on_postgresql_reads_a_few_rows_of_many(int jobs) throws SQLException, IOException {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api api = database.serve();
      database.change("alter table job set (autovacuum_enabled = false)");
      database.change(COLUMNS + "select " + VALUES + " from generate_series(1, " + jobs + ") as g (n)");
      database.change("insert into queue (name, created_at) values ('q0', 1), ('q1', 1)");
      database.change("update job set state = 'claimed', claimed_by = 'local|w', attempts = 1, attempts_used = 1, claimable = false "
          + "where seq <= 32");
      if (jobs == JOBS) {
        database.change("vacuum analyze job");
      }

      for (Map.Entry<String, HotStatement> hot : hotStatements(database).entrySet()) {
        JsonNode plan = new ObjectMapper().readTree(hot.getValue().explained("explain (generic_plan, format json) ").get(0));
        assertThat(plan.findParents("Relation Name")).as(hot.getKey()).noneMatch(node ->
            node.get("Relation Name").asText().equals("job") && node.get("Node Type").asText().equals("Seq Scan"));
        // 32 jobs are asked for, of each of two queues at most; a row that is found and then updated counts twice.
        assertThat(hot.getValue().rowsRead()).as(hot.getKey()).isLessThanOrEqualTo(4 * 32L);
        if (hot.getKey().equals("claim")) {
          assertThat(plan.toString()).contains("job_claim_order");
        }
      }
      assertThat(api.post("/v1/jobs/claim", "{\"queues\": [\"q0\", \"q1\"], \"worker\": \"w\", \"max_jobs\": 5}").ok()
          .get("jobs")).hasSize(5);
    }
  }

  @Test
  void every_statement_of_a_job_on_sqlite_finds_its_rows_by_an_index() throws SQLException {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = database.serve();
      database.change("with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < " + JOBS + ") "
          + COLUMNS + "select " + VALUES + " from numbers");
      database.change("insert into queue (name, created_at) values ('q0', 1), ('q1', 1)");

      for (Map.Entry<String, HotStatement> hot : hotStatements(database).entrySet()) {
        List<String> plan = hot.getValue().explained("explain query plan ");
        assertThat(plan).as(hot.getKey()).noneMatch(step -> step.matches("SCAN job( .*)?"));
        if (hot.getKey().equals("claim")) {
          assertThat(plan).anyMatch(step -> step.contains("SEARCH job USING INDEX job_claim_order"));
        }
      }
      assertThat(api.post("/v1/jobs/claim", "{\"queues\": [\"q0\", \"q1\"], \"worker\": \"w\", \"max_jobs\": 5}").ok()
          .get("jobs")).hasSize(5);
    }
  }

  @Test
  void heartbeats_touch_no_index() {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api api = database.serve();
      String jobId = api.aClaimedJob("w1");
      String updates = "select n_tup_upd from pg_stat_user_tables where relname = 'job'";
      String inPlace = "select n_tup_hot_upd from pg_stat_user_tables where relname = 'job'";

      for (int i = 0; i < 100; i++) {
        api.call("heartbeat", jobId, "w1", "\"progress\": " + i, "\"status_message\": \"step " + i + "\"").ok();
      }

      // A connection tells its counts at the latest when it ends.
      api.server().close();
      // The claim itself is one update, and is not in place.
      await().until(() -> database.number(updates) == 101);
      assertThat(database.number(inPlace)).isGreaterThanOrEqualTo(99);
    }
  }

  private static Map<String, HotStatement> hotStatements(TestDatabase database) {
    Map<String, HotStatement> statements = new LinkedHashMap<>();
    HotStatements.all().forEach((name, parameters) ->
        statements.put(name, new HotStatement(database.url(), JOB_MAPPER + name.split(" ")[0], parameters, List.of("job"))));
    return statements;
  }
}
