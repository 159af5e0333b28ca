package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is thrown at the server, a client sees a problem of the contract and no page, trace, statement or class name. */
@Isolated("measures time, or needs the machine for itself")
final class ErrorLeakTest {
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

  static Stream<Arguments> badRequests() {
    return Stream.of(
        bad("a bad percent-escape", "GET /v1/jobs/%zz HTTP/1.1", "", 400, "invalid_argument"),
        bad("a percent-escape cut short", "GET /v1/jobs/%4 HTTP/1.1", "", 400, "invalid_argument"),
        bad("a raw bar", "GET /v1/jobs/a|b HTTP/1.1", "", 400, "invalid_argument"),
        bad("a raw brace in the query", "GET /v1/jobs?queue={q} HTTP/1.1", "", 400, "invalid_argument"),
        bad("a raw quote", "GET /v1/jobs/a\"b HTTP/1.1", "", 400, "invalid_argument"),
        bad("an encoded NUL in the path", "GET /v1/jobs/a%00b HTTP/1.1", "", 400, "invalid_argument"),
        bad("a path of 8,000 characters", "GET /v1/jobs/" + "a".repeat(8_000) + " HTTP/1.1", "", 400, "invalid_argument"),
        bad("a path of 2,000 escapes", "GET /v1/jobs/" + "%41".repeat(2_000) + " HTTP/1.1", "", 400, "invalid_argument"),
        bad("an encoded slash in a name", "GET /v1/queues/a%2Fb HTTP/1.1", "", 400, "invalid_argument"),
        bad("overlong UTF-8 in the path", "GET /v1/queues/%c0%80 HTTP/1.1", "", 400, "invalid_argument"),
        bad("a path that climbs", "GET /v1/../../etc/passwd HTTP/1.1", "", 404, "not_found"),
        bad("no operation", "GET /v1/nothing HTTP/1.1", "", 404, "not_found"),
        bad("the root", "GET / HTTP/1.1", "", 404, "not_found"),
        bad("WADL", "GET /application.wadl HTTP/1.1", "", 404, "not_found"),
        bad("a method of another operation", "PATCH /v1/jobs HTTP/1.1", "", 405, "method_not_allowed"),
        bad("DELETE", "DELETE /v1/jobs/a HTTP/1.1", "", 405, "method_not_allowed"),
        bad("TRACE", "TRACE /v1/jobs HTTP/1.1", "", 405, "method_not_allowed"),
        bad("OPTIONS", "OPTIONS /v1/jobs HTTP/1.1", "", 405, "method_not_allowed"),
        bad("an unknown method", "BREW /v1/jobs HTTP/1.1", "", 405, "method_not_allowed"),
        bad("no media type of ours accepted", "GET /v1/jobs HTTP/1.1", "Accept: text/html\r\n", 406, "not_acceptable"),
        bad("only errors accepted", "GET /v1/jobs HTTP/1.1", "Accept: application/problem+json\r\n", 406, "not_acceptable"),
        bad("an Accept that is none", "GET /v1/jobs HTTP/1.1", "Accept: ;;;\r\n", 406, "not_acceptable"),
        bad("a body of another type", "POST /v1/jobs HTTP/1.1", "Content-Type: text/plain\r\nContent-Length: 0\r\n", 415,
            "unsupported_media_type"),
        bad("a Content-Type that is none", "POST /v1/jobs HTTP/1.1", "Content-Type: ;\r\nContent-Length: 0\r\n", 415,
            "unsupported_media_type"),
        bad("no body", "POST /v1/jobs HTTP/1.1", "Content-Length: 0\r\n", 400, "invalid_argument"),
        bad("a compressed body", "POST /v1/jobs HTTP/1.1",
            "Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n", 415, "unsupported_media_type"),
        bad("an announced body over the limit", "POST /v1/jobs HTTP/1.1",
            "Content-Type: application/json\r\nContent-Length: 4194305\r\n", 413, "payload_too_large"),
        bad("a length beyond 64 bits of nonsense", "POST /v1/jobs HTTP/1.1",
            "Content-Type: application/json\r\nContent-Length: 1000000000000\r\n", 413, "payload_too_large"));
  }

  private static Arguments bad(String what, String firstLine, String headers, int status, String code) {
    return Arguments.of(what, firstLine, headers, status, code);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badRequests")
  void a_bad_request_is_a_problem_and_leaks_nothing(
      String what, String firstLine, String headers, int status, String code) {
    assertProblem(raw.send(firstLine, headers, new byte[0]), status, code);
  }

  @Test
  void a_chunked_body_over_the_limit_is_too_large() {
    StringBuilder body = new StringBuilder();
    String chunk = "10000\r\n" + " ".repeat(0x10000) + "\r\n";
    for (int i = 0; i < 65; i++) {
      body.append(chunk);
    }
    String answer = raw.send("POST /v1/jobs HTTP/1.1", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
        body.append("0\r\n\r\n").toString().getBytes(StandardCharsets.US_ASCII));

    assertProblem(answer, 413, "payload_too_large");
  }

  @Test
  void an_error_for_a_protobuf_caller_is_protobuf() {
    String answer = raw.send("GET /v1/jobs/unknown HTTP/1.1", "Accept: application/x-protobuf\r\n", new byte[0]);

    assertThat(answer).startsWith("HTTP/1.1 404").contains("Content-Type: application/x-protobuf").contains("not_found");
  }

  @Test
  void a_header_too_large_or_malformed_does_not_bring_a_page() {
    for (String request : new String[] {
        "GET /v1/jobs HTTP/1.1\r\nHost: a\r\nX: " + "a".repeat(40_000) + "\r\n\r\n",
        "GET /v1/jobs HTTP/1.1\r\nX: no host\r\nConnection: close\r\n\r\n",
        "GET /v1/jobs HTTP/9.9\r\nHost: a\r\n\r\n",
        "\u0016\u0003\u0001 not http\r\n\r\n"}) {
      assertNoLeak(raw.send(request));
    }
    assertThat(api.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void no_answer_names_the_software_that_made_it() {
    assertThat(raw.send("GET /healthz HTTP/1.1", "", new byte[0]).toLowerCase(Locale.ROOT))
        .doesNotContain("grizzly").doesNotContain("\r\nserver:");
  }

  @Test
  void a_failure_inside_the_server_says_only_that() {
    TestDatabase broken = TestDatabase.sqlite();
    try (broken) {
      Api served = broken.serve();
      broken.change("alter table queue rename to not_queue");

      Api.Answer answer = served.post("/v1/jobs", "{\"queue\": \"q\"}");

      answer.refused(500, "internal");
      assertNoLeak(new String(answer.http().body(), StandardCharsets.UTF_8));
      assertThat(answer.json().get("detail").asText()).contains("X-Request-Id");
    }
  }

  static void assertProblem(String answer, int status, String code) {
    assertThat(answer).startsWith("HTTP/1.1 " + status);
    assertThat(answer).contains("Content-Type: application/problem+json").containsPattern("(?i)X-Request-Id: \\S+")
        .contains("\"code\":\"" + code + "\"").contains("\"status\":" + status)
        .contains("\"type\":\"urn:agwp:problem:" + code + "\"").contains("\"title\":").contains("\"detail\":");
    assertNoLeak(answer);
  }

  private static void assertNoLeak(String answer) {
    assertThat(answer.toLowerCase(Locale.ROOT)).doesNotContain("<html", "<!doctype", "exception", "\tat ", "org.glassfish",
        "dev.agwp.", "java.", "jakarta.", "sqlite", "select ", "insert ", "update job");
  }
}
