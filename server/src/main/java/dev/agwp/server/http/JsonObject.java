package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.PAYLOAD_TOO_LARGE;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** A free JSON object of a caller ({@code payload}, {@code result}) between the wire and its column of text. */
public final class JsonObject {
  /** Bytes of UTF-8 JSON. */
  public static final int BYTES_MAX = 256 * 1024;
  public static final int DEPTH_MAX = 64;

  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

  private JsonObject() {}

  /**
   * The text to store, null for null.
   *
   * @throws ApiException {@code payload_too_large} or {@code invalid_argument} naming the field when it is over a limit
   */
  public static String text(String field, Map<String, Object> object) {
    if (object == null) {
      return null;
    }
    if (depth(object, 1) > DEPTH_MAX) {
      throw new ApiException(INVALID_ARGUMENT, field + " must be nested at most " + DEPTH_MAX + " deep").at(field);
    }
    String text = write(object);
    if (text.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
      throw new ApiException(PAYLOAD_TOO_LARGE, field + " must be at most " + BYTES_MAX + " bytes of JSON").at(field);
    }
    return text;
  }

  /** The object a column holds, null for null. It is written as the text that it is, and read by nobody but who looks into it. */
  public static Map<String, Object> read(String text) {
    return text == null ? null : new Stored(text);
  }

  private static final class Stored extends AbstractMap<String, Object> implements JsonSerializable {
    private final String text;

    private Stored(String text) {
      this.text = text;
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
      try {
        return Json.MAPPER.readValue(text, MAP).entrySet();
      } catch (JsonProcessingException damaged) {
        throw new UncheckedIOException(damaged);
      }
    }

    @Override
    public void serialize(JsonGenerator to, SerializerProvider provider) throws IOException {
      to.writeRawValue(text);
    }

    @Override
    public void serializeWithType(JsonGenerator to, SerializerProvider provider, TypeSerializer type) throws IOException {
      serialize(to, provider);
    }
  }

  private static String write(Map<String, Object> object) {
    try {
      return Json.MAPPER.writeValueAsString(object);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static int depth(Object value, int level) {
    if (level > DEPTH_MAX) {
      return level;
    }
    Collection<?> children;
    if (value instanceof Map<?, ?> map) {
      children = map.values();
    } else if (value instanceof Collection<?> list) {
      children = list;
    } else {
      return level - 1;
    }
    int deepest = level;
    for (Object child : children) {
      deepest = Math.max(deepest, depth(child, level + 1));
    }
    return deepest;
  }
}
