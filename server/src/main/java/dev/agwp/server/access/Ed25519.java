package dev.agwp.server.access;

import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.OctetKeyPair;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/** Verifies by the JDK's own Ed25519; the library would bring a second one for it. */
final class Ed25519 {
  private static final int KEY_BYTES = 32;
  /** What stands before the 32 bytes of a key in its X.509 form (RFC 8410). */
  private static final byte[] X509_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  private Ed25519() {}

  static boolean isSigned(OctetKeyPair key, byte[] signed, byte[] signature) {
    byte[] bytes = key.getDecodedX();
    if (!key.getCurve().equals(Curve.Ed25519) || bytes.length != KEY_BYTES) {
      return false;
    }
    try {
      Signature verifier = Signature.getInstance("Ed25519");
      verifier.initVerify(publicKey(bytes));
      verifier.update(signed);
      return verifier.verify(signature);
    } catch (GeneralSecurityException malformed) {
      // A signature of an odd length, or bytes that are no key.
      return false;
    }
  }

  private static PublicKey publicKey(byte[] key) throws GeneralSecurityException {
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    encoded.writeBytes(X509_PREFIX);
    encoded.writeBytes(key);
    return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded.toByteArray()));
  }
}
