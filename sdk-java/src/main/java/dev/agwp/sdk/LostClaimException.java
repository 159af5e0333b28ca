package dev.agwp.sdk;

import dev.agwp.sdk.model.Error;

/** The server said that the caller does not hold the job (any more). Stop working on it: somebody else may. */
public final class LostClaimException extends AgwpException {
  private static final long serialVersionUID = 1;
  private static final String FENCING_TOKEN_REQUIRED = "fencing_token_required";
  private static final String ATTESTATION = "attestation_";

  LostClaimException(Refusal refusal, Throwable cause) {
    super(refusal, cause);
  }

  /** Whether a call on a job that was refused as missing or not the caller's was refused for a lost claim. */
  static boolean isReason(String reason) {
    // A missing token, or an attestation the queue does not take, is no loss: the claim is held.
    return !FENCING_TOKEN_REQUIRED.equals(reason) && (reason == null || !reason.startsWith(ATTESTATION));
  }

  /** As this exception says it, for one call of many. */
  static boolean isToldBy(Error error) {
    return isReason(error.getReason()) && ("not_found".equals(error.getCode()) || "failed_precondition".equals(error.getCode()));
  }
}
