package dev.agwp.server.job;

import dev.agwp.attestation.Sha256;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.nio.charset.StandardCharsets;

/** What changes of jobs leave in the audit log: who, which claim, and digests, but never a payload, a result or an attestation. */
final class JobEvents {
  private JobEvents() {}

  static Event enqueued(NewJob call, JobRow job) {
    return byCaller(EventKind.JOB_ENQUEUED, call.caller(), job)
        .with(Field.SUBJECT_DIGEST, job.subjectDigest())
        .with(Field.PAYLOAD_DIGEST, digest(call.payload()));
  }

  static Event claimed(Claiming call, JobRow job) {
    return byHolder(EventKind.JOB_CLAIMED, call.holder(), call.httpRequestId(), job);
  }

  /** @param job as the call has left it */
  static Event applied(OfHolder call, JobRow job) {
    if (call instanceof Completion completion) {
      return ofCall(EventKind.JOB_COMPLETED, call, job)
          .with(Field.OUTCOME, completion.outcome())
          .with(Field.RESULT_DIGEST, digest(completion.result()))
          .with(Field.ATTESTATION_DIGEST, completion.attestationDigest());
    }
    if (call instanceof Failure failure) {
      return ofCall(EventKind.JOB_FAILED, call, job).with(Field.REASON, failure.reason());
    }
    return ofCall(call instanceof Release ? EventKind.JOB_RELEASED : EventKind.JOB_HEARTBEAT, call, job);
  }

  static Event cancelled(Caller caller, JobRow job) {
    return byCaller(EventKind.JOB_CANCELLED, caller, job);
  }

  static Event retried(Caller caller, JobRow job) {
    return byCaller(EventKind.JOB_RETRIED, caller, job);
  }

  static Event leaseExpired(SettledJob job) {
    Holder holder = Holder.parse(job.claimedBy());
    return Event.of(EventKind.JOB_LEASE_EXPIRED, job.settledAt())
        .with(Field.PRINCIPAL, holder.principal())
        .with(Field.WORKER, holder.worker())
        .with(Field.QUEUE, job.queue())
        .with(Field.JOB_ID, job.jobId())
        .with(Field.ATTEMPTS, job.attempts())
        .with(Field.OUTCOME, job.state());
  }

  /**
   * Of a completion that changed nothing: the digest of its attestation and why, so that a refused claim to have validated something is
   * on record.
   *
   * @param queue null when the job is not known
   */
  static Event refused(Completion completion, String queue, ApiException refusal, long atMs) {
    HolderCall call = completion.call();
    return Event.of(EventKind.COMPLETION_REFUSED, atMs)
        .with(Field.PRINCIPAL, call.holder().principal())
        .with(Field.WORKER, call.holder().worker())
        .with(Field.QUEUE, queue)
        .with(Field.JOB_ID, call.jobId())
        .with(Field.ATTEMPTS, call.token().attempts())
        .with(Field.OUTCOME, completion.outcome())
        .with(Field.REASON, refusal.reason() == null ? refusal.code().word() : refusal.reason().word())
        .with(Field.ATTESTATION_DIGEST, completion.attestationDigest())
        .with(Field.REQUEST_ID, call.requestId());
  }

  private static Event ofCall(EventKind kind, OfHolder call, JobRow job) {
    return byHolder(kind, call.call().holder(), call.call().requestId(), job);
  }

  private static Event byHolder(EventKind kind, Holder holder, String requestId, JobRow job) {
    return ofJob(kind, holder.principal(), requestId, job).with(Field.WORKER, holder.worker());
  }

  private static Event byCaller(EventKind kind, Caller caller, JobRow job) {
    return ofJob(kind, caller.principal(), caller.requestId(), job);
  }

  private static Event ofJob(EventKind kind, String principal, String requestId, JobRow job) {
    return Event.of(kind, job.updatedAt())
        .with(Field.PRINCIPAL, principal)
        .with(Field.QUEUE, job.queue())
        .with(Field.JOB_ID, job.jobId())
        .with(Field.ATTEMPTS, job.attempts())
        .with(Field.OUTCOME, job.state())
        .with(Field.REQUEST_ID, requestId);
  }

  private static String digest(String json) {
    return json == null ? null : Sha256.of(json.getBytes(StandardCharsets.UTF_8));
  }
}
