package dev.agwp.attestation;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.NamedParameterSpec;

/**
 * The public key of a private one, which names the key in a signature. The JDK has no call for it. {@link SigningKey} checks what comes
 * out, and it is done once as a program starts, so that how long it takes tells nobody anything.
 */
final class PublicHalf {
  private static final BigInteger THREE = BigInteger.valueOf(3);

  private PublicHalf() {}

  static PublicKey of(PrivateKey key) {
    try {
      if (key instanceof EdECPrivateKey edwards) {
        return ofSeed(edwards.getBytes().orElseThrow());
      }
      ECPoint point = times(((ECPrivateKey) key).getS(), KeyKind.P256.getGenerator());
      return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, KeyKind.P256));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  /** A private Ed25519 key is the random seed it was made of: made of the same seed again, the pair is the same. */
  private static PublicKey ofSeed(byte[] seed) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(NamedParameterSpec.ED25519, new SecureRandom() {
      private static final long serialVersionUID = 1;

      @Override
      public void nextBytes(byte[] bytes) {
        System.arraycopy(seed, 0, bytes, 0, bytes.length);
      }
    });
    return generator.generateKeyPair().getPublic();
  }

  private static ECPoint times(BigInteger factor, ECPoint point) {
    ECPoint sum = ECPoint.POINT_INFINITY;
    for (int bit = factor.bitLength() - 1; bit >= 0; bit--) {
      sum = plus(sum, sum);
      sum = factor.testBit(bit) ? plus(sum, point) : sum;
    }
    return sum;
  }

  private static ECPoint plus(ECPoint a, ECPoint b) {
    if (a.equals(ECPoint.POINT_INFINITY)) {
      return b;
    }
    BigInteger p = ((ECFieldFp) KeyKind.P256.getCurve().getField()).getP();
    BigInteger slope = a.equals(b)
        ? THREE.multiply(a.getAffineX().pow(2)).add(KeyKind.P256.getCurve().getA()).multiply(a.getAffineY().shiftLeft(1).modInverse(p))
        : b.getAffineY().subtract(a.getAffineY()).multiply(b.getAffineX().subtract(a.getAffineX()).modInverse(p));
    BigInteger x = slope.pow(2).subtract(a.getAffineX()).subtract(b.getAffineX()).mod(p);
    return new ECPoint(x, slope.multiply(a.getAffineX().subtract(x)).subtract(a.getAffineY()).mod(p));
  }
}
