package dev.agwp.sdk;

import dev.agwp.sdk.model.Error;
import dev.agwp.sdk.model.JobHeartbeat;
import dev.agwp.sdk.model.JobResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heartbeats of a worker's claims. One that is due takes along those that are due soon, in one heartbeatJobs call, and none
 * ever waits for another: a call for many that gets no answer, or is refused as a whole, is followed at once by one for each.
 */
final class Heartbeats implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);
  private static final int PER_CALL_MAX = 100;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;

  private final AgwpClient client;
  private final long aheadNanos;
  private final Set<Claim> waiting = ConcurrentHashMap.newKeySet();
  // One thread, which never sends, so that claims which are due at the same moment find each other.
  private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, Worker.named("agwp-heartbeat-clock"));
  private final ExecutorService senders = Executors.newCachedThreadPool(Worker.named("agwp-heartbeat"));
  private volatile boolean manyPerCall = true;

  Heartbeats(AgwpClient client, int leaseSeconds) {
    this.client = client;
    // Half of the time between two heartbeats: once taken along, a claim stays in step with the others.
    aheadNanos = TimeUnit.SECONDS.toNanos(leaseSeconds) / 6;
    clock.setRemoveOnCancelPolicy(true);
  }

  /** Sends the heartbeat of a claim after the time given, or earlier with another's. @throws RejectedExecutionException once closed */
  Future<?> sendIn(long nanos, Claim claim) {
    waiting.add(claim);
    return clock.schedule(() -> due(claim), Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }

  void forget(Claim claim) {
    waiting.remove(claim);
  }

  private void due(Claim claim) {
    if (!waiting.remove(claim)) {
      return;
    }
    List<Claim> together = new ArrayList<>(List.of(claim));
    if (manyPerCall) {
      for (Claim other : waiting) {
        if (together.size() < PER_CALL_MAX && other.isDueWithin(aheadNanos) && waiting.remove(other)) {
          together.add(other);
        }
      }
    }
    senders.execute(() -> send(together));
  }

  private void send(List<Claim> due) {
    List<Claim> claims = new ArrayList<>();
    List<JobHeartbeat> heartbeats = new ArrayList<>();
    // Half of what one alone may take, so that time is left to send each alone.
    long timeoutNanos = due.stream().mapToLong(Claim::timeoutNanos).min().orElseThrow() / 2;
    for (Claim claim : due) {
      claim.heartbeat().ifPresent(heartbeat -> {
        claims.add(claim);
        heartbeats.add(new JobHeartbeat().jobId(claim.job().getJobId()).heartbeat(heartbeat));
      });
    }
    if (claims.size() < 2) {
      claims.forEach(Claim::beat);
      return;
    }
    long sentNanos = System.nanoTime();
    try {
      List<JobResult> results = client.heartbeatsOnce(heartbeats, Duration.ofNanos(timeoutNanos));
      for (int i = 0; i < claims.size(); i++) {
        tell(claims.get(i), results.get(i), sentNanos);
      }
    } catch (AgwpException refused) {
      LOG.debug("{} heartbeats are sent one by one: {}", claims.size(), refused.getMessage());
      if (isNoOperation(refused)) {
        manyPerCall = false;
      }
      claims.forEach(this::sendAlone);
    }
  }

  private static void tell(Claim claim, JobResult result, long sentNanos) {
    Error error = result.getError();
    if (error == null) {
      claim.kept(sentNanos);
    } else if (LostClaimException.isToldBy(error)) {
      claim.lose(error.getDetail());
    } else {
      claim.unanswered(error.getDetail());
    }
  }

  // What a server before release 1.3.0 says: there is none of this path, or none but those of the job with the id "heartbeat".
  private static boolean isNoOperation(AgwpException refused) {
    return refused.reason() == null && (refused.status() == NOT_FOUND || refused.status() == METHOD_NOT_ALLOWED);
  }

  private void sendAlone(Claim claim) {
    try {
      senders.execute(claim::beat);
    } catch (RejectedExecutionException workerClosed) {
      LOG.debug("job {}: no more heartbeats, the worker is closed", claim.job().getJobId());
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
    senders.shutdownNow();
  }
}
