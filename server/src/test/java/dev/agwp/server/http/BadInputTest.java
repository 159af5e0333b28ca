package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests as a hostile or broken client sends them, byte for byte. Each is answered with a problem, writes nothing and leaves its
 * connection closed or fit for the next request.
 *
 * <p>What the contract allows is not here: fields it does not know, a fencing token written {@code "1"} or {@code 1.0}, no Content-Type,
 * a label {@code ../x}. Its codes have one status each, so a head too large is 400, not 431 or 414, and HTTP/9.9 is 400, not 505.
 */
final class BadInputTest {
  private static final TestDatabase DATABASE = TestDatabase.sqlite();
  private static final String POST = "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  private static final String BODY = "{\"queue\": \"q\"}";
  private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n";
  private static final String GET = "GET /v1/jobs HTTP/1.1\r\nHost: a\r\n";
  private static Api api;
  private static String jobId;

  @BeforeAll
  static void serve() {
    api = DATABASE.serve();
    jobId = api.aClaimedJob("w");
  }

  @AfterAll
  static void stop() {
    DATABASE.close();
  }

  static Stream<Arguments> bodies() {
    List<Arguments> rows = new ArrayList<>();
    rows.add(row("no body", ""));
    rows.add(row("a list", "[1]"));
    rows.add(row("JSON cut short", "{\"worker\": \"w\", \"outcome\": \"pas"));
    rows.add(row("a key twice", completion("\"fencing_token\": 1, \"fencing_token\": 2")));
    rows.add(row("nesting of 2,000", completion("\"result\": " + "{\"a\":".repeat(2_000) + "1" + "}".repeat(2_000))));
    rows.add(row("a number of 2,000 digits", completion("\"fencing_token\": " + "1".repeat(2_000))));
    for (String token : List.of("1e1000000000", "-1", "4294967296", "9007199254740993", "9223372036854775808", "1.5", "true", "[1]", "\"\"")) {
      rows.add(row("the token " + token, completion("\"fencing_token\": " + token)));
    }
    rows.add(row("UTF-8 that is none", "\u00ff\u00fe"));
    rows.add(row("a byte order mark", "\u00ef\u00bb\u00bf" + completion("\"fencing_token\": 1")));
    rows.add(row("UTF-16", new String(completion("\"fencing_token\": 1").getBytes(StandardCharsets.UTF_16BE), StandardCharsets.ISO_8859_1)));
    rows.add(row("U+0000", completion("\"summary\": \"\\u0000\"")));
    rows.add(row("a raw control character", completion("\"summary\": \"\u0001\"")));
    rows.add(row("a summary of 300 KB", completion("\"summary\": \"" + "x".repeat(300_000) + "\"")));
    rows.add(Arguments.of("a result of 300 KB", completion("\"result\": {\"a\": \"" + "x".repeat(300_000) + "\"}"), 413, "payload_too_large"));
    rows.add(Arguments.of("a token of no claim", completion("\"fencing_token\": 2147483648"), 409, "failed_precondition"));
    rows.add(Arguments.of("another label", completion("\"fencing_token\": 1").replace("\"w\"", "\"w2\""), 409, "failed_precondition"));
    for (String label : List.of("a|b", "|", "", "w".repeat(129), "w ", "w\\t", "w\\r\\n12:00 INFO job done", "\\u001b[2J", "\\u202ew", "w\\u200b",
        "e\\u0301", "\\u00e9", "\\u0430", "\\ud83d\\ude00", "%s%n", "${jndi:ldap://x}", "'; drop table job")) {
      rows.add(row("the label " + label, completion("\"fencing_token\": 1").replace("\"w\"", "\"" + label + "\"")));
    }
    return rows.stream();
  }

  private static String completion(String more) {
    return "{\"worker\": \"w\", \"outcome\": \"passed\", " + more + "}";
  }

  private static Arguments row(String what, String body) {
    return Arguments.of(what, body, 400, "invalid_argument");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bodies")
  void a_bad_completion_is_a_problem_and_writes_nothing(String what, String body, int status, String code) throws IOException {
    String head = "POST /v1/jobs/" + jobId + "/complete HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
        + body.length() + "\r\n\r\n";
    assertRefused(head + body, status, code);
  }

  static Stream<Arguments> requestsWithABody() {
    List<Arguments> rows = new ArrayList<>(List.of(
        row("10 MB announced", POST + "Content-Length: 10485760\r\n\r\n{", 413, "payload_too_large"),
        row("1 GB announced", POST + "Content-Length: 1073741824\r\n\r\n{", 413, "payload_too_large"),
        row("a compressed body", POST + "Content-Encoding: gzip\r\nContent-Length: 14\r\n\r\n" + BODY, 415, "unsupported_media_type"),
        row("text/plain", GET.replace("GET", "POST") + "Content-Type: text/plain\r\nContent-Length: 14\r\n\r\n" + BODY, 415,
            "unsupported_media_type"),
        row("two Content-Types", POST + "Content-Type: application/json\r\nContent-Length: 14\r\n\r\n" + BODY, 415, "unsupported_media_type"),
        row("only HTML accepted", GET + "Accept: text/html\r\n\r\n", 406, "not_acceptable"),
        row("Content-Length and Transfer-Encoding", CHUNKED + "Content-Length: 14\r\n\r\ne\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("two lengths", POST + "Content-Length: 14\r\nContent-Length: 15\r\n\r\n" + BODY),
        row("one length twice", POST + "Content-Length: 14\r\nContent-Length: 14\r\n\r\n" + BODY),
        row("a list of lengths", POST + "Content-Length: 14, 14\r\n\r\n" + BODY),
        row("an unknown Transfer-Encoding", POST + "Transfer-Encoding: xchunked\r\n\r\ne\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("two Transfer-Encodings", CHUNKED + "Transfer-Encoding: identity\r\n\r\ne\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("a chunk of hexadecimal with its prefix", CHUNKED + "\r\n0xe\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("a chunk of 17 digits", CHUNKED + "\r\n0000000000000000e\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("a chunk of a negative size", CHUNKED + "\r\n-e\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("a chunk of no size", CHUNKED + "\r\n\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("a chunk with an extension", CHUNKED + "\r\ne;a=b\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("a chunk ended by LF alone", CHUNKED + "\r\ne\n" + BODY + "\r\n0\r\n\r\n"),
        row("a chunk longer than it says", CHUNKED + "\r\n5\r\n" + BODY + "\r\n0\r\n\r\n"),
        row("a method in a header", GET.replace("GET /v1/jobs", "POST /v1/queues/q") + "X-HTTP-Method-Override: PATCH\r\n"
            + "Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"paused\": true}", 405, "method_not_allowed")));
    for (String length : List.of("-1", "+7", "1 4", "0x0e", "12345678901234567890", "")) {
      rows.add(row("a length of \"" + length + "\"", POST + "Content-Length: " + length + "\r\n\r\n" + BODY));
    }
    for (String lease : List.of("0", "-1", "1000000000", "0.5", "\"30\"")) {
      rows.add(claim("a lease of " + lease, "\"lease_seconds\": " + lease));
    }
    for (String jobs : List.of("0", "-1", "1000000")) {
      rows.add(claim(jobs + " jobs", "\"max_jobs\": " + jobs));
    }
    rows.add(claim("a request_id of 10 KB", "\"request_id\": \"" + "a".repeat(10_000) + "\""));
    String keyed = "{\"queue\": \"q\", \"unique_key\": \"" + "a".repeat(10_000) + "\"}";
    rows.add(row("a unique_key of 10 KB", POST + "Content-Length: " + keyed.length() + "\r\n\r\n" + keyed));
    return rows.stream();
  }

  static Stream<Arguments> heads() {
    List<Arguments> rows = new ArrayList<>(List.of(
        row("NUL in a header", GET + "X: a\0b\r\n\r\n"),
        row("DEL in a header", GET + "X: a\u007fb\r\n\r\n"),
        row("CR in a header", GET + "X: a\rb\r\n\r\n"),
        row("a byte of 8 bits in a header", GET + "X: \u00e4\r\n\r\n"),
        row("lines ended by LF alone", (GET + "\r\n").replace("\r\n", "\n")),
        row("one line ended by LF alone", GET + "X: a\nY: b\r\n\r\n"),
        row("a folded header", GET + "X: a\r\n b\r\n\r\n"),
        row("a space before the colon", GET + "X : a\r\n\r\n"),
        row("a header without a name", GET + ": a\r\n\r\n"),
        row("a header of 9,000 bytes", GET + "X: " + "a".repeat(9_000) + "\r\n\r\n"),
        row("a token of 1 MB", GET + "Authorization: Bearer " + "a".repeat(1_000_000) + "\r\n\r\n"),
        row("150 headers", GET + "X: a\r\n".repeat(150) + "\r\n"),
        row("a path of 10 KB", GET.replace("jobs", "a".repeat(10_000)) + "\r\n"),
        row("an expectation that nobody knows", GET + "Expect: the-unexpected\r\n\r\n"),
        row("no Host", "GET /v1/jobs HTTP/1.1\r\n\r\n"),
        row("two Hosts", GET + "Host: b\r\n\r\n"),
        row("HTTP/9.9", GET.replace("1.1", "9.9") + "\r\n"),
        row("no version", "GET /v1/jobs\r\n\r\n"),
        row("TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n"),
        row("OPTIONS *", GET.replace("GET /v1/jobs", "OPTIONS *") + "\r\n", 405, "method_not_allowed"),
        row("TRACE", GET.replace("GET", "TRACE") + "\r\n", 405, "method_not_allowed")));
    for (String bad : List.of("%zz", "a|b", "a\"b", "a<b", "a b", "a{b", "a\\b", "a^b")) {
      rows.add(row("the path " + bad, GET.replace("jobs", "jobs/" + bad) + "\r\n"));
    }
    return rows.stream();
  }

  private static Arguments row(String what, String request, int status, String code) {
    return Arguments.of(what, request, status, code);
  }

  private static Arguments claim(String what, String more) {
    String body = "{\"queues\": [\"q\"], \"worker\": \"w\", " + more + "}";
    return row(what, "POST /v1/jobs/claim HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
        + "\r\n\r\n" + body);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"requestsWithABody", "heads"})
  void a_bad_request_is_a_problem_and_writes_nothing(String what, String request, int status, String code) throws IOException {
    assertRefused(request, status, code);
  }

  @Test
  void a_client_that_goes_on_sending_after_its_head_was_refused_gets_to_read_why() throws IOException {
    try (Socket socket = new Socket(api.base().getHost(), api.base().getPort())) {
      socket.getOutputStream().write((GET + "Authorization: Bearer " + "a".repeat(9_000)).getBytes(StandardCharsets.US_ASCII));
      await().until(() -> socket.getInputStream().available() > 0);
      for (int i = 0; i < 100; i++) {
        socket.getOutputStream().write(new byte[10_000]);
      }

      ErrorLeakTest.assertProblem(RawHttp.answer(socket.getInputStream()), 400, "invalid_argument");
    }
  }

  private static void assertRefused(String request, int status, String code) throws IOException {
    List<String> before = DATABASE.everything();
    try (Socket socket = new Socket(api.base().getHost(), api.base().getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));

      String answer = RawHttp.answer(socket.getInputStream());

      ErrorLeakTest.assertProblem(answer, status, code);
      assertThat(DATABASE.everything()).isEqualTo(before);
      assertClosedOrFitForMore(socket, answer);
    }
  }

  private static void assertClosedOrFitForMore(Socket socket, String answer) throws IOException {
    if (answer.contains("\r\nConnection: close\r\n")) {
      // Nothing that came after the request was read as another.
      assertThat(restOf(socket)).isEmpty();
      return;
    }
    socket.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    assertThat(RawHttp.answer(socket.getInputStream())).startsWith("HTTP/1.1 200");
  }

  private static String restOf(Socket socket) throws IOException {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    socket.shutdownOutput();
    socket.getInputStream().transferTo(rest);
    return rest.toString(StandardCharsets.ISO_8859_1);
  }
}
