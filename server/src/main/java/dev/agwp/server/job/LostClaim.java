package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;
import static dev.agwp.server.http.ErrorCode.NOT_FOUND;
import static dev.agwp.server.http.Reason.FENCING_TOKEN_REQUIRED;
import static dev.agwp.server.http.Reason.JOB_CANCELLED;
import static dev.agwp.server.http.Reason.JOB_ENDED;
import static dev.agwp.server.http.Reason.NOT_HOLDER;
import static dev.agwp.server.http.Reason.STALE_FENCING_TOKEN;
import static dev.agwp.server.http.Reason.UNKNOWN_JOB;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.ErrorCode;
import dev.agwp.server.http.Reason;
import dev.agwp.server.storage.Transaction;

/** Says why a call of a holder changed no row. */
final class LostClaim {
  private LostClaim() {}

  /**
   * Null when the caller holds the job by this very call, so that its claim is not why.
   *
   * @param job as it stands; null when there is none
   * @param code what the contract says a lost claim is for this operation; an unknown job is always not_found
   */
  static ApiException explain(Transaction tx, HolderCall call, JobRow job, ErrorCode code) {
    if (job == null) {
      return unknown(call.jobId());
    }
    if (job.isQueued()) {
      return lost(call, code, NOT_HOLDER, "it is queued again");
    }
    if (!job.isClaimed()) {
      return lost(call, code, ended(job), "it has ended as " + job.state());
    }
    if (!call.holder().name().equals(job.claimedBy())) {
      return lost(call, code, NOT_HOLDER, "somebody else does");
    }
    if (call.token().isOf(job)) {
      return null;
    }
    if (call.token().isGiven()) {
      // Never the current number: whoever has lost its claim must not be able to go on with another's.
      return lost(call, code, STALE_FENCING_TOKEN, "its fencing_token is of another claim of the job than the current one");
    }
    if (call.token().required()) {
      return tokenRequired("this server");
    }
    if (tx.queues().find(job.queue()).requireFencing()) {
      return tokenRequired("the queue " + job.queue());
    }
    return null;
  }

  /** Nothing is why any more: the job was somebody else's when the call came, and is the caller's now. */
  static ApiException justClaimedAgain(HolderCall call, ErrorCode code) {
    return lost(call, code, NOT_HOLDER, "it was just claimed again");
  }

  private static ApiException lost(HolderCall call, ErrorCode code, Reason reason, String why) {
    return new ApiException(code, "job " + call.jobId() + " is not held by " + call.holder().name() + ": " + why
        + "; stop working on it").because(reason);
  }

  private static ApiException tokenRequired(String who) {
    return new ApiException(FAILED_PRECONDITION, who + " requires a fencing_token: send the attempts that claimJob answered with the job, "
        + "1..4294967295; a worker of release 1.1.0 or later does").because(FENCING_TOKEN_REQUIRED);
  }

  static ApiException unknown(String jobId) {
    return new ApiException(NOT_FOUND, "no job has the id " + jobId).because(UNKNOWN_JOB);
  }

  /** Which of the two ends a job that is neither queued nor claimed has come to. */
  static Reason ended(JobRow job) {
    return job.state().equals("cancelled") ? JOB_CANCELLED : JOB_ENDED;
  }
}
