package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import dev.agwp.server.message.FieldError;
import dev.agwp.spec.Contract;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Says what a field must be in the words and numbers of the contract, which is the only place that states them. */
final class FieldRules {
  private static final int ECHOED_CHARS_MAX = 64;
  private static final Pattern INDEX = Pattern.compile("\\[(\\d+)");

  private final Contract contract;
  private final Map<String, ListRules> listsByMessage = new ConcurrentHashMap<>();

  FieldRules(Contract contract) {
    this.contract = contract;
  }

  /** The refusal for values that a constraint of the contract forbids; one error a field. */
  ApiException explain(Set<ConstraintViolation<?>> violations) {
    List<FieldError> errors = new ArrayList<>();
    violations.stream()
        .sorted(Comparator.comparing(violation -> inOrder(violation.getPropertyPath())))
        .forEach(violation -> {
          Place place = place(violation.getPropertyPath());
          if (errors.stream().noneMatch(error -> error.getField().equals(place.field()))) {
            errors.add(new FieldError().field(place.field()).message(broken(place.schema(), violation.getInvalidValue())));
          }
        });
    return refusal(errors);
  }

  /** A key that sorts the third item of a list before its tenth. */
  private static String inOrder(Path path) {
    return INDEX.matcher(path.toString()).replaceAll(index -> String.format("[%9s", index.group(1)));
  }

  /** Where a message can hold lists, and how long they may be. */
  ListRules lists(String schemaName) {
    return listsByMessage.computeIfAbsent(schemaName, name -> ListRules.of(this::resolve, contract.schema(name)));
  }

  /** The refusal for a value that is not of the field's type. */
  ApiException explain(String schemaName, JsonMappingException misfit) {
    JsonNode schema = contract.schema(schemaName);
    StringBuilder field = new StringBuilder();
    for (JsonMappingException.Reference step : misfit.getPath()) {
      if (step.getFieldName() == null) {
        field.append('[').append(step.getIndex()).append(']');
        schema = resolve(schema.path("items"));
      } else {
        field.append(field.isEmpty() ? "" : ".").append(step.getFieldName());
        schema = resolve(schema.path("properties").path(step.getFieldName()));
      }
    }
    Object value = misfit instanceof InvalidFormatException wrong ? wrong.getValue() : null;
    return refusal(field.toString(), rule(schema) + got(value));
  }

  /** The refusal for a query or path parameter that is not of its type. */
  ApiException explainParameter(String name) {
    JsonNode schema = contract.operations().stream()
        .flatMap(operation -> parameters(operation.node()).stream())
        .filter(parameter -> parameter.path("name").asText().equals(name))
        .map(parameter -> parameter.path("schema"))
        .findFirst()
        .orElseThrow();
    return refusal(name, rule(schema));
  }

  private static String broken(JsonNode schema, Object value) {
    if (value == null) {
      return "is required";
    }
    String rule = value instanceof Number
        ? "must be " + schema.path("minimum").asText() + ".." + schema.path("maximum").asText() : rule(schema);
    return rule + got(value);
  }

  /** The refusal for one field. */
  static ApiException refusal(String field, String message) {
    return refusal(List.of(new FieldError().field(field).message(message)));
  }

  private static ApiException refusal(List<FieldError> errors) {
    FieldError first = errors.get(0);
    String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more, see errors)";
    return new ApiException(INVALID_ARGUMENT, first.getField() + " " + first.getMessage() + more, errors);
  }

  private record Place(String field, JsonNode schema) {}

  // claimJob.claimJobRequest.queues[3].<list element> -> queues[3], with the schema found on the way.
  private Place place(Path path) {
    StringBuilder field = new StringBuilder();
    JsonNode schema = null;
    String operationId = "";
    for (Path.Node node : path) {
      if (node.getKind() == ElementKind.METHOD) {
        operationId = node.getName();
      } else if (node.getKind() == ElementKind.PARAMETER) {
        String name = snakeCase(node.getName());
        schema = parameter(operationId, name);
        if (schema == null) {
          schema = body(operationId);
        } else {
          field.append(name);
        }
      } else {
        if (node.getIndex() != null) {
          field.append('[').append(node.getIndex()).append(']');
          schema = resolve(schema.path("items"));
        }
        if (node.getKind() == ElementKind.PROPERTY) {
          String name = snakeCase(node.getName());
          field.append(field.isEmpty() ? "" : ".").append(name);
          schema = resolve(schema.path("properties").path(name));
        }
      }
    }
    return new Place(field.isEmpty() ? "body" : field.toString(), schema);
  }

  private JsonNode parameter(String operationId, String name) {
    return parameters(operation(operationId)).stream()
        .filter(parameter -> parameter.path("name").asText().equals(name))
        .map(parameter -> parameter.path("schema"))
        .findFirst()
        .orElse(null);
  }

  private JsonNode body(String operationId) {
    return resolve(operation(operationId).path("requestBody").path("content").path("application/json").path("schema"));
  }

  private JsonNode operation(String operationId) {
    return contract.operations().stream()
        .filter(operation -> operation.id().equals(operationId))
        .findFirst()
        .orElseThrow()
        .node();
  }

  private List<JsonNode> parameters(JsonNode operation) {
    List<JsonNode> found = new ArrayList<>();
    operation.path("parameters").forEach(parameter -> found.add(resolve(parameter)));
    return found;
  }

  private JsonNode resolve(JsonNode node) {
    if (node.has("allOf")) {
      return resolve(node.path("allOf").get(0));
    }
    return node.has("$ref") ? contract.document().at(node.get("$ref").asText().substring(1)) : node;
  }

  static String rule(JsonNode schema) {
    if (schema.has("enum")) {
      return "must be one of " + words(schema.get("enum"));
    }
    return switch (schema.path("type").asText()) {
      case "integer" -> "must be a whole number" + (schema.has("minimum")
          ? ", " + schema.path("minimum").asText() + ".." + schema.path("maximum").asText() : "");
      case "boolean" -> "must be true or false";
      case "array" -> "must be a list of " + schema.path("minItems").asText() + ".." + schema.path("maxItems").asText()
          + " items";
      case "object" -> "must be an object";
      case "string" -> text(schema);
      default -> "is malformed";
    };
  }

  private static String text(JsonNode schema) {
    if (schema.path("format").asText().equals("date-time")) {
      return "must be an RFC 3339 time such as 2026-12-01T10:00:00.000Z";
    }
    if (schema.path("format").asText().equals("byte")) {
      return "must be base64";
    }
    String length = !schema.has("maxLength") ? ""
        : " of " + (schema.has("minLength") ? schema.path("minLength").asText() + ".." : "at most ")
            + schema.path("maxLength").asText() + " characters";
    String pattern = schema.has("pattern") ? " matching " + schema.path("pattern").asText() : "";
    return "must be text" + length + pattern;
  }

  private static String words(JsonNode values) {
    List<String> words = new ArrayList<>();
    values.forEach(value -> words.add(value.asText()));
    return String.join(", ", words);
  }

  private static String got(Object value) {
    if (!(value instanceof Number || value instanceof String || value instanceof Boolean)) {
      return "";
    }
    String text = value.toString();
    // Printable and short, so that an answer or a log line can hold it.
    return text.length() <= ECHOED_CHARS_MAX && text.chars().allMatch(c -> c >= ' ' && c <= '~') ? ", got " + text : "";
  }

  private static String snakeCase(String javaName) {
    return SnakeCaseStrategy.INSTANCE.translate(javaName);
  }
}
