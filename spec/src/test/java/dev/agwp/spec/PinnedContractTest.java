package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What clients rely on for ever; these tables are typed by hand and not read from the document. */
final class PinnedContractTest {
  private static final Path FIRST_RELEASE = Path.of("released/1.0.0/openapi.yaml");

  private final Contract contract = Contract.load();

  @Test
  void the_field_numbers_are_the_pinned_ones() {
    assertThat(numbers("Job")).containsExactly("job_id", "queue", "state", "payload", "priority", "attempts", "max_attempts",
        "claimed_by", "lease_expires_at", "run_at", "created_at", "updated_at", "finished_at", "outcome", "summary", "result",
        "last_error", "progress", "status_message", "unique_key", "subject_digest", "attestation_digest", "log_url", "next_job",
        "attestation_key_id");
    assertThat(numbers("EnqueueJobRequest"))
        .containsExactly("queue", "payload", "priority", "run_at", "max_attempts", "unique_key", "subject_digest");
    assertThat(numbers("ClaimJobRequest"))
        .containsExactly("queues", "worker", "lease_seconds", "wait_seconds", "max_jobs", "request_id");
    assertThat(numbers("ClaimJobResponse")).containsExactly("jobs", "fencing_enforced");
    assertThat(numbers("HeartbeatJobRequest"))
        .containsExactly("worker", "lease_seconds", "progress", "status_message", "fencing_token");
    assertThat(numbers("CompleteJobRequest")).containsExactly("worker", "outcome", "summary", "result", "attestation", "log_url",
        "fencing_token", "claim_next");
    assertThat(numbers("Attestation")).containsExactly("media_type", "body");
    assertThat(numbers("FailJobRequest")).containsExactly("worker", "reason", "message", "retry_delay_seconds", "terminal",
        "fencing_token", "claim_next");
    assertThat(numbers("Queue")).containsExactly("queue", "paused", "depth", "oldest_claimable_age_seconds", "require_fencing",
        "unfenced_calls", "attestation");
    assertThat(numbers("UpdateQueueRequest")).containsExactly("paused", "require_fencing", "attestation");
    assertThat(numbers("ReleaseJobRequest")).containsExactly("worker", "fencing_token");
    assertThat(numbers("JobError")).containsExactly("reason", "message", "at");
    assertThat(numbers("Error")).containsExactly("code", "detail", "errors", "reason");
    assertThat(numbers("ClaimNext")).containsExactly("queues", "lease_seconds", "request_id");
    assertThat(numbers("HeartbeatJobsRequest")).containsExactly("heartbeats");
    assertThat(numbers("JobHeartbeat")).containsExactly("job_id", "heartbeat");
    assertThat(numbers("CompleteJobsRequest")).containsExactly("completions");
    assertThat(numbers("JobCompletion")).containsExactly("job_id", "completion");
    assertThat(numbers("FailJobsRequest")).containsExactly("failures");
    assertThat(numbers("JobFailure")).containsExactly("job_id", "failure");
    assertThat(numbers("JobResults")).containsExactly("results");
    assertThat(numbers("JobResult")).containsExactly("job", "error");
    assertThat(numbers("AuditEvent")).containsExactly("seq", "kind", "at", "principal", "worker", "queue", "job_id", "attempts",
        "outcome", "reason", "subject_digest", "payload_digest", "result_digest", "attestation_digest", "subject", "detail", "request_id",
        "preimage", "leaf_hash", "chain_hash");
    assertThat(numbers("ListAuditEventsResponse")).containsExactly("events");
    assertThat(numbers("AuditHead")).containsExactly("seq", "chain_hash", "sealed_at", "unsealed_age_seconds", "checkpoint");
    assertThat(numbers("EnqueueJobsRequest")).containsExactly("jobs");
    assertThat(numbers("EnqueueJobsResponse")).containsExactly("jobs");
    assertThat(contract.schema("Job").at("/properties/state/x-protobuf-enum").toString())
        .isEqualTo("{\"queued\":1,\"claimed\":2,\"succeeded\":3,\"dead\":4,\"cancelled\":5}");
    assertThat(contract.schema("JobOutcome").get("x-protobuf-enum").toString()).isEqualTo("{\"passed\":1,\"failed\":2}");
    assertThat(contract.schema("AttestationPolicy").get("x-protobuf-enum").toString())
        .isEqualTo("{\"none\":1,\"required\":2,\"signed\":3}");
  }

  @Test
  void the_field_numbers_of_leases_and_integrations_are_the_pinned_ones() {
    assertThat(numbers("Lease")).containsExactly("lease_id", "repo", "paths", "holder", "fencing_token", "acquired_at", "expires_at", "state");
    assertThat(numbers("AcquireLeaseRequest"))
        .containsExactly("repo", "paths", "holder", "ttl_seconds", "wait_seconds", "request_id");
    assertThat(numbers("RenewLeaseRequest")).containsExactly("holder", "fencing_token", "ttl_seconds");
    assertThat(numbers("ReleaseLeaseRequest")).containsExactly("holder", "fencing_token");
    assertThat(numbers("ListLeasesResponse")).containsExactly("leases", "next_page_token");
    assertThat(numbers("IntegrateRequest")).containsExactly("repo", "change_digest", "paths", "fencing_tokens", "base", "holder",
        "validation", "request_id");
    assertThat(numbers("Validation")).containsExactly("queue", "payload", "max_attempts");
    assertThat(numbers("Integration")).containsExactly("integration_id", "sequence", "repo", "change_digest", "paths", "fencing_tokens",
        "base", "state", "job_id", "created_at");
    assertThat(numbers("ListIntegrationsResponse")).containsExactly("integrations", "next_page_token");
    assertThat(contract.schema("Lease").at("/properties/state/x-protobuf-enum").toString())
        .isEqualTo("{\"held\":1,\"released\":2,\"expired\":3}");
    assertThat(contract.schema("Integration").at("/properties/state/x-protobuf-enum").toString())
        .isEqualTo("{\"validating\":1,\"validated\":2,\"rejected\":3,\"accepted\":4}");
  }

  @Test
  void the_operations_are_the_pinned_ones() {
    assertThat(contract.operations().stream().map(operation -> operation.id() + " " + operation.method() + " " + operation.path()))
        .containsExactlyInAnyOrder("enqueueJob post /v1/jobs", "enqueueJobs post /v1/jobs/batch", "claimJob post /v1/jobs/claim",
            "heartbeatJobs post /v1/jobs/heartbeat", "completeJobs post /v1/jobs/complete", "failJobs post /v1/jobs/fail",
            "heartbeatJob post /v1/jobs/{job_id}/heartbeat", "completeJob post /v1/jobs/{job_id}/complete",
            "failJob post /v1/jobs/{job_id}/fail", "releaseJob post /v1/jobs/{job_id}/release",
            "cancelJob post /v1/jobs/{job_id}/cancel", "retryJob post /v1/jobs/{job_id}/retry", "getJob get /v1/jobs/{job_id}",
            "listJobs get /v1/jobs", "getAttestation get /v1/jobs/{job_id}/attestation", "listQueues get /v1/queues",
            "getQueue get /v1/queues/{queue}", "updateQueue patch /v1/queues/{queue}",
            "listAuditEvents get /v1/audit/events", "getAuditHead get /v1/audit/head",
            "acquireLease post /v1/leases",
            "renewLease post /v1/leases/{lease_id}/renew", "releaseLease post /v1/leases/{lease_id}/release", "listLeases get /v1/leases",
            "integrate post /v1/integrations", "getIntegration get /v1/integrations/{integration_id}",
            "listIntegrations get /v1/integrations");
  }

  @Test
  void the_error_codes_and_reasons_are_the_pinned_ones() {
    assertThat(contract.schema("Problem").at("/properties/code/x-extensible-enum").toString()).isEqualTo(
        "[\"invalid_argument\",\"unauthenticated\",\"permission_denied\",\"not_found\",\"method_not_allowed\",\"not_acceptable\","
            + "\"already_exists\",\"failed_precondition\",\"payload_too_large\",\"unsupported_media_type\",\"resource_exhausted\","
            + "\"internal\",\"unavailable\"]");
    assertThat(contract.schema("Problem").at("/properties/reason/x-extensible-enum").toString()).isEqualTo(
        "[\"unknown_job\",\"not_holder\",\"stale_fencing_token\",\"fencing_token_required\",\"job_ended\",\"job_cancelled\","
            + "\"attestation_required\",\"attestation_unsigned\",\"attestation_invalid\",\"attestation_mismatch\","
            + "\"unknown_lease\",\"lease_held\",\"lease_released\",\"lease_expired\",\"unknown_integration\",\"stale_base\"]");
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

  /** The properties in the order of their numbers, which must run from 1 without a gap. */
  private List<String> numbers(String schema) {
    TreeMap<Integer, String> numbers = new TreeMap<>();
    contract.schema(schema).get("properties").properties()
        .forEach(property -> numbers.put(property.getValue().get("x-protobuf-index").asInt(), property.getKey()));
    assertThat(numbers.firstKey()).isEqualTo(1);
    assertThat(numbers.lastKey()).isEqualTo(numbers.size());
    return List.copyOf(numbers.values());
  }
}
