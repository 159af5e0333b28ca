package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.agwp.server.attestation.Evidence;

/**
 * What {@link JobMapper#complete} writes.
 *
 * @param evidence null for none
 * @param next null for nothing
 */
public record Completion(
    @JsonUnwrapped HolderCall call,
    String outcome,
    String summary,
    String result,
    String logUrl,
    @JsonIgnore Evidence evidence,
    @JsonIgnore Claiming next) implements OfHolder {

  @JsonProperty
  public String attestationDigest() {
    return evidence == null ? null : evidence.stored().digest();
  }

  @JsonProperty
  public String attestationKeyId() {
    return evidence == null ? null : evidence.keyId();
  }

  @JsonProperty("is_statement")
  public boolean isStatement() {
    return evidence != null && evidence.statement() != null;
  }

  /** One text, which a statement of either database can search. */
  @JsonProperty
  public String statedSubjects() {
    return isStatement() ? String.join(" ", evidence.statement().subjectDigests()) : null;
  }

  @JsonProperty
  public Long statedAttempts() {
    return isStatement() ? evidence.statement().fencingToken() : null;
  }

  @Override
  public int bytes() {
    return (evidence == null ? 0 : evidence.stored().body().length) + (result == null ? 0 : result.length());
  }
}
