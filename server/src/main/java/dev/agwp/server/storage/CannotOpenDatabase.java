package dev.agwp.server.storage;

/** The database cannot be used as it is; the message says why, without the password a URL may hold. */
public final class CannotOpenDatabase extends RuntimeException {
  private static final long serialVersionUID = 1;

  CannotOpenDatabase(String message, Throwable cause) {
    super(message, cause);
  }
}
