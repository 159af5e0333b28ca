package dev.agwp.server.http;

import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Where a message can hold lists, and what the contract says of them.
 *
 * @param rule what a list must be, in words; null for what is none
 * @param itemsMax of a list
 * @param items null for what is no list
 * @param properties those that have a rule
 */
record ListRules(String rule, int itemsMax, ListRules items, Map<String, ListRules> properties) {
  private static final ListRules NONE = new ListRules(null, Integer.MAX_VALUE, null, Map.of());

  /** @param resolve gives the schema that a reference stands for */
  static ListRules of(UnaryOperator<JsonNode> resolve, JsonNode schema) {
    if (schema.path("type").asText().equals("array")) {
      return new ListRules(FieldRules.rule(schema), schema.path("maxItems").asInt(Integer.MAX_VALUE),
          of(resolve, resolve.apply(schema.path("items"))), Map.of());
    }
    Map<String, ListRules> properties = new LinkedHashMap<>();
    schema.path("properties").properties().forEach(property -> {
      ListRules rules = of(resolve, resolve.apply(property.getValue()));
      if (rules != NONE) {
        properties.put(property.getKey(), rules);
      }
    });
    return properties.isEmpty() ? NONE : new ListRules(null, Integer.MAX_VALUE, null, properties);
  }

  /** Those of the value that comes at this place, which is in what these rules are of. */
  ListRules of(JsonStreamContext place) {
    if (place.inArray()) {
      return items == null ? NONE : items;
    }
    return properties.getOrDefault(place.getCurrentName(), NONE);
  }
}
