package dev.agwp.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.regex.Pattern;

/** Makes the wire fixtures of a release: each message once with what it requires and once with all it can hold. */
final class Fixtures {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String TIME = "2026-12-01T10:00:00.123Z";
  private static final String DIGEST = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

  private final Contract contract;
  /** The messages that are being made, from the outermost in. */
  private final Deque<JsonNode> open = new ArrayDeque<>();

  Fixtures(Contract contract) {
    this.contract = contract;
  }

  ObjectNode minimal(String message) {
    return object(contract.schema(message), false);
  }

  ObjectNode full(String message) {
    return object(contract.schema(message), true);
  }

  private ObjectNode object(JsonNode schema, boolean full) {
    ObjectNode object = NODES.objectNode();
    open.push(schema);
    schema.path("properties").properties().forEach(property -> {
      boolean required = false;
      for (JsonNode name : schema.path("required")) {
        required |= name.asText().equals(property.getKey());
      }
      if (full || required) {
        object.set(property.getKey(), value(property.getKey(), property.getValue(), full));
      }
    });
    open.pop();
    return object;
  }

  /** A message inside of itself holds only what it requires, or it would have no end. */
  private ObjectNode nested(JsonNode schema, boolean full) {
    return object(schema, full && !open.contains(schema));
  }

  private JsonNode value(String name, JsonNode property, boolean full) {
    String referred = WireSchema.referred(property);
    JsonNode schema = referred == null ? property : contract.schema(referred);
    if (schema.has("properties")) {
      return nested(schema, full);
    }
    if (schema.has("enum") || schema.has("x-extensible-enum")) {
      JsonNode words = schema.has("enum") ? schema.get("enum") : schema.get("x-extensible-enum");
      return words.get(full ? words.size() - 1 : 0);
    }
    return switch (schema.path("type").asText()) {
      case "array" -> list(name, schema.path("items"), full);
      case "integer" -> integer(schema);
      case "boolean" -> NODES.booleanNode(true);
      case "object" -> NODES.objectNode().put("text", "ünï ☃").put("number", 1.5).set("deep", NODES.arrayNode().add(true).addNull());
      default -> NODES.textNode(wellFormed(name, text(name, schema), schema));
    };
  }

  private ArrayNode list(String name, JsonNode items, boolean full) {
    ArrayNode list = NODES.arrayNode();
    for (int i = 0; i < (full ? 2 : 1); i++) {
      list.add(value(name, items, full));
    }
    return list;
  }

  /** The largest value of its type, where a mistake in its width shows. */
  private static JsonNode integer(JsonNode schema) {
    if (schema.has("maximum")) {
      return NODES.numberNode(schema.get("maximum").asLong());
    }
    return switch (schema.path("x-protobuf-data-type").asText(schema.path("format").asText())) {
      case "uint32" -> NODES.numberNode(schema.path("format").asText().equals("int32") ? Integer.MAX_VALUE : 4_294_967_295L);
      case "uint64", "int64" -> NODES.numberNode(Long.MAX_VALUE);
      default -> NODES.numberNode(Integer.MIN_VALUE);
    };
  }

  private static String wellFormed(String name, String text, JsonNode schema) {
    if (schema.has("pattern") && !Pattern.matches(schema.get("pattern").asText(), text)) {
      throw new IllegalStateException("the fixtures have no text for " + name + " of the form " + schema.get("pattern").asText());
    }
    return text;
  }

  private static String text(String name, JsonNode schema) {
    return switch (schema.path("format").asText()) {
      case "date-time" -> TIME;
      case "byte" -> Base64.getEncoder().encodeToString("{\"_type\":\"https://in-toto.io/Statement/v1\"}".getBytes(StandardCharsets.UTF_8));
      default -> switch (name) {
        case "subject_digest", "attestation_digest", "change_digest" -> DIGEST;
        case "media_type" -> "application/vnd.in-toto+json";
        case "log_url" -> "https://ci.example/log/1";
        case "queue", "queues", "worker", "request_id" -> "a-Z.0_9:x";
        default -> schema.has("pattern") ? "a-Z_0-9" : name + " ☃";
      };
    };
  }
}
