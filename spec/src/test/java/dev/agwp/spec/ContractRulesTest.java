package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Each rule holds for the contract, and is broken by a contract changed so that it must be. */
final class ContractRulesTest {
  private static final String SCHEMAS = "/components/schemas/";
  private static final Path FIRST_RELEASE = Path.of("released/1.0.0/openapi.yaml");

  private final Contract contract = Contract.load();

  @Test
  void the_document_is_openapi_3_0_3() {
    assertThat(contract.document().get("openapi").asText()).isEqualTo("3.0.3");
  }

  @Test
  void every_body_is_offered_in_both_formats_json_first() {
    assertRule(ContractRules::bodiesInBothFormatsJsonFirst, document -> {
      ObjectNode content = (ObjectNode) document.at("/paths/~1v1~1jobs/post/requestBody/content");
      JsonNode json = content.remove("application/json");
      content.set("application/json", json);
    });
  }

  @Test
  void every_operation_has_a_default_problem() {
    assertRule(ContractRules::everyOperationHasADefaultProblem,
        document -> ((ObjectNode) document.at("/paths/~1v1~1jobs/post/responses")).remove("default"));
  }

  @Test
  void response_schemas_are_open() {
    assertRule(ContractRules::responseSchemasAreOpen, document -> schema(document, "Job").remove("additionalProperties"));
  }

  @Test
  void request_schemas_are_closed_in_shape() {
    assertRule(ContractRules::requestSchemasAreClosedInShape,
        document -> schema(document, "ClaimJobRequest").put("additionalProperties", true));
  }

  @Test
  void responses_bear_no_constraints() {
    assertRule(ContractRules::responsesBearNoConstraints, document -> property(document, "Job", "attempts").put("maximum", 10));
  }

  @Test
  void nothing_has_a_default_keyword() {
    assertRule(ContractRules::nothingHasADefaultKeyword,
        document -> property(document, "ClaimJobRequest", "lease_seconds").put("default", 60));
  }

  @Test
  void integers_are_int32_or_int64() {
    assertRule(ContractRules::integersAreSigned, document -> property(document, "Job", "attempts").put("format", "uint64"));
  }

  @Test
  void no_enum_is_inline() {
    assertRule(ContractRules::noEnumIsInline, document -> property(document, "Job", "state").putArray("enum").add("queued"));
  }

  @Test
  void references_stand_in_all_of() {
    assertRule(ContractRules::referencesStandInAllOf,
        document -> property(document, "Job", "last_error").put("$ref", "#/components/schemas/JobError"));
  }

  @Test
  void everything_is_described() {
    assertRule(ContractRules::everythingIsDescribed, document -> property(document, "Job", "state").remove("description"));
  }

  @Test
  void error_codes_are_known() {
    assertRule(ContractRules::errorCodesAreKnown,
        document -> ((ObjectNode) document.at("/paths/~1v1~1jobs/post/x-error-codes")).put("teapot", "I am one."));
  }

  /** contract.md fixes these numbers for ever; this table is typed from there and not from the document. */
  @Test
  void the_field_numbers_are_the_pinned_ones() {
    assertThat(numbers("Job")).containsExactly("job_id", "queue", "state", "payload", "priority", "attempts", "max_attempts",
        "claimed_by", "lease_expires_at", "run_at", "created_at", "updated_at", "finished_at", "outcome", "summary", "result",
        "last_error", "progress", "status_message", "unique_key", "subject_digest", "attestation_digest", "log_url");
    assertThat(numbers("EnqueueJobRequest"))
        .containsExactly("queue", "payload", "priority", "run_at", "max_attempts", "unique_key", "subject_digest");
    assertThat(numbers("ClaimJobRequest"))
        .containsExactly("queues", "worker", "lease_seconds", "wait_seconds", "max_jobs", "request_id");
    assertThat(numbers("ClaimJobResponse")).containsExactly("jobs", "fencing_enforced");
    assertThat(numbers("HeartbeatJobRequest"))
        .containsExactly("worker", "lease_seconds", "progress", "status_message", "fencing_token");
    assertThat(numbers("CompleteJobRequest")).containsExactly("worker", "outcome", "summary", "result", "attestation", "log_url",
        "fencing_token");
    assertThat(numbers("Attestation")).containsExactly("media_type", "body");
    assertThat(numbers("FailJobRequest")).containsExactly("worker", "reason", "message", "retry_delay_seconds", "terminal",
        "fencing_token");
    assertThat(numbers("ReleaseJobRequest")).containsExactly("worker", "fencing_token");
    assertThat(numbers("JobError")).containsExactly("reason", "message", "at");
    assertThat(numbers("Error")).containsExactly("code", "detail", "errors", "reason");
    assertThat(numbers("EnqueueJobsRequest")).containsExactly("jobs");
    assertThat(numbers("EnqueueJobsResponse")).containsExactly("jobs");
    assertThat(property(contract.document(), "Job", "state").get("x-protobuf-enum").toString())
        .isEqualTo("{\"queued\":1,\"claimed\":2,\"succeeded\":3,\"dead\":4,\"cancelled\":5}");
    assertThat(contract.schema("JobOutcome").get("x-protobuf-enum").toString()).isEqualTo("{\"passed\":1,\"failed\":2}");
  }

  @Test
  void the_operations_are_the_pinned_ones() {
    assertThat(contract.operations().stream().map(operation -> operation.id() + " " + operation.method() + " " + operation.path()))
        .containsExactlyInAnyOrder("enqueueJob post /v1/jobs", "enqueueJobs post /v1/jobs/batch", "claimJob post /v1/jobs/claim",
            "heartbeatJob post /v1/jobs/{job_id}/heartbeat", "completeJob post /v1/jobs/{job_id}/complete",
            "failJob post /v1/jobs/{job_id}/fail", "releaseJob post /v1/jobs/{job_id}/release",
            "cancelJob post /v1/jobs/{job_id}/cancel", "retryJob post /v1/jobs/{job_id}/retry", "getJob get /v1/jobs/{job_id}",
            "listJobs get /v1/jobs", "getAttestation get /v1/jobs/{job_id}/attestation", "listQueues get /v1/queues",
            "getQueue get /v1/queues/{queue}", "updateQueue patch /v1/queues/{queue}");
  }

  @Test
  void the_error_codes_and_reasons_are_the_pinned_ones() {
    assertThat(contract.schema("Problem").at("/properties/code/x-extensible-enum").toString()).isEqualTo(
        "[\"invalid_argument\",\"unauthenticated\",\"permission_denied\",\"not_found\",\"method_not_allowed\",\"not_acceptable\","
            + "\"already_exists\",\"failed_precondition\",\"payload_too_large\",\"unsupported_media_type\",\"resource_exhausted\","
            + "\"internal\",\"unavailable\"]");
    assertThat(contract.schema("Problem").at("/properties/reason/x-extensible-enum").toString()).isEqualTo(
        "[\"unknown_job\",\"not_holder\",\"stale_fencing_token\",\"fencing_token_required\",\"job_ended\",\"job_cancelled\"]");
  }

  @Test
  void the_first_release_has_no_fencing_token() throws IOException {
    assertThat(Files.readString(FIRST_RELEASE)).doesNotContain("fencing_token");
  }

  @Test
  void what_came_after_the_first_release_says_since_when() throws IOException {
    Contract first = Contract.parse(Files.readString(FIRST_RELEASE));
    List<String> silent = new ArrayList<>();
    for (String name : contract.schemaNames()) {
      contract.schema(name).path("properties").properties().forEach(property -> {
        boolean old = first.schemaNames().contains(name) && first.schema(name).path("properties").has(property.getKey());
        if (old == property.getValue().has("x-since")) {
          silent.add(name + "." + property.getKey());
        }
      });
    }
    assertThat(silent).isEmpty();
  }

  private void assertRule(Function<ContractRules, List<String>> rule, Consumer<ObjectNode> breakIt) {
    assertThat(rule.apply(new ContractRules(contract))).isEmpty();

    ObjectNode broken = contract.document().deepCopy();
    breakIt.accept(broken);
    // JSON is YAML.
    assertThat(rule.apply(new ContractRules(Contract.parse(broken.toString())))).isNotEmpty();
  }

  /** The properties in the order of their numbers, which must run from 1 without a gap. */
  private List<String> numbers(String schema) {
    TreeMap<Integer, String> numbers = new TreeMap<>();
    contract.schema(schema).get("properties").properties()
        .forEach(property -> numbers.put(property.getValue().get("x-protobuf-index").asInt(), property.getKey()));
    assertThat(numbers.firstKey()).isEqualTo(1);
    assertThat(numbers.lastKey()).isEqualTo(numbers.size());
    return List.copyOf(numbers.values());
  }

  private static ObjectNode schema(JsonNode document, String name) {
    return (ObjectNode) document.at(SCHEMAS + name);
  }

  private static ObjectNode property(JsonNode document, String schema, String name) {
    return (ObjectNode) document.at(SCHEMAS + schema + "/properties/" + name);
  }
}
