package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;
import static dev.agwp.server.http.Reason.ATTESTATION_INVALID;
import static dev.agwp.server.http.Reason.ATTESTATION_REQUIRED;
import static dev.agwp.server.http.Reason.ATTESTATION_UNSIGNED;

import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.Statement;
import dev.agwp.server.attestation.Evidence;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Reason;
import dev.agwp.server.storage.Transaction;

/** Says why the completion of a job's holder changed no row: what its attestation is about, or what the queue requires (ADR-0019). */
final class RefusedAttestation {
  private RefusedAttestation() {}

  /** Null when the attestation is not why. @param job as it stands */
  static ApiException explain(Transaction tx, Completion completion, JobRow job) {
    Evidence evidence = completion.evidence();
    ApiException mismatch = completion.isStatement() ? mismatch(evidence.statement(), job) : null;
    return mismatch == null ? unlikeThePolicy(tx, completion, job) : mismatch;
  }

  private static ApiException mismatch(Statement statement, JobRow job) {
    if (job.subjectDigest() != null && !statement.subjectDigests().contains(job.subjectDigest())) {
      return Evidence.mismatch("names no subject with the job's subject_digest " + job.subjectDigest()
          + ": attest a subject whose digest has \"sha256\" with these lower-case hex digits");
    }
    if (statement.fencingToken() != null && statement.fencingToken() != job.attempts()) {
      return Evidence.mismatch("names attempt " + statement.fencingToken()
          + ", which is not the claim that is completed: attest the attempts that claimJob answered with the job");
    }
    return null;
  }

  private static ApiException unlikeThePolicy(Transaction tx, Completion completion, JobRow job) {
    Evidence evidence = completion.evidence();
    String policy = tx.queues().find(job.queue()).attestation();
    if (policy.equals("none")) {
      return null;
    }
    if (!completion.isStatement()) {
      return refused(job, ATTESTATION_REQUIRED, "requires an attestation: send an in-toto Statement, " + Statement.MEDIA_TYPE
          + " or in " + DsseEnvelope.MEDIA_TYPE);
    }
    if (policy.equals("required")) {
      return null;
    }
    if (!evidence.enveloped()) {
      return refused(job, ATTESTATION_UNSIGNED, "requires a signed attestation: send the in-toto Statement in " + DsseEnvelope.MEDIA_TYPE);
    }
    if (evidence.keyId() == null || tx.keys().find(evidence.keyId()).revokedAt() != null) {
      return refused(job, ATTESTATION_INVALID, "requires an attestation that is signed by a key of the principal "
          + completion.call().holder().principal() + ": none of its keys that is not revoked made a signature of this one");
    }
    return null;
  }

  private static ApiException refused(JobRow job, Reason why, String what) {
    return new ApiException(FAILED_PRECONDITION, "the queue " + job.queue() + " " + what).because(why);
  }
}
