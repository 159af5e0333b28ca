package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.module.blackbird.BlackbirdModule;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.List;

/** How this server reads and writes JSON: strict about what is malformed, deaf to fields it does not know. */
public final class Json {
  /** Deep enough for a payload of {@link JsonObject#DEPTH_MAX} inside a batch; deeper documents are refused unread. */
  private static final int DOCUMENT_DEPTH_MAX = JsonObject.DEPTH_MAX + 4;
  private static final int NUMBER_DIGITS_MAX = 1000;
  private static final String NOT_ONE_OBJECT = "the body is not one well-formed JSON object: ";

  public static final ObjectMapper MAPPER = mapper();

  private Json() {}

  /** @throws ApiException {@code invalid_argument} when the bytes are not UTF-8 */
  static JsonParser parser(byte[] body) throws IOException {
    return MAPPER.createParser(strictUtf8(body));
  }

  /**
   * The message that one JSON object is, read in one go.
   *
   * @throws ApiException {@code invalid_argument} when what comes is not exactly one object without duplicate keys, or the parser refuses it
   * @throws JsonMappingException when a value is not of its field's type
   */
  static <T> T read(JsonParser parser, Class<T> type) throws IOException {
    try {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new ApiException(INVALID_ARGUMENT, "the body must be a JSON object");
      }
      T message = MAPPER.readValue(parser, type);
      if (parser.nextToken() != null) {
        throw new ApiException(INVALID_ARGUMENT, NOT_ONE_OBJECT + "something follows it");
      }
      return message;
    } catch (JsonMappingException within) {
      // Jackson says in which field it met what the parser threw.
      if (within.getCause() instanceof ApiException refusal) {
        throw refusal;
      }
      if (within.getCause() instanceof JsonProcessingException malformed) {
        throw refused(malformed);
      }
      throw within;
    } catch (JsonProcessingException malformed) {
      throw refused(malformed);
    }
  }

  private static ApiException refused(JsonProcessingException malformed) {
    if (malformed instanceof StreamConstraintsException) {
      return new ApiException(INVALID_ARGUMENT, "the body is nested deeper than " + JsonObject.DEPTH_MAX
          + " levels or holds a number of more than " + NUMBER_DIGITS_MAX + " digits");
    }
    return new ApiException(INVALID_ARGUMENT, NOT_ONE_OBJECT + where(malformed));
  }

  private static String strictUtf8(byte[] body) {
    try {
      return StandardCharsets.UTF_8.newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(body))
          .toString();
    } catch (CharacterCodingException notUtf8) {
      throw new ApiException(INVALID_ARGUMENT, "the body is not UTF-8");
    }
  }

  // Jackson's own message can quote the input and name classes; the place is what helps.
  private static String where(JsonProcessingException malformed) {
    if (malformed.getOriginalMessage().startsWith("Duplicate field")) {
      return "a key appears twice";
    }
    return malformed.getLocation() == null
        ? "it ends too early"
        : "line " + malformed.getLocation().getLineNr() + ", column " + malformed.getLocation().getColumnNr();
  }

  private static ObjectMapper mapper() {
    JsonFactory factory = JsonFactory.builder()
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        // Characters beyond U+FFFF as four bytes, as every other character; else they come as two escapes.
        .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
        .streamReadConstraints(StreamReadConstraints.builder()
            .maxNestingDepth(DOCUMENT_DEPTH_MAX)
            .maxNumberLength(NUMBER_DIGITS_MAX)
            .maxNameLength(BodyLimit.BYTES_MAX)
            .maxStringLength(BodyLimit.BYTES_MAX)
            .build())
        .build();
    SimpleModule strict = new SimpleModule()
        .addDeserializer(Integer.class, StrictWholeNumber.int32())
        .addDeserializer(Long.class, StrictWholeNumber.int64())
        .addDeserializer(OffsetDateTime.class, new Timestamps.Reader())
        .addSerializer(OffsetDateTime.class, new Timestamps.Writer());
    JsonMapper.Builder builder = JsonMapper.builder(factory)
        .addModule(strict)
        // Getters and setters are called without reflection.
        .addModule(new BlackbirdModule())
        // A field without a value is left out; a null inside of a payload or result is the caller's and stays.
        .defaultPropertyInclusion(JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
        // A newer client sends fields this release does not know; that must not break it (contract, wire rules).
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS);
    for (LogicalType type : List.of(LogicalType.Textual, LogicalType.Enum, LogicalType.Boolean)) {
      builder.withCoercionConfig(type, config -> {
        for (CoercionInputShape shape : List.of(CoercionInputShape.Integer, CoercionInputShape.Float,
            CoercionInputShape.Boolean)) {
          if (type != LogicalType.Boolean || shape != CoercionInputShape.Boolean) {
            config.setCoercion(shape, CoercionAction.Fail);
          }
        }
      });
    }
    return builder.build();
  }
}
