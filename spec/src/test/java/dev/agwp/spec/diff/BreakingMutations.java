package dev.agwp.spec.diff;

import static dev.agwp.spec.diff.Mutation.aParameter;
import static dev.agwp.spec.diff.Mutation.anOptionalField;
import static dev.agwp.spec.diff.Mutation.answers;
import static dev.agwp.spec.diff.Mutation.content;
import static dev.agwp.spec.diff.Mutation.operation;
import static dev.agwp.spec.diff.Mutation.parameters;
import static dev.agwp.spec.diff.Mutation.properties;
import static dev.agwp.spec.diff.Mutation.property;
import static dev.agwp.spec.diff.Mutation.rename;
import static dev.agwp.spec.diff.Mutation.required;
import static dev.agwp.spec.diff.Mutation.schema;
import static dev.agwp.spec.diff.Mutation.unrequire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Changes that break somebody: what is sent, what is answered, operations, then what only Protobuf and generated code see. */
final class BreakingMutations extends Mutations {
  private static final String JSON = "application/json";
  private static final String PROTOBUF = "application/x-protobuf";

  private BreakingMutations() {}

  static List<Mutation> all() {
    BreakingMutations mutations = new BreakingMutations();
    mutations.ofRequests();
    mutations.ofLimits();
    mutations.ofAnswers();
    mutations.ofAnsweredValues();
    mutations.ofOperations();
    mutations.ofParameters();
    mutations.ofNames();
    mutations.ofNumbers();
    return mutations.all;
  }

  private void ofRequests() {
    add("a required field is added", Rule.REQUEST_REQUIRED_PROPERTY_ADDED, d -> {
      anOptionalField(d, "HeartbeatJobRequest", "extra", 9);
      required(d, "HeartbeatJobRequest").add("extra");
    });
    add("an optional field becomes required", Rule.REQUEST_PROPERTY_REQUIRED, d -> required(d, "ClaimJobRequest").add("lease_seconds"));
    add("a field is removed", Rule.REQUEST_PROPERTY_REMOVED, d -> properties(d, "HeartbeatJobRequest").remove("progress"));
    add("a field is renamed", Rule.REQUEST_PROPERTY_REMOVED, d -> rename(properties(d, "FailJobRequest"), "terminal", "final"));
    add("an enum value is removed", Rule.REQUEST_ENUM_VALUE_REMOVED, d -> schema(d, "JobOutcome").putArray("enum").add("passed"));
    add("an enum is put on a free string", Rule.REQUEST_ENUM_CLOSED,
        d -> property(d, "FailJobRequest", "reason").putArray("enum").add("crashed"));
    add("an enum is opened", Rule.REQUEST_ENUM_OPENED, d -> schema(d, "JobOutcome").remove("enum"));
    add("a type is changed", Rule.REQUEST_TYPE_CHANGED, d -> property(d, "ClaimJobRequest", "max_jobs").put("type", "string"));
    add("an array becomes a single value", Rule.REQUEST_TYPE_CHANGED, d -> {
      property(d, "ClaimJobRequest", "queues").put("type", "string");
      property(d, "ClaimJobRequest", "queues").remove(List.of("items", "minItems", "maxItems"));
    });
    add("a format is narrowed", Rule.REQUEST_FORMAT_CHANGED, d -> property(d, "EnqueueJobRequest", "max_attempts").put("format", "int32"));
    add("null is no longer allowed", Rule.REQUEST_NULL_REFUSED, d -> property(d, "FailJobRequest", "message").put("nullable", true),
        d -> property(d, "FailJobRequest", "message").remove("nullable"));
    add("a request schema is closed", Rule.REQUEST_CLOSED, d -> schema(d, "ClaimJobRequest").put("additionalProperties", false));
    add("a request schema is opened", Rule.REQUEST_OPENED, d -> schema(d, "ClaimJobRequest").put("additionalProperties", true));
    add("readOnly is put on a request field", Rule.REQUEST_READ_ONLY,
        d -> property(d, "HeartbeatJobRequest", "status_message").put("readOnly", true));
    add("a default is changed", Rule.DEFAULT_CHANGED, d -> property(d, "ClaimJobRequest", "lease_seconds").put("x-server-default", 30));
    add("a default is removed", Rule.DEFAULT_REMOVED, d -> property(d, "ClaimJobRequest", "max_jobs").remove("x-server-default"));
    add("the default of a parameter is changed", Rule.DEFAULT_CHANGED,
        d -> ((ObjectNode) parameters(d, "listJobs").get(2)).put("x-server-default", 10));
    add("a constant is changed", Rule.REQUEST_ENUM_VALUE_REMOVED, d -> property(d, "FailJobRequest", "reason").put("const", "a"),
        d -> property(d, "FailJobRequest", "reason").put("const", "b"));
    add("a name that is declared nowhere becomes required", Rule.REQUEST_PROPERTY_REQUIRED, d -> required(d, "ClaimJobRequest").add("secret"));
    add("the values of a list get a type", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "ClaimJobRequest", "queues").remove("items"),
        d -> property(d, "ClaimJobRequest", "queues").putObject("items").put("type", "string"));
    add("a schema that two variants share is changed", Rule.REQUEST_TYPE_CHANGED,
        d -> property(d, "FailJobRequest", "message").putArray("oneOf").addObject().put("$ref", "#/components/schemas/JobError"),
        d -> property(d, "JobError", "message").put("type", "integer"));
    add("a variant of what is sent is removed", Rule.VARIANTS_CHANGED, d -> {
      property(d, "FailJobRequest", "message").putArray("oneOf").addObject().put("maxLength", 5);
      property(d, "FailJobRequest", "message").withArray("oneOf").addObject().put("minLength", 9);
    }, d -> property(d, "FailJobRequest", "message").withArray("oneOf").remove(0));
    add("what stands beside a reference is changed", Rule.RESPONSE_NULL_ALLOWED,
        d -> properties(d, "Job").putObject("first_error").putArray("allOf").addObject().put("$ref", "#/components/schemas/JobError"),
        d -> property(d, "Job", "first_error").put("nullable", true));
    add("variants appear", Rule.VARIANTS_CHANGED,
        d -> property(d, "FailJobRequest", "message").putArray("oneOf").addObject().put("maxLength", 5));
  }

  private void ofLimits() {
    add("a maximum is tightened", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "ClaimJobRequest", "max_jobs").put("maximum", 10));
    add("a minimum is raised", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "ClaimJobRequest", "lease_seconds").put("minimum", 5));
    add("a maxLength is tightened", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "FailJobRequest", "message").put("maxLength", 100));
    add("a pattern is added", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "FailJobRequest", "reason").put("pattern", "^[a-z]+$"));
    add("a pattern is changed", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "ClaimJobRequest", "worker").put("pattern", "^[a-z]+$"));
    add("a maxItems is tightened", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "ClaimJobRequest", "queues").put("maxItems", 4));
    add("uniqueItems is added", Rule.REQUEST_LIMIT_TIGHTENED, d -> property(d, "ClaimJobRequest", "queues").put("uniqueItems", true));
    add("a limit of the items of a list is tightened", Rule.REQUEST_LIMIT_TIGHTENED,
        d -> ((ObjectNode) property(d, "ClaimJobRequest", "queues").get("items")).put("maxLength", 10));
    add("a limit of a parameter is tightened", Rule.REQUEST_LIMIT_TIGHTENED,
        d -> ((ObjectNode) parameters(d, "listJobs").get(2).get("schema")).put("maximum", 10));
    add("the limit of an answer is loosened", Rule.RESPONSE_LIMIT_LOOSENED, d -> property(d, "Job", "progress").put("maximum", 100),
        d -> property(d, "Job", "progress").put("maximum", 200));
    add("an answer gets a limit", Rule.RESPONSE_LIMIT_TIGHTENED, d -> property(d, "Job", "summary").put("maxLength", 10));
    add("a maximum becomes exclusive", Rule.REQUEST_LIMIT_TIGHTENED,
        d -> property(d, "ClaimJobRequest", "wait_seconds").put("exclusiveMaximum", true));
  }

  private void ofAnswers() {
    add("an optional field of an answer is removed", Rule.RESPONSE_PROPERTY_REMOVED, d -> properties(d, "Job").remove("summary"));
    add("a field of an answer is renamed", Rule.RESPONSE_PROPERTY_REMOVED, d -> rename(properties(d, "Job"), "progress", "percent"));
    add("a required field of an answer becomes optional", Rule.RESPONSE_PROPERTY_OPTIONAL, d -> unrequire(d, "Job", "state"));
    add("a type in an answer is changed", Rule.RESPONSE_TYPE_CHANGED, d -> property(d, "Job", "attempts").put("type", "string"));
    add("a format in an answer is narrowed", Rule.RESPONSE_FORMAT_CHANGED, d -> property(d, "Job", "attempts").put("format", "int32"));
    add("a format in an answer is dropped", Rule.RESPONSE_FORMAT_CHANGED, d -> property(d, "Job", "created_at").remove("format"));
    add("an answer may be null", Rule.RESPONSE_NULL_ALLOWED, d -> property(d, "Job", "summary").put("nullable", true));
    add("an answer is closed", Rule.RESPONSE_CLOSED, d -> schema(d, "Job").put("additionalProperties", false));
    add("an answer says no longer that it is open", Rule.RESPONSE_CLOSED, d -> schema(d, "Job").remove("additionalProperties"));
    add("the values of a map in an answer get another type", Rule.RESPONSE_TYPE_CHANGED,
        d -> anOptionalField(d, "Job", "labels", 30).put("type", "object").putObject("additionalProperties").put("type", "string"),
        d -> ((ObjectNode) property(d, "Job", "labels").get("additionalProperties")).put("type", "integer"));
    add("writeOnly is put on an answered field", Rule.RESPONSE_WRITE_ONLY, d -> property(d, "Job", "summary").put("writeOnly", true));
    add("a status is changed", Rule.RESPONSE_STATUS_REMOVED, d -> rename(answers(d, "claimJob"), "200", "201"));
    add("a second status of success comes", Rule.RESPONSE_SUCCESS_STATUS_ADDED,
        d -> answers(d, "claimJob").putObject("202").put("description", "Later."));
    add("a format of the answer is removed", Rule.RESPONSE_MEDIA_TYPE_REMOVED,
        d -> ((ObjectNode) answers(d, "claimJob").at("/200/content")).remove(PROTOBUF));
    add("JSON is no longer the first format of the answer", Rule.RESPONSE_MEDIA_TYPE_ORDER_CHANGED, d -> {
      ObjectNode content = (ObjectNode) answers(d, "claimJob").at("/200/content");
      content.set(JSON, content.remove(JSON));
    });
    add("a header of the answer is removed", Rule.RESPONSE_HEADER_REMOVED,
        d -> ((ObjectNode) answers(d, "claimJob").at("/200/headers")).remove("X-Request-Id"));
    add("a header of the answer gets another type", Rule.RESPONSE_TYPE_CHANGED,
        d -> ((ObjectNode) d.at("/components/headers/Retry-After/schema")).put("type", "string"));
  }

  private void ofAnsweredValues() {
    add("a known value of an open set is removed", Rule.RESPONSE_KNOWN_VALUE_REMOVED,
        d -> property(d, "Job", "state").putArray("x-extensible-enum").add("queued"));
    add("an enum of an answer gets a value", Rule.RESPONSE_ENUM_VALUE_ADDED,
        d -> property(d, "Job", "state").putArray("enum").add("queued"),
        d -> property(d, "Job", "state").withArray("enum").add("paused"));
    add("a named enum of an answer gets a value", Rule.RESPONSE_ENUM_VALUE_ADDED,
        d -> properties(d, "Job").putObject("verdict").put("$ref", "#/components/schemas/JobOutcome"),
        d -> schema(d, "JobOutcome").withArray("enum").add("skipped"));
    add("an enum of an answer is opened", Rule.RESPONSE_ENUM_OPENED, d -> property(d, "Job", "state").putArray("enum").add("queued"),
        d -> property(d, "Job", "state").remove("enum"));
    add("an open set of an answer is closed", Rule.RESPONSE_ENUM_CLOSED,
        d -> property(d, "Job", "state").putArray("enum").add("queued").add("claimed"));
    add("an error code is removed", Rule.ERROR_CODE_REMOVED, d -> ((ObjectNode) operation(d, "completeJob").get("x-error-codes")).remove("not_found"));
    add("an error code is gone from the list of all", Rule.RESPONSE_KNOWN_VALUE_REMOVED,
        d -> property(d, "Problem", "code").withArray("x-extensible-enum").remove(0));
  }

  private void ofOperations() {
    add("an operation is removed", Rule.OPERATION_REMOVED, d -> ((ObjectNode) d.get("paths")).remove("/v1/jobs/{job_id}/release"));
    add("a path is renamed", Rule.OPERATION_REMOVED, d -> rename((ObjectNode) d.get("paths"), "/v1/jobs/claim", "/v1/jobs/acquire"));
    add("an operationId is changed", Rule.OPERATION_ID_CHANGED, d -> operation(d, "claimJob").put("operationId", "claimJobs"));
    add("a tag is changed", Rule.OPERATION_TAG_CHANGED, d -> operation(d, "claimJob").putArray("tags").add("Claims"));
    add("credentials are required", Rule.SECURITY_TIGHTENED, d -> d.putArray("security").addObject().putArray("bearer"));
    add("credentials are sent elsewhere", Rule.SECURITY_TIGHTENED,
        d -> ((ObjectNode) d.get("components")).putObject("securitySchemes").putObject("key").put("in", "header"),
        d -> ((ObjectNode) d.at("/components/securitySchemes/key")).put("in", "query"));
    add("an operation gets a server of its own", Rule.SERVER_URL_REMOVED,
        d -> operation(d, "getJob").putArray("servers").addObject().put("url", "https://other.example"));
    add("the URL of the server is changed", Rule.SERVER_URL_REMOVED, d -> ((ObjectNode) d.at("/servers/0")).put("url", "http://127.0.0.1:9090"));
    add("a format of the request is removed", Rule.REQUEST_MEDIA_TYPE_REMOVED, d -> content(d, "claimJob").remove(PROTOBUF));
    add("JSON is no longer the first format of the request", Rule.REQUEST_MEDIA_TYPE_ORDER_CHANGED,
        d -> content(d, "claimJob").set(JSON, content(d, "claimJob").remove(JSON)));
    add("a request body is removed", Rule.REQUEST_BODY_REMOVED, d -> operation(d, "releaseJob").remove("requestBody"));
    add("a request body becomes required", Rule.REQUEST_BODY_REQUIRED,
        d -> operation(d, "cancelJob").set("requestBody", operation(d, "releaseJob").get("requestBody").deepCopy()));
  }

  private void ofParameters() {
    add("a required header is added", Rule.PARAMETER_REQUIRED,
        d -> parameters(d, "getJob").add(aParameter("X-Tenant").put("in", "header").put("required", true)));
    add("a parameter becomes required", Rule.PARAMETER_REQUIRED, d -> ((ObjectNode) parameters(d, "listJobs").get(0)).put("required", true));
    add("a parameter is removed", Rule.PARAMETER_REMOVED, d -> parameters(d, "listJobs").remove(1));
    add("an optional parameter is added before others", Rule.PARAMETER_ADDED_BEFORE_OTHERS,
        d -> parameters(d, "listJobs").insert(1, aParameter("worker")));
    add("parameters change places", Rule.PARAMETER_ORDER_CHANGED, d -> {
      JsonNode first = parameters(d, "listJobs").remove(0);
      parameters(d, "listJobs").add(first);
    });
    add("a parameter is written otherwise", Rule.PARAMETER_STYLE_CHANGED,
        d -> ((ObjectNode) parameters(d, "listJobs").get(0)).put("style", "pipeDelimited"));
  }

  private void ofNames() {
    add("a schema is renamed", Rule.SCHEMA_RENAMED, d -> {
      ObjectNode renamed = renamedReferences(d, "JobError", "AttemptError");
      rename((ObjectNode) renamed.at("/components/schemas"), "JobError", "AttemptError");
      d.setAll(renamed);
    });
    add("a schema is removed", Rule.SCHEMA_REMOVED, d -> {
      properties(d, "Job").remove("last_error");
      ((ObjectNode) d.at("/components/schemas")).remove("JobError");
    });
    add("a named enum is made inline", Rule.SCHEMA_INLINED, d -> {
      ObjectNode outcome = property(d, "CompleteJobRequest", "outcome");
      outcome.remove("allOf");
      outcome.put("type", "string").putArray("enum").add("passed").add("failed");
    });
  }

  private static ObjectNode renamedReferences(ObjectNode document, String from, String to) {
    return dev.agwp.spec.Contract.parse(document.toString().replace("schemas/" + from + "\"", "schemas/" + to + "\"")).document();
  }

  private void ofNumbers() {
    add("a field number is changed", Rule.FIELD_NUMBER_MOVED, d -> property(d, "Job", "summary").put("x-protobuf-index", 99));
    add("two field numbers are swapped", Rule.FIELD_NUMBER_MOVED, d -> {
      property(d, "FailJobRequest", "reason").put("x-protobuf-index", 3);
      property(d, "FailJobRequest", "message").put("x-protobuf-index", 2);
    });
    add("a field number is removed", Rule.FIELD_NUMBER_MISSING, d -> property(d, "Job", "summary").remove("x-protobuf-index"));
    add("a new field has no number", Rule.FIELD_NUMBER_MISSING, d -> anOptionalField(d, "Job", "extra", 99).remove("x-protobuf-index"));
    add("the number of a removed field is used again", Rule.FIELD_NUMBER_REUSED, d -> {
      properties(d, "HeartbeatJobRequest").remove("progress");
      anOptionalField(d, "HeartbeatJobRequest", "extra", 3);
    });
    add("the Protobuf type of a field is changed", Rule.FIELD_TYPE_CHANGED,
        d -> property(d, "ClaimJobRequest", "lease_seconds").put("x-protobuf-data-type", "uint64"));
    add("the number of an enum value is changed", Rule.ENUM_NUMBER_MOVED,
        d -> ((ObjectNode) property(d, "Job", "state").get("x-protobuf-enum")).put("dead", 9));
    add("the number of an enum value is given to another", Rule.ENUM_NUMBER_MOVED,
        d -> ((ObjectNode) property(d, "Job", "state").get("x-protobuf-enum")).put("paused", 5));
    add("a reserved number is freed", Rule.RESERVED_NUMBER_FREED, d -> schema(d, "Job").putArray("x-protobuf-reserved").add(50),
        d -> schema(d, "Job").remove("x-protobuf-reserved"));
    add("a reserved number is used", Rule.FIELD_NUMBER_REUSED, d -> schema(d, "Job").putArray("x-protobuf-reserved").add(50),
        d -> anOptionalField(d, "Job", "extra", 50));
    add("the name of an enum is changed", Rule.PROTOBUF_NAME_CHANGED, d -> property(d, "Job", "state").put("x-protobuf-enum-name", "State"));
    add("the package is changed", Rule.PROTOBUF_NAME_CHANGED, d -> d.put("x-protobuf-package", "agwp.v2"));
  }
}
