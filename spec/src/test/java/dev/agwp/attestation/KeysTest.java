package dev.agwp.attestation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KeysTest {
  /** Made by openssl for this test, and used nowhere else; the key ids by {@code openssl pkey -pubin -outform DER | sha256sum}. */
  private static final String ED25519 = pem("PRIVATE KEY", "MC4CAQAwBQYDK2VwBCIEIK+0lyF4RB5QH52MqGa51UkpE4NvJl08BHvgZTAhdRM8");
  private static final String ED25519_PUBLIC = pem("PUBLIC KEY", "MCowBQYDK2VwAyEA6gkr36yk28fubmgyOrBB38E+QvqoZ8UvUXpt3t0q34E=");
  private static final String ED25519_ID = "sha256:e5cd49052a5defb4b8dea5e9b4c7f121f496d86ee5870d9a8e16a0c0fef621ea";
  private static final String P256 = pem("PRIVATE KEY", """
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgx7OkD+MfYIqdoJ1c
      qur2C+KSCyEmssQd5GvTpWoAgWChRANCAARoTqrX5nZrjvvc/tzvs7IqGL3du3mB
      rzmuCbT6fltf0s1mSHyHJGGswEA4aUsQ0dJ7V26dY8W0m5jTbW0VNhcD""");
  private static final String P256_PUBLIC = pem("PUBLIC KEY", """
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaE6q1+Z2a4773P7c77OyKhi93bt5
      ga85rgm0+n5bX9LNZkh8hyRhrMBAOGlLENHSe1dunWPFtJuY021tFTYXAw==""");
  private static final String P256_ID = "sha256:7303d602c8e7459c580e2d83fbe477ba846d3c9deb0f338ada39fc3d585be312";
  private static final byte[] TEXT = "what is signed".getBytes(StandardCharsets.UTF_8);

  @Test
  void a_key_of_openssl_signs_and_its_public_half_verifies_under_the_same_id() {
    for (String[] pair : new String[][] {{ED25519, ED25519_PUBLIC, ED25519_ID, "Ed25519"}, {P256, P256_PUBLIC, P256_ID, "ECDSA P-256"}}) {
      SigningKey signing = SigningKey.ofPem(pair[0]);
      VerificationKey verification = VerificationKey.ofPem(pair[1]);

      assertThat(verification.verifies(TEXT, signing.sign(TEXT))).isTrue();
      assertThat(verification.id()).isEqualTo(signing.id()).isEqualTo(pair[2]);
      assertThat(verification.kind()).isEqualTo(pair[3]);
      assertThat(VerificationKey.ofDer(verification.der()).id()).isEqualTo(pair[2]);
    }
  }

  @Test
  void the_public_half_of_any_private_key_is_found() throws GeneralSecurityException {
    KeyPairGenerator edwards = KeyPairGenerator.getInstance("Ed25519");
    KeyPairGenerator elliptic = KeyPairGenerator.getInstance("EC");
    elliptic.initialize(new ECGenParameterSpec("secp256r1"));
    for (int i = 0; i < 20; i++) {
      for (KeyPair pair : new KeyPair[] {edwards.generateKeyPair(), elliptic.generateKeyPair()}) {
        String pem = pem("PRIVATE KEY", Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded()));

        assertThat(SigningKey.ofPem(pem).publicHalf().der()).isEqualTo(pair.getPublic().getEncoded());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 65, 1000})
  void a_signature_of_another_length_is_no_valid_one(int length) {
    for (String pem : new String[] {ED25519_PUBLIC, P256_PUBLIC}) {
      assertThat(VerificationKey.ofPem(pem).verifies(TEXT, new byte[length])).isFalse();
    }
  }

  @Test
  void a_valid_signature_with_a_byte_more_or_less_is_no_valid_one() {
    for (String[] pair : new String[][] {{ED25519, ED25519_PUBLIC}, {P256, P256_PUBLIC}}) {
      byte[] signature = SigningKey.ofPem(pair[0]).sign(TEXT);
      VerificationKey key = VerificationKey.ofPem(pair[1]);

      assertThat(key.verifies(TEXT, Arrays.copyOf(signature, signature.length + 1))).isFalse();
      assertThat(key.verifies(TEXT, Arrays.copyOf(signature, signature.length - 1))).isFalse();
    }
  }

  @Test
  void a_signature_of_nothing_but_zeros_is_no_valid_one() {
    byte[] zeros = {0x30, 6, 2, 1, 0, 2, 1, 0};
    assertThat(VerificationKey.ofPem(P256_PUBLIC).verifies(TEXT, zeros)).as("ECDSA with r = s = 0").isFalse();
    assertThat(VerificationKey.ofPem(ED25519_PUBLIC).verifies(TEXT, new byte[64])).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"RSA, 2048", "EC, secp384r1", "Ed448, ''", "X25519, ''"})
  void a_key_of_another_kind_is_refused(String algorithm, String parameter) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (algorithm.equals("RSA")) {
      generator.initialize(Integer.parseInt(parameter));
    } else if (algorithm.equals("EC")) {
      generator.initialize(new ECGenParameterSpec(parameter));
    }
    KeyPair pair = generator.generateKeyPair();
    String publicPem = pem("PUBLIC KEY", Base64.getMimeEncoder().encodeToString(pair.getPublic().getEncoded()));
    String privatePem = pem("PRIVATE KEY", Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded()));

    assertThatThrownBy(() -> VerificationKey.ofPem(publicPem)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("this is not an Ed25519 or an ECDSA P-256 key as SubjectPublicKeyInfo");
    assertThatThrownBy(() -> SigningKey.ofPem(privatePem)).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("this is not an Ed25519 or an ECDSA P-256 key as PKCS#8");
  }

  @Test
  void a_file_that_is_no_key_says_what_to_give() {
    assertThatThrownBy(() -> VerificationKey.ofPem("nonsense")).hasMessage("not a PEM file with a block BEGIN PUBLIC KEY");
    assertThatThrownBy(() -> VerificationKey.ofPem(ED25519)).hasMessageStartingWith("this is a private key");
    assertThatThrownBy(() -> VerificationKey.ofPem(ED25519_PUBLIC + P256_PUBLIC)).hasMessageContaining("more than one block");
    assertThatThrownBy(() -> VerificationKey.ofPem(pem("PUBLIC KEY", "MCow"))).hasMessageStartingWith("this is not an Ed25519");
    assertThatThrownBy(() -> VerificationKey.ofPem(pem("PUBLIC KEY", "M=w"))).hasMessage("the block BEGIN PUBLIC KEY is not base64");
    assertThatThrownBy(() -> SigningKey.ofPem(ED25519_PUBLIC)).hasMessage("not a PEM file with a block BEGIN PRIVATE KEY");
    assertThatThrownBy(() -> SigningKey.ofPem(pem("ENCRYPTED PRIVATE KEY", "MCow"))).hasMessageContaining("openssl pkcs8");
  }

  private static String pem(String block, String base64) {
    return "-----BEGIN " + block + "-----\n" + base64 + "\n-----END " + block + "-----\n";
  }
}
