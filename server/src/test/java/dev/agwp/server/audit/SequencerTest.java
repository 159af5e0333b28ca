package dev.agwp.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.attestation.Sha256;
import dev.agwp.server.storage.Database;
import dev.agwp.server.testing.AgwpCommand;
import dev.agwp.server.testing.AgwpCommand.Running;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.AuditRows;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Chain;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.EventKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class SequencerTest {
  private static final int CALLERS = 8;
  private static final int CALLS = 15;

  @EveryDatabase
  void events_are_sealed_in_the_order_of_their_changes_without_a_gap(TestDatabase database) throws IOException {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.call("heartbeat", jobId, "w1").ok();
    api.call("complete", jobId, "w1").ok();

    AuditRows.awaitSealed(database);

    JsonNode events = api.get("/v1/audit/events").ok().get("events");
    assertThat(events).extracting(event -> event.get("kind").asText())
        .containsExactly("job_enqueued", "job_claimed", "job_heartbeat", "job_completed");
    byte[] chain = Chain.empty();
    for (int i = 0; i < events.size(); i++) {
      byte[] leaf = Chain.leaf(events.get(i).get("preimage").binaryValue());
      chain = Chain.next(chain, i + 1, leaf);
      assertThat(events.get(i).get("seq").asInt()).isEqualTo(i + 1);
      assertThat(events.get(i).get("leaf_hash").asText()).isEqualTo(Sha256.written(leaf));
      assertThat(events.get(i).get("chain_hash").asText()).isEqualTo(Sha256.written(chain));
    }
    JsonNode head = api.get("/v1/audit/head").ok();
    assertThat(head.get("seq").asInt()).isEqualTo(4);
    assertThat(head.get("chain_hash").asText()).isEqualTo(Sha256.written(chain));
    assertThat(head.has("sealed_at")).isTrue();
    assertThat(head.has("unsealed_age_seconds")).isFalse();
    assertThat(head.has("checkpoint")).as("without a key").isFalse();
  }

  @EveryDatabase
  void the_events_are_read_page_by_page(TestDatabase database) {
    Api api = database.serve();
    IntStream.range(0, 5).forEach(i -> api.aQueuedJob());
    AuditRows.awaitSealed(database);

    assertThat(api.get("/v1/audit/events?limit=2").ok().get("events")).extracting(event -> event.get("seq").asInt()).containsExactly(1, 2);
    assertThat(api.get("/v1/audit/events?after=2&limit=2").ok().get("events")).extracting(event -> event.get("seq").asInt())
        .containsExactly(3, 4);
    assertThat(api.get("/v1/audit/events?after=5").ok().get("events")).isEmpty();
    api.get("/v1/audit/events?limit=0").refused(400, "invalid_argument");
    api.get("/v1/audit/events?limit=1001").refused(400, "invalid_argument");
    api.get("/v1/audit/events?after=-1").refused(400, "invalid_argument");
    api.get("/v1/audit/events?after=x").refused(400, "invalid_argument");
  }

  @EveryDatabase
  void two_sequencers_at_once_seal_no_event_twice(TestDatabase file) {
    try (ALog one = new ALog(file); ALog other = new ALog(file)) {
      one.database().inTransaction(tx -> {
        IntStream.range(0, 10_000).forEach(i -> tx.audit(anEvent()));
        return null;
      });

      while (file.number("select count(*) from audit_pending") > 0) {
        CompletableFuture.allOf(CompletableFuture.runAsync(one::seal), CompletableFuture.runAsync(other::seal)).join();
      }

      assertThat(one.sealed() + other.sealed()).isEqualTo(10_000);
      assertThat(one.verify()).isEqualTo(new VerifyLog.Verdict(10_000, null, null));
    }
  }

  @EveryDatabase
  void a_sequencer_that_was_paused_changes_nothing(TestDatabase file) {
    try (ALog log = new ALog(file)) {
      HeadRow before = log.write(2).database().read(tx -> tx.auditLog().head());
      log.seal().write(1);
      List<String> sealed = file.rows("select seq from audit_event");

      assertThatThrownBy(() -> log.database().inTransaction(tx -> Sequencer.Seals.of(before, tx.auditLog().pending(1)).write(tx)))
          .isInstanceOf(IllegalStateException.class).hasMessageContaining("another server has sealed");

      assertThat(file.rows("select seq from audit_event")).isEqualTo(sealed);
      assertThat(file.number("select count(*) from audit_pending")).isEqualTo(1);
      assertThat(log.seal().verify()).isEqualTo(new VerifyLog.Verdict(3, null, null));
    }
  }

  /** On SQLite nobody else can write meanwhile. */
  @Test
  void a_sequencer_steps_aside_while_another_has_the_head() throws SQLException {
    try (TestDatabase file = TestDatabase.postgresql(); ALog log = new ALog(file).write(3);
        Connection other = file.connect(); Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("select seq from audit_head for update");

      log.seal();
      assertThat(log.sealed()).isZero();
      other.rollback();
      log.seal();
      assertThat(log.sealed()).isEqualTo(3);
    }
  }

  /** On SQLite nobody else can write meanwhile. */
  @Test
  void a_transaction_that_stays_open_delays_its_own_events_alone() throws SQLException {
    try (TestDatabase file = TestDatabase.postgresql(); ALog log = new ALog(file);
        Connection slow = file.connect(); Statement statement = slow.createStatement()) {
      slow.setAutoCommit(false);
      statement.execute("insert into audit_pending (created_at, preimage) values (1, " + AuditRows.sql(file, anEvent().preimage()) + ")");

      log.write(2).seal();
      assertThat(log.verify().events()).isEqualTo(2);
      slow.commit();
      assertThat(log.seal().verify()).isEqualTo(new VerifyLog.Verdict(3, null, null));
    }
  }

  @EveryDatabase
  void how_long_events_wait_is_told(TestDatabase file) {
    try (ALog log = new ALog(file)) {
      ReadAudit audit = new ReadAudit(log.database(), null);
      assertThat(audit.unsealedAgeSeconds()).isZero();

      log.write(1);
      file.change("update audit_pending set created_at = created_at - 60000");

      assertThat(audit.unsealedAgeSeconds()).isBetween(60.0, 70.0);
      assertThat(audit.head().getUnsealedAgeSeconds()).isBetween(60L, 70L);
      log.seal();
      assertThat(audit.unsealedAgeSeconds()).isZero();
      assertThat(audit.head().getUnsealedAgeSeconds()).isNull();
    }
  }

  @EveryDatabase
  void a_busy_log_is_sealed_within_five_seconds_and_can_be_verified_meanwhile(TestDatabase database) {
    Api api = database.serve();
    List<CompletableFuture<Double>> callers = IntStream.range(0, CALLERS).mapToObj(caller -> CompletableFuture.supplyAsync(() -> {
      double longest = 0;
      for (int i = 0; i < CALLS; i++) {
        api.post("/v1/jobs/batch", "{\"jobs\": [" + "{\"queue\": \"q\"},".repeat(49) + "{\"queue\": \"q\"}]}").ok();
        longest = Math.max(longest, metric(api, "agwp_audit_unsealed_age_seconds"));
      }
      return longest;
    })).toList();

    try (Database reading = Database.openToRead(database.url())) {
      do {
        assertThat(new VerifyLog(reading, List.of(), (seq, of) -> {}).run().tampering()).as("while it is written").isNull();
      } while (!callers.stream().allMatch(CompletableFuture::isDone));
    }
    assertThat(callers).allSatisfy(caller -> assertThat(caller.join()).isLessThan(5));
    AuditRows.awaitSealed(database);
    assertThat(metric(api, "agwp_audit_events_sealed_total")).isEqualTo(CALLERS * CALLS * 50);
    assertThat(api.get("/v1/audit/head").ok().get("seq").asInt()).isEqualTo(CALLERS * CALLS * 50);
  }

  @EveryDatabase
  void a_head_that_was_deleted_stops_sealing_until_it_is_put_back(TestDatabase database, @TempDir Path folder) throws IOException {
    try (ALog log = new ALog(database); Running server = new AgwpCommand(folder).start("serve", "--port", "0", "--db", database.url())) {
      database.change("create table kept as select * from audit_head");
      database.change("delete from audit_head");
      log.write(1);
      await().until(() -> Files.readString(server.log()).contains("the head of the audit log is gone"));

      database.change("insert into audit_head select * from kept");

      AuditRows.awaitSealed(database);
      assertThat(log.verify()).isEqualTo(new VerifyLog.Verdict(1, null, null));
    }
  }

  @EveryDatabase
  void a_server_that_stops_leaves_nothing_unsealed(TestDatabase database) {
    Api api = database.serve();
    api.aQueuedJob();
    api.server().close();

    await().until(() -> database.number("select count(*) from audit_event") == 1);
    assertThat(database.number("select count(*) from audit_pending")).isZero();
  }

  private static Event anEvent() {
    return Event.of(EventKind.QUEUE_UPDATED, 1);
  }

  private static double metric(Api api, String name) {
    return new String(api.get("/metrics").http().body(), StandardCharsets.UTF_8).lines()
        .filter(line -> line.startsWith(name + " ")).mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst().orElse(0);
  }
}
