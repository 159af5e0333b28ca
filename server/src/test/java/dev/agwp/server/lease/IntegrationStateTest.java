package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;

final class IntegrationStateTest {
  private static final String VALIDATION = "\"validation\": {\"queue\": \"q\", \"payload\": {\"path\": \"a\"}, \"max_attempts\": 1}";

  @EveryDatabase
  void the_validation_is_a_job_about_the_change_stored_with_the_integration(TestDatabase database) {
    Leases leases = Leases.of(database.serve());

    ObjectNode integration = validating(leases);

    assertThat(integration.get("state").asText()).isEqualTo("validating");
    ObjectNode job = leases.api().job(integration.get("job_id").asText());
    assertThat(job.get("queue").asText()).isEqualTo("q");
    assertThat(job.get("subject_digest").asText()).isEqualTo(Leases.DIGEST);
    assertThat(job.at("/payload/path").asText()).isEqualTo("a");
    assertThat(job.get("max_attempts").asInt()).isEqualTo(1);
    assertThat(job.get("state").asText()).isEqualTo("queued");
  }

  @EveryDatabase
  void an_integration_is_in_the_state_that_its_job_gives_it(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    Api api = leases.api();

    ObjectNode passed = validating(leases);
    String job = claimed(api);
    assertThat(leases.state(passed)).isEqualTo("validating");
    api.call("complete", job, "w1").ok();
    assertThat(leases.state(passed)).isEqualTo("validated");

    ObjectNode failed = validating(leases);
    api.post("/v1/jobs/" + claimed(api) + "/complete", "{\"worker\": \"w1\", \"outcome\": \"failed\"}").ok();
    assertThat(leases.state(failed)).isEqualTo("rejected");

    ObjectNode dead = validating(leases);
    api.call("fail", claimed(api), "w1").ok();
    assertThat(leases.state(dead)).isEqualTo("rejected");

    ObjectNode cancelled = validating(leases);
    api.cancel(cancelled.get("job_id").asText()).ok();
    assertThat(leases.state(cancelled)).isEqualTo("rejected");

    api.retry(cancelled.get("job_id").asText()).ok();
    assertThat(leases.state(cancelled)).isEqualTo("validating");
  }

  @EveryDatabase
  void a_refused_integrate_enqueues_nothing(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.given("alice", "a");
    List<String> before = database.everything();

    leases.integrate("bob", List.of(1L), List.of("a"), VALIDATION).refused(409, "failed_precondition");
    Api.Answer deep = leases.integrate("alice", List.of(1L), List.of("a"),
        "\"validation\": {\"queue\": \"q\", \"payload\": {\"text\": \"" + "x".repeat(300_000) + "\"}}");
    deep.refused(413, "payload_too_large");
    assertThat(deep.json().at("/errors/0/field").asText()).isEqualTo("validation.payload");
    assertThat(database.everything()).isEqualTo(before);
  }

  private static ObjectNode validating(Leases leases) {
    ObjectNode lease = leases.given("alice", "a");
    ObjectNode integration = leases.integrate(lease, List.of("a"), VALIDATION).ok();
    leases.release(lease).ok();
    return integration;
  }

  private static String claimed(Api api) {
    return api.claim("w1").get(0).get("job_id").asText();
  }
}
