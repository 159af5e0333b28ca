package dev.agwp.server.job;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.lease.IntegrationEvents;
import dev.agwp.server.queue.QueueSignals;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import io.micrometer.core.instrument.Counter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ibatis.exceptions.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches for jobs whose time comes: a delayed job becomes claimable, a lease runs out. Claims look for themselves too; this thread
 * wakes those that wait, and ends jobs as dead when nobody claims.
 */
public final class DueJobs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DueJobs.class);
  private static final int SETTLED_MAX = 1_000;
  /** Other replicas write due times too, so this one looks at least this often. */
  private static final long LOOK_EVERY_MS = 1_000;
  /** A due row that another transaction holds must not make this thread spin. */
  private static final long LOOK_AGAIN_MS = 10;
  private static final long STOP_WITHIN_MS = 10_000;

  private final Database database;
  private final QueueSignals signals;
  private final Counter expiredLeases;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition sooner = lock.newCondition();
  private final Thread thread = new Thread(this::watch, "agwp-due-jobs");
  private long wakeAtNanos;
  private boolean stopping;

  public DueJobs(Database database, QueueSignals signals, Counter expiredLeases) {
    this.database = database;
    this.signals = signals;
    this.expiredLeases = expiredLeases;
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Says that this server wrote a row that is due in so many milliseconds. */
  void mayBeDueIn(long ms) {
    if (ms <= 0 || ms >= LOOK_EVERY_MS) {
      return;
    }
    long at = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    lock.lock();
    try {
      if (at - wakeAtNanos < 0) {
        wakeAtNanos = at;
        sooner.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Looks at jobs whose time has come, see {@link JobMapper#settleDue}. */
  static List<SettledJob> settle(Transaction tx, int jobsMax) {
    List<SettledJob> settled = tx.jobs().settleDue(jobsMax);
    IntegrationEvents.audit(tx, settled.stream().filter(SettledJob::leaseExpired).map(JobEvents::leaseExpired).toList());
    return settled;
  }

  /** Tells those who wait what was settled; called after the commit. */
  void announce(List<SettledJob> settled) {
    expiredLeases.increment(settled.stream().filter(SettledJob::leaseExpired).count());
    settled.stream().filter(SettledJob::claimable).map(SettledJob::queue).distinct().forEach(signals::mayBeClaimable);
  }

  private void watch() {
    while (waitUntilDue()) {
      try {
        List<SettledJob> settled = database.inTransaction(tx -> settle(tx, SETTLED_MAX));
        announce(settled);
        Long dueInMs = settled.size() == SETTLED_MAX ? Long.valueOf(0) : database.read(tx -> tx.jobs().millisUntilDue());
        wakeIn(dueInMs == null ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, Math.max(dueInMs, LOOK_AGAIN_MS)));
      } catch (ApiException | PersistenceException databaseFailed) {
        LOG.warn("could not look for due jobs, trying again: {}", databaseFailed.getMessage());
        wakeIn(LOOK_EVERY_MS);
      }
    }
  }

  private void wakeIn(long ms) {
    lock.lock();
    try {
      wakeAtNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    } finally {
      lock.unlock();
    }
  }

  /** False when it is time to stop. */
  private boolean waitUntilDue() {
    lock.lock();
    try {
      for (long left = wakeAtNanos - System.nanoTime(); left > 0 && !stopping; left = wakeAtNanos - System.nanoTime()) {
        sooner.awaitNanos(left);
      }
      return !stopping;
    } catch (InterruptedException stopped) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      stopping = true;
      sooner.signal();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(STOP_WITHIN_MS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
