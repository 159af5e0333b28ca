package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.agwp.spec.Contract;
import dev.agwp.spec.diff.SchemaDiff.Direction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What changed from one contract to another, each change with the rule that judges it. Knows OpenAPI 3.0 and 3.1 documents whose
 * references stay within the document, and the Protobuf extensions of this project where a document has them.
 */
public final class ContractDiff {
  /** The way of those that send nothing. A document that asks for nothing says it by not saying anything. */
  private static final JsonNode NO_CREDENTIALS = JsonNodeFactory.instance.objectNode();

  private final Document before;
  private final Document after;
  private final Changes changes = new Changes();
  private final SchemaDiff schemas;

  private ContractDiff(Contract before, Contract after) {
    this.before = new Document(before);
    this.after = new Document(after);
    schemas = new SchemaDiff(this.before, this.after, changes);
  }

  /**
   * Breaking changes come first.
   *
   * @throws IllegalArgumentException when a reference cannot be followed
   */
  public static List<Change> between(Contract before, Contract after) {
    ContractDiff diff = new ContractDiff(before, after);
    diff.servers();
    diff.securitySchemes();
    diff.operations();
    diff.components();
    new FieldNumbers(diff.before, diff.after, diff.changes).compare();
    return diff.changes.list();
  }

  private void servers() {
    Set<String> was = texts(before.root().path("servers"), "url");
    Set<String> is = texts(after.root().path("servers"), "url");
    was.stream().filter(url -> !is.contains(url)).forEach(url -> changes.removed(Rule.SERVER_URL_REMOVED, "servers", url));
    is.stream().filter(url -> !was.contains(url)).forEach(url -> changes.added(Rule.SERVER_URL_ADDED, "servers", url));
  }

  private void securitySchemes() {
    before.root().at("/components/securitySchemes").properties().forEach(scheme -> {
      JsonNode now = after.root().at("/components/securitySchemes").path(scheme.getKey());
      for (String keyword : List.of("type", "scheme", "in", "name", "flows", "openIdConnectUrl")) {
        if (!now.isMissingNode()) {
          changes.changed(Rule.SECURITY_TIGHTENED, "securitySchemes." + scheme.getKey() + " " + keyword, scheme.getValue().path(keyword),
              now.path(keyword));
        }
      }
    });
  }

  private void operations() {
    Map<String, Contract.Operation> was = before.operations();
    Map<String, Contract.Operation> is = after.operations();
    was.forEach((key, old) -> {
      Contract.Operation now = is.get(key);
      if (now == null) {
        changes.removed(Rule.OPERATION_REMOVED, name(old), old.method() + " " + old.path());
      } else {
        operation(old, now);
      }
    });
    is.forEach((key, now) -> {
      if (!was.containsKey(key)) {
        changes.added(Rule.OPERATION_ADDED, name(now), now.method() + " " + now.path());
      }
    });
  }

  private void operation(Contract.Operation old, Contract.Operation now) {
    String place = name(now);
    changes.changed(Rule.OPERATION_ID_CHANGED, place, old.node().path("operationId"), now.node().path("operationId"));
    changes.changed(Rule.OPERATION_TAG_CHANGED, place, old.node().path("tags"), now.node().path("tags"));
    changes.changed(Rule.DESCRIPTION_CHANGED, place, old.node().path("description"), now.node().path("description"));
    changes.changed(Rule.SERVER_URL_REMOVED, place + " servers", old.node().path("servers"), now.node().path("servers"));
    if (now.node().path("deprecated").asBoolean() && !old.node().path("deprecated").asBoolean()) {
      changes.added(Rule.OPERATION_DEPRECATED, place, "deprecated");
    }
    security(place, old, now);
    errorCodes(place, old.node().path("x-error-codes"), now.node().path("x-error-codes"));
    new ParameterDiff(before, after, changes, schemas).compare(place, old, now);
    requestBody(place, before.follow(old.node().path("requestBody")), after.follow(now.node().path("requestBody")));
    responses(place, old.node().path("responses"), now.node().path("responses"));
  }

  /** Each entry is one way to be let in; whoever needs none is let in by any, so that only one that is taken away is tighter. */
  private void security(String place, Contract.Operation old, Contract.Operation now) {
    Set<JsonNode> was = ways(old.node().path("security"), before.root().path("security"));
    Set<JsonNode> is = ways(now.node().path("security"), after.root().path("security"));
    if (was.equals(is)) {
      return;
    }
    boolean tighter = !is.contains(NO_CREDENTIALS) && !is.containsAll(was);
    changes.add(tighter ? Rule.SECURITY_TIGHTENED : Rule.SECURITY_LOOSENED, place, was.toString(), is.toString());
  }

  private static Set<JsonNode> ways(JsonNode own, JsonNode general) {
    Set<JsonNode> ways = new LinkedHashSet<>();
    (own.isMissingNode() ? general : own).forEach(ways::add);
    return ways.isEmpty() ? Set.of(NO_CREDENTIALS) : ways;
  }

  private void errorCodes(String place, JsonNode old, JsonNode now) {
    old.fieldNames().forEachRemaining(code -> {
      if (!now.has(code)) {
        changes.removed(Rule.ERROR_CODE_REMOVED, place, code);
      }
    });
    now.fieldNames().forEachRemaining(code -> {
      if (!old.has(code)) {
        changes.added(Rule.ERROR_CODE_ADDED, place, code);
      }
    });
  }

  private void requestBody(String place, JsonNode old, JsonNode now) {
    String where = place + " request";
    boolean required = now.path("required").asBoolean();
    if (old.isMissingNode() && now.isMissingNode()) {
      return;
    }
    if (now.isMissingNode()) {
      changes.removed(Rule.REQUEST_BODY_REMOVED, where, "body");
      return;
    }
    if (old.isMissingNode()) {
      changes.added(required ? Rule.REQUEST_BODY_REQUIRED : Rule.REQUEST_BODY_ADDED, where, "body");
      return;
    }
    if (old.path("required").asBoolean() != required) {
      changes.added(required ? Rule.REQUEST_BODY_REQUIRED : Rule.REQUEST_BODY_OPTIONAL, where, required ? "required" : "optional");
    }
    mediaTypes(where, old.path("content"), now.path("content"), Direction.REQUEST);
  }

  private void mediaTypes(String place, JsonNode old, JsonNode now, Direction direction) {
    boolean request = direction == Direction.REQUEST;
    List<String> was = names(old);
    List<String> is = names(now);
    for (String type : was) {
      if (!is.contains(type)) {
        changes.removed(request ? Rule.REQUEST_MEDIA_TYPE_REMOVED : Rule.RESPONSE_MEDIA_TYPE_REMOVED, place, type);
      } else {
        schemas.compare(place + " " + type, old.get(type).path("schema"), now.get(type).path("schema"), direction);
      }
    }
    is.stream().filter(type -> !was.contains(type)).forEach(type ->
        changes.added(request ? Rule.REQUEST_MEDIA_TYPE_ADDED : Rule.RESPONSE_MEDIA_TYPE_ADDED, place, type));
    if (!was.isEmpty() && is.contains(was.get(0)) && !is.get(0).equals(was.get(0))) {
      changes.add(request ? Rule.REQUEST_MEDIA_TYPE_ORDER_CHANGED : Rule.RESPONSE_MEDIA_TYPE_ORDER_CHANGED, place, was.get(0), is.get(0));
    }
  }

  private void responses(String place, JsonNode old, JsonNode now) {
    old.properties().stream().filter(response -> !response.getKey().startsWith("x-")).forEach(response -> {
      String where = place + " " + response.getKey();
      if (!now.has(response.getKey())) {
        changes.removed(Rule.RESPONSE_STATUS_REMOVED, where, response.getKey());
        return;
      }
      JsonNode was = before.follow(response.getValue());
      JsonNode is = after.follow(now.get(response.getKey()));
      mediaTypes(where, was.path("content"), is.path("content"), Direction.RESPONSE);
      headers(where, was.path("headers"), is.path("headers"));
    });
    now.fieldNames().forEachRemaining(status -> {
      if (!old.has(status) && !status.startsWith("x-")) {
        changes.added(status.startsWith("2") ? Rule.RESPONSE_SUCCESS_STATUS_ADDED : Rule.RESPONSE_STATUS_ADDED, place + " " + status, status);
      }
    });
  }

  private void headers(String place, JsonNode old, JsonNode now) {
    old.properties().forEach(header -> {
      if (!now.has(header.getKey())) {
        changes.removed(Rule.RESPONSE_HEADER_REMOVED, place, header.getKey());
      } else {
        schemas.compare(place + " header " + header.getKey(), before.follow(header.getValue()).path("schema"),
            after.follow(now.get(header.getKey())).path("schema"), Direction.RESPONSE);
      }
    });
    now.fieldNames().forEachRemaining(header -> {
      if (!old.has(header)) {
        changes.added(Rule.RESPONSE_HEADER_ADDED, place, header);
      }
    });
  }

  /** A schema that is gone while one like it has come was renamed: same bytes, another generated type. */
  private void components() {
    Map<String, JsonNode> came = new LinkedHashMap<>(after.schemas());
    came.keySet().removeAll(before.schemas().keySet());
    before.schemas().forEach((name, schema) -> {
      if (after.schemas().containsKey(name)) {
        return;
      }
      String renamed = came.entrySet().stream().filter(entry -> entry.getValue().equals(schema)).map(Map.Entry::getKey).findFirst().orElse(null);
      came.remove(renamed);
      changes.add(renamed == null ? Rule.SCHEMA_REMOVED : Rule.SCHEMA_RENAMED, name, name, renamed == null ? "" : renamed);
    });
    came.keySet().forEach(name -> changes.added(Rule.SCHEMA_ADDED, name, name));
  }

  private static String name(Contract.Operation operation) {
    return operation.id().isEmpty() ? operation.method() + " " + operation.path() : operation.id();
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static Set<String> texts(JsonNode list, String name) {
    Set<String> texts = new TreeSet<>();
    list.forEach(each -> texts.add(each.path(name).asText()));
    return texts;
  }
}
