package dev.agwp.attestation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DsseEnvelopeTest {
  // >>> and ??? become + and / in one alphabet of base64, - and _ in the other.
  private static final byte[] STATEMENT = ("{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[{\"name\":\">>>???\",\"digest\":{\"sha256\":\""
      + "ab".repeat(32) + "\"}}],\"predicateType\":\"p\"}").getBytes(StandardCharsets.UTF_8);

  private final SigningKey key = aKey();
  private final SigningKey other = aKey();

  @Test
  void what_is_signed_is_the_encoding_of_the_dsse_protocol() {
    assertThat(new String(DsseEnvelope.preAuthenticationEncoding("http://example.com/HelloWorld", "hello world".getBytes(StandardCharsets.UTF_8)),
        StandardCharsets.UTF_8)).isEqualTo("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    assertThat(new String(DsseEnvelope.preAuthenticationEncoding("ü", new byte[0]), StandardCharsets.UTF_8)).as("lengths are in bytes")
        .isEqualTo("DSSEv1 2 ü 0 ");
  }

  @Test
  void an_envelope_comes_back_from_its_json_with_its_payload_and_signatures() {
    DsseEnvelope envelope = DsseEnvelope.parse(DsseEnvelope.sign(STATEMENT, key).toJson());

    assertThat(envelope.payload()).isEqualTo(STATEMENT);
    assertThat(envelope.statement().predicateType()).isEqualTo("p");
    assertThat(envelope.isSignedBy(key.publicHalf())).isTrue();
    assertThat(envelope.isSignedBy(other.publicHalf())).isFalse();
  }

  @Test
  void either_alphabet_of_base64_is_read() throws IOException {
    ObjectNode json = json();
    json.put("payload", Base64.getUrlEncoder().encodeToString(STATEMENT));
    assertThat(json.get("payload").asText()).containsAnyOf("-", "_");

    assertThat(DsseEnvelope.parse(bytes(json)).isSignedBy(key.publicHalf())).isTrue();
  }

  @Test
  void one_valid_signature_among_others_is_enough_and_its_keyid_decides_nothing() throws IOException {
    ObjectNode json = json();
    ObjectNode bad = json.withArray("signatures").addObject();
    bad.put("keyid", key.id()).put("sig", "AAAA");
    ((ObjectNode) json.at("/signatures/0")).put("keyid", other.id());

    DsseEnvelope envelope = DsseEnvelope.parse(bytes(json));
    assertThat(envelope.isSignedBy(key.publicHalf())).isTrue();
    assertThat(envelope.isSignedBy(other.publicHalf())).isFalse();
  }

  @Test
  void a_signature_of_the_payload_alone_or_of_another_type_is_not_valid() throws IOException {
    ObjectNode json = json();
    ((ObjectNode) json.at("/signatures/0")).put("sig", Base64.getEncoder().encodeToString(key.sign(STATEMENT)));
    assertThat(DsseEnvelope.parse(bytes(json)).isSignedBy(key.publicHalf())).isFalse();

    ObjectNode another = json().put("payloadType", "application/json");
    assertThat(DsseEnvelope.parse(bytes(another)).isSignedBy(key.publicHalf())).isFalse();
    assertThatThrownBy(() -> DsseEnvelope.parse(bytes(another)).statement()).isInstanceOf(MalformedAttestation.class)
        .hasMessageContaining("must have the payloadType application/vnd.in-toto+json");
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "payloadType; 1; has no text payloadType",
      "payload; null; has no text payload",
      "payload; \"QR==\"; payload that is not base64",
      "payload; \"QQ\"; payload that is not base64",
      "payload; \"Q Q==\"; payload that is not base64",
      "payload; \"QQ==\\n\"; payload that is not base64",
      "payload; \"%%\"; payload that is not base64",
      "signatures; []; must have 1..8 signatures",
      "signatures; {}; must have 1..8 signatures",
      "signatures; [{}]; has no text sig",
      "signatures; [{\"sig\":\"AAAA\",\"keyid\":1}]; has no text keyid",
      "signatures; [{\"sig\":\"+_==\"}]; sig that is not base64"})
  void what_is_no_envelope_is_refused_with_what_is_wrong(String field, String value, String why) throws IOException {
    ObjectNode json = json();
    json.set(field, new ObjectMapper().readTree(value));

    assertThatThrownBy(() -> DsseEnvelope.parse(bytes(json))).isInstanceOf(MalformedAttestation.class).hasMessageContaining(why);
  }

  @Test
  void limits_are_kept_to_the_last_one_and_refused_beyond() throws IOException {
    ObjectNode eight = json();
    for (int i = 0; i < 7; i++) {
      eight.withArray("signatures").addObject().put("sig", "").put("keyid", "k".repeat(256));
    }
    assertThat(DsseEnvelope.parse(bytes(eight)).isSignedBy(key.publicHalf())).isTrue();

    eight.withArray("signatures").addObject().put("sig", "");
    assertThatThrownBy(() -> DsseEnvelope.parse(bytes(eight))).hasMessageContaining("1..8 signatures");

    ObjectNode longKeyid = json();
    ((ObjectNode) longKeyid.at("/signatures/0")).put("keyid", "k".repeat(257));
    assertThatThrownBy(() -> DsseEnvelope.parse(bytes(longKeyid))).hasMessageContaining("a keyid of more than 256 characters");
  }

  private ObjectNode json() throws IOException {
    return (ObjectNode) new ObjectMapper().readTree(DsseEnvelope.sign(STATEMENT, key).toJson());
  }

  private static byte[] bytes(ObjectNode json) {
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static SigningKey aKey() {
    try {
      byte[] der = KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate().getEncoded();
      return SigningKey.ofPem("-----BEGIN PRIVATE KEY-----\n" + Base64.getEncoder().encodeToString(der) + "\n-----END PRIVATE KEY-----\n");
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
