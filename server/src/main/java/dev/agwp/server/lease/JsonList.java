package dev.agwp.server.lease;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.List;

/** A list between a message and its column of text. */
final class JsonList {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonList() {}

  static String text(List<?> list) {
    try {
      return JSON.writeValueAsString(list);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  static List<String> texts(String column) {
    return read(column, new TypeReference<List<String>>() {});
  }

  static List<Long> numbers(String column) {
    return read(column, new TypeReference<List<Long>>() {});
  }

  private static <T> T read(String column, TypeReference<T> type) {
    try {
      return JSON.readValue(column, type);
    } catch (JsonProcessingException damaged) {
      throw new UncheckedIOException(damaged);
    }
  }
}
