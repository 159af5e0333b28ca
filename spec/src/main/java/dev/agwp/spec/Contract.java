package dev.agwp.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The OpenAPI document: the one source of what the API is. */
public final class Contract {
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "options", "head", "patch", "trace");

  private final String yaml;
  private final ObjectNode document;

  private Contract(String yaml, ObjectNode document) {
    this.yaml = yaml;
    this.document = document;
  }

  /**
   * One operation.
   *
   * @param id its operationId
   * @param method in lower case
   * @param path with its parameters in braces
   * @param node the operation as the document has it
   */
  public record Operation(String id, String method, String path, JsonNode node) {}

  /** The contract this release was built from. */
  public static Contract load() {
    try (InputStream file = Contract.class.getResourceAsStream("openapi.yaml")) {
      return parse(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** @throws IllegalArgumentException when the text is not a YAML object */
  public static Contract parse(String yaml) {
    try {
      if (new YAMLMapper().readTree(yaml) instanceof ObjectNode document) {
        return new Contract(yaml, document);
      }
    } catch (IOException malformed) {
      throw new IllegalArgumentException("not YAML: " + malformed.getMessage(), malformed);
    }
    throw new IllegalArgumentException("not a YAML object");
  }

  public String yaml() {
    return yaml;
  }

  public ObjectNode document() {
    return document;
  }

  public String version() {
    return document.at("/info/version").asText();
  }

  /** In the order of the document. */
  public List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    document.path("paths").properties().forEach(path -> path.getValue().properties().forEach(member -> {
      if (METHODS.contains(member.getKey())) {
        operations.add(new Operation(
            member.getValue().path("operationId").asText(), member.getKey(), path.getKey(), member.getValue()));
      }
    }));
    return operations;
  }

  /** @throws IllegalArgumentException when the document has no schema of this name */
  public JsonNode schema(String name) {
    JsonNode schema = document.at("/components/schemas").get(name);
    if (schema == null) {
      throw new IllegalArgumentException("no schema is named " + name);
    }
    return schema;
  }

  /** In the order of the document. */
  public List<String> schemaNames() {
    List<String> names = new ArrayList<>();
    document.at("/components/schemas").fieldNames().forEachRemaining(names::add);
    return names;
  }
}
