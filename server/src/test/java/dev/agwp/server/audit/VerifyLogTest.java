package dev.agwp.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.server.audit.VerifyLog.Tampering;
import dev.agwp.server.audit.VerifyLog.Verdict;
import dev.agwp.server.testing.AuditRows;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Chain;
import dev.agwp.spec.audit.Checkpoint;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.EventKind;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Somebody who owns the database tampers with a log of 30 events in every way there is. */
@Execution(ExecutionMode.CONCURRENT)
final class VerifyLogTest {
  private static final int EVENTS = 30;
  private static final byte[] FORGED = Event.of(EventKind.JOB_COMPLETED, 1_000).preimage();

  @EveryDatabase
  void a_log_that_nobody_touched_is_intact(TestDatabase file) {
    try (ALog log = aLog(file)) {
      assertThat(log.verify()).isEqualTo(new Verdict(EVENTS, null, null));
      assertThat(log.verify(log.checkpoint()).tampering()).isNull();
    }
  }

  @EveryDatabase
  void an_empty_log_is_intact(TestDatabase file) {
    try (ALog log = new ALog(file)) {
      assertThat(log.verify()).isEqualTo(new Verdict(0, null, null));
    }
  }

  @EveryDatabase
  void a_log_that_grew_since_its_checkpoint_is_intact(TestDatabase file) {
    try (ALog log = aLog(file)) {
      Checkpoint kept = log.checkpoint();
      log.write(5).seal();

      assertThat(log.verify(kept, log.checkpoint())).isEqualTo(new Verdict(EVENTS + 5, null, null));
    }
  }

  @EveryDatabase
  void events_that_are_not_sealed_yet_are_no_part_of_it(TestDatabase file) {
    try (ALog log = aLog(file).write(3)) {
      assertThat(log.verify()).isEqualTo(new Verdict(EVENTS, null, null));
    }
  }

  @EveryDatabase
  void sealed_events_cannot_be_changed_or_deleted_by_accident(TestDatabase file) {
    try (ALog log = aLog(file)) {
      assertThatThrownBy(() -> edit(file, 7)).hasStackTraceContaining("audit_event is append-only");
      assertThatThrownBy(() -> file.change("delete from audit_event where seq = 7")).hasStackTraceContaining("audit_event is append-only");
      String again = "into audit_event select * from audit_event where seq = 7";
      assertThatThrownBy(() -> file.change(file.isPostgresql() ? "insert " + again + " on conflict (seq) do update set seq = 7"
          : "insert or replace " + again)).hasStackTraceContaining("audit_event is append-only");
      assertThat(log.verify().tampering()).isNull();
    }
  }

  @EveryDatabase
  void an_event_put_before_the_first_is_an_edit(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      insert(file, 0, FORGED, Chain.empty());

      assertFound(log.verify(), Tampering.EDIT, 0, "an event stands at 0, before the first");
    }
  }

  @EveryDatabase
  void changed_bytes_of_an_event_are_an_edit(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      edit(file, 7);

      assertFound(log.verify(), Tampering.EDIT, 6, "event 7 does not give its hash");
    }
  }

  @EveryDatabase
  void a_changed_hash_is_an_edit(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      file.change("update audit_event set chain_hash = " + AuditRows.sql(file, Chain.empty()) + " where seq = 7");

      assertFound(log.verify(), Tampering.EDIT, 6, "event 7 does not give its hash");
    }
  }

  @EveryDatabase
  void two_events_that_were_swapped_are_an_edit(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      file.change("update audit_event set seq = 1000 where seq = 7");
      file.change("update audit_event set seq = 7 where seq = 9");
      file.change("update audit_event set seq = 9 where seq = 1000");

      assertFound(log.verify(), Tampering.EDIT, 6, "event 7 does not give its hash");
    }
  }

  @EveryDatabase
  void an_event_that_was_put_in_between_is_an_edit(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      for (int seq = EVENTS; seq >= 7; seq--) {
        file.change("update audit_event set seq = " + (seq + 1) + " where seq = " + seq);
      }
      insert(file, 7, FORGED, Chain.empty());

      assertFound(log.verify(), Tampering.EDIT, 6, "event 7 does not give its hash; it says now job_completed");
    }
  }

  @EveryDatabase
  void an_event_that_is_missing_inside_is_a_deletion(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      file.change("delete from audit_event where seq in (7, 8)");

      assertFound(log.verify(), Tampering.DELETION, 6, "event 7 is missing: event 9 is the next there is");
    }
  }

  @EveryDatabase
  void a_log_that_ends_before_its_head_is_truncated(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      file.change("delete from audit_event where seq > 20");

      assertFound(log.verify(), Tampering.TRUNCATION, 20, "the log ends at event 20, and its head says 30");
    }
  }

  @EveryDatabase
  void a_log_without_any_of_its_events_is_truncated(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      file.change("delete from audit_event");

      assertFound(log.verify(), Tampering.TRUNCATION, 0, "its head says 30");
    }
  }

  @EveryDatabase
  void a_log_without_its_head_is_truncated(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      file.change("delete from audit_head");

      assertFound(log.verify(), Tampering.TRUNCATION, 0, "the head of the log is gone");
    }
  }

  @EveryDatabase
  void a_log_cut_together_with_its_head_is_truncated_by_its_checkpoint_alone(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      Checkpoint kept = log.checkpoint();
      byte[] hash = log.database().read(tx -> tx.auditLog().events(19, 1)).get(0).chainHash();
      file.change("delete from audit_event where seq > 20");
      file.change("update audit_head set seq = 20, chain_hash = " + AuditRows.sql(file, hash));

      assertThat(log.verify().tampering()).as("without a checkpoint nothing tells").isNull();
      assertFound(log.verify(kept), Tampering.TRUNCATION, 20, "the log ends at event 20, and a checkpoint covers 30");
    }
  }

  @EveryDatabase
  void a_log_written_anew_after_an_edit_is_a_fork_by_its_checkpoint_alone(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      Checkpoint before = log.checkpoint();
      log.write(5).seal();
      Checkpoint kept = log.checkpoint();
      edit(file, 33);
      chainAnew(file, log);

      assertThat(log.verify().tampering()).as("without a checkpoint nothing tells").isNull();
      assertThat(log.verify(before).tampering()).as("what it covers is as it was").isNull();
      assertFound(log.verify(before, kept), Tampering.FORK, 34, "not the one of the checkpoint of that size");
    }
  }

  @EveryDatabase
  void an_event_after_the_head_is_a_fork(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      insert(file, 31, FORGED, Chain.next(log.checkpoint().hash(), 31, Chain.leaf(FORGED)));

      assertFound(log.verify(), Tampering.FORK, 31, "is not the one of the head, which says 30");
    }
  }

  @EveryDatabase
  void a_head_with_another_hash_is_a_fork(TestDatabase file) {
    try (ALog log = anUnlockedLog(file)) {
      file.change("update audit_head set chain_hash = " + AuditRows.sql(file, Chain.empty()));

      assertFound(log.verify(), Tampering.FORK, 30, "is not the one of the head");
    }
  }

  @EveryDatabase
  void a_checkpoint_of_another_log_is_a_fork(TestDatabase file) {
    try (ALog log = aLog(file)) {
      Checkpoint foreign = Checkpoint.of("another", EVENTS, log.checkpoint().hash());

      assertFound(log.verify(foreign), Tampering.FORK, 30, "the checkpoint is of agwp.dev/audit/another");
    }
  }

  private static ALog aLog(TestDatabase file) {
    return new ALog(file).write(EVENTS).seal();
  }

  private static ALog anUnlockedLog(TestDatabase file) {
    ALog log = aLog(file);
    AuditRows.unlock(file);
    return log;
  }

  private static void edit(TestDatabase file, int seq) {
    file.change("update audit_event set preimage = " + AuditRows.sql(file, FORGED) + " where seq = " + seq);
  }

  private static void insert(TestDatabase file, int seq, byte[] preimage, byte[] hash) {
    file.change("insert into audit_event (seq, preimage, chain_hash) values (" + seq + ", " + AuditRows.sql(file, preimage) + ", "
        + AuditRows.sql(file, hash) + ")");
  }

  /** What an owner who knows the format does after an edit: every hash from the first on, and the head. */
  private static void chainAnew(TestDatabase file, ALog log) {
    byte[] chain = Chain.empty();
    for (EventRow event : log.database().read(tx -> tx.auditLog().events(0, 1_000))) {
      chain = Chain.next(chain, event.seq(), Chain.leaf(event.preimage()));
      file.change("update audit_event set chain_hash = " + AuditRows.sql(file, chain) + " where seq = " + event.seq());
    }
    file.change("update audit_head set chain_hash = " + AuditRows.sql(file, chain));
  }

  private static void assertFound(Verdict verdict, Tampering tampering, long intact, String message) {
    assertThat(verdict.tampering()).as(String.valueOf(verdict)).isEqualTo(tampering);
    assertThat(verdict.events()).isEqualTo(intact);
    assertThat(verdict.message()).contains(message);
  }
}
