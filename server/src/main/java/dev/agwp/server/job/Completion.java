package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.agwp.server.attestation.StoredAttestation;

/**
 * What {@link JobMapper#complete} writes.
 *
 * @param attestation null for none
 * @param next null for nothing
 */
public record Completion(
    @JsonUnwrapped HolderCall call,
    String outcome,
    String summary,
    String result,
    String logUrl,
    @JsonIgnore StoredAttestation attestation,
    @JsonIgnore Claiming next) implements OfHolder {

  @JsonProperty
  public String attestationDigest() {
    return attestation == null ? null : attestation.digest();
  }

  @Override
  public int bytes() {
    return (attestation == null ? 0 : attestation.body().length) + (result == null ? 0 : result.length());
  }
}
