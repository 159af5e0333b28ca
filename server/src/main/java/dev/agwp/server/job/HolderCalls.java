package dev.agwp.server.job;

import static dev.agwp.server.http.Reason.FENCING_TOKEN_REQUIRED;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.ErrorCode;
import dev.agwp.server.lease.IntegrationEvents;
import dev.agwp.server.message.Job;
import dev.agwp.server.queue.ReadQueues;
import dev.agwp.server.queue.UnfencedRow;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import dev.agwp.server.storage.UniqueViolation;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What heartbeat, complete, fail and release have in common: one transaction, a refusal that says why, and a count of the calls that
 * carry no fencing token, so that an operator sees who would break before it is required (ADR-0013).
 */
final class HolderCalls {
  private final Database database;
  private final CoalescedCalls coalesced;
  private final DueJobs dueJobs;
  private final boolean fencingRequired;

  HolderCalls(Database database, CoalescedCalls coalesced, DueJobs dueJobs, boolean fencingRequired) {
    this.database = database;
    this.coalesced = coalesced;
    this.dueJobs = dueJobs;
    this.fencingRequired = fencingRequired;
  }

  HolderCall of(Caller caller, String worker, String jobId, Long fencingToken) {
    return new HolderCall(jobId, Holder.of(caller, worker), FencingToken.of(fencingToken, fencingRequired), caller.requestId());
  }

  /**
   * What an applied call left.
   *
   * @param next the job that was claimed next; null for none
   * @param repeated whether it was applied before, and wrote nothing this time
   */
  record Applied(JobRow job, JobRow next, boolean repeated) {
    private static Applied of(List<JobRow> jobs) {
      return new Applied(jobs.get(0), jobs.size() == 1 ? null : jobs.get(1), false);
    }

    /** What was claimed when the call was applied before may have been claimed with another credential of the same principal. */
    private Applied asSeenBy(Caller caller) {
      return next == null || caller.queues().allow(next.queue()) ? this : new Applied(job, null, repeated);
    }

    Job toMessage() {
      return job.toMessage().nextJob(next == null ? null : next.toMessage());
    }
  }

  /** What came of one of many calls; the other is null. */
  record Result(Applied applied, ApiException refusal) {}

  /** One of the statements of {@link JobMapper} for calls of holders, and what only its winners leave. */
  interface Change<C> {
    List<JobRow> apply(Transaction tx, List<C> calls, boolean wait);

    /** Whether this very call has left the job as it stands: its answer was lost, and it is asked again. */
    default boolean hasLeft(JobRow job, C call) {
      return false;
    }

    /** Why this call changed nothing though its caller holds the job; null when nothing of it is why. */
    default ApiException explain(Transaction tx, JobRow job, C call) {
      return null;
    }
  }

  /**
   * Applies a call with those of others, or else alone.
   *
   * @param lost what the contract says a lost claim is for this operation
   * @param change no row when it changed nothing
   */
  <C extends OfHolder> Applied apply(Caller caller, C call, ErrorCode lost, Change<C> change) {
    if (!hidden(caller, List.of(call)).isEmpty()) {
      throw unknown(call);
    }
    return appliedOrAlone(call, coalesced.apply(List.of(call)).get(0), lost, change).asSeenBy(caller);
  }

  /** As {@link #apply}, for many; one that is refused leaves the others alone. */
  <C extends OfHolder> List<Result> applyAll(Caller caller, List<C> calls, ErrorCode lost, Change<C> change) {
    Set<String> hidden = hidden(caller, calls);
    List<C> visible = calls.stream().filter(call -> !hidden.contains(call.call().jobId())).toList();
    Iterator<CoalescedCalls.Answer> answers = coalesced.apply(visible).iterator();
    return calls.stream().map(call -> {
      if (hidden.contains(call.call().jobId())) {
        return new Result(null, unknown(call));
      }
      try {
        return new Result(appliedOrAlone(call, answers.next(), lost, change).asSeenBy(caller), null);
      } catch (ApiException refusal) {
        return new Result(null, refusal);
      }
    }).toList();
  }

  private ApiException unknown(OfHolder call) {
    ApiException refusal = LostClaim.unknown(call.call().jobId());
    if (call instanceof Completion completion) {
      recordRefusal(completion, refusal);
    }
    return refusal;
  }

  /** Leaves the event of a completion that was refused before any transaction (ADR-0020). */
  void recordRefusal(Completion completion, ApiException refusal) {
    database.inTransaction(tx -> {
      recordRefusal(tx, completion, tx.jobs().find(completion.call().jobId()), refusal);
      return refusal;
    });
  }

  private static void recordRefusal(Transaction tx, Completion completion, JobRow found, ApiException refusal) {
    tx.audit(JobEvents.refused(completion, found == null ? null : found.queue(), refusal, tx.auditLog().now()));
  }

  private Set<String> hidden(Caller caller, List<? extends OfHolder> calls) {
    if (caller.queues().areAll()) {
      return Set.of();
    }
    List<String> jobIds = calls.stream().map(call -> call.call().jobId()).toList();
    return database.read(tx -> HiddenJobs.among(tx, caller, jobIds));
  }

  private <C extends OfHolder> Applied appliedOrAlone(C call, CoalescedCalls.Answer answer, ErrorCode lost, Change<C> change) {
    if (answer != null) {
      return Applied.of(answer.orThrow());
    }
    try {
      return alone(call, lost, change);
    } catch (UniqueViolation sameClaimWasFaster) {
      if (call.next() == null) {
        throw sameClaimWasFaster;
      }
      // The same claim_next was delivered twice and the other delivery has claimed: now that is found.
      return alone(call, lost, change);
    }
  }

  private <C extends OfHolder> Applied alone(C call, ErrorCode lost, Change<C> change) {
    Decided decided = database.inTransaction(tx -> {
      List<JobRow> changed = change.apply(tx, List.of(call), true);
      if (!changed.isEmpty()) {
        JobRow job = changed.get(0);
        IntegrationEvents.audit(tx, List.of(JobEvents.applied(call, job)));
        countUnfenced(tx, List.of(call.call()), job.queue());
        return claimedNext(tx, job, call.next());
      }
      JobRow found = tx.jobs().find(call.call().jobId());
      if (found != null && change.hasLeft(found, call)) {
        return new Decided(new Applied(found, claimedBefore(tx, call.next()), true), List.of(), null);
      }
      ApiException refusal = explain(tx, call, found, lost, change);
      if (refusal.reason() == FENCING_TOKEN_REQUIRED) {
        countUnfenced(tx, List.of(call.call()), found.queue());
      }
      if (call instanceof Completion completion) {
        recordRefusal(tx, completion, found, refusal);
      }
      // Returned and not thrown: the count and the event must outlive the refusal.
      return new Decided(null, List.of(), refusal);
    });
    if (decided.refusal() != null) {
      throw decided.refusal();
    }
    dueJobs.announce(decided.settled());
    return decided.applied();
  }

  private static <C extends OfHolder> ApiException explain(Transaction tx, C call, JobRow found, ErrorCode lost, Change<C> change) {
    ApiException ofTheClaim = LostClaim.explain(tx, call.call(), found, lost);
    ApiException refusal = ofTheClaim == null ? change.explain(tx, found, call) : ofTheClaim;
    return refusal == null ? LostClaim.justClaimedAgain(call.call(), lost) : refusal;
  }

  /** What a call that is told again has claimed when it was applied. */
  private static JobRow claimedBefore(Transaction tx, Claiming next) {
    return next == null ? null : tx.jobs().findClaimed(List.of(next)).stream().findFirst().orElse(null);
  }

  private static Decided claimedNext(Transaction tx, JobRow job, Claiming next) {
    if (next == null) {
      return new Decided(new Applied(job, null, false), List.of(), null);
    }
    Map<JobCall, List<JobRow>> claimed = new IdentityHashMap<>();
    List<SettledJob> settled = ClaimJob.write(tx, List.of(next), claimed);
    return new Decided(new Applied(job, claimed.get(next).stream().findFirst().orElse(null), false), settled, null);
  }

  private record Decided(Applied applied, List<SettledJob> settled, ApiException refusal) {}

  private static void countUnfenced(Transaction tx, List<HolderCall> calls, String queue) {
    countUnfenced(tx, calls, call -> queue);
  }

  static void countUnfenced(Transaction tx, List<HolderCall> calls, Function<HolderCall, String> queueOf) {
    // Sorted, so that transactions which count the same workers wait for each other and never in a circle.
    Map<List<String>, Long> counts = calls.stream().filter(call -> !call.token().isGiven()).collect(groupingBy(
        call -> List.of(queueOf.apply(call), call.holder().principal(), call.holder().worker()),
        () -> new TreeMap<>(Comparator.comparing(String::valueOf)), counting()));
    if (counts.isEmpty()) {
      return;
    }
    List<UnfencedRow> now = counts.entrySet().stream()
        .map(each -> new UnfencedRow(each.getKey().get(0), each.getKey().get(1), each.getKey().get(2), each.getValue(), 0)).toList();
    tx.queues().countUnfenced(now).stream()
        .filter(row -> row.calls() == counts.get(List.of(row.queue(), row.principal(), row.worker())))
        .map(UnfencedRow::queue).distinct()
        .forEach(queue -> tx.queues().forgetUnfenced(queue, ReadQueues.UNFENCED_MS_KEPT));
  }
}
