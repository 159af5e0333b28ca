package dev.agwp.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;

/** A claim is its principal's, whatever else somebody knows of it. */
final class PrincipalsTest {
  private static final String TOKEN = "\"fencing_token\": 1";

  @EveryDatabase
  void the_right_job_label_and_fencing_token_under_another_principal_are_refused_like_a_strangers(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api holder = api.as(database.aToken("holder", Scope.values()));
      Api thief = api.as(database.aToken("thief", Scope.WORK));
      String job = holder.aClaimedJob("w1");
      List<String> before = database.everything();

      for (String operation : List.of("heartbeat", "complete", "fail", "release")) {
        Api.Answer answer = thief.call(operation, job, "w1", TOKEN);
        Api.Answer stranger = thief.call(operation, job, "w2", TOKEN);

        assertThat(answer.status()).as(operation).isEqualTo(operation.equals("complete") ? 409 : 404);
        assertThat(answer.json().get("reason").asText()).isEqualTo("not_holder");
        assertThat(answer.json().toString().replace("thief|w1", "thief|w2")).isEqualTo(stranger.json().toString());
      }
      for (String many : List.of(
          "heartbeat; {\"heartbeats\": [{\"job_id\": \"%s\", \"heartbeat\": {\"worker\": \"w1\", \"fencing_token\": 1}}]}",
          "complete; {\"completions\": [{\"job_id\": \"%s\", \"completion\": {\"worker\": \"w1\", \"outcome\": \"passed\", \"fencing_token\": 1}}]}",
          "fail; {\"failures\": [{\"job_id\": \"%s\", \"failure\": {\"worker\": \"w1\", \"fencing_token\": 1}}]}")) {
        String path = "/v1/jobs/" + many.substring(0, many.indexOf(';'));
        assertThat(thief.post(path, many.substring(many.indexOf('{')).formatted(job)).ok().at("/results/0/error/reason").asText())
            .as(many).isEqualTo("not_holder");
      }
      assertThat(database.everything()).isEqualTo(before);
      holder.call("complete", job, "w1", TOKEN).ok();
    }
  }

  @EveryDatabase
  void a_won_completion_is_not_answered_again_to_another_principal(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api holder = api.as(database.aToken("holder", Scope.values()));
      Api thief = api.as(database.aToken("thief", Scope.WORK));
      String job = holder.aClaimedJob("w1");
      holder.call("complete", job, "w1", TOKEN).ok();
      List<String> before = database.everything();

      thief.call("complete", job, "w1", TOKEN).refused(409, "failed_precondition");

      assertThat(database.everything()).isEqualTo(before);
    }
  }

  @EveryDatabase
  void a_claim_request_of_another_principal_is_not_answered_with_its_jobs(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api holder = api.as(database.aToken("holder", Scope.values()));
      holder.aQueuedJob();
      assertThat(holder.claim("w1", "\"request_id\": \"r\"")).hasSize(1);

      assertThat(api.as(database.aToken("thief", Scope.WORK)).claim("w1", "\"request_id\": \"r\"")).isEmpty();
    }
  }
}
