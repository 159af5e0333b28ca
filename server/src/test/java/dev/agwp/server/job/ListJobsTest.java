package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class ListJobsTest {

  @EveryDatabase
  void pages_run_from_the_newest_to_the_oldest_and_new_jobs_do_not_move_them(TestDatabase database) {
    Api api = database.serve();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      expected.add(api.aQueuedJob());
    }
    Collections.reverse(expected);

    List<String> seen = new ArrayList<>();
    JsonNode page = api.get("/v1/jobs?page_size=3").ok();
    seen.addAll(ClaimTest.ids(page.get("jobs")));
    while (page.has("next_page_token")) {
      api.aQueuedJob();
      page = api.get("/v1/jobs?page_size=3&page_token=" + page.get("next_page_token").asText()).ok();
      seen.addAll(ClaimTest.ids(page.get("jobs")));
    }

    assertThat(seen).isEqualTo(expected);
  }

  @EveryDatabase
  void a_list_is_of_the_queue_and_the_state_asked_for(TestDatabase database) {
    Api api = database.serve();
    String claimed = api.aClaimedJob("w1");
    String queued = api.aQueuedJob();
    api.post("/v1/jobs", "{\"queue\": \"other\"}").ok();

    assertThat(ClaimTest.ids(api.get("/v1/jobs?queue=q").ok().get("jobs"))).containsExactly(queued, claimed);
    assertThat(ClaimTest.ids(api.get("/v1/jobs?queue=q&state=claimed").ok().get("jobs"))).containsExactly(claimed);
    assertThat(api.get("/v1/jobs?queue=unknown").ok().get("jobs")).isEmpty();
    Api.Answer bad = api.get("/v1/jobs?state=running");
    bad.refused(400, "invalid_argument");
    assertThat(bad.json().get("errors").get(0).get("field").asText()).isEqualTo("state");
    api.get("/v1/jobs?page_token=%00%00").refused(400, "invalid_argument");
    api.get("/v1/jobs?page_token=nonsense").refused(400, "invalid_argument");
    for (String number : List.of("-1", "0", "18446744073709551615")) {
      String token = Base64.getUrlEncoder().withoutPadding().encodeToString(number.getBytes(StandardCharsets.US_ASCII));
      api.get("/v1/jobs?page_token=" + token).refused(400, "invalid_argument");
    }
  }

  @EveryDatabase
  void a_page_of_large_jobs_is_cut_and_the_next_one_goes_on_there(TestDatabase database) {
    Api api = database.serve();
    String payload = "\"payload\": {\"a\": \"" + "x".repeat(250_000) + "\"}";
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      expected.add(api.aQueuedJob(payload));
    }
    Collections.reverse(expected);

    JsonNode first = api.get("/v1/jobs?page_size=40").ok();
    JsonNode second = api.get("/v1/jobs?page_size=40&page_token=" + first.get("next_page_token").asText()).ok();

    assertThat(first.toString().length()).isBetween(4_000_000, 9_000_000);
    assertThat(second.has("next_page_token")).isFalse();
    List<String> seen = new ArrayList<>(ClaimTest.ids(first.get("jobs")));
    seen.addAll(ClaimTest.ids(second.get("jobs")));
    assertThat(seen).isEqualTo(expected);
  }
}
