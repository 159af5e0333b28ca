package dev.agwp.sdk;

/**
 * A worker that requires fencing met a server that does not say it checks fencing tokens: one before release 1.2.0. The jobs it gave
 * were handed back. Upgrade the servers, all of them, before the workers require it.
 */
public final class UnfencedServerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnfencedServerException() {
    super("the server does not say that it checks fencing tokens (fencing_enforced), as servers do from release 1.2.0 on; what it gave was "
        + "handed back. Upgrade the server, or work without requireFencing");
  }
}
