package dev.agwp.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.parallel.Isolated;

/** Seals and verifies many events of the usual size, and prints how long it took; audit.md has the command and the figures. */
@Isolated("measures time, or needs the machine for itself")
final class LargeLogTest {
  private static final long EVENTS = Long.getLong("audit.events", 50_000);
  private static final int EVENTS_PER_TRANSACTION = 1_000;
  private static final long VERIFIED_PER_SECOND_MIN = 1_000_000 / 60;

  @EveryDatabase
  void a_million_events_are_verified_within_a_minute(TestDatabase file) {
    try (ALog log = new ALog(file)) {
      for (long written = 0; written < EVENTS; written += EVENTS_PER_TRANSACTION) {
        long first = written;
        log.database().inTransaction(tx -> {
          LongStream.range(first, first + EVENTS_PER_TRANSACTION).forEach(i -> tx.audit(heartbeat(i)));
          return null;
        });
      }
      long start = System.nanoTime();
      log.seal();
      Duration sealing = Duration.ofNanos(System.nanoTime() - start);
      start = System.nanoTime();
      VerifyLog.Verdict verdict = log.verify();
      Duration verifying = Duration.ofNanos(System.nanoTime() - start);

      System.out.printf("%s: %,d events sealed in %s and verified in %s, %d bytes each%n", file, EVENTS, sealing, verifying, bytes(file) / EVENTS);
      assertThat(verdict).isEqualTo(new VerifyLog.Verdict(EVENTS, null, null));
      assertThat(EVENTS / (verifying.toNanos() / 1e9)).isGreaterThan(VERIFIED_PER_SECOND_MIN);
    }
  }

  private static Event heartbeat(long i) {
    return Event.of(EventKind.JOB_HEARTBEAT, 1_796_119_200_123L + i)
        .with(Field.PRINCIPAL, "local")
        .with(Field.WORKER, "worker-" + i % 100)
        .with(Field.QUEUE, "validate")
        .with(Field.JOB_ID, "019aeb3c-5a40-7c3e-9f0b-2f6b8f1d3c55")
        .with(Field.ATTEMPTS, 1L)
        .with(Field.OUTCOME, "claimed")
        .with(Field.REQUEST_ID, "7f3f8f0e-5f0c-4a53-8f3b-0d8f7d0b8a11");
  }

  private static long bytes(TestDatabase file) {
    return file.number(file.isPostgresql() ? "select pg_total_relation_size('audit_event')"
        : "select sum(pgsize) from dbstat where name = 'audit_event'");
  }
}
