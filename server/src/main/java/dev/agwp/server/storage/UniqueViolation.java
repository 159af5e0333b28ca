package dev.agwp.server.storage;

/** A unique index refused a row: somebody else was first. */
public final class UniqueViolation extends RuntimeException {
  UniqueViolation(Throwable cause) {
    super(cause);
  }
}
