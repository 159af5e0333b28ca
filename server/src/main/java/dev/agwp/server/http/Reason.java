package dev.agwp.server.http;

/** Why a call on a job, a lease or an integration was refused, in the contract's words. */
public enum Reason {
  UNKNOWN_JOB,
  NOT_HOLDER,
  STALE_FENCING_TOKEN,
  FENCING_TOKEN_REQUIRED,
  JOB_ENDED,
  JOB_CANCELLED,
  ATTESTATION_REQUIRED,
  ATTESTATION_UNSIGNED,
  ATTESTATION_INVALID,
  ATTESTATION_MISMATCH,
  UNKNOWN_LEASE,
  LEASE_HELD,
  LEASE_RELEASED,
  LEASE_EXPIRED,
  UNKNOWN_INTEGRATION,
  STALE_BASE;

  /** The reason as the contract writes it, for example {@code not_holder}. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
