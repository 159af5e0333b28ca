package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of the contract, each on both of its sides. A refusal names the field and stores nothing. */
final class ValidationTableTest {
  private static final TestDatabase DATABASE = TestDatabase.sqlite();
  private static Api api;
  private static RawHttp raw;

  @BeforeAll
  static void serve() {
    api = DATABASE.serve();
    raw = new RawHttp(api.base());
  }

  @AfterAll
  static void stop() {
    DATABASE.close();
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(delimiter = ';', textBlock = """
      /v1/jobs; {}; queue
      /v1/jobs; {"queue": null}; queue
      /v1/jobs; {"queue": ""}; queue
      /v1/jobs; {"queue": "a b"}; queue
      /v1/jobs; {"queue": "a/b"}; queue
      /v1/jobs; {"queue": "ä"}; queue
      /v1/jobs; {"queue": "q\\n"}; queue
      /v1/jobs; {"queue": 5}; queue
      /v1/jobs; {"queue": ["q"]}; queue
      /v1/jobs; {"queue": true}; queue
      /v1/jobs; {"queue": "q", "priority": 2147483648}; priority
      /v1/jobs; {"queue": "q", "priority": 1.5}; priority
      /v1/jobs; {"queue": "q", "priority": "1"}; priority
      /v1/jobs; {"queue": "q", "priority": true}; priority
      /v1/jobs; {"queue": "q", "priority": ""}; priority
      /v1/jobs; {"queue": "q", "priority": [1]}; priority
      /v1/jobs; {"queue": "q", "priority": 1e1000000000}; priority
      /v1/jobs; {"queue": "q", "max_attempts": 0}; max_attempts
      /v1/jobs; {"queue": "q", "max_attempts": -1}; max_attempts
      /v1/jobs; {"queue": "q", "max_attempts": 4294967296}; max_attempts
      /v1/jobs; {"queue": "q", "run_at": "tomorrow"}; run_at
      /v1/jobs; {"queue": "q", "run_at": 5}; run_at
      /v1/jobs; {"queue": "q", "run_at": "2026-13-01T00:00:00Z"}; run_at
      /v1/jobs; {"queue": "q", "run_at": "2026-12-01T00:00:00"}; run_at
      /v1/jobs; {"queue": "q", "run_at": ""}; run_at
      /v1/jobs; {"queue": "q", "payload": []}; payload
      /v1/jobs; {"queue": "q", "payload": "{}"}; payload
      /v1/jobs; {"queue": "q", "payload": 1}; payload
      /v1/jobs; {"queue": "q", "payload": {"a": ["b", {"c": "\\u0000"}]}}; payload.a[1].c
      /v1/jobs; {"queue": "q", "payload": {"a": {"\\u0000": 1}}}; payload.a
      /v1/jobs; {"queue": "q", "payload": {"a": "\\ud800"}}; payload.a
      /v1/jobs; {"queue": "q", "subject_digest": "sha256:00"}; subject_digest
      /v1/jobs; {"queue": "q", "subject_digest": "sha256:G000000000000000000000000000000000000000000000000000000000000000"}; subject_digest
      /v1/jobs; {"queue": "q", "unique_key": ""}; unique_key
      /v1/jobs/batch; {"jobs": []}; jobs
      /v1/jobs/batch; {"jobs": [null]}; jobs[0]
      /v1/jobs/batch; {"jobs": {"queue": "q"}}; jobs
      /v1/jobs/batch; {}; jobs
      /v1/jobs/batch; {"jobs": [{"queue": "q"}, {"queue": "q", "priority": 0.5}]}; jobs[1].priority
      /v1/jobs/heartbeat; {}; heartbeats
      /v1/jobs/heartbeat; {"heartbeats": [null]}; heartbeats[0]
      /v1/jobs/heartbeat; {"heartbeats": [{"job_id": "j", "heartbeat": {}}]}; heartbeats[0].heartbeat.worker
      /v1/jobs/heartbeat; {"heartbeats": [{"job_id": "j", "heartbeat": null}]}; heartbeats[0].heartbeat
      /v1/jobs/heartbeat; {"heartbeats": [{"job_id": "a b", "heartbeat": {"worker": "w"}}]}; heartbeats[0].job_id
      /v1/jobs/fail; {"failures": [{"job_id": "j", "failure": {"worker": "w", "retry_delay_seconds": -1}}]}; failures[0].failure.retry_delay_seconds
      /v1/jobs/complete; {"completions": {"job_id": "j"}}; completions
      /v1/jobs/claim; {"worker": "w"}; queues
      /v1/jobs/claim; {"queues": [], "worker": "w"}; queues
      /v1/jobs/claim; {"queues": "q", "worker": "w"}; queues
      /v1/jobs/claim; {"queues": ["q", ""], "worker": "w"}; queues[1]
      /v1/jobs/claim; {"queues": ["q", null], "worker": "w"}; queues[1]
      /v1/jobs/claim; {"queues": ["q"]}; worker
      /v1/jobs/claim; {"queues": ["q"], "worker": ""}; worker
      /v1/jobs/claim; {"queues": ["q"], "worker": "a|b"}; worker
      /v1/jobs/claim; {"queues": ["q"], "worker": "w "}; worker
      /v1/jobs/claim; {"queues": ["q"], "worker": "w\\u0000"}; worker
      /v1/jobs/claim; {"queues": ["q"], "worker": "w\\u202e"}; worker
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "lease_seconds": 0}; lease_seconds
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "lease_seconds": 86401}; lease_seconds
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "lease_seconds": -1}; lease_seconds
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "lease_seconds": 0.5}; lease_seconds
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "wait_seconds": 61}; wait_seconds
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "wait_seconds": -1}; wait_seconds
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "max_jobs": 0}; max_jobs
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "max_jobs": 101}; max_jobs
      /v1/jobs/claim; {"queues": ["q"], "worker": "w", "request_id": ""}; request_id
      /v1/jobs/j/heartbeat; {}; worker
      /v1/jobs/j/heartbeat; {"worker": "w", "progress": 101}; progress
      /v1/jobs/j/heartbeat; {"worker": "w", "progress": -1}; progress
      /v1/jobs/j/heartbeat; {"worker": "w", "lease_seconds": 86401}; lease_seconds
      /v1/jobs/j/complete; {"worker": "w"}; outcome
      /v1/jobs/j/complete; {"worker": "w", "outcome": "maybe"}; outcome
      /v1/jobs/j/complete; {"worker": "w", "outcome": 1}; outcome
      /v1/jobs/j/complete; {"worker": "w", "outcome": ""}; outcome
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "log_url": "ftp://x"}; log_url
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "log_url": "javascript:alert(1)"}; log_url
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "result": [1]}; result
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "attestation": {}}; attestation.body
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "attestation": {"media_type": "text", "body": "eA=="}}; attestation.media_type
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "attestation": {"media_type": "a/b\\r\\nX: y", "body": "eA=="}}; attestation.media_type
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "attestation": {"media_type": "a/b", "body": "!"}}; attestation.body
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "attestation": {"media_type": "a/b", "body": ""}}; attestation.body
      /v1/jobs/j/complete; {"worker": "w", "outcome": "passed", "attestation": "x"}; attestation
      /v1/jobs/j/fail; {"worker": "w", "retry_delay_seconds": -1}; retry_delay_seconds
      /v1/jobs/j/fail; {"worker": "w", "retry_delay_seconds": 31536001}; retry_delay_seconds
      /v1/jobs/j/fail; {"worker": "w", "terminal": "yes"}; terminal
      /v1/jobs/j/fail; {"worker": "w", "terminal": 1}; terminal
      /v1/jobs/j/fail; {"worker": "w", "reason": ""}; reason
      /v1/jobs/j/release; {"worker": null}; worker
      """)
  void a_bad_field_is_refused_by_name(String path, String body, String field) {
    List<String> before = DATABASE.everything();

    Api.Answer answer = api.post(path, body);

    answer.refused(400, "invalid_argument");
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo(field);
    assertThat(answer.json().at("/errors/0/message").asText()).isNotBlank();
    assertThat(answer.json().get("detail").asText()).startsWith(field + " ");
    assertThat(DATABASE.everything()).isEqualTo(before);
  }

  @Test
  void a_field_that_this_release_does_not_know_may_hold_what_a_known_one_may_not() {
    api.post("/v1/jobs", """
        {"queue": "later", "later": [null, "\\u0000", {"priority": 0.5}], "later_still": "\\ud800"}""").ok();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
      {"queue": "v", "queue": "v"}
      {"queue": "v", "payload": {"a": 1, "a": 2}}
      {"queue": "v"} x
      {"queue": "v"} {}
      {"queue": "v"
      {queue: "v"}
      {'queue': 'v'}
      [1]
      null
      "v"
      {"queue": "v", "payload": {"a": NaN}}
      {"queue": "v", "payload": {"a": "\\ud800"}}
      {"queue": "v", "payload": {"\\u0000": 1}}
      {"queue": "v", "unique_key": "a\\u0000b"}
      """)
  void a_body_that_is_not_one_clean_json_object_is_refused(String body) {
    assertRefusedWhole(body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void bytes_that_are_not_utf_8_json_are_refused() throws IOException {
    ByteArrayOutputStream overlong = new ByteArrayOutputStream();
    overlong.write("{\"queue\": \"v\", \"payload\": {\"a\": \"".getBytes(StandardCharsets.US_ASCII));
    overlong.write(new byte[] {(byte) 0xc0, (byte) 0x80});
    overlong.write("\"}}".getBytes(StandardCharsets.US_ASCII));
    assertRefusedWhole(overlong.toByteArray());
    assertRefusedWhole(new byte[] {(byte) 0xff, (byte) 0xfe});
    assertRefusedWhole("{\"queue\": \"v\"}".getBytes(StandardCharsets.UTF_16LE));
    assertRefusedWhole("\ufeff{\"queue\": \"v\"}".getBytes(StandardCharsets.UTF_8));
    assertRefusedWhole(new byte[0]);
  }

  @Test
  void nesting_numbers_and_names_without_end_are_refused() {
    assertRefusedWhole(("{\"queue\": \"v\", \"payload\": " + "{\"a\":".repeat(100_000) + "1" + "}".repeat(100_001)).getBytes(
        StandardCharsets.US_ASCII));
    assertRefusedWhole(("{\"queue\": \"v\", \"unknown\": " + "[".repeat(2_000) + "]".repeat(2_000) + "}").getBytes(
        StandardCharsets.US_ASCII));
    assertRefusedWhole(("{\"queue\": \"v\", \"priority\": 1" + "0".repeat(1_999) + "}").getBytes(StandardCharsets.US_ASCII));
    assertRefusedWhole(("{\"queue\": \"v\", \"payload\": {\"n\": " + "9".repeat(2_000) + "}}").getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void nesting_of_64_is_the_limit_for_payload() {
    String deepest = "{\"a\":".repeat(63) + "{}" + "}".repeat(63);
    assertThat(api.post("/v1/jobs", "{\"queue\": \"deep\", \"payload\": " + deepest + "}").status()).isEqualTo(201);

    Api.Answer deeper = api.post("/v1/jobs", "{\"queue\": \"deep\", \"payload\": {\"a\": " + deepest + "}}");

    deeper.refused(400, "invalid_argument");
    assertThat(deeper.json().at("/errors/0/field").asText()).isEqualTo("payload");
  }

  @Test
  void a_payload_of_256_kib_is_the_limit() {
    int bytesMax = 256 * 1024;
    String fits = "{\"a\":\"" + "x".repeat(bytesMax - 8) + "\"}";
    assertThat(api.post("/v1/jobs", "{\"queue\": \"big\", \"payload\": " + fits + "}").status()).isEqualTo(201);

    Api.Answer over = api.post("/v1/jobs", "{\"queue\": \"big\", \"payload\": " + fits.replace("{\"a", "{\"ab") + "}");

    over.refused(413, "payload_too_large");
    assertThat(over.json().at("/errors/0/field").asText()).isEqualTo("payload");
  }

  @Test
  void lengths_are_allowed_up_to_their_limit() {
    String name = "n".repeat(128);
    api.post("/v1/jobs", "{\"queue\": \"" + name + "\"}").ok();
    api.post("/v1/jobs", "{\"queue\": \"" + name + "n\"}").refused(400, "invalid_argument");
    String jobId = api.post("/v1/jobs/claim", "{\"queues\": [\"" + name + "\"], \"worker\": \"" + name + "\"}").ok()
        .at("/jobs/0/job_id").asText();
    api.post("/v1/jobs/" + jobId + "/heartbeat",
        "{\"worker\": \"" + name + "\", \"status_message\": \"" + "s".repeat(4097) + "\"}").refused(400, "invalid_argument");
    api.post("/v1/jobs/" + jobId + "/heartbeat",
        "{\"worker\": \"" + name + "\", \"status_message\": \"" + "s".repeat(4096) + "\"}").ok();
    api.post("/v1/jobs/claim", "{\"queues\": " + List.of("\"q\"").toString().repeat(1).replace("]", ", \"q\"".repeat(31) + "]")
        + ", \"worker\": \"w\"}").ok();
    api.post("/v1/jobs/claim", "{\"queues\": [\"q\"" + ", \"q\"".repeat(32) + "], \"worker\": \"w\"}")
        .refused(400, "invalid_argument");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"/v1/jobs?page_size=0, page_size", "/v1/jobs?page_size=1001, page_size", "/v1/jobs?page_size=x, page_size",
      "/v1/jobs?page_size=99999999999, page_size", "/v1/jobs?queue=a%20b, queue", "/v1/queues?page_size=0, page_size"})
  void a_bad_parameter_is_refused_by_name(String path, String field) {
    Api.Answer answer = api.get(path);

    answer.refused(400, "invalid_argument");
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo(field);
  }

  @Test
  void every_bad_field_is_told_at_once() {
    Api.Answer answer = api.post("/v1/jobs/claim", "{\"queues\": [\"a b\"], \"worker\": \"|\", \"max_jobs\": 0}");

    assertThat(answer.json().get("errors").findValuesAsText("field"))
        .containsExactlyInAnyOrder("queues[0]", "worker", "max_jobs");
  }

  @Test
  void what_a_later_client_sends_more_is_ignored() throws IOException {
    Api.Answer answer = api.post("/v1/jobs", "{\"queue\": \"later\", \"attempts\": 9, \"state\": \"dead\", "
        + "\"fencing_token\": {\"deep\": [1]}, \"priority\": null, \"payload\": null}");

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().get("attempts").asInt()).isZero();
    assertThat(new ObjectMapper().readTree(answer.http().body()).get("state").asText()).isEqualTo("queued");
  }

  @Test
  void whole_numbers_may_be_written_with_a_point_or_an_exponent() {
    assertThat(api.post("/v1/jobs", "{\"queue\": \"n\", \"priority\": 1.0, \"max_attempts\": 1e3}").ok().get("max_attempts").asInt())
        .isEqualTo(1000);
  }

  private static void assertRefusedWhole(byte[] body) {
    List<String> before = DATABASE.everything();
    ErrorLeakTest.assertProblem(raw.post("/v1/jobs", "application/json", body), 400, "invalid_argument");
    assertThat(DATABASE.everything()).isEqualTo(before);
  }
}
