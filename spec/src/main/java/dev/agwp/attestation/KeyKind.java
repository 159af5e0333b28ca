package dev.agwp.attestation;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;

/** The kinds of keys there are; of any other none is taken. */
enum KeyKind {
  ED25519("Ed25519", "Ed25519", "Ed25519"),
  ECDSA_P256("ECDSA P-256", "EC", "SHA256withECDSA");

  static final ECParameterSpec P256 = p256();

  final String title;
  final String keyAlgorithm;
  final String signatureAlgorithm;

  KeyKind(String title, String keyAlgorithm, String signatureAlgorithm) {
    this.title = title;
    this.keyAlgorithm = keyAlgorithm;
    this.signatureAlgorithm = signatureAlgorithm;
  }

  boolean isOf(Key key) {
    if (this == ED25519) {
      return key instanceof EdECKey edwards && edwards.getParams().getName().equalsIgnoreCase(keyAlgorithm);
    }
    return key instanceof ECKey elliptic && elliptic.getParams().getCurve().equals(P256.getCurve())
        && elliptic.getParams().getGenerator().equals(P256.getGenerator());
  }

  private static ECParameterSpec p256() {
    try {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
      parameters.init(new ECGenParameterSpec("secp256r1"));
      return parameters.getParameterSpec(ECParameterSpec.class);
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
