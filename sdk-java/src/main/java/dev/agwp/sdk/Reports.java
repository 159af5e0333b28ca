package dev.agwp.sdk;

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

/**
 * Tells the server how a claim ended. When no answer comes it looks the job up: the report may have been taken, and reporting it
 * again would then be refused; or it was not, and is sent again.
 */
final class Reports {
  private static final long TRY_FOR_SECONDS_MIN = 60;
  private static final long PAUSE_MS_MAX = 2_000;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  enum Result { TAKEN, LOST, UNKNOWN }

  private final AgwpClient client;
  private final int leaseSeconds;

  Reports(AgwpClient client, int leaseSeconds) {
    this.client = client;
    this.leaseSeconds = leaseSeconds;
  }

  Result report(Claim claim, Outcome outcome) {
    try {
      return outcome.completion() == null ? fail(claim, outcome.failure()) : complete(claim, outcome.completion());
    } catch (AgwpException refused) {
      // The outcome itself was refused, for example a summary that is too long. Silence would leave the job to its lease.
      String message = "the outcome was refused: " + refused.getMessage();
      return fail(claim, new FailJobRequest().reason("outcome_refused")
          .message(message.substring(0, Math.min(message.length(), Outcome.TEXT_CHARS_MAX))));
    }
  }

  private Result complete(Claim claim, CompleteJobRequest request) {
    request.worker(claim.label()).fencingToken(claim.fencingToken());
    String digest = request.getAttestation() == null ? null : "sha256:" + sha256(request.getAttestation().getBody());
    return untilKnown(claim, () -> client.completeJob(claim.job().getJobId(), request),
        now -> JobState.SUCCEEDED.equals(now.getState()) && isOfHolder(claim, now)
            && request.getOutcome().getValue().equals(now.getOutcome()) && Objects.equals(digest, now.getAttestationDigest()));
  }

  private Result fail(Claim claim, FailJobRequest request) {
    request.worker(claim.label()).fencingToken(claim.fencingToken());
    return untilKnown(claim, () -> client.failJob(claim.job().getJobId(), request),
        now -> !JobState.CLAIMED.equals(now.getState()) && now.getAttempts().equals(claim.job().getAttempts())
            && now.getLastError() != null && request.getReason().equals(now.getLastError().getReason()));
  }

  Result release(Claim claim) {
    ReleaseJobRequest request = new ReleaseJobRequest().worker(claim.label()).fencingToken(claim.fencingToken());
    return untilKnown(claim, () -> client.releaseJob(claim.job().getJobId(), request),
        now -> JobState.QUEUED.equals(now.getState()) && now.getAttempts().equals(claim.job().getAttempts()));
  }

  private Result untilKnown(Claim claim, Runnable report, Predicate<Job> wasTaken) {
    long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Math.max(TRY_FOR_SECONDS_MIN, leaseSeconds));
    while (true) {
      try {
        report.run();
        return Result.TAKEN;
      } catch (LostClaimException lost) {
        // An earlier try may have been taken, and a server of 1.0.0 refuses the repeat.
        return Boolean.TRUE.equals(lookUp(claim, wasTaken)) ? Result.TAKEN : Result.LOST;
      } catch (AgwpException failed) {
        if (failed.status() != 0 && failed.status() < SERVER_ERROR && failed.status() != TOO_MANY_REQUESTS) {
          throw failed;
        }
        Boolean taken = lookUp(claim, wasTaken);
        if (taken != null) {
          return taken ? Result.TAKEN : Result.LOST;
        }
        if (System.nanoTime() - giveUpNanos > 0 || !pause()) {
          return Result.UNKNOWN;
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
