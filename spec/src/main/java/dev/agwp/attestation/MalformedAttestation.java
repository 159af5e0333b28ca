package dev.agwp.attestation;

/** The bytes are not what they are said to be; the message says what was wrong and what to send. */
public final class MalformedAttestation extends RuntimeException {
  private static final long serialVersionUID = 1;

  MalformedAttestation(String message) {
    super(message);
  }
}
