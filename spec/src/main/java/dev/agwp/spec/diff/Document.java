package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.spec.Contract;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An OpenAPI document 3.0 or 3.1 as the comparison sees it: references followed, single-element allOf flattened, one form of null. */
final class Document {
  private static final int REFERENCES_MAX = 50;

  private final Contract contract;
  private final Map<String, ObjectNode> flattenedReferences = new HashMap<>();

  Document(Contract contract) {
    this.contract = contract;
  }

  JsonNode root() {
    return contract.document();
  }

  /** Operations by method and path, where names of path parameters do not tell paths apart. */
  Map<String, Contract.Operation> operations() {
    Map<String, Contract.Operation> operations = new LinkedHashMap<>();
    root().path("paths").properties().forEach(path -> {
      if (path.getValue().has("$ref")) {
        throw new IllegalArgumentException("the path " + path.getKey() + " is a reference: put the path item in its place first");
      }
    });
    for (Contract.Operation operation : contract.operations()) {
      if (!operation.path().startsWith("/")) {
        continue;
      }
      operations.put(operation.method() + " " + operation.path().replaceAll("\\{[^}]*}", "{}"), operation);
    }
    return operations;
  }

  Map<String, JsonNode> schemas() {
    Map<String, JsonNode> schemas = new LinkedHashMap<>();
    root().at("/components/schemas").properties().forEach(schema -> schemas.put(schema.getKey(), schema.getValue()));
    return schemas;
  }

  /** The parameters of the path, then of the operation, references followed. */
  List<JsonNode> parameters(Contract.Operation operation) {
    List<JsonNode> parameters = new ArrayList<>();
    root().path("paths").path(operation.path()).path("parameters").forEach(parameter -> parameters.add(follow(parameter)));
    operation.node().path("parameters").forEach(parameter -> parameters.add(follow(parameter)));
    return parameters;
  }

  /** The name of the component a schema refers to, alone or as the one element of allOf; null when it is inline. */
  String referred(JsonNode schema) {
    JsonNode reference = schema.path("allOf").isArray() && schema.path("allOf").size() == 1
        ? schema.path("allOf").get(0).path("$ref") : schema.path("$ref");
    return reference.isTextual() && reference.asText().startsWith("#/components/schemas/")
        ? reference.asText().substring("#/components/schemas/".length()) : null;
  }

  /** @throws IllegalArgumentException when a reference leads nowhere, out of the document, or in a circle */
  JsonNode follow(JsonNode node) {
    JsonNode found = node;
    for (int i = 0; found.path("$ref").isTextual(); i++) {
      String reference = found.get("$ref").asText();
      if (!reference.startsWith("#/") || i == REFERENCES_MAX) {
        throw new IllegalArgumentException("the reference " + reference + " leads out of the document or in a circle; bundle it first");
      }
      found = root().at(URLDecoder.decode(reference.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8));
      if (found.isMissingNode()) {
        throw new IllegalArgumentException("the reference " + reference + " leads nowhere");
      }
    }
    return found;
  }

  /** The schema with everything allOf brings, what stands beside it on top. */
  ObjectNode schema(JsonNode given) {
    return schema(given, 0);
  }

  private ObjectNode schema(JsonNode given, int depth) {
    String reference = given.path("$ref").asText(null);
    if (reference == null) {
      return flattened(given, depth);
    }
    ObjectNode target = flattenedReferences.get(reference);
    if (target == null) {
      target = flattened(follow(given), depth);
      flattenedReferences.put(reference, target);
    }
    if (given.size() == 1 || root().path("openapi").asText().startsWith("3.0")) {
      return target;
    }
    // 3.1 lets keywords stand beside a reference; 3.0 ignores them.
    ObjectNode merged = target.deepCopy();
    ObjectNode beside = given.deepCopy();
    beside.remove("$ref");
    merge(merged, beside);
    return merged;
  }

  private ObjectNode flattened(JsonNode given, int depth) {
    ObjectNode merged = JsonNodeFactory.instance.objectNode();
    if (!(given instanceof ObjectNode own)) {
      // A schema may be true or false: everything, or nothing.
      return given.isBoolean() && !given.asBoolean() ? merged.put("type", "nothing") : merged;
    }
    if (depth == REFERENCES_MAX) {
      throw new IllegalArgumentException("allOf contains itself, or is nested too deep");
    }
    own.path("allOf").forEach(part -> merge(merged, schema(part, depth + 1)));
    merge(merged, own);
    merged.remove("allOf");
    if (merged.has("const") && !merged.has("enum")) {
      merged.putArray("enum").add(merged.remove("const"));
    }
    oneNull(merged);
    return merged;
  }

  private static void merge(ObjectNode merged, ObjectNode part) {
    part.properties().forEach(member -> {
      JsonNode old = merged.get(member.getKey());
      if (member.getKey().equals("properties") && old instanceof ObjectNode properties) {
        if (!(member.getValue() instanceof ObjectNode more)) {
          throw new IllegalArgumentException("properties must be an object");
        }
        properties.setAll(more.deepCopy());
      } else if (member.getKey().equals("required") && old instanceof ArrayNode required && member.getValue().isArray()) {
        member.getValue().forEach(required::add);
      } else {
        merged.set(member.getKey(), member.getValue().deepCopy());
      }
    });
  }

  // 3.1 writes null into the list of types, 3.0 beside the type.
  private static void oneNull(ObjectNode schema) {
    if (schema.path("type").isArray()) {
      List<String> types = new ArrayList<>();
      schema.get("type").forEach(type -> types.add(type.asText()));
      if (types.remove("null")) {
        schema.put("nullable", true);
      }
      types.sort(null);
      schema.put("type", String.join("|", types));
    }
    // A number here is 3.1, true is 3.0: a limit of its own, or a word about the one beside it.
    exclusive(schema, "minimum", "exclusiveMinimum");
    exclusive(schema, "maximum", "exclusiveMaximum");
  }

  private static void exclusive(ObjectNode schema, String limit, String word) {
    if (schema.path(word).asBoolean(false) && schema.has(limit)) {
      schema.set(word, schema.remove(limit));
    } else if (schema.path(word).isBoolean()) {
      schema.remove(word);
    }
  }
}
