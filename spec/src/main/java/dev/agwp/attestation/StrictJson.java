package dev.agwp.attestation;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Reads what two readers could understand differently not at all: what is signed must mean one thing. */
final class StrictJson {
  static final int DEPTH_MAX = 32;

  static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // How many bytes there are is bounded before this reads them.
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
          .build())
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .build();

  private StrictJson() {}

  /** @param what is read, as the beginning of a sentence */
  static ObjectNode object(String what, byte[] json) {
    try {
      if (MAPPER.readTree(strictUtf8(what, json)) instanceof ObjectNode object) {
        return object;
      }
    } catch (StreamConstraintsException tooMuch) {
      throw new MalformedAttestation(what + " is nested deeper than " + DEPTH_MAX + " levels, or holds a name or a number that is too long");
    } catch (JsonProcessingException malformed) {
      throw new MalformedAttestation(what + " is not one well-formed JSON object" + where(malformed));
    }
    throw new MalformedAttestation(what + " is not a JSON object");
  }

  /** @throws MalformedAttestation when the object has no such text */
  static String text(String what, JsonNode object, String field) {
    if (!object.path(field).isTextual()) {
      throw new MalformedAttestation(what + " has no text " + field);
    }
    return object.get(field).textValue();
  }

  private static String strictUtf8(String what, byte[] json) {
    try {
      return StandardCharsets.UTF_8.newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(json))
          .toString();
    } catch (CharacterCodingException notUtf8) {
      throw new MalformedAttestation(what + " is not UTF-8");
    }
  }

  // Jackson's own message can quote the input; the place is what helps.
  private static String where(JsonProcessingException malformed) {
    if (malformed.getOriginalMessage().startsWith("Duplicate field")) {
      return ": a key appears twice";
    }
    return malformed.getLocation() == null ? ""
        : ": line " + malformed.getLocation().getLineNr() + ", column " + malformed.getLocation().getColumnNr();
  }
}
