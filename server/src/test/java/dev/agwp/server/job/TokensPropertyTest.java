package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/** Whatever operations run, in whatever order, no two claims of a job ever share a token. A failing walk is printed with its seed. */
class TokensPropertyTest {
  private static TestDatabase sqlite;
  private static TestDatabase postgresql;
  private static Api onSqlite;
  private static Api onPostgresql;
  private static int walks;

  private enum Step { CLAIM, CLAIM_AS_ANOTHER, HEARTBEAT, COMPLETE, FAIL, FAIL_FOR_GOOD, RELEASE, CANCEL, RETRY, LEASE_RUNS_OUT, PAUSE, GO_ON }

  @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
  void no_two_claims_of_a_job_share_a_token_on_sqlite(@ForAll("walks") List<Step> steps) {
    if (sqlite == null) {
      sqlite = TestDatabase.sqlite();
      onSqlite = sqlite.serve();
    }
    walk(sqlite, onSqlite, steps);
  }

  @Property(tries = 50, shrinking = ShrinkingMode.BOUNDED)
  void no_two_claims_of_a_job_share_a_token_on_postgresql(@ForAll("walks") List<Step> steps) {
    if (postgresql == null) {
      postgresql = TestDatabase.postgresql();
      onPostgresql = postgresql.serve();
    }
    walk(postgresql, onPostgresql, steps);
  }

  @AfterContainer
  static void close() {
    sqlite.close();
    postgresql.close();
  }

  @Provide
  Arbitrary<List<Step>> walks() {
    // Claims come often, since they are what is counted.
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(5, Arbitraries.of(Step.CLAIM, Step.CLAIM_AS_ANOTHER)),
        net.jqwik.api.Tuple.of(6, Arbitraries.of(Step.values()))).list().ofMinSize(5).ofMaxSize(30);
  }

  private static void walk(TestDatabase database, Api api, List<Step> steps) {
    String queue = "walk" + walks++;
    String jobId = api.post("/v1/jobs", "{\"queue\": \"" + queue + "\", \"max_attempts\": 2}").ok().get("job_id").asText();
    Set<Long> tokens = new HashSet<>();
    long largest = 0;
    for (Step step : steps) {
      for (JsonNode job : take(database, api, queue, jobId, step)) {
        long token = job.get("attempts").asLong();
        assertThat(tokens.add(token)).as("token " + token + " was given before").isTrue();
        assertThat(token).isGreaterThan(largest);
        largest = token;
      }
      assertThat(api.job(jobId).get("attempts").asLong()).isEqualTo(largest);
    }
  }

  private static List<JsonNode> take(TestDatabase database, Api api, String queue, String jobId, Step step) {
    switch (step) {
      case CLAIM, CLAIM_AS_ANOTHER -> {
        String worker = step == Step.CLAIM ? "w1" : "w2";
        JsonNode jobs = api.post("/v1/jobs/claim", "{\"queues\": [\"" + queue + "\"], \"worker\": \"" + worker + "\"}").ok().get("jobs");
        return jobs.isEmpty() ? List.of() : List.of(jobs.get(0));
      }
      case HEARTBEAT -> api.call("heartbeat", jobId, "w1");
      case COMPLETE -> api.call("complete", jobId, "w2");
      case FAIL -> api.call("fail", jobId, "w1", "\"retry_delay_seconds\": 0");
      case FAIL_FOR_GOOD -> api.call("fail", jobId, "w2", "\"terminal\": true");
      case RELEASE -> api.call("release", jobId, "w1");
      case CANCEL -> api.cancel(jobId);
      case RETRY -> api.retry(jobId);
      case LEASE_RUNS_OUT -> database.change(
          "update job set lease_expires_at = 1, due_at = 1 where state = 'claimed' and job_id = '" + jobId + "'");
      case PAUSE -> api.patch("/v1/queues/" + queue, "{\"paused\": true}").ok();
      case GO_ON -> api.patch("/v1/queues/" + queue, "{\"paused\": false}").ok();
    }
    return List.of();
  }
}
