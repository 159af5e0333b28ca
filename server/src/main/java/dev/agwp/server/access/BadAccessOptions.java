package dev.agwp.server.access;

/** Nobody can be let in, or everybody would be, as the server was told to be started; the message says what to do. */
public final class BadAccessOptions extends RuntimeException {
  private static final long serialVersionUID = 1;

  BadAccessOptions(String message) {
    super(message);
  }
}
