package dev.agwp.attestation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * A payload and who signed it, as <a href="https://github.com/secure-systems-lab/dsse">DSSE</a> has it. What is signed are the payload's
 * bytes as they stand in the envelope, never a JSON that was read and written again.
 */
public final class DsseEnvelope {
  public static final String MEDIA_TYPE = "application/vnd.dsse.envelope.v1+json";
  public static final int SIGNATURES_MAX = 8;
  public static final int KEYID_CHARS_MAX = 256;

  private static final String WHAT = "the DSSE envelope";

  private final String payloadType;
  private final byte[] payload;
  private final List<Signature> signatures;

  private DsseEnvelope(String payloadType, byte[] payload, List<Signature> signatures) {
    this.payloadType = payloadType;
    this.payload = payload;
    this.signatures = signatures;
  }

  private record Signature(String keyid, byte[] sig) {}

  /** Signs an in-toto Statement, with each of the keys. */
  public static DsseEnvelope sign(byte[] statement, SigningKey... keys) {
    byte[] signed = preAuthenticationEncoding(Statement.MEDIA_TYPE, statement);
    List<Signature> signatures = Arrays.stream(keys).map(key -> new Signature(key.id(), key.sign(signed))).toList();
    return new DsseEnvelope(Statement.MEDIA_TYPE, statement.clone(), signatures);
  }

  /**
   * Reads an envelope; whether its signatures are valid {@link #isSignedBy} says.
   *
   * @throws MalformedAttestation when the bytes are none
   */
  public static DsseEnvelope parse(byte[] json) {
    JsonNode envelope = StrictJson.object(WHAT, json);
    String payloadType = StrictJson.text(WHAT, envelope, "payloadType");
    byte[] payload = bytes(envelope, "payload");
    JsonNode signatures = envelope.path("signatures");
    if (!signatures.isArray() || signatures.isEmpty() || signatures.size() > SIGNATURES_MAX) {
      throw new MalformedAttestation(WHAT + " must have 1.." + SIGNATURES_MAX + " signatures");
    }
    List<Signature> read = new ArrayList<>();
    for (JsonNode signature : signatures) {
      String keyid = signature.hasNonNull("keyid") ? StrictJson.text(WHAT, signature, "keyid") : "";
      if (keyid.length() > KEYID_CHARS_MAX) {
        throw new MalformedAttestation(WHAT + " has a keyid of more than " + KEYID_CHARS_MAX + " characters");
      }
      read.add(new Signature(keyid, bytes(signature, "sig")));
    }
    return new DsseEnvelope(payloadType, payload, read);
  }

  /** What is signed, byte for byte. */
  public byte[] payload() {
    return payload.clone();
  }

  /** @throws MalformedAttestation when the payload is no in-toto Statement v1 */
  public Statement statement() {
    if (!Statement.MEDIA_TYPE.equals(payloadType)) {
      throw new MalformedAttestation(WHAT + " must have the payloadType " + Statement.MEDIA_TYPE);
    }
    return Statement.parse(payload);
  }

  /** Whether one of the signatures is valid by this key. Their {@code keyid} decides nothing: whoever writes an envelope chooses it. */
  public boolean isSignedBy(VerificationKey key) {
    byte[] signed = preAuthenticationEncoding(payloadType, payload);
    return signatures.stream().anyMatch(signature -> key.verifies(signed, signature.sig()));
  }

  public byte[] toJson() {
    ObjectNode envelope = StrictJson.MAPPER.createObjectNode();
    envelope.put("payloadType", payloadType);
    envelope.put("payload", Base64.getEncoder().encodeToString(payload));
    ArrayNode list = envelope.putArray("signatures");
    for (Signature signature : signatures) {
      list.addObject().put("keyid", signature.keyid()).put("sig", Base64.getEncoder().encodeToString(signature.sig()));
    }
    try {
      return StrictJson.MAPPER.writeValueAsBytes(envelope);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** DSSE's PAE: nobody can take the bytes of one type for those of another. */
  static byte[] preAuthenticationEncoding(String payloadType, byte[] payload) {
    byte[] head = ("DSSEv1 " + payloadType.getBytes(StandardCharsets.UTF_8).length + " " + payloadType + " " + payload.length + " ")
        .getBytes(StandardCharsets.UTF_8);
    byte[] encoded = Arrays.copyOf(head, head.length + payload.length);
    System.arraycopy(payload, 0, encoded, head.length, payload.length);
    return encoded;
  }

  // In either alphabet, as DSSE asks of readers, and otherwise in the one form there is: padded, no line breaks, no bits left over.
  private static byte[] bytes(JsonNode object, String field) {
    String text = StrictJson.text(WHAT, object, field);
    boolean urlSafe = text.indexOf('-') >= 0 || text.indexOf('_') >= 0;
    try {
      byte[] bytes = (urlSafe ? Base64.getUrlDecoder() : Base64.getDecoder()).decode(text);
      if ((urlSafe ? Base64.getUrlEncoder() : Base64.getEncoder()).encodeToString(bytes).equals(text)) {
        return bytes;
      }
    } catch (IllegalArgumentException notBase64) {
      // Said below.
    }
    throw new MalformedAttestation(WHAT + " has a " + field + " that is not base64 with padding and without line breaks");
  }
}
