package dev.agwp.compat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The differences that wire-differences.yaml names, and what each of them means for a comparison. */
final class WireDifferences {
  private static final ObjectMapper JSON = new ObjectMapper()
      .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
  private static final List<String> FREE_FORM = List.of("payload", "result");

  private WireDifferences() {}

  /** @param messages their names, or {@code all} */
  record Named(String name, Set<String> languages, String format, Set<String> messages, String reason) {
    boolean isIn(String message) {
      return messages.contains("all") || messages.contains(message);
    }

    /** Only a message of a release that is newer than the client's has fields the client does not know. */
    boolean isOfNewerMessages() {
      return name.startsWith("unknown_fields");
    }
  }

  static List<Named> read(Path file) throws IOException {
    return new YAMLMapper().readValue(file.toFile(), new TypeReference<>() {});
  }

  /**
   * The names without which what came of a message would not be explained.
   *
   * @param message that was read
   * @param known what its reader knows of it
   * @throws AssertionError when they do not explain it
   */
  static Set<String> needed(byte[] message, byte[] known, JsonNode told, Set<String> names) {
    if (told.get("event").asText().equals("invalid")) {
      return Set.of(why(told, names));
    }
    byte[] written = decoded(told);
    if (!isSame(message, known, written, names)) {
      throw new AssertionError(seen(written, names) + " was written of " + seen(message, names));
    }
    return names.stream().filter(name -> {
      Set<String> others = new TreeSet<>(names);
      others.remove(name);
      return !isSame(message, known, written, others);
    }).collect(Collectors.toSet());
  }

  private static String why(JsonNode told, Set<String> names) {
    String said = told.get("message").asText();
    if (names.contains("no_such_message") && said.contains("there is no ")) {
      return "no_such_message";
    }
    if (names.contains("unknown_fields_refused") && said.contains("additional fields")) {
      return "unknown_fields_refused";
    }
    throw new AssertionError(said);
  }

  private static boolean isSame(byte[] message, byte[] known, byte[] written, Set<String> names) {
    return seen(names.contains("unknown_fields_kept") ? message : known, names).equals(seen(written, names));
  }

  /** A message with the differences that are named taken out of it. */
  private static String seen(byte[] message, Set<String> names) {
    if (!names.contains("layout")) {
      return HexFormat.of().formatHex(message);
    }
    try {
      JsonNode tree = JSON.readTree(message);
      if (names.contains("free_form_objects_last")) {
        moveFreeFormObjects(tree);
      }
      String text = names.contains("unknown_fields_kept") ? sorted(tree) : tree.toString();
      return names.contains("microseconds") ? text.replaceAll("(\\.\\d{3})000Z\"", "$1Z\"") : text;
    } catch (IOException malformed) {
      throw new UncheckedIOException(malformed);
    }
  }

  private static void moveFreeFormObjects(JsonNode tree) throws IOException {
    for (JsonNode child : tree) {
      moveFreeFormObjects(child);
    }
    for (String name : FREE_FORM) {
      if (tree.has(name)) {
        ((ObjectNode) tree).set(name, JSON.readTree(sorted(((ObjectNode) tree).remove(name))));
      }
    }
  }

  private static String sorted(JsonNode tree) throws IOException {
    return JSON.writeValueAsString(JSON.treeToValue(tree, Object.class));
  }

  private static byte[] decoded(JsonNode told) {
    return Base64.getDecoder().decode(told.path("bytes").asText());
  }
}
