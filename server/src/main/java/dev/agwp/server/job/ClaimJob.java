package dev.agwp.server.job;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.ClaimJobRequest;
import dev.agwp.server.message.ClaimJobResponse;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import dev.agwp.server.storage.UniqueViolation;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** claimJob: takes jobs at once, or waits for one without holding a thread. */
public final class ClaimJob {
  static final int LEASE_SECONDS_DEFAULT = 60;
  private static final int WAIT_SECONDS_DEFAULT = 0;
  /** A claim sees what has just become due; a flood of it is left to {@link DueJobs}. */
  private static final int SETTLED_PER_CLAIM_MAX = 100;

  private final Database database;
  private final CoalescedCalls coalesced;
  private final DueJobs dueJobs;
  private final ClaimWaiters waiters;

  public ClaimJob(Database database, CoalescedCalls coalesced, DueJobs dueJobs, ClaimWaiters waiters) {
    this.database = database;
    this.coalesced = coalesced;
    this.dueJobs = dueJobs;
    this.waiters = waiters;
  }

  /** @param callerGone tells when nobody would read the answer any more, so that no job is taken for it */
  CompletionStage<ClaimJobResponse> run(Caller caller, ClaimJobRequest request, BooleanSupplier callerGone) {
    caller.checkQueues("queues", request.getQueues());
    Claiming wanted = Claiming.of(Holder.of(caller, request.getWorker()), request.getQueues(), request.getLeaseSeconds(),
        request.getMaxJobs(), request.getRequestId(), caller.requestId());
    int waitSeconds = request.getWaitSeconds() == null ? WAIT_SECONDS_DEFAULT : request.getWaitSeconds();
    if (waitSeconds == 0) {
      return CompletableFuture.completedFuture(response(caller, claim(wanted)));
    }
    return waiters.claimOrWait(wanted.queues(), waitSeconds, callerGone, () -> claim(wanted)).thenApply(jobs -> response(caller, jobs));
  }

  private List<JobRow> claim(Claiming wanted) {
    CoalescedCalls.Answer answer = coalesced.apply(List.of(wanted)).get(0);
    return answer == null ? claimAlone(wanted) : answer.orThrow();
  }

  private List<JobRow> claimAlone(Claiming wanted) {
    Map<JobCall, List<JobRow>> claimed = new IdentityHashMap<>();
    List<SettledJob> settled;
    try {
      settled = database.inTransaction(tx -> write(tx, List.of(wanted), claimed));
    } catch (UniqueViolation sameRequestWasFaster) {
      // The same request id was delivered twice and the other delivery has claimed: its jobs are the answer of both.
      return inOrder(database.inTransaction(tx -> tx.jobs().findClaimed(List.of(wanted))));
    }
    dueJobs.announce(settled);
    return claimed.get(wanted);
  }

  /**
   * Gives each request its jobs: those that it has claimed already, else new ones.
   *
   * @param claimed where they are put
   * @return what was found to be due before
   */
  static List<SettledJob> write(Transaction tx, List<Claiming> requests, Map<JobCall, List<JobRow>> claimed) {
    List<Claiming> repeatable = requests.stream().filter(request -> request.requestId() != null).toList();
    if (!repeatable.isEmpty()) {
      share(tx.jobs().findClaimed(repeatable), repeatable, claimed);
    }
    Map<List<String>, List<Claiming>> byQueues = requests.stream()
        .filter(request -> claimed.getOrDefault(request, List.of()).isEmpty())
        .collect(groupingBy(Claiming::queues, LinkedHashMap::new, toList()));
    List<SettledJob> settled = byQueues.isEmpty() ? List.of() : DueJobs.settle(tx, SETTLED_PER_CLAIM_MAX);
    byQueues.forEach((queues, alike) -> {
      share(tx.jobs().claim(queues, ClaimingInOrder.of(alike), alike.stream().mapToLong(Claiming::maxJobs).sum()), alike, claimed);
      alike.forEach(request -> claimed.get(request).forEach(job -> tx.audit(JobEvents.claimed(request, job))));
    });
    return settled;
  }

  private static void share(List<JobRow> jobs, List<Claiming> requests, Map<JobCall, List<JobRow>> claimed) {
    requests.forEach(request -> claimed.put(request, inOrder(jobs.stream().filter(request::gave).toList())));
  }

  private static List<JobRow> inOrder(List<JobRow> jobs) {
    return jobs.stream().sorted(Comparator.comparing(JobRow::claimPosition)).toList();
  }

  private static ClaimJobResponse response(Caller caller, List<JobRow> jobs) {
    // What a repeated request claimed before may have been claimed with another credential of the same principal.
    List<Job> messages = jobs.stream().filter(job -> caller.queues().allow(job.queue())).map(JobRow::toMessage).toList();
    return new ClaimJobResponse().jobs(messages).fencingEnforced(true);
  }
}
