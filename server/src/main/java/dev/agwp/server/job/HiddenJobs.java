package dev.agwp.server.job;

import static java.util.stream.Collectors.toSet;

import dev.agwp.server.http.Caller;
import dev.agwp.server.storage.Transaction;
import java.util.List;
import java.util.Set;

/**
 * The jobs of queues that a caller's credential is not for. To it they are unknown: it is told of them what it is told of a job that does
 * not exist (ADR-0017). A job never changes its queue, so that what is found before a call is still true in it.
 */
final class HiddenJobs {
  private HiddenJobs() {}

  /** Nothing is asked of the database for a caller whose credential is for every queue. */
  static Set<String> among(Transaction tx, Caller caller, List<String> jobIds) {
    if (caller.queues().areAll()) {
      return Set.of();
    }
    return tx.jobs().queuesOf(jobIds).stream()
        .filter(job -> !caller.queues().allow(job.queue()))
        .map(JobQueueRow::jobId)
        .collect(toSet());
  }

  /** @throws dev.agwp.server.http.ApiException as of an unknown job, when the job is hidden from the caller */
  static void refuse(Transaction tx, Caller caller, String jobId) {
    if (!among(tx, caller, List.of(jobId)).isEmpty()) {
      throw LostClaim.unknown(jobId);
    }
  }
}
