package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.agwp.server.http.ErrorCode.UNAVAILABLE;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.Database;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.ibatis.exceptions.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires that wait for a lease. None holds a thread: one thread tries for all of them, those alone in whose way nothing stands. Their
 * order is that of their tickets in the database, whichever replica they wait at (ADR-0021).
 */
public final class LeaseWaiters implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseWaiters.class);
  /** What all waiting acquires may ask for together; it also goes into one statement each time something comes free. */
  private static final int BYTES_MAX = 16 * 1024 * 1024;
  /** Leases expire, and signals get lost. */
  private static final long LOOK_EVERY_MS = 1_000;
  private static final long STOP_WITHIN_MS = 5_000;

  private final Database database;
  private final ScheduledThreadPoolExecutor thread;
  private final Map<String, Map<Long, LeaseWaiter>> byRepo = new ConcurrentHashMap<>();
  private final Set<String> signalled = ConcurrentHashMap.newKeySet();
  private final AtomicInteger bytes = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean closing;

  public LeaseWaiters(Database database) {
    this.database = database;
    thread = new ScheduledThreadPoolExecutor(1, task -> {
      Thread daemon = new Thread(task, "agwp-lease-waiters");
      daemon.setDaemon(true);
      return daemon;
    }, new ThreadPoolExecutor.DiscardPolicy());
    thread.scheduleWithFixedDelay(this::look, LOOK_EVERY_MS, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
  }

  /** Tries now, and again whenever something may have come free, until it gets the lease or the wait is over. */
  CompletionStage<Attempt> acquireOrWait(Acquiring asked, int waitSeconds, BooleanSupplier callerGone) {
    reserve(asked);
    LeaseWaiter waiter = new LeaseWaiter(asked, callerGone);
    waiter.answer().whenComplete((attempt, failure) -> bytes.addAndGet(-asked.bytes()));
    tryFirst(waiter);
    if (!waiter.answer().isDone()) {
      waiting.incrementAndGet();
      waiter.answer().whenComplete((attempt, failure) -> waiting.decrementAndGet());
      thread.execute(() -> begin(waiter, waitSeconds));
    }
    if (closing && !waiter.answer().isDone()) {
      stop(waiter);
    }
    return waiter.answer();
  }

  /** How many acquires wait now. */
  public int waiting() {
    return waiting.get();
  }

  /** Lets acquires that wait in this repo try, if they can. */
  public void wake(String repo) {
    if (byRepo.containsKey(repo) && signalled.add(repo)) {
      thread.execute(() -> letTry(repo));
    }
  }

  /** Signals may have been missed. */
  public void wakeAll() {
    byRepo.keySet().forEach(this::wake);
  }

  private void reserve(Acquiring asked) {
    int more = asked.bytes();
    if (bytes.addAndGet(more) > BYTES_MAX) {
      bytes.addAndGet(-more);
      throw new ApiException(RESOURCE_EXHAUSTED, "too many paths are waited for already; try again or with wait_seconds 0");
    }
  }

  /** On the caller's thread: what is free is given at once, and what is not gives the place in the order. */
  private void tryFirst(LeaseWaiter waiter) {
    try {
      waiter.tried(database.inTransaction(tx -> {
        Attempt attempt = Grant.attempt(tx, waiter.asked(), null);
        if (!attempt.isGranted()) {
          waiter.hasTicket(Tickets.take(tx, waiter.asked()));
        }
        return attempt;
      }));
    } catch (RuntimeException failed) {
      waiter.answer().completeExceptionally(failed);
    }
  }

  private void begin(LeaseWaiter waiter, int waitSeconds) {
    byRepo.computeIfAbsent(waiter.asked().repo(), repo -> new ConcurrentSkipListMap<>()).put(waiter.ticket(), waiter);
    thread.schedule(() -> waitIsOver(waiter), waitSeconds, TimeUnit.SECONDS);
    // What came free between its first try and now nobody has told it.
    wake(waiter.asked().repo());
  }

  private void letTry(String repo) {
    signalled.remove(repo);
    Collection<LeaseWaiter> waiters = byRepo.getOrDefault(repo, Map.of()).values();
    if (waiters.isEmpty()) {
      return;
    }
    List<AskedRange> asked = waiters.stream().flatMap(waiter -> AskedRange.of(waiter.asked(), waiter.ticket())).toList();
    try {
      Set<Long> blocked = new HashSet<>(database.read(tx -> tx.leases().blocked(repo, asked)));
      blocked.removeAll(given(repo, waiters));
      waiters.stream().filter(waiter -> !blocked.contains(waiter.ticket())).forEach(this::tryNow);
    } catch (ApiException | PersistenceException databaseFailed) {
      LOG.debug("could not look for free paths, trying again: {}", databaseFailed.getMessage());
    }
  }

  /** A client that lost its connection asks again: its own lease, given to its first call, must not stand in its way. */
  private List<Long> given(String repo, Collection<LeaseWaiter> waiters) {
    List<WaitingRequest> requests = waiters.stream()
        .filter(waiter -> waiter.asked().requestId() != null)
        .map(waiter -> new WaitingRequest(waiter.ticket(), waiter.asked().holder(), waiter.asked().requestId()))
        .toList();
    return requests.isEmpty() ? List.of() : database.read(tx -> tx.leases().given(repo, requests));
  }

  private void tryNow(LeaseWaiter waiter) {
    if (waiter.callerIsGone()) {
      // Nobody would read the answer: what is leased now would be held by nobody until it expires.
      giveUp(waiter);
      return;
    }
    try {
      waiter.tried(database.inTransaction(tx -> {
        Attempt attempt = Grant.attempt(tx, waiter.asked(), waiter.ticket());
        if (attempt.isGranted()) {
          Tickets.drop(tx, List.of(waiter.ticket()));
        }
        return attempt;
      }));
    } catch (RuntimeException failed) {
      waiter.answer().completeExceptionally(failed);
    }
    if (waiter.answer().isDone()) {
      forget(waiter);
    }
  }

  private void waitIsOver(LeaseWaiter waiter) {
    if (!waiter.answer().isDone()) {
      tryNow(waiter);
    }
    if (!waiter.answer().isDone()) {
      giveUp(waiter);
    }
  }

  private void giveUp(LeaseWaiter waiter) {
    dropTicket(waiter);
    waiter.refuse();
    wake(waiter.asked().repo());
  }

  /** Its wait is not over, but must go on at another server or at the next one here. */
  private void stop(LeaseWaiter waiter) {
    dropTicket(waiter);
    waiter.refuse(new ApiException(UNAVAILABLE, "this server is stopping and lets nobody wait; nothing was leased, send the request again"));
  }

  private void dropTicket(LeaseWaiter waiter) {
    forget(waiter);
    try {
      database.inTransaction(tx -> Tickets.drop(tx, List.of(waiter.ticket())));
    } catch (ApiException | PersistenceException databaseFailed) {
      LOG.debug("ticket {} ends by itself: {}", waiter.ticket(), databaseFailed.getMessage());
    }
  }

  private void forget(LeaseWaiter waiter) {
    byRepo.computeIfPresent(waiter.asked().repo(), (repo, waiters) -> {
      waiters.remove(waiter.ticket());
      return waiters.isEmpty() ? null : waiters;
    });
  }

  private void look() {
    all().stream().filter(LeaseWaiter::callerIsGone).forEach(this::giveUp);
    List<Long> tickets = all().stream().map(LeaseWaiter::ticket).toList();
    if (tickets.isEmpty()) {
      return;
    }
    try {
      database.inTransaction(tx -> Tickets.keep(tx, tickets));
    } catch (ApiException | PersistenceException databaseFailed) {
      LOG.debug("could not keep {} tickets, trying again: {}", tickets.size(), databaseFailed.getMessage());
    }
    byRepo.keySet().forEach(this::letTry);
  }

  private List<LeaseWaiter> all() {
    List<LeaseWaiter> all = new ArrayList<>();
    byRepo.values().forEach(waiters -> all.addAll(waiters.values()));
    return all;
  }

  /** Refuses every acquire that waits; later ones do not wait. Again it does nothing. */
  @Override
  public void close() {
    if (closing) {
      return;
    }
    closing = true;
    Future<?> refused = thread.submit(() -> all().forEach(this::stop));
    try {
      refused.get(STOP_WITHIN_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException stuck) {
      LOG.warn("waiting acquires were not answered: {}", stuck.toString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }
}
