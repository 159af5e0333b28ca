package dev.agwp.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A fault for every rule of {@code lint/.spectral.yaml}, each at a place of its own, so that one contract can have them all. */
final class LintFaults {
  private static final String SCHEMAS = "/components/schemas/";

  private final List<Fault> all = new ArrayList<>();

  private LintFaults() {}

  /**
   * A fault of the contract.
   *
   * @param rule the one rule that must find it
   * @param place a JSON pointer; whatever is found because of the fault is found there or below
   * @param make makes the fault in a contract
   */
  record Fault(String rule, String place, Consumer<ObjectNode> make) {
    boolean isAt(String found) {
      return found.equals(place) || found.startsWith(place + "/");
    }
  }

  static List<Fault> all() {
    LintFaults faults = new LintFaults();
    faults.ofEveryDocument();
    faults.ofDescriptions();
    faults.ofUnitsAndRanges();
    faults.ofNames();
    faults.ofFormatsAndAnswers();
    faults.ofCompatibility();
    faults.ofProtobuf();
    return faults.all;
  }

  private void at(String rule, String place, Consumer<ObjectNode> change) {
    all.add(new Fault(rule, place, document -> change.accept((ObjectNode) document.at(place))));
  }

  private void atSchema(String rule, String name, Consumer<ObjectNode> change) {
    at(rule, SCHEMAS + name, change);
  }

  private void atProperty(String rule, String schema, String name, Consumer<ObjectNode> change) {
    at(rule, SCHEMAS + schema + "/properties/" + name, change);
  }

  private void ofEveryDocument() {
    all.add(new Fault("openapi-is-3-0-3", "/openapi", d -> d.put("openapi", "3.0.2")));
    atSchema("oas3-valid-schema-example", "EnqueueJobsRequest", schema -> schema.putObject("example").putArray("jobs"));
    at("oas3-valid-media-example", "/components/parameters/QueueName", parameter -> parameter.put("example", "a queue"));
    all.add(new Fault("oas3-unused-component", "/components/headers/X-Unused",
        d -> ((ObjectNode) d.at("/components/headers")).set("X-Unused", d.at("/components/headers/X-Request-Id").deepCopy())));
    at("operation-operationId-unique", "/paths/~1v1~1jobs~1batch/post", operation -> operation.put("operationId", "enqueueJob"));
    all.add(new Fault("tags-are-used", "/tags/" + Contract.load().document().path("tags").size(),
        d -> d.withArray("tags").addObject().put("name", "Nothing").put("description", "What nobody does.")));
  }

  private void ofDescriptions() {
    String rule = "everything-is-described";
    at(rule, "/info", info -> info.put("description", "AGWP."));
    at(rule, "/servers/0", server -> server.put("description", "Ours."));
    at(rule, "/tags/0", tag -> tag.put("description", "About jobs."));
    at(rule, "/paths/~1v1~1jobs~1{job_id}/get", operation -> operation.remove("description"));
    at(rule, "/paths/~1v1~1jobs~1{job_id}~1cancel/post/x-error-codes", codes -> codes.put("not_found", "Not found."));
    at(rule, "/paths/~1v1~1jobs/get/parameters/1", parameter -> parameter.put("description", "A state of jobs"));
    at(rule, "/paths/~1v1~1jobs~1claim/post/responses/200", response -> response.put("description", "The jobs."));
    at(rule, "/components/headers/X-Request-Id", header -> header.remove("description"));
    atSchema(rule, "ListQueuesResponse", schema -> schema.remove("description"));
    atProperty(rule, "Job", "queue", property -> property.put("description", "The queue."));
    at("operations-have-a-summary", "/paths/~1v1~1jobs~1{job_id}~1release/post", operation -> operation.remove("summary"));
    atSchema("everything-has-an-example", "QueueDepth", schema -> schema.remove("example"));
    at("everything-has-an-example", "/paths/~1v1~1queues/get/parameters/1", parameter -> parameter.remove("example"));
  }

  private void ofUnitsAndRanges() {
    atProperty("integers-say-what-they-count", "UnfencedCalls", "calls", property -> property.put("description", "Those that were applied."));
    at("integers-say-what-they-count", "/paths/~1v1~1jobs/get/parameters/2",
        parameter -> parameter.put("description", "Of a page: 1 or more, 1000 at most. Defaults to 100."));
    at("integers-say-what-they-count", "/components/headers/Retry-After", header -> header.put("description", "When to call again."));
    atProperty("seconds-say-seconds", "ClaimJobRequest", "wait_seconds",
        property -> property.put("description", "How long to wait for a job, 0 to 60. Defaults to 0."));
    atProperty("sizes-say-their-unit", "Attestation", "body", property -> property.put("description", "The bytes; base64 in JSON."));
    atProperty("sizes-say-their-unit", "EnqueueJobRequest", "payload", property -> property.put("description", "What the worker is to do."));
    atProperty("limits-are-described", "EnqueueJobRequest", "unique_key",
        property -> property.put("description", "Makes the call safe to repeat, 1 to 256 of them."));
    at("limits-are-described", "/components/parameters/JobId", parameter -> parameter.put("description", "Up to 99 characters, at least 1."));
    atProperty("server-defaults-fit", "FailJobRequest", "terminal", property -> property.put("x-server-default", "false"));
    atProperty("server-defaults-fit", "FailJobRequest", "reason", property -> property.put("x-server-default", "crashed"));
    at("server-defaults-fit", "/paths/~1v1~1queues/get/parameters/0", parameter -> parameter.put("x-server-default", 5000));
    atProperty("server-defaults-fit", "HeartbeatJobRequest", "lease_seconds", property -> property.put("x-server-default", 6));
    atProperty("server-defaults-fit", "ClaimJobRequest", "max_jobs",
        property -> property.put("x-server-default", 0).put("description", "How many jobs, 1 to 100. Defaults to 0."));
    atProperty("what-is-sent-has-limits", "HeartbeatJobRequest", "status_message", property -> property.remove("maxLength"));
    atProperty("what-is-sent-has-limits", "HeartbeatJobRequest", "progress", property -> property.remove("maximum"));
    atProperty("what-is-sent-has-limits", "ClaimJobRequest", "queues", property -> property.remove("maxItems"));
    at("parameters-have-limits", "/paths/~1v1~1jobs/get/parameters/3", parameter -> ((ObjectNode) parameter.get("schema")).remove("maxLength"));
  }

  private void ofNames() {
    at("names-are-snake-case", SCHEMAS + "JobError/properties", properties -> aProperty(properties, "causedBy", 4));
    at("durations-are-in-seconds", SCHEMAS + "Error/properties", properties -> aProperty(properties, "retry_delay", 5));
    at("parameter-names-are-snake-case", "/paths/~1v1~1jobs/get/parameters/0", parameter -> parameter.put("name", "queueName"));
    at("operation-ids-are-camel-case", "/paths/~1v1~1jobs~1{job_id}~1retry/post", operation -> operation.put("operationId", "retry_job"));
    atProperty("since-is-a-version", "ClaimJobResponse", "fencing_enforced", property -> property.put("x-since", "next"));
  }

  private void ofFormatsAndAnswers() {
    at("bodies-are-in-both-formats-json-first", "/paths/~1v1~1jobs~1{job_id}~1fail/post/requestBody/content",
        content -> content.set("application/json", content.remove("application/json")));
    at("bodies-are-in-both-formats-json-first", "/paths/~1v1~1jobs/post/responses/200/content",
        content -> content.remove("application/x-protobuf"));
    at("every-operation-answers-problems", "/paths/~1v1~1queues~1{queue}/get/responses", responses -> responses.remove("default"));
    all.add(new Fault("every-operation-answers-problems", "/paths/~1v1~1jobs~1{job_id}~1heartbeat/post/responses/default", d -> {
      ObjectNode responses = (ObjectNode) d.at("/paths/~1v1~1jobs~1{job_id}~1heartbeat/post/responses");
      JsonNode problem = d.at("/components/responses/Problem").deepCopy();
      ((ObjectNode) problem.get("content")).remove("application/x-protobuf");
      responses.set("default", problem);
    }));
    at("answers-name-the-request", "/components/responses/Queue", response -> response.remove("headers"));
    at("error-codes-are-known", "/paths/~1v1~1jobs~1{job_id}~1complete/post",
        operation -> ((ObjectNode) operation.get("x-error-codes")).put("teapot", "I am a teapot."));
    at("error-codes-are-known", "/paths/~1v1~1jobs~1{job_id}~1attestation/get", operation -> operation.remove("x-error-codes"));
    at("operations-name-their-scope", "/paths/~1v1~1jobs~1fail/post", operation -> operation.remove("x-scopes"));
    at("operations-name-their-scope", "/paths/~1v1~1jobs~1heartbeat/post", operation -> operation.putArray("x-scopes").add("admin"));
  }

  private void ofCompatibility() {
    atSchema("answers-are-open", "EnqueueJobsResponse", schema -> schema.remove("additionalProperties"));
    atSchema("answers-are-open", "FieldError", schema -> schema.put("additionalProperties", false));
    atSchema("requests-are-closed-in-shape", "ReleaseJobRequest", schema -> schema.put("additionalProperties", true));
    atProperty("answers-bear-no-limits", "Queue", "queue", property -> property.put("pattern", "^[a-z]+$"));
    atProperty("nothing-has-a-default-keyword", "EnqueueJobRequest", "priority", property -> property.put("default", 0));
    atProperty("integers-are-int32-or-int64", "EnqueueJobRequest", "max_attempts", property -> property.put("format", "uint32"));
    atProperty("integers-are-int32-or-int64", "Job", "progress", property -> property.put("type", "number"));
    atProperty("enums-are-named", "FailJobRequest", "message", property -> property.putArray("enum").add("The checker was killed by signal 9."));
    at("references-stand-in-all-of", SCHEMAS + "Problem/properties",
        properties -> properties.putObject("first").put("$ref", SCHEMAS.replaceFirst("/", "#/") + "FieldError"));
  }

  private void ofProtobuf() {
    atSchema("field-numbers-are-complete", "CompleteJobRequest", schema -> ((ObjectNode) schema.at("/properties/log_url")).put("x-protobuf-index", 5));
    atSchema("field-numbers-are-complete", "UpdateQueueRequest", schema -> ((ObjectNode) schema.at("/properties/paused")).remove("x-protobuf-index"));
    atSchema("field-numbers-are-complete", "QueueDepth", schema -> ((ObjectNode) schema.at("/properties/dead")).put("x-protobuf-index", "4"));
    atSchema("field-numbers-are-complete", "ListJobsResponse", schema -> schema.putArray("x-protobuf-reserved").add(1));
    atProperty("enum-numbers-are-complete", "Job", "state", property -> ((ObjectNode) property.get("x-protobuf-enum")).remove("cancelled"));
    atSchema("enum-numbers-are-complete", "JobOutcome", schema -> ((ObjectNode) schema.get("x-protobuf-enum")).put("failed", 1));
  }

  private static void aProperty(ObjectNode properties, String name, int number) {
    properties.putObject(name).put("type", "string").put("description", "What is said here.").put("x-protobuf-index", number);
  }
}
