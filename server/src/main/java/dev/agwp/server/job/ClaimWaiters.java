package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.RESOURCE_EXHAUSTED;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.Database;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.ibatis.exceptions.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims that wait for a job. None holds a thread. A signal for a queue lets the longest-waiting claim of that queue try; when it
 * gets a job the next one tries, so a crowd of waiting claims does not fall upon one job.
 */
public final class ClaimWaiters implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimWaiters.class);
  private static final int WAITERS_MAX = 10_000;
  private static final int THREADS = 4;
  /** One may look, and wait for a database that is away; the other ends the waits in time all the same. */
  private static final int TIMER_THREADS = 2;
  /** A safety net for lost signals: one query for all that wait, not one for each. */
  private static final long LOOK_EVERY_MS = 1_000;
  /** What is asked for while this closes needs no thread any more: claims do not wait then. */
  private static final RejectedExecutionHandler TOO_LATE = new ThreadPoolExecutor.DiscardPolicy();

  private final Database database;
  private final Map<String, Set<ClaimWaiter>> byQueue = new HashMap<>();
  private final Set<String> signalled = ConcurrentHashMap.newKeySet();
  private final AtomicInteger waiting = new AtomicInteger();
  private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
      THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemon("agwp-claim-waiters"), TOO_LATE);
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
      TIMER_THREADS, daemon("agwp-claim-timer"), TOO_LATE);
  private volatile boolean closing;

  public ClaimWaiters(Database database) {
    this.database = database;
    timer.setRemoveOnCancelPolicy(true);
    timer.scheduleWithFixedDelay(this::look, LOOK_EVERY_MS, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
  }

  /** Tries the claim now, and again when one of its queues is signalled, until it gets jobs or the wait is over. */
  CompletionStage<List<JobRow>> claimOrWait(
      List<String> queues, int waitSeconds, BooleanSupplier callerGone, Supplier<List<JobRow>> claim) {
    ClaimWaiter waiter = new ClaimWaiter(queues, callerGone, claim);
    if (waiting.incrementAndGet() > WAITERS_MAX) {
      waiting.decrementAndGet();
      throw new ApiException(RESOURCE_EXHAUSTED, WAITERS_MAX + " claims wait already; try again or with wait_seconds 0");
    }
    waiter.answer().whenComplete((jobs, failure) -> remove(waiter));
    // Registered before the first try, so that a job which comes in between is not missed.
    add(waiter);
    if (waiter.tryNow() && waiter.wasSignalled()) {
      // It was for whoever waits longest, and that was this one.
      queues.forEach(this::wake);
    }
    if (!waiter.answer().isDone()) {
      Future<?> end = timer.schedule(waiter::waitIsOver, waitSeconds, TimeUnit.SECONDS);
      waiter.answer().whenComplete((jobs, failure) -> end.cancel(false));
    }
    if (closing) {
      waiter.waitIsOver();
    }
    return waiter.answer();
  }

  /** How many claims wait now. */
  public int waiting() {
    return waiting.get();
  }

  /** Lets claims that wait for this queue try. */
  public void wake(String queue) {
    if (closing || first(queue) == null || !signalled.add(queue)) {
      return;
    }
    threads.execute(() -> {
      signalled.remove(queue);
      letTry(queue);
    });
  }

  /** Lets claims of every queue try: signals may have been missed. */
  public void wakeAll() {
    waitedQueues().forEach(this::wake);
  }

  private void letTry(String queue) {
    for (ClaimWaiter waiter = first(queue); waiter != null; waiter = first(queue)) {
      if (!waiter.tryNow()) {
        return;
      }
      // Its other queues may hold more for others.
      waiter.queues().stream().filter(other -> !other.equals(queue)).forEach(this::wake);
    }
  }

  private void look() {
    Collection<String> waited = waitedQueues();
    if (waited.isEmpty()) {
      return;
    }
    try {
      database.read(tx -> tx.queues().claimableAmong(waited)).forEach(this::wake);
    } catch (ApiException | PersistenceException databaseFailed) {
      LOG.debug("could not look for claimable jobs, trying again: {}", databaseFailed.getMessage());
    }
  }

  private Collection<String> waitedQueues() {
    synchronized (byQueue) {
      return new ArrayList<>(byQueue.keySet());
    }
  }

  private ClaimWaiter first(String queue) {
    synchronized (byQueue) {
      Set<ClaimWaiter> waiters = byQueue.get(queue);
      return waiters == null ? null : waiters.iterator().next();
    }
  }

  private void add(ClaimWaiter waiter) {
    synchronized (byQueue) {
      waiter.queues().forEach(queue -> byQueue.computeIfAbsent(queue, name -> new LinkedHashSet<>()).add(waiter));
    }
  }

  private void remove(ClaimWaiter waiter) {
    waiting.decrementAndGet();
    synchronized (byQueue) {
      for (String queue : waiter.queues()) {
        Set<ClaimWaiter> waiters = byQueue.get(queue);
        if (waiters != null && waiters.remove(waiter) && waiters.isEmpty()) {
          byQueue.remove(queue);
        }
      }
    }
  }

  /** Answers every waiting claim with no jobs; later ones do not wait. */
  @Override
  public void close() {
    closing = true;
    List<ClaimWaiter> all = new ArrayList<>();
    synchronized (byQueue) {
      byQueue.values().forEach(all::addAll);
    }
    all.forEach(ClaimWaiter::waitIsOver);
    timer.shutdown();
    threads.shutdown();
  }

  private static java.util.concurrent.ThreadFactory daemon(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
