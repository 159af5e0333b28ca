package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.spec.Contract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A change made to the contract of release 1.0.0, and the rule that must find it.
 *
 * @param name what is done, as a reviewer would say it
 * @param rule null when nothing may be found
 * @param prepare what the contract lacks for this change, done to both sides
 */
record Mutation(String name, Rule rule, Consumer<ObjectNode> prepare, Consumer<ObjectNode> change) {
  static final Contract BASE = base();

  private static Contract base() {
    try {
      return Contract.parse(Files.readString(Path.of("released/1.0.0/openapi.yaml")));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  Contract before() {
    ObjectNode document = BASE.document().deepCopy();
    prepare.accept(document);
    // JSON is YAML.
    return Contract.parse(document.toString());
  }

  Contract after() {
    ObjectNode document = before().document();
    change.accept(document);
    return Contract.parse(document.toString());
  }

  List<Change> found() {
    return ContractDiff.between(before(), after());
  }

  @Override
  public String toString() {
    return name;
  }

  static ObjectNode schema(ObjectNode document, String name) {
    return (ObjectNode) document.at("/components/schemas/" + name);
  }

  static ObjectNode properties(ObjectNode document, String schema) {
    return (ObjectNode) schema(document, schema).get("properties");
  }

  static ObjectNode property(ObjectNode document, String schema, String name) {
    return (ObjectNode) properties(document, schema).get(name);
  }

  static ArrayNode required(ObjectNode document, String schema) {
    return schema(document, schema).withArray("required");
  }

  static void unrequire(ObjectNode document, String schema, String name) {
    ArrayNode required = required(document, schema);
    for (int i = required.size() - 1; i >= 0; i--) {
      if (required.get(i).asText().equals(name)) {
        required.remove(i);
      }
    }
  }

  static ObjectNode operation(ObjectNode document, String id) {
    for (JsonNode path : document.get("paths")) {
      for (JsonNode operation : path) {
        if (operation.path("operationId").asText().equals(id)) {
          return (ObjectNode) operation;
        }
      }
    }
    throw new IllegalArgumentException(id);
  }

  static ObjectNode content(ObjectNode document, String id) {
    return (ObjectNode) operation(document, id).at("/requestBody/content");
  }

  static ObjectNode answers(ObjectNode document, String id) {
    return (ObjectNode) operation(document, id).get("responses");
  }

  static ArrayNode parameters(ObjectNode document, String id) {
    return operation(document, id).withArray("parameters");
  }

  static ObjectNode anOptionalField(ObjectNode document, String schema, String name, int number) {
    return properties(document, schema).putObject(name).put("type", "string").put("description", "New.").put("x-protobuf-index", number);
  }

  static ObjectNode aParameter(String name) {
    ObjectNode parameter = BASE.document().objectNode().put("name", name).put("in", "query").put("description", "New.");
    parameter.putObject("schema").put("type", "string");
    return parameter;
  }

  static void rename(ObjectNode properties, String from, String to) {
    List<String> names = new ArrayList<>();
    properties.fieldNames().forEachRemaining(names::add);
    for (String name : names) {
      JsonNode value = properties.remove(name);
      properties.set(name.equals(from) ? to : name, value);
    }
  }
}
