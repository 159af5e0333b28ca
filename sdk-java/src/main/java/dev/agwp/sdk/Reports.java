package dev.agwp.sdk;

import dev.agwp.sdk.model.ClaimNext;
import dev.agwp.sdk.model.CompleteJobRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.ReleaseJobRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the server how a claim ended. When no answer comes it looks the job up: the report may have been taken, and reporting it
 * again would then be refused; or it was not, and is sent again.
 */
final class Reports {
  private static final Logger LOG = LoggerFactory.getLogger(Reports.class);
  private static final long TRY_FOR_SECONDS_MIN = 60;
  private static final long PAUSE_MS_MAX = 2_000;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  enum Result { TAKEN, LOST, UNKNOWN }

  /**
   * What came of a report.
   *
   * @param outcome the one that was reported: not the handler's when the server refused that
   * @param answer null when none was heard, or it was a refusal; what became of the report was found out by reading the job
   */
  record Report(Result result, Outcome outcome, Job answer) {}

  private record Known(Result result, Job answer) {}

  private final AgwpClient client;
  private final int leaseSeconds;

  Reports(AgwpClient client, int leaseSeconds) {
    this.client = client;
    this.leaseSeconds = leaseSeconds;
  }

  /** @param next what the worker is ready to do next; null for nothing */
  Report report(Claim claim, Outcome outcome, ClaimNext next) {
    try {
      return reportAsIs(claim, outcome, next);
    } catch (AgwpException refused) {
      // The outcome itself was refused, for example a summary that is too long. Silence would leave the job to its lease.
      return reportAsIs(claim, Outcome.retry("outcome_refused", Outcome.cut("the outcome was refused: " + refused.getMessage()), null), next);
    }
  }

  private Report reportAsIs(Claim claim, Outcome outcome, ClaimNext next) {
    CompleteJobRequest completion = outcome.completion();
    Known known = completion == null
        ? fail(claim, outcome.failure().claimNext(next)) : complete(claim, completion.claimNext(next));
    return new Report(known.result(), outcome, known.answer());
  }

  private Known complete(Claim claim, CompleteJobRequest request) {
    request.worker(claim.label()).fencingToken(claim.fencingToken());
    String digest = request.getAttestation() == null ? null : "sha256:" + sha256(request.getAttestation().getBody());
    return untilKnown(claim, () -> client.completeJob(claim.job().getJobId(), request),
        now -> JobState.SUCCEEDED.equals(now.getState()) && isOfHolder(claim, now)
            && request.getOutcome().getValue().equals(now.getOutcome()) && Objects.equals(digest, now.getAttestationDigest()));
  }

  private Known fail(Claim claim, FailJobRequest request) {
    request.worker(claim.label()).fencingToken(claim.fencingToken());
    return untilKnown(claim, () -> client.failJob(claim.job().getJobId(), request),
        now -> !JobState.CLAIMED.equals(now.getState()) && now.getAttempts().equals(claim.job().getAttempts())
            && now.getLastError() != null && request.getReason().equals(now.getLastError().getReason()));
  }

  Result release(Claim claim) {
    ReleaseJobRequest request = new ReleaseJobRequest().worker(claim.label()).fencingToken(claim.fencingToken());
    return untilKnown(claim, () -> client.releaseJob(claim.job().getJobId(), request),
        now -> JobState.QUEUED.equals(now.getState()) && now.getAttempts().equals(claim.job().getAttempts())).result();
  }

  private Known untilKnown(Claim claim, Supplier<Job> report, Predicate<Job> wasTaken) {
    long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Math.max(TRY_FOR_SECONDS_MIN, leaseSeconds));
    while (true) {
      try {
        return new Known(Result.TAKEN, report.get());
      } catch (LostClaimException lost) {
        // An earlier try may have been taken, and a server of 1.0.0 refuses the repeat.
        return new Known(Boolean.TRUE.equals(lookUp(claim, wasTaken)) ? Result.TAKEN : Result.LOST, null);
      } catch (AccessRefusedException refused) {
        // It says nothing of the outcome: to report another one in its place would make a failure of a success.
        LOG.warn("job {}: the server refuses this worker, its lease will run out: {}", claim.job().getJobId(), refused.getMessage());
        return new Known(Result.UNKNOWN, null);
      } catch (AgwpException failed) {
        if (failed.status() != 0 && failed.status() < SERVER_ERROR && failed.status() != TOO_MANY_REQUESTS) {
          throw failed;
        }
        Boolean taken = lookUp(claim, wasTaken);
        if (taken != null) {
          return new Known(taken ? Result.TAKEN : Result.LOST, null);
        }
        if (System.nanoTime() - giveUpNanos > 0 || !pause()) {
          return new Known(Result.UNKNOWN, null);
        }
      }
    }
  }

  /** True or false when the job tells; null when it is held as before or cannot be read. */
  private Boolean lookUp(Claim claim, Predicate<Job> wasTaken) {
    Job now;
    try {
      now = client.getJob(claim.job().getJobId());
    } catch (AgwpException unreadable) {
      return null;
    }
    if (JobState.CLAIMED.equals(now.getState()) && isOfHolder(claim, now)) {
      return null;
    }
    return wasTaken.test(now);
  }

  private static boolean isOfHolder(Claim claim, Job now) {
    // A label holds no bar, so what follows the last one is the label.
    return now.getAttempts().equals(claim.job().getAttempts()) && now.getClaimedBy() != null
        && now.getClaimedBy().endsWith("|" + claim.label());
  }

  private static boolean pause() {
    try {
      new CountDownLatch(1).await(ThreadLocalRandom.current().nextLong(PAUSE_MS_MAX), TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String sha256(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
