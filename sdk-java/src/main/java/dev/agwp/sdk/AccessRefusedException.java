package dev.agwp.sdk;

/**
 * The server does not know the caller, code {@code unauthenticated}, or does not let it do this, {@code permission_denied}. Nothing was
 * done, and a repeat with the same token would be refused too.
 */
public final class AccessRefusedException extends AgwpException {
  private static final long serialVersionUID = 1;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  AccessRefusedException(Refusal refusal, Throwable cause) {
    super(refusal, cause);
  }

  static boolean isStatus(int status) {
    return status == UNAUTHORIZED || status == FORBIDDEN;
  }
}
