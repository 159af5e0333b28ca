package dev.agwp.sdk;

/** The server said that the caller does not hold the job (any more). Stop working on it: somebody else may. */
public final class LostClaimException extends AgwpException {
  private static final long serialVersionUID = 1;

  LostClaimException(Refusal refusal, Throwable cause) {
    super(refusal, cause);
  }
}
