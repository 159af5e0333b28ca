package dev.agwp.server.attestation;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.PAYLOAD_TOO_LARGE;

import dev.agwp.attestation.Sha256;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.message.Attestation;

/** The bytes of an attestation as they were received, and their digest. */
public record StoredAttestation(String mediaType, String digest, byte[] body) {
  public static final int BYTES_MAX = 1024 * 1024;

  public static StoredAttestation of(Attestation attestation) {
    if (attestation == null) {
      return null;
    }
    byte[] body = attestation.getBody();
    if (body.length == 0) {
      throw new ApiException(INVALID_ARGUMENT, "attestation.body must not be empty").at("attestation.body");
    }
    if (body.length > BYTES_MAX) {
      throw new ApiException(PAYLOAD_TOO_LARGE, "attestation.body must be at most " + BYTES_MAX + " bytes")
          .at("attestation.body");
    }
    return new StoredAttestation(attestation.getMediaType(), Sha256.of(body), body);
  }
}
