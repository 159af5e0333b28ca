package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.spec.Contract;
import dev.agwp.spec.diff.SchemaDiff.Direction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares the parameters of one operation. Path parameters are known by their place, the others by their name. */
final class ParameterDiff {
  private final Document before;
  private final Document after;
  private final Changes changes;
  private final SchemaDiff schemas;

  ParameterDiff(Document before, Document after, Changes changes, SchemaDiff schemas) {
    this.before = before;
    this.after = after;
    this.changes = changes;
    this.schemas = schemas;
  }

  void compare(String place, Contract.Operation old, Contract.Operation now) {
    Map<String, JsonNode> was = byKey(old.path(), before.parameters(old));
    Map<String, JsonNode> is = byKey(now.path(), after.parameters(now));
    was.forEach((key, parameter) -> {
      if (is.containsKey(key)) {
        kept(place, parameter, is.get(key));
      } else {
        changes.removed(Rule.PARAMETER_REMOVED, place + " " + name(parameter), parameter.path("in").asText());
      }
    });
    boolean oldOnesFollow = false;
    List<String> order = new ArrayList<>(is.keySet());
    for (int i = order.size() - 1; i >= 0; i--) {
      String key = order.get(i);
      if (was.containsKey(key)) {
        oldOnesFollow = true;
      } else {
        added(place, is.get(key), oldOnesFollow);
      }
    }
    List<String> oldOrder = was.keySet().stream().filter(is::containsKey).toList();
    List<String> newOrder = order.stream().filter(was::containsKey).toList();
    if (!oldOrder.equals(newOrder)) {
      changes.add(Rule.PARAMETER_ORDER_CHANGED, place, String.join(", ", oldOrder), String.join(", ", newOrder));
    }
  }

  private void added(String place, JsonNode parameter, boolean beforeOthers) {
    Rule rule = parameter.path("required").asBoolean() ? Rule.PARAMETER_REQUIRED
        : beforeOthers ? Rule.PARAMETER_ADDED_BEFORE_OTHERS : Rule.PARAMETER_ADDED;
    changes.added(rule, place + " " + name(parameter), parameter.path("in").asText());
  }

  private void kept(String place, JsonNode old, JsonNode now) {
    String where = place + " " + name(now);
    if (!name(old).equals(name(now))) {
      changes.add(Rule.PATH_PARAMETER_RENAMED, where, name(old), name(now));
    }
    boolean required = now.path("required").asBoolean();
    if (old.path("required").asBoolean() != required) {
      changes.add(required ? Rule.PARAMETER_REQUIRED : Rule.PARAMETER_OPTIONAL, where, "", required ? "required" : "optional");
    }
    for (String keyword : List.of("style", "explode", "allowReserved")) {
      String was = effective(old, keyword);
      String is = effective(now, keyword);
      if (!was.equals(is)) {
        changes.add(Rule.PARAMETER_STYLE_CHANGED, where, was, is);
      }
    }
    changes.changed(Rule.PARAMETER_STYLE_CHANGED, where + " content", old.path("content"), now.path("content"));
    changes.changed(Rule.DESCRIPTION_CHANGED, where, old.path("description"), now.path("description"));
    String serverDefault = "x-server-default";
    if (old.has(serverDefault) || now.has(serverDefault)) {
      changes.changed(!old.has(serverDefault) ? Rule.DEFAULT_ADDED : now.has(serverDefault) ? Rule.DEFAULT_CHANGED : Rule.DEFAULT_REMOVED,
          where, old.path(serverDefault), now.path(serverDefault));
    }
    schemas.compare(where, old.path("schema"), now.path("schema"), Direction.REQUEST);
  }

  private static Map<String, JsonNode> byKey(String path, List<JsonNode> parameters) {
    Map<String, JsonNode> byKey = new LinkedHashMap<>();
    for (JsonNode parameter : parameters) {
      String in = parameter.path("in").asText();
      String which = in.equals("path") ? ordinal(path, name(parameter)) : name(parameter);
      byKey.put(in + " " + (in.equals("header") ? which.toLowerCase(java.util.Locale.ROOT) : which), parameter);
    }
    return byKey;
  }

  /** With the default that OpenAPI gives to what is not said. */
  private static String effective(JsonNode parameter, String keyword) {
    boolean inForm = List.of("query", "cookie").contains(parameter.path("in").asText());
    String style = parameter.path("style").asText(inForm ? "form" : "simple");
    return switch (keyword) {
      case "style" -> style;
      case "explode" -> parameter.path(keyword).asText(String.valueOf(style.equals("form")));
      default -> parameter.path(keyword).asText("false");
    };
  }

  /** Which of the path's parameters it is, counted from 0. */
  private static String ordinal(String path, String name) {
    return String.valueOf(path.substring(0, Math.max(0, path.indexOf("{" + name + "}"))).chars().filter(c -> c == '{').count());
  }

  private static String name(JsonNode parameter) {
    return parameter.path("name").asText();
  }
}
