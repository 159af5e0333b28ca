package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.message.CompleteJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Transaction;
import java.util.Objects;

/** completeJob: ends a held job with an outcome and stores its attestation. */
public final class CompleteJob {
  private final HolderCalls calls;

  CompleteJob(HolderCalls calls) {
    this.calls = calls;
  }

  Job run(Caller caller, String jobId, CompleteJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    StoredAttestation attestation = StoredAttestation.of(request.getAttestation());
    Completion completion = new Completion(
        call,
        request.getOutcome().toString(),
        request.getSummary(),
        JsonObject.text("result", request.getResult()),
        request.getLogUrl(),
        attestation == null ? null : attestation.digest());
    return calls.apply(call, FAILED_PRECONDITION, tx -> {
      JobRow ended = tx.jobs().complete(completion);
      if (ended == null) {
        return repeatOfTheWinner(tx, completion);
      }
      if (attestation != null) {
        tx.attestations().store(jobId, ended.attempts(), attestation);
      }
      return ended;
    }).toMessage();
  }

  /** A worker whose answer was lost asks again: what it did already is told, not done twice. */
  private static JobRow repeatOfTheWinner(Transaction tx, Completion completion) {
    JobRow job = tx.jobs().find(completion.call().jobId());
    boolean repeats = job != null
        && job.state().equals("succeeded")
        && completion.call().token().isOf(job)
        && completion.call().holder().name().equals(job.claimedBy())
        && completion.outcome().equals(job.outcome())
        && Objects.equals(completion.attestationDigest(), job.attestationDigest());
    return repeats ? job : null;
  }
}
