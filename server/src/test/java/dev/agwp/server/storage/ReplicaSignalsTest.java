package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
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

    /** Whatever it hears before. */
    private void hears(String name) throws InterruptedException {
      String heard = told();
      while (!name.equals(heard)) {
        assertThat(heard).isNotNull();
        heard = told();
      }
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
      // Which connection it sends by a replica learns as it does, so it may hear the first itself.
      here.signals.tell(ReplicaSignals.CLAIMABLE, "first");
      there.hears("first");
      there.signals.tell(ReplicaSignals.CLAIMABLE, "second");
      here.hears("second");
      here.signals.tell(ReplicaSignals.CLAIMABLE, "third");
      there.hears("third");

      here.signals.tell(ReplicaSignals.CLAIMABLE, "of here");
      here.signals.tell(ReplicaSignals.LEASES, "it's \"of here\" too");
      assertThat(there.told()).isEqualTo("of here");
      assertThat(there.told()).isEqualTo("it's \"of here\" too");

      // PostgreSQL hands them out in one order, so what came before this would have been heard before.
      there.signals.tell(ReplicaSignals.CLAIMABLE, "of there");
      assertThat(here.told()).isEqualTo("of there");
    }
  }

  @Test
  void a_listener_whose_connection_is_cut_gives_it_to_nobody_and_listens_again() throws InterruptedException {
    BlockingQueue<Long> listening = new LinkedBlockingQueue<>();
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService readers = Executors.newCachedThreadPool();
    try (TestDatabase file = TestDatabase.postgresql(); Database database = Database.open(file.url());
        ReplicaSignals signals = new ReplicaSignals(
            database, Map.of(ReplicaSignals.CLAIMABLE, name -> { }), () -> listening.add(System.nanoTime()))) {
      signals.start();
      assertThat(listening.poll(WITHIN_S, TimeUnit.SECONDS)).isNotNull();
      // More than the pool has connections, so that one waits for whatever is given back.
      List<Future<Long>> reads = IntStream.range(0, 16).mapToObj(i -> readers.submit(() -> {
        long count = 0;
        for (; !ended.get(); count++) {
          database.read(tx -> tx.queues().find("q"));
        }
        return count;
      })).toList();

      long cut = System.nanoTime();
      assertThat(file.rows("select pg_terminate_backend(pid) from pg_stat_activity "
          + "where datname = current_database() and query like '%listen%' and pid <> pg_backend_pid()")).containsExactly("true");
      // What is sent meanwhile does not make it hurry.
      await().atMost(Duration.ofSeconds(WITHIN_S)).until(() -> {
        signals.tell(ReplicaSignals.CLAIMABLE, "q");
        return !listening.isEmpty();
      });
      long again = listening.remove();
      ended.set(true);

      assertThat(Duration.ofNanos(again - cut)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
      assertThat(reads).allSatisfy(read -> assertThat(read.get()).isPositive());
    } finally {
      ended.set(true);
      readers.shutdown();
    }
  }
}
