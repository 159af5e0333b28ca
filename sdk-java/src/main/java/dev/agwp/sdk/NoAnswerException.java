package dev.agwp.sdk;

/**
 * No answer came, so whether the server did what was asked is not known. Its code is {@code unavailable} and its status 0.
 *
 * <p>The client has repeated the call already where the contract makes that safe.
 */
public final class NoAnswerException extends AgwpException {
  private static final long serialVersionUID = 1;

  NoAnswerException(Refusal refusal, Throwable cause) {
    super(refusal, cause);
  }
}
