package dev.agwp.sdk;

import dev.agwp.sdk.model.ClaimNext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims jobs and runs a handler for each, heartbeats meanwhile and reports how it ended.
 *
 * <p>When the server says that a claim is lost, or its lease has run out while the server could not be reached, the handler is
 * interrupted and nothing is reported. A worker that is closed claims no more, gives its handlers a grace time, then interrupts them
 * and hands their claims back.
 */
public final class Worker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long RELEASE_WITHIN_SECONDS = 30;

  private final WorkerOptions options;
  private final JobHandler handler;
  private final WorkerListener listener;
  private final Heartbeats heartbeats;
  private final Reports reports;
  private final Claims claims;
  private final Semaphore slots;
  private final ExecutorService handlers;
  private final CountDownLatch ended = new CountDownLatch(1);
  private Thread claimer;
  private volatile boolean closing;
  private volatile boolean draining;

  Worker(AgwpClient client, WorkerOptions options, JobHandler handler, WorkerListener listener) {
    this.options = options;
    this.handler = handler;
    this.listener = listener;
    heartbeats = new Heartbeats(client, options.leaseSeconds());
    reports = new Reports(client, options.leaseSeconds());
    claims = new Claims(client, options, listener, reports, heartbeats, this::claimsNoMore);
    slots = new Semaphore(options.concurrency());
    handlers = Executors.newCachedThreadPool(named("agwp-handler"));
  }

  /**
   * @param label names this worker beside others of the same principal, 1 to 128 characters of {@code A-Z a-z 0-9 . _ : / @ -}; two
   *     that run at once need different ones
   * @param queues 1 to 32 queue names
   */
  public static Builder builder(AgwpClient client, String label, List<String> queues) {
    return new Builder(client, label, queues);
  }

  /** What a worker is made with. */
  public static final class Builder {
    private static final int LEASE_SECONDS_DEFAULT = 60;
    private static final int WAIT_SECONDS_DEFAULT = 20;

    private final AgwpClient client;
    private final String label;
    private final List<String> queues;
    private int leaseSeconds = LEASE_SECONDS_DEFAULT;
    private int waitSeconds = WAIT_SECONDS_DEFAULT;
    private int concurrency = 1;
    private Duration grace = Duration.ofSeconds(10);
    private boolean requireFencing;
    private WorkerListener listener = new WorkerListener() {};

    private Builder(AgwpClient client, String label, List<String> queues) {
      this.client = client;
      this.label = label;
      this.queues = queues;
    }

    /** Seconds a claim is held without a heartbeat; one is sent at each third of it. 1..86400. Defaults to 60. */
    public Builder leaseSeconds(int seconds) {
      leaseSeconds = seconds;
      return this;
    }

    /** Seconds the server holds a claim open while there is no job. 0..60. Defaults to 20. */
    public Builder waitSeconds(int seconds) {
      waitSeconds = seconds;
      return this;
    }

    /** How many jobs run at once, each on a thread of its own. 1..1000. Defaults to 1. */
    public Builder concurrency(int jobs) {
      concurrency = jobs;
      return this;
    }

    /** How long {@link Worker#close()} lets handlers run before it interrupts them. 0 or more. Defaults to 10 seconds. */
    public Builder grace(Duration time) {
      grace = time;
      return this;
    }

    /**
     * Works only on servers that say they check fencing tokens, which they do from release 1.2.0 on: on another the worker hands back
     * what it was given and ends with {@link UnfencedServerException}. Not required by default: the token is sent anyhow.
     */
    public Builder requireFencing() {
      requireFencing = true;
      return this;
    }

    /** Who hears what the worker does. Defaults to nobody. */
    public Builder listener(WorkerListener hears) {
      listener = hears;
      return this;
    }

    /** @throws IllegalArgumentException when an option is out of its range; the message says which */
    public Worker handler(JobHandler handler) {
      return new Worker(client,
          new WorkerOptions(label, queues, leaseSeconds, waitSeconds, concurrency, grace, requireFencing), handler, listener);
    }
  }

  /**
   * Claims and works until {@link #close()}.
   *
   * @throws AgwpException when the server refuses the claims themselves, for example for a queue name that is none, and as
   *     {@link AccessRefusedException} when it refuses the token
   * @throws UnfencedServerException when fencing is required and the server does not check it; handlers that run go on until close()
   */
  public void run() {
    begin();
    try {
      while (!closing) {
        slots.acquire();
        int free = 1 + slots.drainPermits();
        int taken = 0;
        try {
          taken = start(claims.claim(Math.min(free, WorkerOptions.JOBS_PER_CLAIM_MAX)));
        } finally {
          slots.release(free - taken);
        }
      }
    } catch (InterruptedException closed) {
      LOG.debug("interrupted, claiming no more");
    } finally {
      end();
    }
  }

  /**
   * Waits for one job, works on it and returns how it ended; null when its claim was lost, or the worker closed before one came. Throws
   * as {@link #run()} does.
   */
  public Outcome runOne() {
    begin();
    try {
      while (!closing) {
        List<Claim> claimed = claims.claim(1);
        if (!claimed.isEmpty()) {
          return one(claimed.get(0));
        }
      }
    } catch (InterruptedException closed) {
      LOG.debug("closed, claiming no more");
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed.getCause());
    } finally {
      end();
    }
    return null;
  }

  private Outcome one(Claim claim) throws InterruptedException, ExecutionException {
    try {
      return handlers.submit(() -> workAndReport(claim)).get();
    } catch (RejectedExecutionException closed) {
      claims.release(claim);
      return null;
    }
  }

  private synchronized void begin() {
    if (claimer != null) {
      throw new IllegalStateException("a worker runs once; build another");
    }
    claimer = Thread.currentThread();
  }

  private synchronized void end() {
    ended.countDown();
    if (closing) {
      // close() has interrupted this thread to end the claim, not what its caller does next.
      Thread.interrupted();
    }
  }

  private Outcome workAndReport(Claim claim) {
    Outcome outcome = work(claim);
    if (outcome == null) {
      return null;
    }
    Reports.Report report = report(claim, outcome, null);
    return report.result() == Reports.Result.TAKEN ? report.outcome() : null;
  }

  private int start(List<Claim> claimed) {
    for (Claim claim : claimed) {
      try {
        handlers.execute(() -> {
          try {
            workOn(claim);
          } finally {
            slots.release();
          }
        });
      } catch (RejectedExecutionException closed) {
        claims.release(claim);
      }
    }
    return claimed.size();
  }

  private void workOn(Claim first) {
    Claim claim = first;
    while (claim != null) {
      Outcome outcome = work(claim);
      claim = outcome == null ? null : reportAndClaim(claim, outcome);
    }
  }

  // Handlers may outlive run(), which also ends when the claims are refused.
  private boolean claimsNoMore() {
    return closing || ended.getCount() == 0;
  }

  /** Reports and takes the next job in one call; null when there is none, or the worker claims no more. */
  private Claim reportAndClaim(Claim claim, Outcome outcome) {
    if (claimsNoMore()) {
      report(claim, outcome, null);
      return null;
    }
    ClaimNext next = claims.next();
    long sentNanos = System.nanoTime();
    Reports.Report report = report(claim, outcome, next);
    try {
      Claim given = claims.given(next, report, sentNanos);
      if (given != null && claimsNoMore()) {
        claims.release(given);
        return null;
      }
      return given;
    } catch (InterruptedException closed) {
      LOG.debug("closed, claiming no more");
    } catch (AgwpException | UnfencedServerException refused) {
      LOG.debug("the claims are refused, as the next one of run() will hear too: {}", refused.getMessage());
    }
    return null;
  }

  /** How the handler ended; null when there is nothing to report, since the claim was lost or handed back. */
  private Outcome work(Claim claim) {
    claim.runsOn(Thread.currentThread());
    listener.claimed(claim.job());
    Outcome outcome = outcome(claim);
    claim.runsOn(null);
    // What interrupted the handler is not meant for the report.
    Thread.interrupted();
    if (draining) {
      claims.release(claim);
      return null;
    }
    if (!claim.beginEnd()) {
      listener.lost(claim.job(), claim.whyLost());
      return null;
    }
    return outcome;
  }

  private Reports.Report report(Claim claim, Outcome outcome, ClaimNext next) {
    Reports.Report report = reports.report(claim, outcome, next);
    switch (report.result()) {
      case TAKEN -> listener.reported(claim.job(), report.outcome());
      case LOST -> listener.lost(claim.job(), "the server refused its outcome: the claim was lost before");
      case UNKNOWN -> listener.unknown(claim.job(), report.outcome());
    }
    return report;
  }

  private Outcome outcome(Claim claim) {
    try {
      Outcome outcome = handler.run(new ClaimedJob(claim.job(), claim));
      return outcome != null ? outcome : Outcome.retry("no_outcome", "the handler returned null", null);
    } catch (Throwable thrown) {
      // The worker's boundary: whatever a handler throws ends its attempt, never this thread, and never in silence.
      LOG.warn("job {}: the handler failed", claim.job().getJobId(), thrown);
      return Outcome.retry("handler_failed", Outcome.cut(thrown.toString()), null);
    }
  }

  /** Claims no more; waits for running handlers for the grace time, then interrupts them and hands their claims back. */
  @Override
  public void close() {
    synchronized (this) {
      if (closing) {
        return;
      }
      closing = true;
      if (claimer == null) {
        ended.countDown();
      } else if (ended.getCount() > 0) {
        claimer.interrupt();
      }
    }
    handlers.shutdown();
    try {
      if (!handlers.awaitTermination(options.grace().toMillis(), TimeUnit.MILLISECONDS)) {
        draining = true;
        handlers.shutdownNow();
        handlers.awaitTermination(RELEASE_WITHIN_SECONDS, TimeUnit.SECONDS);
      }
      ended.await(RELEASE_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException impatient) {
      handlers.shutdownNow();
      Thread.currentThread().interrupt();
    }
    heartbeats.close();
  }

  static ThreadFactory named(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
