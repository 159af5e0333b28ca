package dev.agwp.sdk.examples;

import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.SigningKey;
import dev.agwp.attestation.VerificationKey;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A verdict with signed evidence, and who checks it later. */
final class SignedEvidenceExample {
  private SignedEvidenceExample() {}

  /** @param statement an in-toto Statement v1 as JSON */
  static Outcome passed(byte[] statement, Path keyFile) throws IOException {
    // tag::sign
    SigningKey key = SigningKey.ofPem(Files.readString(keyFile));
    byte[] envelope = DsseEnvelope.sign(statement, key).toJson();
    return Outcome.passed("30 checks").withAttestation(DsseEnvelope.MEDIA_TYPE, envelope);
    // end::sign
  }

  /** @param digest of what was validated, as {@code sha256:<64 lower-case hex digits>} */
  static boolean isAttested(AgwpClient client, String jobId, String digest, Path publicKeyFile) throws IOException {
    // tag::verify
    DsseEnvelope envelope = DsseEnvelope.parse(client.getAttestation(jobId));
    VerificationKey key = VerificationKey.ofPem(Files.readString(publicKeyFile));
    return envelope.isSignedBy(key) && envelope.statement().subjectDigests().contains(digest);
    // end::verify
  }
}
