package dev.agwp.server.job;

import static dev.agwp.server.http.Reason.FENCING_TOKEN_REQUIRED;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.ErrorCode;
import dev.agwp.server.queue.ReadQueues;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import java.util.function.Function;

/**
 * What heartbeat, complete, fail and release have in common: one transaction, a refusal that says why, and a count of the calls that
 * carry no fencing token, so that an operator sees who would break before it is required (ADR-0013).
 */
final class HolderCalls {
  private final Database database;
  private final boolean fencingRequired;

  HolderCalls(Database database, boolean fencingRequired) {
    this.database = database;
    this.fencingRequired = fencingRequired;
  }

  HolderCall of(Caller caller, String worker, String jobId, Long fencingToken) {
    return new HolderCall(jobId, Holder.of(caller, worker), FencingToken.of(fencingToken, fencingRequired));
  }

  /**
   * @param lost what the contract says a lost claim is for this operation
   * @param change the conditional UPDATE and what only its winner leaves; null when it changed nothing
   */
  JobRow apply(HolderCall call, ErrorCode lost, Function<Transaction, JobRow> change) {
    Decided decided = database.inTransaction(tx -> {
      JobRow job = change.apply(tx);
      if (job != null) {
        countUnfenced(tx, call, job.queue());
        return new Decided(job, null);
      }
      JobRow found = tx.jobs().find(call.jobId());
      ApiException refusal = LostClaim.explain(tx, call, found, lost);
      if (refusal.reason() != FENCING_TOKEN_REQUIRED) {
        throw refusal;
      }
      // Returned and not thrown: the count must outlive the refusal.
      countUnfenced(tx, call, found.queue());
      return new Decided(null, refusal);
    });
    if (decided.refusal() != null) {
      throw decided.refusal();
    }
    return decided.job();
  }

  private record Decided(JobRow job, ApiException refusal) {}

  private static void countUnfenced(Transaction tx, HolderCall call, String queue) {
    if (call.token().isGiven()) {
      return;
    }
    long calls = tx.queues().countUnfenced(queue, call.holder().principal(), call.holder().worker());
    if (calls == 1) {
      tx.queues().forgetUnfenced(queue, ReadQueues.UNFENCED_MS_KEPT);
    }
  }
}
