package dev.agwp.server.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.Contract;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class OperationsTest {

  @EveryDatabase
  void a_server_that_can_work_is_alive_and_ready(TestDatabase database) {
    Api api = database.serve();

    assertThat(api.get("/healthz").status()).isEqualTo(200);
    assertThat(api.get("/readyz").status()).isEqualTo(200);
  }

  @EveryDatabase
  void a_server_whose_database_is_gone_is_alive_but_not_ready(TestDatabase database) {
    Api api = database.serve();
    database.change("drop table attestation");
    database.change("alter table queue rename to not_queue");

    assertThat(api.get("/healthz").status()).isEqualTo(200);
    Api.Answer notReady = api.get("/readyz");
    assertThat(notReady.status()).isGreaterThanOrEqualTo(500);
    assertThat(notReady.json().toString()).doesNotContainIgnoringCase("select").doesNotContain("relation");
  }

  @Test
  void a_postgresql_that_refuses_connections_makes_the_server_unavailable_and_comes_back() throws SQLException {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api api = database.serve();
      String jobId = api.aQueuedJob();

      // Every connection is cut at once, as in a failover; the next call may fail, later ones must not.
      database.rows("select pg_terminate_backend(pid) from pg_stat_activity "
          + "where datname = current_database() and pid <> pg_backend_pid()");

      await().until(() -> api.get("/readyz").status() == 200);
      assertThat(api.job(jobId).get("state").asText()).isEqualTo("queued");
      assertThat(api.claim("w", "\"wait_seconds\": 5")).hasSize(1);
    }
  }

  @EveryDatabase
  void metrics_tell_operations_depth_age_and_expired_leases(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.call("heartbeat", jobId, "w2").refused(404, "not_found");
    database.expireLease(jobId);
    await().until(() -> metrics(api).contains("agwp_leases_expired_total 1.0"));

    String text = metrics(api);

    assertThat(text).contains("agwp_queue_depth{queue=\"q\",state=\"claimed\"} 1.0");
    assertThat(text).contains("agwp_operation_seconds_count{operation=\"enqueueJob\",outcome=\"ok\"} 1");
    assertThat(text).contains("agwp_operation_seconds_count{operation=\"heartbeatJob\",outcome=\"not_found\"} 1");
    assertThat(text).contains("agwp_operation_seconds_bucket{operation=\"claimJob\",outcome=\"ok\",le=");
    Matcher age = Pattern.compile("agwp_queue_oldest_claimable_age_seconds\\{queue=\"q\"} ([0-9.E]+)").matcher(text);
    assertThat(age.find()).isTrue();
    assertThat(Double.parseDouble(age.group(1))).isGreaterThan(1e9);
  }

  @EveryDatabase
  void the_contract_and_its_reference_are_served_as_they_are(TestDatabase database) {
    Api api = database.serve();

    assertThat(text(api.get("/openapi.yaml"))).isEqualTo(Contract.load().yaml());
    assertThat(text(api.get("/docs"))).contains("\"/docs/swagger-ui-bundle.js\"");
    assertThat(api.get("/docs/swagger-ui-bundle.js").http().body().length).isGreaterThan(100_000);
    assertThat(api.get("/docs/swagger-ui.css").header("Content-Type")).startsWith("text/css");
    assertThat(text(api.get("/docs/start.js"))).contains("SwaggerUIBundle");
    assertThat(api.get("/docs/openapi.json").json().get("servers").toString()).isEqualTo("[{\"url\":\"/\"}]");
    assertThat(api.get("/docs/nothing").status()).isEqualTo(404);
  }

  private static String metrics(Api api) {
    return text(api.get("/metrics"));
  }

  private static String text(Api.Answer answer) {
    assertThat(answer.status()).isEqualTo(200);
    return new String(answer.http().body(), StandardCharsets.UTF_8);
  }
}
