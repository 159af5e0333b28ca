package dev.agwp.spec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** The JSON object that a bytes field carries, for example {@code payload}. */
final class JsonBytes {
  /** Above the contract's limit, which the server checks alike for both formats; this one only guards the stack. */
  private static final int DEPTH_MAX = 100;

  private static final ObjectMapper STRICT = JsonMapper.builder(JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
          .build())
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
      .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
      .build();

  private JsonBytes() {}

  static JsonNode object(byte[] utf8, String place) throws MalformedMessage {
    JsonNode node;
    try {
      node = STRICT.readTree(StandardCharsets.UTF_8.newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(utf8))
          .toString());
    } catch (CharacterCodingException notUtf8) {
      throw new MalformedMessage(place, "must be the UTF-8 bytes of a JSON object");
    } catch (JsonProcessingException malformed) {
      throw new MalformedMessage(place,
          "must be one well-formed JSON object without duplicate keys, nested at most 64 deep");
    }
    if (!node.isObject()) {
      throw new MalformedMessage(place, "must be a JSON object");
    }
    return node;
  }
}
