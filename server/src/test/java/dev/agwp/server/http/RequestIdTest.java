package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import org.junit.jupiter.api.Test;

final class RequestIdTest {

  @Test
  void every_answer_names_its_request() {
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = database.serve();

      assertThat(id(api, "trace-1.a_b:C")).isEqualTo("trace-1.a_b:C");
      assertThat(id(api, "a".repeat(128))).isEqualTo("a".repeat(128));
      assertThat(id(api, "a".repeat(129))).hasSize(36);
      assertThat(id(api, "two words")).hasSize(36);
      assertThat(api.get("/v1/jobs").header("X-Request-Id")).isNotEqualTo(api.get("/v1/jobs").header("X-Request-Id"));
      assertThat(api.get("/v1/nothing").header("X-Request-Id")).hasSize(36);
    }
  }

  private static String id(Api api, String given) {
    return api.send(api.request("/v1/queues").header("X-Request-Id", given).build()).header("X-Request-Id");
  }
}
