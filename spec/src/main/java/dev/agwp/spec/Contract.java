package dev.agwp.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;

/** The OpenAPI document: the one source of what the API is. */
public final class Contract {
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "options", "head", "patch", "trace");

  private static final int CHARACTERS_MAX = 64 * 1024 * 1024;
  private static final ObjectMapper JSON = JsonMapper.builder()
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
      .build();

  private final String yaml;
  private final ObjectNode document;

  private Contract(String yaml, ObjectNode document) {
    this.yaml = yaml;
    this.document = document;
  }

  private static LoaderOptions yamlLimits() {
    LoaderOptions limits = new LoaderOptions();
    limits.setCodePointLimit(CHARACTERS_MAX);
    return limits;
  }

  /** Not made by a server, which reads no YAML. */
  private static final class YamlReader {
    private static final ObjectMapper YAML = YAMLMapper.builder(YAMLFactory.builder().loaderOptions(yamlLimits()).build())
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
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

  /** The contract this release was built from, read from what {@link DerivedFiles} made of it: YAML takes a server that starts long. */
  public static Contract load() {
    try (InputStream yaml = Contract.class.getResourceAsStream("openapi.yaml");
        InputStream json = Contract.class.getResourceAsStream(DerivedFiles.JSON)) {
      return new Contract(new String(yaml.readAllBytes(), StandardCharsets.UTF_8), JSON.readValue(json, ObjectNode.class));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** @throws IllegalArgumentException when the text is not one YAML or JSON object without duplicate keys */
  public static Contract parse(String yaml) {
    try {
      ObjectMapper format = yaml.stripLeading().startsWith("{") ? JSON : YamlReader.YAML;
      if (format.readTree(yaml) instanceof ObjectNode document) {
        return new Contract(yaml, document);
      }
    } catch (IOException malformed) {
      throw new IllegalArgumentException("not YAML: " + firstLine(malformed), malformed);
    }
    throw new IllegalArgumentException("not a YAML object");
  }

  private static String firstLine(IOException malformed) {
    return malformed instanceof JsonProcessingException json && json.getLocation() != null
        ? json.getOriginalMessage().lines().findFirst().orElse("") + " (line " + json.getLocation().getLineNr() + ")"
        : String.valueOf(malformed.getMessage());
  }

  /** Whether the YAML says something once and points to it elsewhere, which this reader takes for plain text. */
  public boolean usesAliases() {
    if (yaml.stripLeading().startsWith("{")) {
      return false;
    }
    for (Event event : new Yaml(yamlLimits()).parse(new StringReader(yaml))) {
      if (event instanceof AliasEvent) {
        return true;
      }
    }
    return false;
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
