package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.message.CompleteJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import java.util.Objects;
import java.util.Optional;

/** completeJob: ends a held job with an outcome and stores its attestation. */
public final class CompleteJob {
  private final Database database;

  public CompleteJob(Database database) {
    this.database = database;
  }

  Job run(Caller caller, String jobId, CompleteJobRequest request) {
    Holder holder = Holder.of(caller, request.getWorker());
    FencingToken token = FencingToken.of(request.getFencingToken());
    StoredAttestation attestation = StoredAttestation.of(request.getAttestation());
    Completion completion = new Completion(
        jobId,
        holder.name(),
        token.attempts(),
        request.getOutcome().toString(),
        request.getSummary(),
        JsonObject.text("result", request.getResult()),
        request.getLogUrl(),
        attestation == null ? null : attestation.digest());
    return database.inTransaction(tx -> {
      JobRow ended = tx.jobs().complete(completion);
      if (ended == null) {
        return repeatOfTheWinner(tx, completion, token)
            .orElseThrow(() -> LostClaim.explain(tx, jobId, holder, token, FAILED_PRECONDITION));
      }
      if (attestation != null) {
        tx.attestations().store(jobId, ended.attempts(), attestation);
      }
      return ended.toMessage();
    });
  }

  /** A worker whose answer was lost asks again: what it did already is told, not done twice. */
  private static Optional<Job> repeatOfTheWinner(Transaction tx, Completion completion, FencingToken token) {
    return Optional.ofNullable(tx.jobs().find(completion.jobId()))
        .filter(job -> job.state().equals("succeeded")
            && token.isOf(job)
            && completion.holder().equals(job.claimedBy())
            && completion.outcome().equals(job.outcome())
            && Objects.equals(completion.attestationDigest(), job.attestationDigest()))
        .map(JobRow::toMessage);
  }
}
