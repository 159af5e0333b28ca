package dev.agwp.server.job;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.ClaimJobRequest;
import dev.agwp.server.message.ClaimJobResponse;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import dev.agwp.server.storage.UniqueViolation;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** claimJob: takes jobs at once, or waits for one without holding a thread. */
public final class ClaimJob {
  static final int LEASE_SECONDS_DEFAULT = 60;
  private static final int MAX_JOBS_DEFAULT = 1;
  private static final int WAIT_SECONDS_DEFAULT = 0;
  /** A claim sees what has just become due; a flood of it is left to {@link DueJobs}. */
  private static final int SETTLED_PER_CLAIM_MAX = 100;

  private final Database database;
  private final DueJobs dueJobs;
  private final ClaimWaiters waiters;

  public ClaimJob(Database database, DueJobs dueJobs, ClaimWaiters waiters) {
    this.database = database;
    this.dueJobs = dueJobs;
    this.waiters = waiters;
  }

  /** @param callerGone tells when nobody would read the answer any more, so that no job is taken for it */
  CompletionStage<ClaimJobResponse> run(Caller caller, ClaimJobRequest request, BooleanSupplier callerGone) {
    Wanted wanted = new Wanted(
        request.getQueues().stream().distinct().toList(),
        Holder.of(caller, request.getWorker()),
        request.getLeaseSeconds() == null ? LEASE_SECONDS_DEFAULT : request.getLeaseSeconds(),
        request.getMaxJobs() == null ? MAX_JOBS_DEFAULT : request.getMaxJobs(),
        request.getRequestId());
    int waitSeconds = request.getWaitSeconds() == null ? WAIT_SECONDS_DEFAULT : request.getWaitSeconds();
    if (waitSeconds == 0) {
      return CompletableFuture.completedFuture(response(claim(wanted)));
    }
    return waiters.claimOrWait(wanted.queues(), waitSeconds, callerGone, () -> claim(wanted)).thenApply(ClaimJob::response);
  }

  private record Wanted(List<String> queues, Holder holder, int leaseSeconds, int maxJobs, String requestId) {}

  private List<JobRow> claim(Wanted wanted) {
    Claimed claimed;
    try {
      claimed = database.inTransaction(tx -> {
        List<JobRow> held = heldAlready(tx, wanted);
        return held.isEmpty() ? claimed(tx, wanted) : new Claimed(held, List.of());
      });
    } catch (UniqueViolation sameRequestWasFaster) {
      // The same request id was delivered twice and the other delivery has claimed: its jobs are the answer of both.
      claimed = new Claimed(database.inTransaction(tx -> heldAlready(tx, wanted)), List.of());
    }
    dueJobs.announce(claimed.settled());
    return claimed.jobs();
  }

  private record Claimed(List<JobRow> jobs, List<SettledJob> settled) {}

  private static List<JobRow> heldAlready(Transaction tx, Wanted wanted) {
    return wanted.requestId() == null ? List.of() : tx.jobs().findClaimed(wanted.holder().name(), wanted.requestId());
  }

  private Claimed claimed(Transaction tx, Wanted wanted) {
    List<SettledJob> settled = tx.jobs().settleDue(SETTLED_PER_CLAIM_MAX);
    List<JobRow> jobs = tx.jobs()
        .claim(wanted.queues(), wanted.holder().name(), wanted.leaseSeconds(), wanted.maxJobs(), wanted.requestId())
        .stream()
        .sorted(Comparator.comparing(JobRow::claimPosition))
        .toList();
    return new Claimed(jobs, settled);
  }

  private static ClaimJobResponse response(List<JobRow> jobs) {
    List<Job> messages = jobs.stream().map(JobRow::toMessage).toList();
    return new ClaimJobResponse().jobs(messages).fencingEnforced(true);
  }
}
