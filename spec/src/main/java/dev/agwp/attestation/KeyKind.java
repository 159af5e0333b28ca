package dev.agwp.attestation;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kinds of keys there are; of any other none is taken. */
enum KeyKind {
  ED25519("Ed25519", "Ed25519", "Ed25519"),
  ECDSA_P256("ECDSA P-256", "EC", "SHA256withECDSA");

  static final String ONES_TAKEN = "an Ed25519 or an ECDSA P-256 key";
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

  /**
   * The bytes of the one block of this name in a PEM text.
   *
   * @throws MalformedAttestation when there is none, or more than one
   */
  static byte[] pem(String block, String pem) {
    Matcher found = Pattern.compile("-----BEGIN " + block + "-----\\s+([A-Za-z0-9+/=\\s]+)-----END " + block + "-----").matcher(pem);
    if (!found.find()) {
      throw new MalformedAttestation("not a PEM file with a block BEGIN " + block);
    }
    byte[] der;
    try {
      der = Base64.getDecoder().decode(found.group(1).replaceAll("\\s", ""));
    } catch (IllegalArgumentException notBase64) {
      throw new MalformedAttestation("the block BEGIN " + block + " is not base64");
    }
    if (found.find()) {
      throw new MalformedAttestation("more than one block BEGIN " + block + "; give a file for each key");
    }
    return der;
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
