package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.TestDatabase;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ReplicaSignalsTest {
  private static final long WITHIN_S = 20;

  /** One that listens, and what it was told. */
  private static final class Replica implements AutoCloseable {
    private final Database database;
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final CountDownLatch listening = new CountDownLatch(1);
    private final ReplicaSignals signals;

    private Replica(TestDatabase file) throws InterruptedException {
      database = Database.open(file.url());
      signals = new ReplicaSignals(database,
          Map.of(ReplicaSignals.CLAIMABLE, told::add, ReplicaSignals.LEASES, told::add), listening::countDown);
      signals.start();
      assertThat(listening.await(WITHIN_S, TimeUnit.SECONDS)).isTrue();
    }

    private String told() throws InterruptedException {
      return told.poll(WITHIN_S, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      signals.close();
      database.close();
    }
  }

  @Test
  void a_replica_hears_what_others_signal_and_not_what_it_signalled_itself() throws InterruptedException {
    try (TestDatabase file = TestDatabase.postgresql(); Replica here = new Replica(file); Replica there = new Replica(file)) {
      // Which connection it sends by a replica learns as it does.
      here.signals.tell(ReplicaSignals.CLAIMABLE, "first");
      assertThat(there.told()).isEqualTo("first");
      here.told.clear();

      here.signals.tell(ReplicaSignals.CLAIMABLE, "of here");
      here.signals.tell(ReplicaSignals.LEASES, "it's \"of here\" too");
      assertThat(there.told()).isEqualTo("of here");
      assertThat(there.told()).isEqualTo("it's \"of here\" too");

      // PostgreSQL hands them out in one order, so what came before this would have been heard before.
      there.signals.tell(ReplicaSignals.CLAIMABLE, "of there");
      assertThat(here.told()).isEqualTo("of there");
    }
  }
}
