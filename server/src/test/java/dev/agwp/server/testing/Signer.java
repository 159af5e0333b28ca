package dev.agwp.server.testing;

import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.SigningKey;
import dev.agwp.attestation.Statement;
import dev.agwp.server.attestation.RegisteredKeys;
import dev.agwp.server.storage.Database;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/** Somebody with a key of its own, and what it attests. */
public record Signer(SigningKey key) {
  public static Signer ed25519() {
    try {
      return of(KeyPairGenerator.getInstance("Ed25519"));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  public static Signer p256() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return of(generator);
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  private static Signer of(KeyPairGenerator generator) {
    return new Signer(SigningKey.ofPem(pem("PRIVATE KEY", generator.generateKeyPair().getPrivate().getEncoded())));
  }

  /** As openssl writes it. */
  public static String pem(String block, byte[] der) {
    return "-----BEGIN " + block + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + block + "-----\n";
  }

  /** Binds the key to a principal, as {@code key add} does. */
  public Signer addedFor(String principal, TestDatabase database) {
    try (Database opened = Database.open(database.url())) {
      new RegisteredKeys(opened).add(principal, key.publicHalf());
    }
    return this;
  }

  /** As {@code key revoke} does. */
  public void revoke(TestDatabase database) {
    try (Database opened = Database.open(database.url())) {
      new RegisteredKeys(opened).revoke(key.id());
    }
  }

  /** A statement about one claim of a job. */
  public static String statement(String subjectHex, String jobId, long fencingToken) {
    return statement("[{\"name\":\"x\",\"digest\":{\"sha256\":\"" + subjectHex + "\"}}]",
        "{\"job_id\":\"" + jobId + "\",\"fencing_token\":" + fencingToken + "}");
  }

  public static String statement(String subjects, String predicate) {
    return "{\"_type\":\"" + Statement.TYPE + "\",\"subject\":" + subjects + ",\"predicateType\":\"" + Statement.JOB_PREDICATE
        + "\",\"predicate\":" + predicate + "}";
  }

  /** An envelope around it that this signer signed. */
  public String signed(String statement) {
    return new String(DsseEnvelope.sign(statement.getBytes(StandardCharsets.UTF_8), key).toJson(), StandardCharsets.UTF_8);
  }

  /** The field of a completion that carries a bare statement. */
  public static String bare(String statement) {
    return attestation(Statement.MEDIA_TYPE, statement);
  }

  /** The field of a completion that carries an envelope. */
  public static String enveloped(String envelope) {
    return attestation(DsseEnvelope.MEDIA_TYPE, envelope);
  }

  public static String attestation(String mediaType, String body) {
    return "\"attestation\": {\"media_type\": \"" + mediaType + "\", \"body\": \""
        + Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.UTF_8)) + "\"}";
  }
}
