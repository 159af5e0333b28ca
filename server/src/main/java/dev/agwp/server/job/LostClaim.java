package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.ErrorCode;
import dev.agwp.server.storage.Transaction;

/** Says why a call of a holder changed no row. */
final class LostClaim {
  private LostClaim() {}

  /** @param code what the contract says a lost claim is for this operation; an unknown job is always not_found */
  static ApiException explain(Transaction tx, String jobId, Holder holder, FencingToken token, ErrorCode code) {
    JobRow job = tx.jobs().find(jobId);
    if (job == null) {
      return unknown(jobId);
    }
    String why = job.isQueued() ? "it is queued again"
        : job.isClaimed() && !holder.name().equals(job.claimedBy()) ? "somebody else does"
        // Never the current number: whoever has lost its claim must not be able to go on with another's.
        : job.isClaimed() && token.isGiven() ? "its fencing_token is of another claim of the job than the current one"
        : job.isClaimed() ? "it was just claimed again"
        : "it has ended as " + job.state();
    return new ApiException(code, "job " + jobId + " is not held by " + holder.name() + ": " + why + "; stop working on it");
  }

  static ApiException unknown(String jobId) {
    return new ApiException(NOT_FOUND, "no job has the id " + jobId);
  }
}
