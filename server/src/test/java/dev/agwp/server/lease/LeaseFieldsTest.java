package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of requests about leases beside those of paths. A refusal names the field and stores nothing. */
final class LeaseFieldsTest {
  private static final TestDatabase DATABASE = TestDatabase.sqlite();
  private static Api api;

  @BeforeAll
  static void serve() {
    api = DATABASE.serve();
  }

  @AfterAll
  static void stop() {
    DATABASE.close();
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(delimiter = ';', textBlock = """
      /v1/leases; {"paths": ["a"], "holder": "h"}; repo
      /v1/leases; {"repo": "", "paths": ["a"], "holder": "h"}; repo
      /v1/leases; {"repo": "a b", "paths": ["a"], "holder": "h"}; repo
      /v1/leases; {"repo": "r", "holder": "h"}; paths
      /v1/leases; {"repo": "r", "paths": "a", "holder": "h"}; paths
      /v1/leases; {"repo": "r", "paths": ["a", null], "holder": "h"}; paths[1]
      /v1/leases; {"repo": "r", "paths": ["a", 5], "holder": "h"}; paths[1]
      /v1/leases; {"repo": "r", "paths": ["a"]}; holder
      /v1/leases; {"repo": "r", "paths": ["a"], "holder": "a|b"}; holder
      /v1/leases; {"repo": "r", "paths": ["a"], "holder": "h", "ttl_seconds": 0}; ttl_seconds
      /v1/leases; {"repo": "r", "paths": ["a"], "holder": "h", "ttl_seconds": 86401}; ttl_seconds
      /v1/leases; {"repo": "r", "paths": ["a"], "holder": "h", "wait_seconds": 61}; wait_seconds
      /v1/leases; {"repo": "r", "paths": ["a"], "holder": "h", "wait_seconds": -1}; wait_seconds
      /v1/leases; {"repo": "r", "paths": ["a"], "holder": "h", "request_id": "a/b"}; request_id
      /v1/leases/l/renew; {"fencing_token": 1}; holder
      /v1/leases/l/renew; {"holder": "h"}; fencing_token
      /v1/leases/l/renew; {"holder": "h", "fencing_token": 0}; fencing_token
      /v1/leases/l/renew; {"holder": "h", "fencing_token": ""}; fencing_token
      /v1/leases/l/renew; {"holder": "h", "fencing_token": 1.5}; fencing_token
      /v1/leases/l/renew; {"holder": "h", "fencing_token": 9007199254740992}; fencing_token
      /v1/leases/l/renew; {"holder": "h", "fencing_token": 18446744073709551615}; fencing_token
      /v1/leases/l/renew; {"holder": "h", "fencing_token": 1, "ttl_seconds": 86401}; ttl_seconds
      /v1/leases/l/release; {"holder": "h", "fencing_token": -1}; fencing_token
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "fencing_tokens": [1]}; change_digest
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "fencing_tokens": [1], "change_digest": "sha256:00"}; change_digest
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "change_digest": "DIGEST"}; fencing_tokens
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "change_digest": "DIGEST", "fencing_tokens": []}; fencing_tokens
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "change_digest": "DIGEST", "fencing_tokens": [1, 0]}; fencing_tokens[1]
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "change_digest": "DIGEST", "fencing_tokens": [1, ""]}; fencing_tokens[1]
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "change_digest": "DIGEST", "fencing_tokens": [1], "base": "a b"}; base
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "change_digest": "DIGEST", "fencing_tokens": [1], "validation": {}}; validation.queue
      /v1/integrations; {"repo": "r", "paths": ["a"], "holder": "h", "change_digest": "DIGEST", "fencing_tokens": [1], "validation": {"queue": "q", "max_attempts": 0}}; validation.max_attempts
      """)
  void a_bad_field_is_named_and_nothing_is_stored(String path, String json, String field) {
    List<String> before = DATABASE.everything();

    Api.Answer answer = api.post(path, json.replace("DIGEST", Leases.DIGEST));

    answer.refused(400, "invalid_argument");
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo(field);
    assertThat(DATABASE.everything()).isEqualTo(before);
  }

  @Test
  void the_largest_values_and_tokens_as_text_are_taken() {
    String holder = "h".repeat(128);
    Leases leases = new Leases(api, "r".repeat(256));
    var lease = leases.acquire(holder, List.of("a"), "\"ttl_seconds\": 86400", "\"request_id\": \"" + "q".repeat(128) + "\"").ok();

    api.post("/v1/leases/" + lease.get("lease_id").asText() + "/renew", "{\"holder\": \"" + holder + "\", \"fencing_token\": \"1\"}").ok();
    leases.integrate(holder, List.of(1L, 9007199254740991L), List.of("a")).ok();
  }
}
