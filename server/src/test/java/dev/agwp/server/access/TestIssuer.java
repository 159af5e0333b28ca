package dev.agwp.server.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import dev.agwp.server.http.NamePatterns;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An issuer of JWTs with a key of each kind. Its tokens are put together by hand, since no library makes bad ones. */
final class TestIssuer {
  static final String NAME = "https://issuer.example";
  static final String AUDIENCE = "agwp";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int KEY_BYTES = 32;

  private final KeyPair rsa;
  private final KeyPair ec;
  private final KeyPair ed;

  TestIssuer() {
    rsa = pair("RSA", null);
    ec = pair("EC", "secp256r1");
    ed = pair("Ed25519", null);
  }

  private static KeyPair pair(String kind, String curve) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
      if (curve != null) {
        generator.initialize(new ECGenParameterSpec(curve));
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException(missing);
    }
  }

  RSAPublicKey rsaPublicKey() {
    return (RSAPublicKey) rsa.getPublic();
  }

  /** The public keys, with the kids rsa, ec and ed. */
  String jwks() {
    byte[] encoded = ed.getPublic().getEncoded();
    Base64URL x = Base64URL.encode(Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length));
    List<JWK> keys = List.of(
        new RSAKey.Builder(rsaPublicKey()).keyID("rsa").build(),
        new ECKey.Builder(Curve.P_256, (ECPublicKey) ec.getPublic()).keyID("ec").build(),
        new OctetKeyPair.Builder(Curve.Ed25519, x).keyID("ed").build());
    return new JWKSet(keys).toString();
  }

  /** With every default, and the scopes from the token. */
  static JwtIssuer trusted(String jwks) {
    return trusted(jwks, NamePatterns.ALL, null);
  }

  static JwtIssuer trusted(String jwks, NamePatterns principals, String queuesClaim) {
    return new JwtIssuer(NAME, AUDIENCE, jwks, principals, "sub", Set.of(), "scope", queuesClaim, Duration.ofHours(24));
  }

  static long nowSeconds() {
    return System.currentTimeMillis() / 1000;
  }

  /** A good token, of which some claims are different; null leaves one out. */
  String token(Map<String, Object> different) {
    return signedBy("RS256", Map.of("alg", "RS256", "kid", "rsa"), claims(different));
  }

  static Map<String, Object> claims(Map<String, Object> different) {
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put("iss", NAME);
    claims.put("aud", AUDIENCE);
    claims.put("sub", "workload:ci/main");
    claims.put("scope", "agwp:enqueue agwp:work agwp:read");
    claims.put("exp", nowSeconds() + 600);
    claims.putAll(different);
    claims.values().removeIf(value -> value == null);
    return claims;
  }

  String signedBy(String algorithm, Map<String, Object> header, Map<String, Object> claims) {
    String input = part(header) + "." + part(claims);
    return input + "." + Base64URL.encode(signature(algorithm, input));
  }

  private byte[] signature(String algorithm, String input) {
    return switch (algorithm) {
      case "RS256" -> signature("SHA256withRSA", rsa.getPrivate(), input);
      case "RS512" -> signature("SHA512withRSA", rsa.getPrivate(), input);
      case "ES256" -> signature("SHA256withECDSAinP1363Format", ec.getPrivate(), input);
      case "EdDSA" -> signature("Ed25519", ed.getPrivate(), input);
      default -> throw new IllegalArgumentException(algorithm);
    };
  }

  private static byte[] signature(String algorithm, PrivateKey key, String input) {
    try {
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      signer.update(input.getBytes(StandardCharsets.US_ASCII));
      return signer.sign();
    } catch (GeneralSecurityException unsigned) {
      throw new IllegalStateException(unsigned);
    }
  }

  static String part(Map<String, Object> json) {
    try {
      return Base64URL.encode(JSON.writeValueAsBytes(json)).toString();
    } catch (JsonProcessingException unwritable) {
      throw new IllegalStateException(unwritable);
    }
  }
}
