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

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Changes that break nobody: the gate must let every one pass. */
final class CompatibleMutations extends Mutations {
  private CompatibleMutations() {}

  static List<Mutation> all() {
    CompatibleMutations mutations = new CompatibleMutations();
    mutations.ofRequests();
    mutations.ofAnswers();
    mutations.ofOperations();
    return mutations.all;
  }

  private void ofRequests() {
    add("an optional field is added", Rule.REQUEST_PROPERTY_ADDED, d -> anOptionalField(d, "HeartbeatJobRequest", "extra", 9));
    add("a required field becomes optional", Rule.REQUEST_PROPERTY_OPTIONAL, d -> unrequire(d, "ClaimJobRequest", "worker"));
    add("a maximum is loosened", Rule.REQUEST_LIMIT_LOOSENED, d -> property(d, "ClaimJobRequest", "max_jobs").put("maximum", 1000));
    add("a minimum is lowered", Rule.REQUEST_LIMIT_LOOSENED, d -> property(d, "ClaimJobRequest", "lease_seconds").put("minimum", 0));
    add("a pattern is removed", Rule.REQUEST_LIMIT_LOOSENED, d -> property(d, "ClaimJobRequest", "worker").remove("pattern"));
    add("an enum gets a value", Rule.REQUEST_ENUM_VALUE_ADDED, d -> schema(d, "JobOutcome").withArray("enum").add("skipped"));
    add("another type may be sent too", Rule.REQUEST_TYPE_WIDENED,
        d -> property(d, "FailJobRequest", "message").putArray("type").add("string").add("integer"));
    add("one more variant may be sent", Rule.VARIANTS_HARMLESS,
        d -> property(d, "FailJobRequest", "message").putArray("oneOf").addObject().put("maxLength", 5),
        d -> property(d, "FailJobRequest", "message").withArray("oneOf").addObject().put("minLength", 9));
    add("a format is widened", Rule.REQUEST_FORMAT_WIDENED, d -> property(d, "ClaimJobRequest", "max_jobs").put("format", "int64"));
    add("null is allowed", Rule.REQUEST_NULL_ALLOWED, d -> property(d, "FailJobRequest", "message").put("nullable", true));
    add("a default is stated", Rule.DEFAULT_ADDED, d -> property(d, "FailJobRequest", "message").put("x-server-default", "none"));
    add("a request body becomes optional", Rule.REQUEST_BODY_OPTIONAL,
        d -> ((ObjectNode) operation(d, "releaseJob").get("requestBody")).put("required", false));
    add("a request body may be sent", Rule.REQUEST_BODY_ADDED, d -> {
      ObjectNode body = operation(d, "releaseJob").get("requestBody").deepCopy();
      operation(d, "cancelJob").set("requestBody", body.put("required", false));
    });
    add("a format of the request is added", Rule.REQUEST_MEDIA_TYPE_ADDED,
        d -> content(d, "claimJob").set("application/cbor", content(d, "claimJob").get("application/json")));
  }

  private void ofAnswers() {
    add("an optional field is added to an answer", Rule.RESPONSE_PROPERTY_ADDED, d -> anOptionalField(d, "Job", "extra", 99));
    add("an answer is always one of its types", Rule.RESPONSE_TYPE_NARROWED,
        d -> property(d, "Job", "summary").putArray("type").add("string").add("integer"),
        d -> property(d, "Job", "summary").put("type", "string"));
    add("a field that is only answered is added to what is sent", Rule.REQUEST_PROPERTY_ADDED, d -> {
      anOptionalField(d, "HeartbeatJobRequest", "extra", 9).put("readOnly", true);
      required(d, "HeartbeatJobRequest").add("extra");
    });
    add("a required field is added to an answer", Rule.RESPONSE_PROPERTY_ADDED, d -> {
      anOptionalField(d, "Job", "extra", 99);
      required(d, "Job").add("extra");
    });
    add("an optional field of an answer becomes required", Rule.RESPONSE_PROPERTY_REQUIRED, d -> required(d, "Job").add("payload"));
    add("an open set of an answer gets a value", Rule.RESPONSE_KNOWN_VALUE_ADDED,
        d -> property(d, "Job", "state").withArray("x-extensible-enum").add("paused"));
    add("an enum of an answer loses a value", Rule.RESPONSE_ENUM_VALUE_REMOVED,
        d -> property(d, "Job", "state").putArray("enum").add("queued").add("claimed"),
        d -> property(d, "Job", "state").withArray("enum").remove(1));
    add("an answer is never null any more", Rule.RESPONSE_NULL_REFUSED, d -> property(d, "Job", "summary").put("nullable", true),
        d -> property(d, "Job", "summary").remove("nullable"));
    add("an answer is opened", Rule.RESPONSE_OPENED, d -> schema(d, "Job").remove("additionalProperties"),
        d -> schema(d, "Job").put("additionalProperties", true));
    add("an error status is told apart", Rule.RESPONSE_STATUS_ADDED,
        d -> answers(d, "claimJob").set("429", answers(d, "claimJob").get("default")));
    add("a format of the answer is added", Rule.RESPONSE_MEDIA_TYPE_ADDED,
        d -> ((ObjectNode) answers(d, "claimJob").at("/200/content")).putObject("application/cbor"));
    add("a header is added to the answer", Rule.RESPONSE_HEADER_ADDED,
        d -> ((ObjectNode) answers(d, "claimJob").at("/200/headers")).putObject("X-New").putObject("schema").put("type", "string"));
    add("an error code is added", Rule.ERROR_CODE_ADDED,
        d -> ((ObjectNode) operation(d, "getJob").get("x-error-codes")).put("permission_denied", "Not yours."));
  }

  private void ofOperations() {
    add("an operation is added", Rule.OPERATION_ADDED, d -> {
      ObjectNode copy = operation(d, "cancelJob").deepCopy();
      ((ObjectNode) d.get("paths")).putObject("/v1/jobs/{job_id}/pause").set("post", copy.put("operationId", "pauseJob"));
    });
    add("an operation is deprecated", Rule.OPERATION_DEPRECATED, d -> operation(d, "retryJob").put("deprecated", true));
    add("an optional parameter is added after the others", Rule.PARAMETER_ADDED, d -> parameters(d, "listJobs").add(aParameter("worker")));
    add("a parameter becomes optional", Rule.PARAMETER_OPTIONAL, d -> ((ObjectNode) parameters(d, "listJobs").get(0)).put("required", true),
        d -> ((ObjectNode) parameters(d, "listJobs").get(0)).put("required", false));
    add("a path parameter is renamed", Rule.PATH_PARAMETER_RENAMED, d -> {
      rename((ObjectNode) d.get("paths"), "/v1/queues/{queue}", "/v1/queues/{name}");
      ((ObjectNode) d.at("/components/parameters/QueueName")).put("name", "name");
    });
    add("credentials are no longer required", Rule.SECURITY_LOOSENED, d -> d.putArray("security").addObject().putArray("bearer"),
        d -> d.remove("security"));
    add("credentials may be sent", Rule.SECURITY_LOOSENED, d -> d.remove("security"),
        d -> d.putArray("security").add(d.objectNode()).addObject().putArray("bearer"));
    add("a server is added", Rule.SERVER_URL_ADDED, d -> d.withArray("servers").addObject().put("url", "https://agwp.example"));
    add("a schema is added", Rule.SCHEMA_ADDED,
        d -> ((ObjectNode) d.at("/components/schemas")).putObject("Extra").put("type", "object"));
    add("a description is changed", Rule.DESCRIPTION_CHANGED, d -> property(d, "Job", "summary").put("description", "Other words."));
    add("nothing is changed", null, d -> properties(d, "Job"));
  }
}
