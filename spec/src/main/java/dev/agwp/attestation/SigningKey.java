package dev.agwp.attestation;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;

/** A private key, Ed25519 or ECDSA P-256. */
public final class SigningKey {
  private final KeyKind kind;
  private final PrivateKey key;
  private final VerificationKey publicHalf;

  private SigningKey(KeyKind kind, PrivateKey key) {
    this.kind = kind;
    this.key = key;
    publicHalf = new VerificationKey(kind, PublicHalf.of(key));
    byte[] probe = {1};
    if (!publicHalf.verifies(probe, sign(probe))) {
      throw new IllegalStateException("the public half of the key does not verify what the private one signs");
    }
  }

  /**
   * Reads a PEM file with one block {@code BEGIN PRIVATE KEY} (PKCS#8, not encrypted).
   *
   * @throws IllegalArgumentException when the text is none, or the key of another kind
   */
  public static SigningKey ofPem(String pem) {
    if (pem.contains("BEGIN ENCRYPTED PRIVATE KEY")) {
      throw new IllegalArgumentException("the private key is encrypted; decrypt it with: openssl pkcs8 -in FILE -out PLAIN");
    }
    PKCS8EncodedKeySpec der = new PKCS8EncodedKeySpec(Pem.block("PRIVATE KEY", pem));
    for (KeyKind kind : KeyKind.values()) {
      try {
        PrivateKey key = KeyFactory.getInstance(kind.keyAlgorithm).generatePrivate(der);
        if (kind.isOf(key)) {
          return new SigningKey(kind, key);
        }
      } catch (InvalidKeySpecException anotherKind) {
        // The next kind may know it.
      } catch (GeneralSecurityException everyJdkHasIt) {
        throw new IllegalStateException(everyJdkHasIt);
      }
    }
    throw new IllegalArgumentException("this is not an Ed25519 or an ECDSA P-256 key as PKCS#8");
  }

  /** That of the public half. */
  public String id() {
    return publicHalf.id();
  }

  public VerificationKey publicHalf() {
    return publicHalf;
  }

  byte[] sign(byte[] bytes) {
    try {
      Signature signer = Signature.getInstance(kind.signatureAlgorithm);
      signer.initSign(key);
      signer.update(bytes);
      return signer.sign();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
