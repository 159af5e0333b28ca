package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;
import static dev.agwp.server.http.Reason.STALE_BASE;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.Transaction;
import java.util.List;
import java.util.stream.IntStream;

/** Whether a change that was rejected may be validated again, when its job is retried. */
public final class Revival {
  private Revival() {}

  /**
   * Nothing may have come in that counted on its rejection: a later change of the same paths that builds on one from before. Nor may
   * one from between its base and itself stand again, which was rejected when it came.
   *
   * @throws ApiException {@code failed_precondition} when something has
   */
  public static void require(Transaction tx, String jobId) {
    for (IntegrationRow rejected : tx.integrations().ofJobs(List.of(jobId))) {
      // So that nothing comes in between the question and the commit.
      LeaseRepo.lock(tx, rejected.repo());
      List<String> paths = rejected.pathList();
      List<CoveredPath.Range> ranges = IntStream.range(0, paths.size()).boxed()
          .flatMap(place -> new CoveredPath(place, paths.get(place), 0).ranges())
          .toList();
      Changed changed = changed(tx, rejected, ranges);
      if (changed != null) {
        throw new ApiException(FAILED_PRECONDITION, "job " + jobId + " validates integration " + rejected.integrationId()
            + ", which was rejected, and integration " + changed.integrationId() + " has changed " + paths.get(changed.place())
            + " without it since; integrate the change anew").because(STALE_BASE);
      }
    }
  }

  private static Changed changed(Transaction tx, IntegrationRow rejected, List<CoveredPath.Range> ranges) {
    IntegrationMapper integrations = tx.integrations();
    Changed after = integrations.firstChangedWithout(rejected.repo(), ranges, rejected.sequence(), Long.MAX_VALUE);
    if (after != null || rejected.base() == null) {
      return after;
    }
    long base = integrations.find(rejected.base()).sequence();
    return integrations.firstChangedBetween(rejected.repo(), ranges, base, rejected.sequence());
  }
}
