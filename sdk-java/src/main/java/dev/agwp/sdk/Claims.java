package dev.agwp.sdk;

import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.ClaimJobResponse;
import dev.agwp.sdk.model.ClaimNext;
import dev.agwp.sdk.model.Job;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gets a worker its claims and hands them back. An answer that was lost strands no job: what it gave is asked for again by its request id. */
final class Claims {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
  private static final int UNAVAILABLE_PAUSE_MS_MAX = 5_000;
  private static final int BAD_REQUEST = 400;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private final AgwpClient client;
  private final WorkerOptions options;
  private final WorkerListener listener;
  private final Reports reports;
  private final Heartbeats heartbeats;
  private final BooleanSupplier claimsNoMore;

  Claims(AgwpClient client, WorkerOptions options, WorkerListener listener, Reports reports, Heartbeats heartbeats,
      BooleanSupplier claimsNoMore) {
    this.client = client;
    this.options = options;
    this.listener = listener;
    this.reports = reports;
    this.heartbeats = heartbeats;
    this.claimsNoMore = claimsNoMore;
  }

  /**
   * Waits for jobs as long as the server was asked to.
   *
   * @throws InterruptedException when the worker claims no more; what was given until then is handed back
   */
  List<Claim> claim(int jobsMax) throws InterruptedException {
    return untilAnswered(request(UUID.randomUUID().toString()).waitSeconds(options.waitSeconds()).maxJobs(jobsMax), System.nanoTime());
  }

  /** What a report asks for when its slot would claim next anyway. */
  ClaimNext next() {
    return new ClaimNext().queues(options.queues()).leaseSeconds(options.leaseSeconds()).requestId(UUID.randomUUID().toString());
  }

  /**
   * The claim that a report with {@code claim_next} was given; null for none. When nobody heard the answer to the report the job is asked for
   * under the same id, which claims one if the report did not.
   *
   * @param sentNanos before the report was sent first
   */
  Claim given(ClaimNext next, Reports.Report report, long sentNanos) throws InterruptedException {
    if (report.answer() == null) {
      return untilAnswered(request(next.getRequestId()).waitSeconds(0).maxJobs(1), sentNanos).stream().findFirst().orElse(null);
    }
    // A server that gives a next job is of 1.3.0 or later, so it checks tokens: requireFencing has nothing to ask.
    Job job = report.answer().getNextJob();
    return job == null ? null : held(job, isLate(sentNanos, 0));
  }

  private ClaimJobRequest request(String requestId) {
    return new ClaimJobRequest().queues(options.queues()).worker(options.label()).leaseSeconds(options.leaseSeconds()).requestId(requestId);
  }

  /** @param sentNanos of the first try: the jobs may have been given by one whose answer was lost */
  private List<Claim> untilAnswered(ClaimJobRequest request, long sentNanos) throws InterruptedException {
    while (!claimsNoMore.getAsBoolean()) {
      try {
        ClaimJobResponse answer = client.claim(request);
        boolean late = isLate(sentNanos, request.getWaitSeconds());
        List<Claim> claims = answer.getJobs().stream().map(job -> held(job, late)).toList();
        if (options.requireFencing() && !Boolean.TRUE.equals(answer.getFencingEnforced())) {
          claims.forEach(this::release);
          throw new UnfencedServerException();
        }
        return claims;
      } catch (AgwpException problem) {
        if (claimsNoMore.getAsBoolean() || Thread.interrupted()) {
          break;
        }
        if (problem.status() >= BAD_REQUEST && problem.status() < SERVER_ERROR && problem.status() != TOO_MANY_REQUESTS) {
          throw problem;
        }
        listener.unavailable(problem);
        if (!pause()) {
          break;
        }
      }
    }
    takeBack(request);
    throw new InterruptedException("closing");
  }

  private boolean isLate(long sentNanos, int waitSeconds) {
    return System.nanoTime() - sentNanos > TimeUnit.SECONDS.toNanos(waitSeconds) + TimeUnit.SECONDS.toNanos(options.leaseSeconds()) / 3;
  }

  // The claim that was broken off may have been given jobs. Asked again under its id the server names them.
  private void takeBack(ClaimJobRequest request) {
    Thread.interrupted();
    try {
      for (Job job : client.claimJob(request.waitSeconds(0))) {
        release(held(job, false));
      }
    } catch (AgwpException unreachable) {
      LOG.debug("could not ask for the jobs of the last claim, their leases will run out: {}", unreachable.getMessage());
    }
  }

  private Claim held(Job job, boolean late) {
    Claim claim = new Claim(client, job, options.label(), options.leaseSeconds(), heartbeats);
    claim.start(late);
    return claim;
  }

  void release(Claim claim) {
    if (!claim.beginEnd()) {
      listener.lost(claim.job(), claim.whyLost());
      return;
    }
    Reports.Result result = reports.release(claim);
    if (result == Reports.Result.UNKNOWN && Thread.interrupted()) {
      // close() interrupts the threads of handlers once, whatever they do.
      result = reports.release(claim);
    }
    switch (result) {
      case TAKEN -> listener.released(claim.job());
      case LOST -> listener.lost(claim.job(), "the server refused the release: the claim was lost before");
      case UNKNOWN -> LOG.warn("job {}: no answer to its release, its lease will run out", claim.job().getJobId());
    }
  }

  private static boolean pause() {
    try {
      new CountDownLatch(1).await(ThreadLocalRandom.current().nextLong(UNAVAILABLE_PAUSE_MS_MAX), TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException closing) {
      return false;
    }
  }
}
