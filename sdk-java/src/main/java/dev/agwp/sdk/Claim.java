package dev.agwp.sdk;

import dev.agwp.sdk.model.HeartbeatJobRequest;
import dev.agwp.sdk.model.Job;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One claim from when it was given until it is ended or lost. Heartbeats at a third of the lease; when the server cannot be reached
 * the claim is kept until its lease has run out by this machine's own monotonic clock, since until then nobody else gets the job.
 */
final class Claim {
  private static final Logger LOG = LoggerFactory.getLogger(Claim.class);
  private static final long AGAIN_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(200);

  private enum State { HELD, ENDING, LOST }

  private final AgwpClient client;
  private final Job job;
  private final String label;
  private final long leaseNanos;
  private final Heartbeats heartbeats;
  private State state = State.HELD;
  private String whyLost;
  private Thread runner;
  private long leaseEndsNanos;
  private long dueNanos;
  private Future<?> next;
  private Integer percent;
  private String message;

  Claim(AgwpClient client, Job job, String label, int leaseSeconds, Heartbeats heartbeats) {
    this.client = client;
    this.job = job;
    this.label = label;
    this.leaseNanos = TimeUnit.SECONDS.toNanos(leaseSeconds);
    this.heartbeats = heartbeats;
    this.leaseEndsNanos = System.nanoTime() + leaseNanos;
  }

  /** @param atOnce when the claim may be older than its answer, because that came late */
  synchronized void start(boolean atOnce) {
    schedule(atOnce ? 0 : leaseNanos / 3);
  }

  /** Names the thread of the handler, to be interrupted should the claim be lost; null once the handler has returned. */
  synchronized void runsOn(Thread thread) {
    runner = thread;
    if (state == State.LOST) {
      stopRunner();
    }
  }

  private void stopRunner() {
    if (runner != null) {
      runner.interrupt();
    }
  }

  Job job() {
    return job;
  }

  String label() {
    return label;
  }

  /** The number of this claim: a later claim of the job, though by a worker of the same label, has a larger one. */
  long fencingToken() {
    return job.getAttempts();
  }

  synchronized void progress(int newPercent, String newMessage) {
    percent = newPercent;
    message = newMessage == null ? message : newMessage;
  }

  synchronized boolean isLost() {
    return state == State.LOST;
  }

  synchronized String whyLost() {
    return whyLost;
  }

  /** Ends the heartbeats so that the outcome can be reported. False when the claim was lost before: nothing is to be reported then. */
  synchronized boolean beginEnd() {
    if (state == State.LOST) {
      return false;
    }
    state = State.ENDING;
    next.cancel(false);
    heartbeats.forget(this);
    return true;
  }

  synchronized boolean isDueWithin(long nanos) {
    return dueNanos - System.nanoTime() <= nanos;
  }

  /** How long a heartbeat may take that is sent now, so that it can be sent again before the lease runs out. */
  synchronized long timeoutNanos() {
    return Math.max(AGAIN_NANOS_MIN, Math.min(leaseNanos / 3, leaseEndsNanos - System.nanoTime()));
  }

  /** What is to be sent; nothing once the claim has ended. */
  synchronized Optional<HeartbeatJobRequest> heartbeat() {
    return state != State.HELD ? Optional.empty() : Optional.of(new HeartbeatJobRequest().worker(label).fencingToken(fencingToken())
        .leaseSeconds((int) TimeUnit.NANOSECONDS.toSeconds(leaseNanos)).progress(percent).statusMessage(message));
  }

  /** Sends a heartbeat for this claim alone. */
  void beat() {
    heartbeat().ifPresent(heartbeat -> {
      long sentNanos = System.nanoTime();
      try {
        client.heartbeatOnce(job.getJobId(), heartbeat, Duration.ofNanos(timeoutNanos()));
        kept(sentNanos);
      } catch (LostClaimException lost) {
        lose(lost.getMessage());
      } catch (AgwpException unknown) {
        unanswered(unknown.getMessage());
      }
    });
  }

  // From before the call: the server's lease began later, so this one ends first.
  synchronized void kept(long sentNanos) {
    leaseEndsNanos = sentNanos + leaseNanos;
    schedule(leaseNanos / 3 - (System.nanoTime() - sentNanos));
  }

  /** A heartbeat of which nobody says that it got through is sent again while the lease runs. */
  void unanswered(String why) {
    LOG.warn("job {}: no heartbeat got through, trying again: {}", job.getJobId(), why);
    synchronized (this) {
      long leftNanos = leaseEndsNanos - System.nanoTime();
      if (leftNanos > 0) {
        schedule(Math.min(leftNanos, Math.max(AGAIN_NANOS_MIN, leaseNanos / 10)));
        return;
      }
    }
    lose("its lease ran out while the server could not be reached");
  }

  void lose(String why) {
    synchronized (this) {
      // A heartbeat that was under way when the claim ended finds it ended: that is no loss.
      if (state != State.HELD) {
        return;
      }
      state = State.LOST;
      whyLost = why;
      stopRunner();
    }
  }

  // Called with the monitor held.
  private void schedule(long nanos) {
    if (state != State.HELD) {
      return;
    }
    if (next != null) {
      // It went with the heartbeat of another claim, before its own time came.
      next.cancel(false);
    }
    dueNanos = System.nanoTime() + nanos;
    try {
      next = heartbeats.sendIn(nanos, this);
    } catch (RejectedExecutionException workerClosed) {
      LOG.debug("job {}: no more heartbeats, the worker is closed", job.getJobId());
    }
  }
}
