package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.Api.Answer;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.Signer;
import dev.agwp.server.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Calls that come while the database is held up by somebody else, and so wait at the same moment. */
@Execution(ExecutionMode.CONCURRENT)
final class CoalescedCallsTest {
  private static final String TOKEN = "\"fencing_token\": 1";

  @EveryDatabase
  void calls_of_every_kind_that_wait_at_the_same_moment_are_written_in_one_transaction(TestDatabase database) throws SQLException {
    Api api = database.serve();
    List<String> held = IntStream.range(0, 6).mapToObj(i -> api.aClaimedJob("w" + i)).toList();
    List<CompletableFuture<Answer>> calls = new ArrayList<>();
    double before = metric(api, "agwp_calls_together_count");

    try (Connection inTheWay = heldUp(database)) {
      calls.add(api.postLater("/v1/jobs", "{\"queue\": \"first\"}"));
      await().until(() -> metric(api, "agwp_calls_in_work") == 1);
      for (int i = 0; i < 2; i++) {
        calls.add(call(api, "heartbeat", held.get(i), "w" + i, TOKEN));
        calls.add(call(api, "complete", held.get(i + 2), "w" + (i + 2), TOKEN + ", \"outcome\": \"passed\""));
        calls.add(call(api, "fail", held.get(i + 4), "w" + (i + 4), TOKEN + ", \"retry_delay_seconds\": 3600"));
        calls.add(api.postLater("/v1/jobs", "{\"queue\": \"other\"}"));
        calls.add(api.postLater("/v1/jobs/claim", "{\"queues\": [\"other\"], \"worker\": \"claimer" + i + "\"}"));
      }
      await().until(() -> metric(api, "agwp_calls_waiting") == 10);
      inTheWay.rollback();
    }

    calls.forEach(call -> call.join().ok());
    assertThat(calls.get(5).join().ok().at("/jobs/0/claimed_by").asText()).isEqualTo("local|claimer0");
    assertThat(metric(api, "agwp_calls_together_count") - before).isEqualTo(2);
    assertThat(metric(api, "agwp_calls_together_max")).isEqualTo(10);
    assertThat(database.rows("select state, count(*) from job where queue = 'q' group by state order by state"))
        .containsExactly("claimed|2", "queued|2", "succeeded|2");
  }

  @Test
  void a_commit_that_breaks_off_is_unavailable_to_all_of_its_calls_and_nothing_of_it_is_done_again() throws SQLException {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api api = database.serve();
      String held = api.aClaimedJob("w1");
      String other = api.aClaimedJob("w2");
      String queued = api.aQueuedJob();
      // The connection ends as the second transaction commits, and never again: a sequence counts on whatever becomes of a transaction.
      database.change("create sequence events");
      database.change("create function cut() returns trigger language plpgsql as $$ begin "
          + "if nextval('events') = 2 then perform pg_terminate_backend(pg_backend_pid()); end if; return null; end $$");
      database.change("create constraint trigger cut after insert on audit_pending deferrable initially deferred "
          + "for each row execute function cut()");
      List<String> before = database.everything();
      List<CompletableFuture<Answer>> calls = new ArrayList<>();
      CompletableFuture<Answer> first;

      try (Connection inTheWay = heldUp(database)) {
        first = api.postLater("/v1/jobs", "{\"queue\": \"first\"}");
        await().until(() -> metric(api, "agwp_calls_in_work") == 1);
        calls.add(api.postLater("/v1/jobs", "{\"queue\": \"q\"}"));
        calls.add(api.postLater("/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"w3\"}"));
        calls.add(call(api, "fail", held, "w1", TOKEN));
        calls.add(call(api, "release", other, "w2", TOKEN));
        await().until(() -> metric(api, "agwp_calls_waiting") == 4);
        inTheWay.rollback();
      }

      assertThat(first.join().status()).isEqualTo(201);
      calls.forEach(call -> assertThat(call.join().status()).as(call.join().text()).isEqualTo(503));
      database.change("delete from job where queue = 'first'");
      database.change("delete from queue where name = 'first'");
      assertThat(database.everything()).isEqualTo(before);
      assertThat(ClaimTest.ids(api.claim("w3"))).containsExactly(queued);
    }
  }

  @EveryDatabase
  void a_call_that_breaks_a_constraint_fails_alone(TestDatabase database) throws SQLException {
    Api api = database.serve();
    List<String> held = IntStream.range(0, 5).mapToObj(i -> api.aClaimedJob("w" + i)).toList();
    // Cannot be: the attestation of a job that has not ended. Whoever completes that job meets the primary key.
    database.change("insert into attestation (job_id, attempts, media_type, digest, body, stored_at) values ('" + held.get(2)
        + "', 1, 'text/plain', 'sha256:0', " + (database.isPostgresql() ? "''" : "x''") + ", 1)");
    List<CompletableFuture<Answer>> calls = new ArrayList<>();

    try (Connection inTheWay = heldUp(database)) {
      CompletableFuture<Answer> first = api.postLater("/v1/jobs", "{\"queue\": \"first\"}");
      await().until(() -> metric(api, "agwp_calls_in_work") == 1);
      for (int i = 0; i < held.size(); i++) {
        calls.add(call(api, "complete", held.get(i), "w" + i,
            TOKEN + ", \"outcome\": \"passed\", \"attestation\": {\"media_type\": \"text/plain\", \"body\": \"eA==\"}"));
      }
      await().until(() -> metric(api, "agwp_calls_waiting") == held.size());
      inTheWay.rollback();
    }

    for (int i = 0; i < held.size(); i++) {
      assertThat(calls.get(i).join().status()).as(String.valueOf(i)).isEqualTo(i == 2 ? 500 : 200);
    }
    assertThat(api.job(held.get(2)).get("state").asText()).isEqualTo("claimed");
    assertThat(database.number("select count(*) from attestation where digest <> 'sha256:0'")).isEqualTo(4);
  }

  @EveryDatabase
  void a_completion_refused_for_its_attestation_leaves_those_written_with_it_alone(TestDatabase database) throws SQLException {
    Api api = database.serve();
    List<String> held = IntStream.range(0, 5).mapToObj(i -> api.aClaimedJob("w" + i)).toList();
    api.patch("/v1/queues/q", "{\"attestation\": \"required\"}").ok();
    List<CompletableFuture<Answer>> calls = new ArrayList<>();

    try (Connection inTheWay = heldUp(database)) {
      CompletableFuture<Answer> first = api.postLater("/v1/jobs", "{\"queue\": \"first\"}");
      await().until(() -> metric(api, "agwp_calls_in_work") == 1);
      for (int i = 0; i < held.size(); i++) {
        long attempt = i == 2 ? 7 : 1;
        calls.add(call(api, "complete", held.get(i), "w" + i,
            TOKEN + ", \"outcome\": \"passed\", " + Signer.bare(Signer.statement("ab".repeat(32), held.get(i), attempt))));
      }
      await().until(() -> metric(api, "agwp_calls_waiting") == held.size());
      inTheWay.rollback();
    }

    for (int i = 0; i < held.size(); i++) {
      assertThat(calls.get(i).join().status()).as(String.valueOf(i)).isEqualTo(i == 2 ? 400 : 200);
    }
    assertThat(calls.get(2).join().json().get("reason").asText()).isEqualTo("attestation_mismatch");
    assertThat(metric(api, "agwp_calls_together_max")).isEqualTo(5);
    assertThat(database.number("select count(*) from attestation")).isEqualTo(4);
    assertThat(api.job(held.get(2)).get("state").asText()).isEqualTo("claimed");
  }

  @EveryDatabase
  void two_calls_on_one_job_are_applied_in_the_order_they_came(TestDatabase database) throws SQLException {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w");
    List<CompletableFuture<Answer>> calls = new ArrayList<>();

    try (Connection inTheWay = heldUp(database)) {
      CompletableFuture<Answer> first = api.postLater("/v1/jobs", "{\"queue\": \"first\"}");
      await().until(() -> metric(api, "agwp_calls_in_work") == 1);
      for (String call : List.of("heartbeat", "complete", "heartbeat")) {
        calls.add(call(api, call, jobId, "w", TOKEN + (call.equals("complete") ? ", \"outcome\": \"passed\"" : ", \"progress\": 7")));
        await().until(() -> metric(api, "agwp_calls_waiting") == calls.size());
      }
      inTheWay.rollback();
    }

    calls.get(0).join().ok();
    assertThat(calls.get(1).join().ok().get("progress").asInt()).isEqualTo(7);
    calls.get(2).join().refused(404, "not_found");
  }

  @EveryDatabase
  void unfenced_calls_that_wait_are_all_counted(TestDatabase database) throws SQLException {
    Api api = database.serve();
    List<String> held = IntStream.range(0, 5).mapToObj(i -> api.aClaimedJob("w")).toList();
    List<CompletableFuture<Answer>> calls = new ArrayList<>();

    try (Connection inTheWay = heldUp(database)) {
      CompletableFuture<Answer> first = api.postLater("/v1/jobs", "{\"queue\": \"first\"}");
      await().until(() -> metric(api, "agwp_calls_in_work") == 1);
      held.forEach(jobId -> calls.add(call(api, "heartbeat", jobId, "w", "\"progress\": 1")));
      await().until(() -> metric(api, "agwp_calls_waiting") == held.size());
      inTheWay.rollback();
    }

    calls.forEach(call -> call.join().ok());
    assertThat(database.number("select calls from unfenced_call where worker = 'w'")).isEqualTo(5);
  }

  /** On SQLite nobody holds one row. */
  @Test
  void a_job_whose_row_somebody_holds_keeps_no_other_waiting() throws SQLException {
    try (TestDatabase database = TestDatabase.postgresql()) {
      Api api = database.serve();
      String locked = api.aClaimedJob("w0");
      String free = api.aClaimedJob("w1");

      try (Connection other = database.connect(); Statement statement = other.createStatement()) {
        other.setAutoCommit(false);
        statement.execute("select * from job where job_id = '" + locked + "' for update");
        CompletableFuture<Answer> waits = call(api, "complete", locked, "w0", TOKEN + ", \"outcome\": \"passed\"");

        api.call("complete", free, "w1", TOKEN).ok();
        assertThat(waits).isNotDone();
        other.rollback();
        waits.join().ok();
      }
    }
  }

  /** Nobody else can write until this connection rolls back. */
  private static Connection heldUp(TestDatabase database) throws SQLException {
    Connection connection = database.connect();
    try (Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(database.isPostgresql() ? "lock table job, queue in exclusive mode" : "update queue set paused = paused");
    }
    return connection;
  }

  private static CompletableFuture<Answer> call(Api api, String operation, String jobId, String worker, String more) {
    return api.postLater("/v1/jobs/" + jobId + "/" + operation, "{\"worker\": \"" + worker + "\", " + more + "}");
  }

  private static double metric(Api api, String name) {
    Matcher line = Pattern.compile("(?m)^" + name + " (\\S+)$").matcher(
        new String(api.get("/metrics").http().body(), java.nio.charset.StandardCharsets.UTF_8));
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }
}
