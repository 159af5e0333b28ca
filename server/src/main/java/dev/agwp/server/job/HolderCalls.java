package dev.agwp.server.job;

import static dev.agwp.server.http.Reason.FENCING_TOKEN_REQUIRED;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.ErrorCode;
import dev.agwp.server.queue.ReadQueues;
import dev.agwp.server.queue.UnfencedRow;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * What heartbeat, complete, fail and release have in common: one transaction, a refusal that says why, and a count of the calls that
 * carry no fencing token, so that an operator sees who would break before it is required (ADR-0013).
 */
final class HolderCalls {
  private final Database database;
  private final CoalescedCalls coalesced;
  private final boolean fencingRequired;

  HolderCalls(Database database, CoalescedCalls coalesced, boolean fencingRequired) {
    this.database = database;
    this.coalesced = coalesced;
    this.fencingRequired = fencingRequired;
  }

  HolderCall of(Caller caller, String worker, String jobId, Long fencingToken) {
    return new HolderCall(jobId, Holder.of(caller, worker), FencingToken.of(fencingToken, fencingRequired));
  }

  /**
   * Applies a call with those of others, or else alone.
   *
   * @param lost what the contract says a lost claim is for this operation
   * @param change the conditional UPDATE of this call alone, and what only its winner leaves; no row when it changed nothing
   */
  <C extends OfHolder> JobRow apply(C call, ErrorCode lost, ChangeAlone<C> change) {
    List<JobRow> changed = coalesced.apply(call);
    return changed == null ? alone(call.call(), lost, tx -> change.apply(tx, List.of(call), true)) : changed.get(0);
  }

  /** One of the statements of {@link JobMapper} for calls of holders. */
  interface ChangeAlone<C> {
    List<JobRow> apply(Transaction tx, List<C> calls, boolean wait);
  }

  private JobRow alone(HolderCall call, ErrorCode lost, Function<Transaction, List<JobRow>> change) {
    Decided decided = database.inTransaction(tx -> {
      List<JobRow> changed = change.apply(tx);
      if (!changed.isEmpty()) {
        countUnfenced(tx, List.of(call), changed.get(0).queue());
        return new Decided(changed.get(0), null);
      }
      JobRow found = tx.jobs().find(call.jobId());
      ApiException refusal = LostClaim.explain(tx, call, found, lost);
      if (refusal.reason() != FENCING_TOKEN_REQUIRED) {
        throw refusal;
      }
      // Returned and not thrown: the count must outlive the refusal.
      countUnfenced(tx, List.of(call), found.queue());
      return new Decided(null, refusal);
    });
    if (decided.refusal() != null) {
      throw decided.refusal();
    }
    return decided.job();
  }

  private record Decided(JobRow job, ApiException refusal) {}

  private static void countUnfenced(Transaction tx, List<HolderCall> calls, String queue) {
    countUnfenced(tx, calls, call -> queue);
  }

  static void countUnfenced(Transaction tx, List<HolderCall> calls, Function<HolderCall, String> queueOf) {
    // Sorted, so that transactions which count the same workers wait for each other and never in a circle.
    Map<List<String>, Long> counts = calls.stream().filter(call -> !call.token().isGiven()).collect(groupingBy(
        call -> List.of(queueOf.apply(call), call.holder().principal(), call.holder().worker()),
        () -> new TreeMap<>(java.util.Comparator.comparing(String::valueOf)), counting()));
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
