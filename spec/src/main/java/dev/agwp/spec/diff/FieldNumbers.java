package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Set;

/** Compares what the document pins for Protobuf: numbers and types of fields, numbers of enum values, names. */
final class FieldNumbers {
  private static final String INDEX = "x-protobuf-index";
  private static final String ENUM = "x-protobuf-enum";
  private static final String RESERVED = "x-protobuf-reserved";

  private final Document before;
  private final Document after;
  private final Changes changes;

  FieldNumbers(Document before, Document after, Changes changes) {
    this.before = before;
    this.after = after;
    this.changes = changes;
  }

  void compare() {
    for (String name : new String[] {"x-protobuf-package", "x-protobuf-options"}) {
      changes.changed(Rule.PROTOBUF_NAME_CHANGED, name, before.root().path(name), after.root().path(name));
    }
    before.schemas().forEach((name, old) -> {
      JsonNode now = after.schemas().get(name);
      if (now != null) {
        message(name, old, now);
        enumeration(name, old, now);
      }
    });
  }

  private void message(String name, JsonNode old, JsonNode now) {
    Set<Integer> taken = new HashSet<>();
    old.path("properties").properties().forEach(property -> {
      String where = name + "." + property.getKey();
      JsonNode was = property.getValue();
      JsonNode is = now.path("properties").path(property.getKey());
      if (is.isMissingNode()) {
        taken.add(was.path(INDEX).asInt());
        return;
      }
      if (was.has(INDEX) && !is.has(INDEX)) {
        changes.removed(Rule.FIELD_NUMBER_MISSING, where, Changes.text(was.get(INDEX)));
      } else if (was.has(INDEX)) {
        changes.changed(Rule.FIELD_NUMBER_MOVED, where, was.get(INDEX), is.get(INDEX));
      }
      changes.changed(Rule.FIELD_TYPE_CHANGED, where, type(was), type(is));
      enumeration(where, was, is);
    });
    old.path(RESERVED).forEach(number -> {
      taken.add(number.asInt());
      if (!contains(now.path(RESERVED), number)) {
        changes.removed(Rule.RESERVED_NUMBER_FREED, name, Changes.text(number));
      }
    });
    boolean pinned = old.toString().contains("\"" + INDEX + "\"");
    now.path("properties").properties().forEach(property -> {
      if (old.path("properties").has(property.getKey())) {
        return;
      }
      JsonNode index = property.getValue().path(INDEX);
      if (pinned && index.isMissingNode()) {
        changes.added(Rule.FIELD_NUMBER_MISSING, name + "." + property.getKey(), property.getKey());
      } else if (taken.contains(index.asInt()) && !index.isMissingNode()) {
        changes.added(Rule.FIELD_NUMBER_REUSED, name + "." + property.getKey(), Changes.text(index));
      }
    });
  }

  private void enumeration(String place, JsonNode old, JsonNode now) {
    changes.changed(Rule.PROTOBUF_NAME_CHANGED, place, old.path("x-protobuf-enum-name"), now.path("x-protobuf-enum-name"));
    old.path(ENUM).properties().forEach(value ->
        changes.changed(Rule.ENUM_NUMBER_MOVED, place + " " + value.getKey(), value.getValue(), now.path(ENUM).path(value.getKey())));
    Set<JsonNode> taken = new HashSet<>();
    old.path(ENUM).forEach(taken::add);
    now.path(ENUM).properties().forEach(value -> {
      if (!old.path(ENUM).has(value.getKey()) && taken.contains(value.getValue())) {
        changes.added(Rule.ENUM_NUMBER_MOVED, place + " " + value.getKey(), Changes.text(value.getValue()));
      }
    });
  }

  private static JsonNode type(JsonNode property) {
    return property.path("x-protobuf-data-type");
  }

  private static boolean contains(JsonNode list, JsonNode wanted) {
    for (JsonNode each : list) {
      if (each.equals(wanted)) {
        return true;
      }
    }
    return false;
  }
}
