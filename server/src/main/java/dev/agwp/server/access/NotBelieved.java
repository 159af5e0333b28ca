package dev.agwp.server.access;

/** Why a JWT proves nothing, for the log. */
final class NotBelieved extends Exception {
  private static final long serialVersionUID = 1;

  NotBelieved(String reason) {
    super(reason, null, false, false);
  }
}
