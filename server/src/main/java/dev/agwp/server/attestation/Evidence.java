package dev.agwp.server.attestation;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.Reason.ATTESTATION_MISMATCH;

import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.MalformedAttestation;
import dev.agwp.attestation.Statement;
import dev.agwp.attestation.VerificationKey;
import dev.agwp.server.http.ApiException;

/**
 * The attestation of a completion as far as its bytes and its sender's keys tell (ADR-0019). What the job and its queue ask of it is
 * decided with the completion, in {@code JobMapper.xml#complete}.
 *
 * @param statement null when the media type says that the bytes are something else
 * @param enveloped whether the statement came in a DSSE envelope
 * @param keyId the key of the sender that signed it; null for none
 */
public record Evidence(StoredAttestation stored, Statement statement, boolean enveloped, String keyId) {
  private static final String FIELD = "attestation.body";

  /**
   * Null for null.
   *
   * @param principal whose keys count
   * @throws ApiException {@code invalid_argument} when the bytes are not what their media type says, or name another job or principal
   */
  public static Evidence of(StoredAttestation stored, String principal, String jobId, SigningKeys keys) {
    if (stored == null) {
      return null;
    }
    try {
      Evidence evidence = read(stored, principal, keys);
      if (evidence.statement() != null) {
        refuseOthers(evidence.statement(), principal, jobId);
      }
      return evidence;
    } catch (MalformedAttestation malformed) {
      throw new ApiException(INVALID_ARGUMENT, FIELD + " is not what its media_type says: " + malformed.getMessage()).at(FIELD);
    }
  }

  /** What has not been read, or could not be; null for null. */
  public static Evidence unread(StoredAttestation stored) {
    return stored == null ? null : new Evidence(stored, null, false, null);
  }

  private static Evidence read(StoredAttestation stored, String principal, SigningKeys keys) {
    if (stored.mediaType().equalsIgnoreCase(Statement.MEDIA_TYPE)) {
      return new Evidence(stored, Statement.parse(stored.body()), false, null);
    }
    if (stored.mediaType().equalsIgnoreCase(DsseEnvelope.MEDIA_TYPE)) {
      DsseEnvelope envelope = DsseEnvelope.parse(stored.body());
      Statement statement = envelope.statement();
      String keyId = keys.of(principal).stream().filter(envelope::isSignedBy).findFirst().map(VerificationKey::id).orElse(null);
      return new Evidence(stored, statement, true, keyId);
    }
    return unread(stored);
  }

  private static void refuseOthers(Statement statement, String principal, String jobId) {
    if (statement.jobId() != null && !statement.jobId().equals(jobId)) {
      throw mismatch("names another job than " + jobId + ": attest the job that is completed");
    }
    if (statement.principal() != null && !statement.principal().equals(principal)) {
      throw mismatch("names another principal than the caller, which is " + principal);
    }
  }

  /** The refusal of a statement that is about something else. @param what it does, after the field's name */
  public static ApiException mismatch(String what) {
    return new ApiException(INVALID_ARGUMENT, FIELD + " " + what).at(FIELD).because(ATTESTATION_MISMATCH);
  }

  /** What it is, for the metric. */
  public String kind() {
    if (statement == null) {
      return "other";
    }
    if (!enveloped) {
      return "unsigned";
    }
    return keyId == null ? "unverified" : "signed";
  }
}
