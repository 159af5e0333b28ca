package dev.agwp.spec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** The contract's own rules: what lets old clients outlive additive changes. Each gives the places that break it. */
final class ContractRules {
  private static final Set<String> CONSTRAINTS =
      Set.of("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "enum");
  private static final String JSON = "application/json";
  private static final String PROTOBUF = "application/x-protobuf";

  private final Contract contract;
  private final Set<String> inRequests = new HashSet<>();
  private final Set<String> inResponses = new HashSet<>();

  ContractRules(Contract contract) {
    this.contract = contract;
    for (Contract.Operation operation : contract.operations()) {
      references(operation.node().path("requestBody"), inRequests);
      references(operation.node().path("responses"), inResponses);
    }
  }

  /** JSON first: a generated server answers with the first media type to a client that accepts all of them. */
  List<String> bodiesInBothFormatsJsonFirst() {
    List<String> broken = new ArrayList<>();
    for (Contract.Operation operation : contract.operations()) {
      if (operation.node().has("requestBody")) {
        checkFormats(operation.id() + " request", operation.node().get("requestBody"), broken);
      }
      operation.node().path("responses").properties().forEach(response -> {
        if (!response.getKey().equals("default") && !operation.id().equals("getAttestation")) {
          checkFormats(operation.id() + " " + response.getKey(), resolve(response.getValue()), broken);
        }
      });
    }
    return broken;
  }

  private static void checkFormats(String place, JsonNode body, List<String> broken) {
    List<String> types = new ArrayList<>();
    body.path("content").fieldNames().forEachRemaining(types::add);
    if (!types.equals(List.of(JSON, PROTOBUF))) {
      broken.add(place);
    }
  }

  /** A client must have a type for an error of any status. */
  List<String> everyOperationHasADefaultProblem() {
    return operations((operation, broken) -> {
      if (!resolve(operation.node().path("responses").path("default")).path("content").has("application/problem+json")) {
        broken.add(operation.id());
      }
    });
  }

  /** Without it, clients generated with default options (Go, Java with Gson) fail on the first field a later release adds. */
  List<String> responseSchemasAreOpen() {
    return schemas((name, broken) -> {
      JsonNode schema = contract.schema(name);
      boolean responseOnly = inResponses.contains(name) && !inRequests.contains(name);
      if (responseOnly && schema.has("properties") && !schema.path("additionalProperties").asBoolean()) {
        broken.add(name);
      }
    });
  }

  /** With it, a TypeScript caller's typing mistake in a field's name would compile. */
  List<String> requestSchemasAreClosedInShape() {
    return schemas((name, broken) -> {
      if (inRequests.contains(name) && contract.schema(name).has("additionalProperties")) {
        broken.add(name);
      }
    });
  }

  /** Old Python clients enforce what an old document said of answers, and lose the whole answer. */
  List<String> responsesBearNoConstraints() {
    return properties((name, property, broken) -> {
      boolean responseOnly = inResponses.contains(schemaOf(name)) && !inRequests.contains(schemaOf(name));
      if (responseOnly && (hasAny(property, CONSTRAINTS) || hasAny(property.path("items"), CONSTRAINTS))) {
        broken.add(name);
      }
    });
  }

  /** Half of the generators send the defaults they read, so changing one would reach half of the clients. */
  List<String> nothingHasADefaultKeyword() {
    List<String> broken = new ArrayList<>();
    walk(contract.document().path("components"), "components", (place, node) -> {
      if (node.has("default") && !place.endsWith("/responses")) {
        broken.add(place);
      }
    });
    walk(contract.document().path("paths"), "paths", (place, node) -> {
      if (node.has("default") && !place.endsWith("/responses")) {
        broken.add(place);
      }
    });
    return broken;
  }

  /** uint32 and uint64 become 32 bits signed in most languages. */
  List<String> integersAreSigned() {
    return properties((name, property, broken) -> {
      if (property.path("type").asText().equals("integer") && !Set.of("int32", "int64").contains(property.path("format").asText())) {
        broken.add(name);
      }
    });
  }

  /** Generators name an inline enum by its place, so moving it would rename a type. A growing set is no enum at all. */
  List<String> noEnumIsInline() {
    return properties((name, property, broken) -> {
      if (property.has("enum")) {
        broken.add(name);
      }
    });
  }

  /** A bare $ref drops every word beside it, description and number too. */
  List<String> referencesStandInAllOf() {
    return properties((name, property, broken) -> {
      if (property.has("$ref")) {
        broken.add(name);
      }
    });
  }

  List<String> everythingIsDescribed() {
    List<String> broken = properties((name, property, found) -> {
      if (property.path("description").asText().isBlank()) {
        found.add(name);
      }
    });
    broken.addAll(schemas((name, found) -> {
      if (contract.schema(name).path("description").asText().isBlank()) {
        found.add(name);
      }
    }));
    broken.addAll(operations((operation, found) -> {
      if (operation.node().path("description").asText().isBlank() || operation.node().path("summary").asText().isBlank()) {
        found.add(operation.id());
      }
      operation.node().path("parameters").forEach(parameter -> {
        if (resolve(parameter).path("description").asText().isBlank()) {
          found.add(operation.id() + " " + parameter);
        }
      });
    }));
    return broken;
  }

  /** Every operation says which codes a caller must expect, and every code it says is one of the contract's. */
  List<String> errorCodesAreKnown() {
    Set<String> known = new HashSet<>();
    contract.schema("Problem").at("/properties/code/x-extensible-enum").forEach(code -> known.add(code.asText()));
    return operations((operation, broken) -> {
      JsonNode codes = operation.node().path("x-error-codes");
      if (codes.isEmpty()) {
        broken.add(operation.id());
      }
      codes.fieldNames().forEachRemaining(code -> {
        if (!known.contains(code)) {
          broken.add(operation.id() + " " + code);
        }
      });
    });
  }

  private interface PropertyRule {
    void check(String place, JsonNode property, List<String> broken);
  }

  private List<String> properties(PropertyRule rule) {
    return schemas((name, broken) -> contract.schema(name).path("properties").properties()
        .forEach(property -> rule.check(name + "." + property.getKey(), property.getValue(), broken)));
  }

  private List<String> schemas(BiConsumer<String, List<String>> rule) {
    List<String> broken = new ArrayList<>();
    contract.schemaNames().forEach(name -> rule.accept(name, broken));
    return broken;
  }

  private List<String> operations(BiConsumer<Contract.Operation, List<String>> rule) {
    List<String> broken = new ArrayList<>();
    contract.operations().forEach(operation -> rule.accept(operation, broken));
    return broken;
  }

  private static String schemaOf(String place) {
    return place.substring(0, place.indexOf('.'));
  }

  private static boolean hasAny(JsonNode node, Set<String> keywords) {
    return keywords.stream().anyMatch(node::has);
  }

  private void references(JsonNode node, Set<String> found) {
    if (node.path("$ref").isTextual()) {
      String reference = node.get("$ref").asText();
      String name = reference.substring(reference.lastIndexOf('/') + 1);
      if (!reference.startsWith("#/components/schemas/") || found.add(name)) {
        references(contract.document().at(reference.substring(1)), found);
      }
    }
    node.forEach(child -> references(child, found));
  }

  private JsonNode resolve(JsonNode node) {
    return node.path("$ref").isTextual() ? contract.document().at(node.get("$ref").asText().substring(1)) : node;
  }

  private static void walk(JsonNode node, String place, BiConsumer<String, JsonNode> visit) {
    visit.accept(place, node);
    // An example may hold any word.
    node.properties().stream().filter(member -> !member.getKey().equals("example"))
        .forEach(member -> walk(member.getValue(), place + "/" + member.getKey(), visit));
  }
}
