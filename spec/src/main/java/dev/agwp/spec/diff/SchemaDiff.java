package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares schemas. What is sent may be loosened, what is answered may not, so each is compared in the direction it is used in. */
final class SchemaDiff {
  enum Direction { REQUEST, RESPONSE }

  /** Where a larger number allows more. */
  private static final List<String> UPPER = List.of("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties");
  private static final List<String> LOWER = List.of("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties");
  private static final List<String> OTHER_LIMITS = List.of("pattern", "multipleOf", "uniqueItems");
  private static final List<String> DEFAULTS = List.of("default", "x-server-default");
  private static final List<String> VARIANTS = List.of("oneOf", "anyOf");
  /** Compared as a whole. */
  private static final List<String> OTHERS = List.of("not", "discriminator", "prefixItems", "patternProperties", "propertyNames",
      "dependentRequired", "dependentSchemas", "if", "then", "else", "contains", "unevaluatedProperties", "contentEncoding",
      "contentMediaType");
  private static final Map<String, String> WIDER = Map.of("int32", "int64", "float", "double");

  private static final JsonNode FALSE = BooleanNode.FALSE;

  private final Document before;
  private final Document after;
  private final Changes changes;
  private final Set<String> compared = new HashSet<>();

  SchemaDiff(Document before, Document after, Changes changes) {
    this.before = before;
    this.after = after;
    this.changes = changes;
  }

  /** @param place the place of an inline schema; a named one is reported under its name */
  void compare(String place, JsonNode old, JsonNode now, Direction direction) {
    String oldName = before.referred(old);
    String newName = after.referred(now);
    if (oldName != null && newName == null) {
      changes.add(Rule.SCHEMA_INLINED, place, oldName, "");
    }
    // Whatever refers is compared once, with all that stands beside the reference: schemas may contain themselves.
    boolean refers = old.toString().contains("\"$ref\"") || now.toString().contains("\"$ref\"");
    if (refers && !compared.add(direction + " " + old + " " + now)) {
      return;
    }
    String where = newName != null && oldName != null ? newName : place;
    inside(where, before.schema(old), after.schema(now), direction);
  }

  private void inside(String place, ObjectNode old, ObjectNode now, Direction direction) {
    boolean request = direction == Direction.REQUEST;
    if (!old.path("type").equals(now.path("type")) && !types(place, old.path("type"), now.path("type"), request)) {
      return;
    }
    format(place, old.path("format"), now.path("format"), request);
    nulls(place, old, now, request);
    values(place, old, now, request);
    limits(place, old, now, request);
    openness(place, old, now, request);
    if (request) {
      DEFAULTS.forEach(keyword -> defaults(place, old.path(keyword), now.path(keyword)));
    }
    VARIANTS.forEach(keyword -> variants(place + " " + keyword, old.path(keyword), now.path(keyword), direction));
    OTHERS.forEach(keyword -> changes.changed(Rule.VARIANTS_CHANGED, place + " " + keyword, old.path(keyword), now.path(keyword)));
    changes.changed(Rule.DESCRIPTION_CHANGED, place, old.path("description"), now.path("description"));
    elements(place + "[]", old.path("items"), now.path("items"), direction);
    elements(place + ".*", old.path("additionalProperties"), now.path("additionalProperties"), direction);
    properties(place, old, now, direction);
  }

  /** Whether what is below is worth comparing: one set of types holds the other. */
  private boolean types(String place, JsonNode old, JsonNode now, boolean request) {
    List<String> was = List.of(old.asText().split("\\|"));
    List<String> is = List.of(now.asText().split("\\|"));
    boolean wider = !old.isMissingNode() && (now.isMissingNode() || is.containsAll(was) || was.equals(List.of("integer")) && is.contains("number"));
    boolean narrower = !now.isMissingNode() && (old.isMissingNode() || was.containsAll(is) || is.equals(List.of("integer")) && was.contains("number"));
    if (request ? wider : narrower) {
      changes.changed(request ? Rule.REQUEST_TYPE_WIDENED : Rule.RESPONSE_TYPE_NARROWED, place, old, now);
      return true;
    }
    changes.changed(request ? Rule.REQUEST_TYPE_CHANGED : Rule.RESPONSE_TYPE_CHANGED, place, old, now);
    return false;
  }

  /** The values of a list or a map. Where only one side says what they are, the other lets them be anything. */
  private void elements(String place, JsonNode old, JsonNode now, Direction direction) {
    if (old.isObject() && now.isObject()) {
      compare(place, old, now, direction);
    } else if (now.isObject() && !now.isEmpty() && !old.equals(FALSE)) {
      tell(place, "values", old, now, direction == Direction.REQUEST, false);
    } else if (old.isObject() && !old.isEmpty() && !now.equals(FALSE)) {
      tell(place, "values", old, now, direction == Direction.REQUEST, true);
    }
  }

  /** Variants are paired by what they refer to, or are; what is left over was removed or added. */
  private void variants(String place, JsonNode old, JsonNode now, Direction direction) {
    List<JsonNode> gone = new ArrayList<>();
    List<JsonNode> come = new ArrayList<>();
    now.forEach(come::add);
    old.forEach(variant -> {
      JsonNode same = come.stream().filter(each -> key(each).equals(key(variant))).findFirst().orElse(null);
      if (same == null) {
        gone.add(variant);
      } else {
        come.remove(same);
        compare(place, variant, same, direction);
      }
    });
    boolean request = direction == Direction.REQUEST;
    boolean harmless = old.isArray() && now.isArray() && (request ? gone.isEmpty() : come.isEmpty());
    if (!gone.isEmpty() || !come.isEmpty()) {
      changes.add(harmless ? Rule.VARIANTS_HARMLESS : Rule.VARIANTS_CHANGED, place, gone.toString(), come.toString());
    }
  }

  private static JsonNode key(JsonNode variant) {
    return variant.has("$ref") ? variant.get("$ref") : variant;
  }

  private void format(String place, JsonNode old, JsonNode now, boolean request) {
    boolean widened = request && !old.isMissingNode() && now.asText().equals(WIDER.get(old.asText()));
    changes.changed(widened ? Rule.REQUEST_FORMAT_WIDENED : request ? Rule.REQUEST_FORMAT_CHANGED : Rule.RESPONSE_FORMAT_CHANGED,
        place, old, now);
  }

  private void nulls(String place, ObjectNode old, ObjectNode now, boolean request) {
    boolean was = old.path("nullable").asBoolean();
    boolean is = now.path("nullable").asBoolean();
    if (was && !is) {
      changes.removed(request ? Rule.REQUEST_NULL_REFUSED : Rule.RESPONSE_NULL_REFUSED, place, "nullable");
    } else if (is && !was) {
      changes.added(request ? Rule.REQUEST_NULL_ALLOWED : Rule.RESPONSE_NULL_ALLOWED, place, "nullable");
    }
  }

  private void values(String place, ObjectNode old, ObjectNode now, boolean request) {
    if (old.has("enum") && !now.has("enum")) {
      changes.removed(request ? Rule.REQUEST_ENUM_OPENED : Rule.RESPONSE_ENUM_OPENED, place, Changes.text(old.get("enum")));
    } else if (!old.has("enum") && now.has("enum")) {
      changes.added(request ? Rule.REQUEST_ENUM_CLOSED : Rule.RESPONSE_ENUM_CLOSED, place, Changes.text(now.get("enum")));
    } else {
      sets(place, old.path("enum"), now.path("enum"),
          request ? Rule.REQUEST_ENUM_VALUE_ADDED : Rule.RESPONSE_ENUM_VALUE_ADDED,
          request ? Rule.REQUEST_ENUM_VALUE_REMOVED : Rule.RESPONSE_ENUM_VALUE_REMOVED);
    }
    sets(place, old.path("x-extensible-enum"), now.path("x-extensible-enum"),
        request ? Rule.REQUEST_ENUM_VALUE_ADDED : Rule.RESPONSE_KNOWN_VALUE_ADDED,
        request ? Rule.REQUEST_ENUM_VALUE_REMOVED : Rule.RESPONSE_KNOWN_VALUE_REMOVED);
  }

  private void sets(String place, JsonNode old, JsonNode now, Rule added, Rule removed) {
    Set<JsonNode> was = new LinkedHashSet<>();
    old.forEach(was::add);
    Set<JsonNode> is = new LinkedHashSet<>();
    now.forEach(is::add);
    was.stream().filter(value -> !is.contains(value)).forEach(value -> changes.removed(removed, place, Changes.text(value)));
    is.stream().filter(value -> !was.contains(value)).forEach(value -> changes.added(added, place, Changes.text(value)));
  }

  private void limits(String place, ObjectNode old, ObjectNode now, boolean request) {
    UPPER.forEach(keyword -> limit(place, keyword, old, now, request, 1));
    LOWER.forEach(keyword -> limit(place, keyword, old, now, request, -1));
    for (String keyword : OTHER_LIMITS) {
      JsonNode was = limitOrNone(old.path(keyword));
      JsonNode is = limitOrNone(now.path(keyword));
      if (!was.equals(is)) {
        // Whether another pattern allows more or less nobody can tell.
        tell(place, keyword, was, is, request, is.isMissingNode());
      }
    }
  }

  private void limit(String place, String keyword, ObjectNode old, ObjectNode now, boolean request, int larger) {
    JsonNode was = old.path(keyword);
    JsonNode is = now.path(keyword);
    if (was.isMissingNode() && is.isMissingNode()) {
      return;
    }
    int sign = was.isMissingNode() ? -1 : is.isMissingNode() ? 1 : number(is).compareTo(number(was)) * larger;
    if (sign != 0) {
      tell(place, keyword, was, is, request, sign > 0);
    }
  }

  private void tell(String place, String keyword, JsonNode was, JsonNode is, boolean request, boolean loosened) {
    Rule rule = request ? loosened ? Rule.REQUEST_LIMIT_LOOSENED : Rule.REQUEST_LIMIT_TIGHTENED
        : loosened ? Rule.RESPONSE_LIMIT_LOOSENED : Rule.RESPONSE_LIMIT_TIGHTENED;
    changes.add(rule, place, was.isMissingNode() ? "" : keyword + " " + Changes.text(was), is.isMissingNode() ? "" : keyword + " " + Changes.text(is));
  }

  private static BigDecimal number(JsonNode limit) {
    if (!limit.isNumber() && !limit.isBoolean()) {
      throw new IllegalArgumentException("a limit must be a number, got " + limit);
    }
    return limit.isNumber() ? limit.decimalValue() : BigDecimal.ZERO;
  }

  private static JsonNode limitOrNone(JsonNode limit) {
    return limit.isBoolean() && !limit.asBoolean() ? MissingNode.getInstance() : limit;
  }

  private void openness(String place, ObjectNode old, ObjectNode now, boolean request) {
    JsonNode was = old.path("additionalProperties");
    JsonNode is = now.path("additionalProperties");
    boolean wasClosed = was.isBoolean() && !was.asBoolean();
    boolean isClosed = is.isBoolean() && !is.asBoolean();
    boolean wasOpen = was.isObject() || was.asBoolean();
    boolean isOpen = is.isObject() || is.asBoolean();
    if (was.isObject() != is.isObject() && !wasClosed && !isClosed) {
      return;
    }
    if (request && isClosed && !wasClosed) {
      changes.added(Rule.REQUEST_CLOSED, place, "additionalProperties: false");
    } else if (request && isOpen && !wasOpen) {
      changes.added(Rule.REQUEST_OPENED, place, "additionalProperties: true");
    } else if (!request && wasOpen && !isOpen) {
      changes.removed(Rule.RESPONSE_CLOSED, place, "additionalProperties: true");
    } else if (!request && (isOpen && !wasOpen || wasClosed && !isClosed)) {
      changes.added(Rule.RESPONSE_OPENED, place, "additionalProperties");
    }
    if (request && now.path("readOnly").asBoolean() && !old.path("readOnly").asBoolean()) {
      changes.added(Rule.REQUEST_READ_ONLY, place, "readOnly");
    }
    if (!request && now.path("writeOnly").asBoolean() && !old.path("writeOnly").asBoolean()) {
      changes.added(Rule.RESPONSE_WRITE_ONLY, place, "writeOnly");
    }
  }

  private void defaults(String place, JsonNode old, JsonNode now) {
    if (old.equals(now)) {
      return;
    }
    Rule rule = old.isMissingNode() ? Rule.DEFAULT_ADDED : now.isMissingNode() ? Rule.DEFAULT_REMOVED : Rule.DEFAULT_CHANGED;
    changes.add(rule, place, Changes.text(old), Changes.text(now));
  }

  private void properties(String place, ObjectNode old, ObjectNode now, Direction direction) {
    boolean request = direction == Direction.REQUEST;
    Set<String> wasRequired = names(old.path("required"));
    Set<String> isRequired = names(now.path("required"));
    Set<String> undeclared = new HashSet<>(request ? isRequired : wasRequired);
    undeclared.removeAll(request ? wasRequired : isRequired);
    undeclared.removeIf(name -> old.path("properties").has(name) || now.path("properties").has(name));
    undeclared.forEach(name -> changes.add(request ? Rule.REQUEST_PROPERTY_REQUIRED : Rule.RESPONSE_PROPERTY_OPTIONAL, place + "." + name,
        word(!request), word(request)));
    // What is never sent this way cannot break who sends or reads it.
    String other = request ? "readOnly" : "writeOnly";
    old.path("properties").properties().forEach(property -> {
      String name = property.getKey();
      String where = place + "." + name;
      JsonNode same = now.path("properties").path(name);
      if (property.getValue().path(other).asBoolean() && (same.isMissingNode() || same.path(other).asBoolean())) {
        return;
      }
      if (!now.path("properties").has(name)) {
        changes.removed(request ? Rule.REQUEST_PROPERTY_REMOVED : Rule.RESPONSE_PROPERTY_REMOVED, where, kind(property.getValue()));
        return;
      }
      if (wasRequired.contains(name) != isRequired.contains(name)) {
        boolean required = isRequired.contains(name);
        changes.add(request ? required ? Rule.REQUEST_PROPERTY_REQUIRED : Rule.REQUEST_PROPERTY_OPTIONAL
            : required ? Rule.RESPONSE_PROPERTY_REQUIRED : Rule.RESPONSE_PROPERTY_OPTIONAL, where, word(!required), word(required));
      }
      compare(where, property.getValue(), now.path("properties").get(name), direction);
      if (before.referred(property.getValue()) != null && after.referred(now.path("properties").get(name)) != null) {
        changes.changed(Rule.DESCRIPTION_CHANGED, where, property.getValue().path("description"),
            now.path("properties").get(name).path("description"));
      }
    });
    now.path("properties").properties().forEach(property -> {
      if (!old.path("properties").has(property.getKey())) {
        boolean required = isRequired.contains(property.getKey()) && !property.getValue().path(other).asBoolean();
        changes.added(!request ? Rule.RESPONSE_PROPERTY_ADDED : required ? Rule.REQUEST_REQUIRED_PROPERTY_ADDED : Rule.REQUEST_PROPERTY_ADDED,
            place + "." + property.getKey(), kind(property.getValue()));
      }
    });
  }

  private static Set<String> names(JsonNode list) {
    Set<String> names = new HashSet<>();
    list.forEach(name -> names.add(name.asText()));
    return names;
  }

  private static String word(boolean required) {
    return required ? "required" : "optional";
  }

  private static String kind(JsonNode property) {
    return property.path("type").asText(property.has("$ref") || property.has("allOf") ? "object" : "")
        + (property.has("format") ? " " + property.get("format").asText() : "");
  }
}
