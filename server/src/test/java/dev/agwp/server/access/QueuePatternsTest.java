package dev.agwp.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A credential for some queues only. */
final class QueuePatternsTest {
  private static final NamePatterns TEAM = new NamePatterns(List.of("team-a.*", "shared"));

  @EveryDatabase
  void naming_a_queue_outside_is_refused_and_changes_nothing(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api all = api.as(database.aToken("all", Scope.values()));
      Api team = api.as(database.aToken("team", TEAM, Scope.values()));
      all.post("/v1/jobs", "{\"queue\": \"other\"}").ok();
      all.post("/v1/jobs", "{\"queue\": \"shared\"}").ok();
      String held = team.post("/v1/jobs/claim", "{\"queues\": [\"shared\"], \"worker\": \"w\"}").ok().at("/jobs/0/job_id").asText();
      List<String> before = database.everything();
      String next = "\"claim_next\": {\"queues\": [\"shared\", \"other\"]}";

      refused(team.post("/v1/jobs", "{\"queue\": \"other\"}"), "queue");
      refused(team.post("/v1/jobs/batch", "{\"jobs\": [{\"queue\": \"shared\"}, {\"queue\": \"other\"}]}"), "jobs[1].queue");
      refused(team.post("/v1/jobs/claim", "{\"queues\": [\"shared\", \"other\"], \"worker\": \"w\"}"), "queues[1]");
      refused(team.call("complete", held, "w", next), "claim_next.queues[1]");
      refused(team.call("fail", held, "w", next), "claim_next.queues[1]");
      refused(team.post("/v1/jobs/fail", "{\"failures\": [{\"job_id\": \"" + held + "\", \"failure\": {\"worker\": \"w\", " + next + "}}]}"),
          "failures[0].failure.claim_next.queues[1]");
      refused(team.get("/v1/jobs?queue=other"), "queue");
      refused(team.get("/v1/jobs"), "queue");
      refused(team.get("/v1/queues/other"), "queue");
      refused(team.get("/v1/queues/no-such-queue"), "queue");
      refused(team.patch("/v1/queues/other", "{\"paused\": true}"), "queue");

      assertThat(database.everything()).isEqualTo(before);
    }
  }

  @EveryDatabase
  void a_job_of_a_queue_outside_is_answered_exactly_as_an_unknown_one(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api all = api.as(database.aToken("same", Scope.values()));
      // The same principal: not even its own claims of other queues are this credential's.
      Api team = api.as(database.aToken("same", TEAM, Scope.values()));
      String job = all.aClaimedJob("w");
      String unknown = "019aeb3c-5a40-7c3e-9f0b-2f6b8f1d3c55";
      List<String> before = database.everything();

      for (String path : List.of("", "/attestation")) {
        sameAnswer(team.get("/v1/jobs/" + job + path), job, team.get("/v1/jobs/" + unknown + path), unknown);
      }
      for (String operation : List.of("heartbeat", "complete", "fail", "release")) {
        sameAnswer(team.call(operation, job, "w"), job, team.call(operation, unknown, "w"), unknown);
      }
      sameAnswer(team.cancel(job), job, team.cancel(unknown), unknown);
      sameAnswer(team.retry(job), job, team.retry(unknown), unknown);
      JsonNode results = team.post("/v1/jobs/heartbeat", "{\"heartbeats\": [%s, %s]}".formatted(heartbeat(job), heartbeat(unknown)))
          .ok().get("results");
      assertThat(results.get(0).toString().replace(job, unknown)).isEqualTo(results.get(1).toString()).contains("unknown_job");

      assertThat(database.everything()).isEqualTo(before);
    }
  }

  @EveryDatabase
  void one_hidden_job_among_many_calls_leaves_the_others_alone(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api all = api.as(database.aToken("same", Scope.values()));
      Api team = api.as(database.aToken("same", TEAM, Scope.values()));
      String hidden = all.aClaimedJob("w");
      all.post("/v1/jobs", "{\"queue\": \"shared\"}").ok();
      String own = team.post("/v1/jobs/claim", "{\"queues\": [\"shared\"], \"worker\": \"w\"}").ok().at("/jobs/0/job_id").asText();

      JsonNode results = team.post("/v1/jobs/heartbeat",
          "{\"heartbeats\": [%s, %s, %s]}".formatted(heartbeat("no-such-job"), heartbeat(hidden), heartbeat(own))).ok().get("results");

      assertThat(results.at("/0/error/reason").asText()).isEqualTo("unknown_job");
      assertThat(results.at("/1/error/reason").asText()).isEqualTo("unknown_job");
      assertThat(results.at("/2/job/job_id").asText()).isEqualTo(own);
    }
  }

  @EveryDatabase
  void queues_inside_are_served_and_the_list_shows_them_alone_page_by_page(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api all = api.as(database.aToken("all", Scope.values()));
      Api team = api.as(database.aToken("team", TEAM, Scope.values()));
      for (String queue : List.of("other", "shared", "shared2", "team-a", "team-a.x", "team-a.y", "Team-a.z", "team_a.x", "zeta")) {
        all.post("/v1/jobs", "{\"queue\": \"" + queue + "\"}").ok();
      }
      List<String> names = new ArrayList<>();
      String path = "/v1/queues?page_size=1";
      for (String next = path; next != null; ) {
        JsonNode page = team.get(next).ok();
        page.get("queues").forEach(queue -> names.add(queue.get("queue").asText()));
        next = page.has("next_page_token") ? path + "&page_token=" + page.get("next_page_token").asText() : null;
      }

      assertThat(names).containsExactly("shared", "team-a.x", "team-a.y");
      assertThat(team.get("/v1/jobs?queue=team-a.x").ok().get("jobs")).hasSize(1);
      assertThat(team.patch("/v1/queues/shared", "{\"paused\": true}").ok().get("paused").asBoolean()).isTrue();
      assertThat(team.post("/v1/jobs/claim", "{\"queues\": [\"team-a.y\"], \"worker\": \"w\"}").ok().get("jobs")).hasSize(1);
    }
  }

  @EveryDatabase
  void a_repeated_request_shows_no_job_of_a_queue_outside(TestDatabase database) {
    try (database) {
      Api api = database.serve();
      Api all = api.as(database.aToken("same", Scope.values()));
      Api team = api.as(database.aToken("same", TEAM, Scope.values()));
      all.aQueuedJob();
      assertThat(all.claim("w", "\"request_id\": \"r\"")).hasSize(1);
      all.post("/v1/jobs", "{\"queue\": \"shared\"}").ok();
      all.aQueuedJob();
      String own = team.post("/v1/jobs/claim", "{\"queues\": [\"shared\"], \"worker\": \"w\"}").ok().at("/jobs/0/job_id").asText();
      String next = "\"fencing_token\": 1, \"claim_next\": {\"request_id\": \"r2\", \"queues\": [\"%s\"]}";
      assertThat(all.call("complete", own, "w", next.formatted("q")).ok().has("next_job")).isTrue();

      assertThat(team.post("/v1/jobs/claim", "{\"queues\": [\"shared\"], \"worker\": \"w\", \"request_id\": \"r\"}").ok().get("jobs"))
          .isEmpty();
      assertThat(team.call("complete", own, "w", next.formatted("shared")).ok().has("next_job")).isFalse();
    }
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource({
      "*, anything, true", "a, a, true", "a, A, false", "a, ab, false", "a*, a, true", "a*, ab, true", "a*, ba, false", "*a, ba, true",
      "*a, ab, false", "a*a, a, false", "a*a, aa, true", "a*a, aba, true", "a*b*c, a1b2c, true", "a*b*c, acb, false", "*b*, abc, true",
      "**, x, true", "a.c, abc, false", "a*bc*bc, abcbc, true", "a*bc*bc, abc, false", "a_c, abc, false"})
  void a_star_stands_for_any_run_of_characters_and_nothing_else_is_special(String pattern, String name, boolean allowed) {
    assertThat(new NamePatterns(List.of(pattern)).allow(name)).isEqualTo(allowed);
  }

  private static void refused(Api.Answer answer, String field) {
    answer.refused(403, "permission_denied");
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo(field);
  }

  private static void sameAnswer(Api.Answer hidden, String job, Api.Answer unknown, String unknownJob) {
    hidden.refused(404, "not_found");
    assertThat(hidden.json().toString().replace(job, unknownJob)).isEqualTo(unknown.json().toString());
  }

  private static String heartbeat(String job) {
    return "{\"job_id\": \"" + job + "\", \"heartbeat\": {\"worker\": \"w\"}}";
  }
}
