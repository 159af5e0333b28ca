package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.message.CompleteJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Database;

/** completeJob: ends a held job with an outcome and stores its attestation. */
public final class CompleteJob {
  private final Database database;

  public CompleteJob(Database database) {
    this.database = database;
  }

  Job run(Caller caller, String jobId, CompleteJobRequest request) {
    Holder holder = Holder.of(caller, request.getWorker());
    StoredAttestation attestation = StoredAttestation.of(request.getAttestation());
    Completion completion = new Completion(
        jobId,
        holder.name(),
        request.getOutcome().toString(),
        request.getSummary(),
        JsonObject.text("result", request.getResult()),
        request.getLogUrl(),
        attestation == null ? null : attestation.digest());
    return database.inTransaction(tx -> {
      JobRow ended = tx.jobs().complete(completion);
      if (ended == null) {
        throw LostClaim.explain(tx, jobId, holder, FAILED_PRECONDITION);
      }
      if (attestation != null) {
        tx.attestations().store(jobId, ended.attempts(), attestation);
      }
      return ended.toMessage();
    });
  }
}
