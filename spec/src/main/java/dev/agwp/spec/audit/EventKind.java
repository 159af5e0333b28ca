package dev.agwp.spec.audit;

import java.util.Locale;

/** What happened, in the contract's words (AuditEvent.kind). */
public enum EventKind {
  JOB_ENQUEUED,
  JOB_CLAIMED,
  JOB_HEARTBEAT,
  JOB_COMPLETED,
  JOB_FAILED,
  JOB_RELEASED,
  JOB_CANCELLED,
  JOB_RETRIED,
  JOB_LEASE_EXPIRED,
  COMPLETION_REFUSED,
  QUEUE_UPDATED,
  TOKEN_CREATED,
  TOKEN_REVOKED,
  KEY_ADDED,
  KEY_REVOKED,
  LEASE_ACQUIRED,
  LEASE_RENEWED,
  LEASE_RELEASED,
  LEASE_EXPIRED,
  INTEGRATION_ACCEPTED,
  INTEGRATION_MOVED,
  INTEGRATION_REFUSED;

  /** The kind as the contract writes it, for example {@code job_claimed}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
