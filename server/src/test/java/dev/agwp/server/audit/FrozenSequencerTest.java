package dev.agwp.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.AgwpCommand;
import dev.agwp.server.testing.AgwpCommand.Running;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.AuditRows;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.EventKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On PostgreSQL: a server on SQLite is the only one. */
final class FrozenSequencerTest {
  private static final String NAME = "agwp-frozen";
  /** So many that a server is at them long enough to be caught. */
  private static final int EVENTS = 2_000;

  @Test
  void an_event_is_sealed_within_five_seconds_though_a_server_is_frozen_while_it_seals(@TempDir Path folder)
      throws IOException, InterruptedException {
    try (TestDatabase database = TestDatabase.postgresql(); ALog log = new ALog(database);
        Running frozen = new AgwpCommand(folder).start("serve", "--port", "0", "--db", database.url() + "&ApplicationName=" + NAME)) {
      Api other = database.serve();
      await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(5)).until(() -> freezesWhileItSeals(frozen, database, log));

      other.aQueuedJob();
      AuditRows.awaitSealed(database);

      assertThat(sealsNow(database)).as("the frozen server").isFalse();
      signal("CONT", frozen);
      other.server().close();
      log.write(1);
      AuditRows.awaitSealed(database);
      assertThat(log.verify().tampering()).isNull();
    }
  }

  private static boolean freezesWhileItSeals(Running server, TestDatabase database, ALog log) throws IOException, InterruptedException {
    if (database.number("select count(*) from audit_pending") == 0) {
      log.database().inTransaction(tx -> {
        IntStream.range(0, EVENTS).forEach(i -> tx.audit(Event.of(EventKind.QUEUE_UPDATED, 1)));
        return null;
      });
    }
    if (!sealsNow(database)) {
      return false;
    }
    signal("STOP", server);
    if (sealsNow(database)) {
      return true;
    }
    signal("CONT", server);
    return false;
  }

  /** Whether the server that is to be frozen has moved the head and not committed yet. */
  private static boolean sealsNow(TestDatabase database) {
    return database.number("select count(*) from pg_locks join pg_stat_activity using (pid) where application_name = '" + NAME + "'"
        + " and datname = current_database() and relation = 'audit_head'::regclass and mode = 'RowExclusiveLock'") > 0;
  }

  private static void signal(String name, Running server) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(server.process().pid())).inheritIO().start().waitFor()).isZero();
  }
}
