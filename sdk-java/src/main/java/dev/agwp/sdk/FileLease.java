package dev.agwp.sdk;

import dev.agwp.sdk.model.AcquireLeaseRequest;
import dev.agwp.sdk.model.Lease;
import dev.agwp.sdk.model.ReleaseLeaseRequest;
import dev.agwp.sdk.model.RenewLeaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exclusive lease on files and folders of a repo, renewed at a third of its time from a thread of its own until it is closed or lost.
 *
 * <p>It is lost when the server says so, or when it has expired by this machine's monotonic clock while the server could not be reached,
 * or refused the client's token; until then nobody else gets the paths. A program that was paused may learn that late: only what checks
 * the token is safe from it, as {@link AgwpClient#integrate} does.
 */
public final class FileLease implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileLease.class);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
  /** Longer than a server takes to restart. */
  private static final Duration RELEASE_MAX = Duration.ofSeconds(5);
  private static final long AGAIN_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(200);
  private static final String LEASE_HELD = "lease_held";
  private static final String UNAVAILABLE = "unavailable";

  private enum State { HELD, LOST, CLOSED }

  private final LeaseCalls calls;
  private final String holder;
  private final int ttlSeconds;
  private final Consumer<String> onLost;
  private final Lease lease;
  private final ScheduledThreadPoolExecutor renewals = new ScheduledThreadPoolExecutor(1, Worker.named("agwp-file-lease"));
  private final Object closing = new Object();
  private State state = State.HELD;
  private long endsNanos;

  private FileLease(Builder builder, Lease lease, long sinceNanos) {
    calls = builder.calls;
    holder = builder.holder;
    ttlSeconds = builder.ttlSeconds;
    onLost = builder.onLost;
    this.lease = lease;
    endsNanos = sinceNanos + ttlNanos();
  }

  /**
   * @param holder names this program among those of its principal: 1..128 characters of {@code A-Z a-z 0-9 . _ : / @ -}
   * @param paths 1..1000 files, and folders, which end in a slash
   */
  public static Builder builder(AgwpClient client, String repo, String holder, List<String> paths) {
    return new Builder(client, repo, holder, paths);
  }

  /** What a lease is acquired with. */
  public static final class Builder {
    private static final int WAIT_SECONDS_MAX = 60;

    private final LeaseCalls calls;
    private final String repo;
    private final String holder;
    private final List<String> paths;
    private int ttlSeconds = 60;
    private Duration maxWait = Duration.ZERO;
    private Consumer<String> onLost = why -> {};

    private Builder(AgwpClient client, String repo, String holder, List<String> paths) {
      calls = client.leaseCalls();
      this.repo = repo;
      this.holder = holder;
      this.paths = List.copyOf(paths);
    }

    /** Seconds until the lease expires without a renewal. 1..86400. Defaults to 60. */
    public Builder ttlSeconds(int seconds) {
      ttlSeconds = seconds;
      return this;
    }

    /**
     * How long to wait for what stands in the way; after each minute behind those who came meanwhile. A server that does not answer is
     * waited for 10 seconds longer, and no more than 10 seconds before its first answer. Defaults to 0, which does not wait.
     */
    public Builder maxWait(Duration wait) {
      maxWait = wait;
      return this;
    }

    /** Told once, in words why, when the lease is lost; called on the renewing thread. Defaults to nobody. */
    public Builder onLost(Consumer<String> listener) {
      onLost = listener;
      return this;
    }

    /**
     * Waits on while the server cannot be reached, as when it is restarted, once it has said what stands in the way.
     *
     * @throws AgwpException with the reason {@code lease_held} when something still stands in the way after the wait
     * @throws NoAnswerException when no answer came, at most 10 seconds after the wait; a lease that was given all the same expires by itself
     */
    public FileLease acquire() {
      long beganNanos = System.nanoTime();
      long untilNanos = beganNanos + TimeUnit.SECONDS.toNanos(maxWait.toSeconds());
      // One for all its calls: whose answer is lost may have been given the lease.
      String requestId = UUID.randomUUID().toString();
      boolean waits = false;
      while (true) {
        long leftSeconds = TimeUnit.NANOSECONDS.toSeconds(untilNanos - System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(999));
        // First without a wait: only who was answered knows that there is a server to wait for.
        int waitSeconds = waits ? (int) Math.max(0, Math.min(WAIT_SECONDS_MAX, leftSeconds)) : 0;
        long giveUpNanos = (waits ? untilNanos : beganNanos) + ANSWER_MAX.toNanos();
        try {
          return acquire(waitSeconds, requestId, beganNanos, giveUpNanos);
        } catch (AgwpException refused) {
          boolean held = LEASE_HELD.equals(refused.reason());
          boolean away = waits && UNAVAILABLE.equals(refused.code());
          if (!held && !away || System.nanoTime() - untilNanos >= 0 || away && !calls.pause(untilNanos - System.nanoTime())) {
            throw refused;
          }
          waits = true;
        }
      }
    }

    private FileLease acquire(int waitSeconds, String requestId, long beganNanos, long giveUpNanos) {
      AcquireLeaseRequest request = new AcquireLeaseRequest()
          .repo(repo).holder(holder).paths(paths).ttlSeconds(ttlSeconds).waitSeconds(waitSeconds).requestId(requestId);
      Lease given = calls.acquire(request, most(Duration.ofSeconds(waitSeconds).plus(ANSWER_MAX), giveUpNanos));
      FileLease lease = new FileLease(this, given, beganNanos);
      if (System.nanoTime() - beganNanos > lease.ttlNanos() / 3) {
        // Its answer came late, after a wait, or again: since when it is held only a renewal tells.
        lease.endsNanos = System.nanoTime() + lease.ttlNanos();
        calls.renew(given.getLeaseId(), lease.renewal(), most(ANSWER_MAX, giveUpNanos));
      }
      lease.renewIn(lease.ttlNanos() / 3);
      return lease;
    }

    private static Duration most(Duration asked, long giveUpNanos) {
      return Duration.ofNanos(Math.min(asked.toNanos(), giveUpNanos - System.nanoTime()));
    }
  }

  /** As it was given. */
  public Lease lease() {
    return lease;
  }

  /** The number of the lease: a later one of the repo has a larger one. Keep it with what is written elsewhere. */
  public long fencingToken() {
    return lease.getFencingToken();
  }

  public synchronized boolean isLost() {
    return state == State.LOST;
  }

  /**
   * Renews no longer and gives the lease back; one that cannot be given back within 5 seconds, in which a server may be restarted, expires
   * by itself, which is logged. Again does nothing, but waits for the first: a process whose shutdown hook closes too must not end before
   * the lease is given back.
   */
  @Override
  public void close() {
    synchronized (closing) {
      renewals.shutdownNow();
      if (endsHold()) {
        release();
      }
    }
  }

  private synchronized boolean endsHold() {
    boolean held = state == State.HELD;
    state = held ? State.CLOSED : state;
    return held;
  }

  private void release() {
    ReleaseLeaseRequest request = new ReleaseLeaseRequest().holder(holder).fencingToken(lease.getFencingToken());
    long untilNanos = System.nanoTime() + RELEASE_MAX.toNanos();
    while (true) {
      try {
        calls.release(lease.getLeaseId(), request, Duration.ofNanos(untilNanos - System.nanoTime()));
        return;
      } catch (AgwpException notReleased) {
        if (!UNAVAILABLE.equals(notReleased.code()) || !calls.pause(untilNanos - System.nanoTime())) {
          LOG.warn("lease {} on {} was not given back and expires by itself, in {} seconds at the latest: {}",
              lease.getLeaseId(), lease.getPaths(), ttlSeconds, notReleased.getMessage());
          return;
        }
      }
    }
  }

  private void renew() {
    long sentNanos = System.nanoTime();
    long timeoutNanos = Math.max(AGAIN_NANOS_MIN, Math.min(ttlNanos() / 3, leftNanos()));
    try {
      calls.renewOnce(lease.getLeaseId(), renewal(), Duration.ofNanos(timeoutNanos));
    } catch (AgwpException failed) {
      if ("not_found".equals(failed.code()) || "failed_precondition".equals(failed.code())) {
        lose(failed.getMessage());
      } else {
        unanswered(failed.getMessage());
      }
      return;
    }
    synchronized (this) {
      // From before the call: the server's time began later, so this one ends first.
      endsNanos = sentNanos + ttlNanos();
    }
    renewIn(ttlNanos() / 3 - (System.nanoTime() - sentNanos));
  }

  private void unanswered(String why) {
    if (isHeld()) {
      LOG.warn("lease {} could not be renewed, trying again: {}", lease.getLeaseId(), why);
    }
    long leftNanos = leftNanos();
    if (leftNanos > 0) {
      renewIn(Math.min(leftNanos, Math.max(AGAIN_NANOS_MIN, ttlNanos() / 10)));
    } else {
      lose("it expired and could not be renewed: " + why);
    }
  }

  private void lose(String why) {
    synchronized (this) {
      // A renewal that was under way when the lease was closed finds it released: that is no loss.
      if (state != State.HELD) {
        return;
      }
      state = State.LOST;
    }
    onLost.accept(why);
  }

  private void renewIn(long nanos) {
    try {
      renewals.schedule(this::renew, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      LOG.debug("lease {}: no more renewals, it is closed", lease.getLeaseId());
    }
  }

  private RenewLeaseRequest renewal() {
    return new RenewLeaseRequest().holder(holder).fencingToken(lease.getFencingToken()).ttlSeconds(ttlSeconds);
  }

  private synchronized boolean isHeld() {
    return state == State.HELD;
  }

  private synchronized long leftNanos() {
    return endsNanos - System.nanoTime();
  }

  private long ttlNanos() {
    return TimeUnit.SECONDS.toNanos(ttlSeconds);
  }
}
