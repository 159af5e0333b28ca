package dev.agwp.attestation;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;

/** A public key, Ed25519 or ECDSA P-256. */
public final class VerificationKey {
  private static final int ED25519_BYTES = 64;

  private final KeyKind kind;
  private final PublicKey key;

  VerificationKey(KeyKind kind, PublicKey key) {
    this.kind = kind;
    this.key = key;
  }

  /**
   * Reads a PEM file with one block {@code BEGIN PUBLIC KEY} (SubjectPublicKeyInfo).
   *
   * @throws IllegalArgumentException when the text is none, or the key of another kind
   */
  public static VerificationKey ofPem(String pem) {
    if (pem.contains("PRIVATE KEY-----")) {
      throw new IllegalArgumentException("this is a private key: give its public half, and keep this one where the worker runs");
    }
    return ofDer(Pem.block("PUBLIC KEY", pem));
  }

  /** Reads a DER SubjectPublicKeyInfo. @throws IllegalArgumentException when the bytes are none, or the key of another kind */
  public static VerificationKey ofDer(byte[] der) {
    for (KeyKind kind : KeyKind.values()) {
      try {
        PublicKey key = KeyFactory.getInstance(kind.keyAlgorithm).generatePublic(new X509EncodedKeySpec(der));
        if (kind.isOf(key)) {
          return new VerificationKey(kind, key);
        }
      } catch (InvalidKeySpecException anotherKind) {
        // The next kind may know it.
      } catch (GeneralSecurityException everyJdkHasIt) {
        throw new IllegalStateException(everyJdkHasIt);
      }
    }
    throw new IllegalArgumentException("this is not an Ed25519 or an ECDSA P-256 key as SubjectPublicKeyInfo");
  }

  /** {@code sha256:} and the digest of {@link #der()} in hex. */
  public String id() {
    return Sha256.of(der());
  }

  /** {@code Ed25519} or {@code ECDSA P-256}. */
  public String kind() {
    return kind.title;
  }

  /** The SubjectPublicKeyInfo. */
  public byte[] der() {
    return key.getEncoded();
  }

  /** As {@link #ofPem} reads it. */
  public String pem() {
    return Pem.text("PUBLIC KEY", der());
  }

  /** Whether the signature of these very bytes is valid by this key. One of no length or form there is, is not. */
  public boolean verifies(byte[] bytes, byte[] signature) {
    if (kind == KeyKind.ED25519 && signature.length != ED25519_BYTES) {
      // The JDK does not look at what follows the first 64.
      return false;
    }
    try {
      Signature verifier = Signature.getInstance(kind.signatureAlgorithm);
      verifier.initVerify(key);
      verifier.update(bytes);
      return verifier.verify(signature);
    } catch (SignatureException malformed) {
      return false;
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
