package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.Certificates;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** HTTPS: which certificates are served, how they change, and whom a client's certificate names. */
final class TlsTest {
  private static final Limits LIMITS = Limits.of(1_000, 1_000);
  private static final byte TLS_ALERT = 0x15;
  private static final Duration OFTEN = Duration.ofMillis(50);
  private static final Logger LOG = (Logger) LoggerFactory.getLogger(TlsFiles.class);
  private static final ListAppender<ILoggingEvent> LOGGED = new ListAppender<>();

  @TempDir
  private static Path ours;
  @TempDir
  private static Path others;
  private static Certificates authority;
  private static Certificates foreign;

  @TempDir
  private Path files;
  private final TestDatabase database = TestDatabase.sqlite();

  @BeforeAll
  static void sign() {
    authority = new Certificates(ours);
    authority.sign("rsa", "RSA", "CN=server", "ip:127.0.0.1");
    authority.sign("ec", "EC", "CN=server", "ip:127.0.0.1");
    authority.sign("by-uri", "EC", "CN=c", "dns:d.example", "uri:spiffe://example/worker");
    authority.sign("by-dns", "EC", "CN=c", "dns:d.example");
    authority.sign("by-name", "EC", "CN=build-7, O=Example");
    authority.sign("by-nothing", "EC", "CN=a|b");
    foreign = new Certificates(others);
    foreign.sign("by-name", "EC", "CN=build-7");
    LOGGED.start();
    LOG.addAppender(LOGGED);
  }

  @AfterAll
  static void forget() {
    LOG.detachAppender(LOGGED);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rsa", "ec"})
  void requests_are_served_over_https(String alias) throws IOException, InterruptedException {
    URI server = serve(alias, null).base();

    assertThat(server.getScheme()).isEqualTo("https");
    assertThat(enqueue(client(authority.client(null)), server).statusCode()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void tls_1_2_and_1_3_are_spoken(String protocol) throws IOException {
    URI server = serve("ec", null).base();

    try (SSLSocket socket = (SSLSocket) authority.client(null).getSocketFactory().createSocket(server.getHost(), server.getPort())) {
      socket.setEnabledProtocols(new String[] {protocol});
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
    }
  }

  @Test
  void tls_1_1_is_refused() throws IOException {
    URI server = serve("ec", null).base();
    byte[] hello = new byte[5 + 4 + 41];
    byte[] head = {0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2};
    byte[] suites = {0, 0, 2, (byte) 0xc0, 0x13, 1, 0};
    System.arraycopy(head, 0, hello, 0, head.length);
    System.arraycopy(suites, 0, hello, hello.length - suites.length, suites.length);

    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(hello);
      byte[] answer = socket.getInputStream().readAllBytes();
      assertThat(answer.length == 0 || answer[0] == TLS_ALERT).as("no ServerHello").isTrue();
    }
  }

  @Test
  void a_large_answer_and_a_large_request_pass_whole() throws IOException, InterruptedException {
    URI server = serve("ec", null).base();
    HttpClient client = client(authority.client(null));
    String job = "{\"queue\": \"q\", \"payload\": {\"a\": \"" + "x".repeat(250_000) + "\"}}";
    for (int i = 0; i < 20; i++) {
      assertThat(post(client, server, "/v1/jobs", job).statusCode()).isEqualTo(201);
    }

    HttpResponse<String> all = client.send(HttpRequest.newBuilder(server.resolve("/v1/jobs")).build(), BodyHandlers.ofString());

    assertThat(new ObjectMapper().readTree(all.body()).get("jobs")).hasSize(20);
  }

  @Test
  void a_poll_whose_tls_client_has_gone_takes_no_job() throws IOException, InterruptedException {
    URI server = serve("ec", null).base();
    HttpClient client = client(authority.client(null));
    String body = "{\"queues\": [\"q\"], \"worker\": \"gone\", \"wait_seconds\": 60}";
    try (SSLSocket socket = (SSLSocket) authority.client(null).getSocketFactory().createSocket(server.getHost(), server.getPort())) {
      socket.getOutputStream().write(("POST /v1/jobs/claim HTTP/1.1\r\nHost: agwp\r\nContent-Type: application/json\r\nContent-Length: "
          + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
      await().until(() -> client.send(HttpRequest.newBuilder(server.resolve("/metrics")).build(), BodyHandlers.ofString())
          .body().contains("agwp_claims_waiting 1.0"));
    }
    enqueue(client, server);

    String claimed = post(client, server, "/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"w2\", \"wait_seconds\": 20}").body();

    assertThat(new ObjectMapper().readTree(claimed).at("/jobs/0/attempts").asInt()).isEqualTo(1);
  }

  @Test
  void a_changed_certificate_is_shown_to_new_connections_without_a_restart() throws IOException, InterruptedException {
    URI server = serve("rsa", null).base();
    HttpClient connected = client(authority.client(null));
    enqueue(connected, server);
    assertThat(shownBy(server).getPublicKey().getAlgorithm()).isEqualTo("RSA");

    write("ec");

    await().until(() -> shownBy(server).getPublicKey().getAlgorithm().equals("EC"));
    assertThat(enqueue(connected, server).statusCode()).isEqualTo(201);
  }

  @Test
  void a_pair_that_cannot_be_used_leaves_the_one_before_in_use() throws IOException {
    URI server = serve("rsa", null).base();
    LOGGED.list.clear();

    authority.writeKey("ec", files.resolve("key.pem"));

    await().until(() -> LOGGED.list.stream().anyMatch(line -> line.getFormattedMessage().contains("cannot be used")));
    assertThat(shownBy(server).getPublicKey().getAlgorithm()).isEqualTo("RSA");
    assertThat(LOGGED.list).noneMatch(line -> line.getFormattedMessage().contains("PRIVATE KEY-----\n"));
    authority.writeChain("ec", files.resolve("cert.pem"));
    await().until(() -> shownBy(server).getPublicKey().getAlgorithm().equals("EC"));
  }

  @Test
  void what_cannot_be_used_is_refused_at_the_start_by_name() throws IOException {
    write("rsa");
    authority.writeKey("ec", files.resolve("other.pem"));
    Files.writeString(files.resolve("empty.pem"), "");
    Files.writeString(files.resolve("old.pem"), "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
    Files.writeString(files.resolve("broken.pem"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    Certificates another = new Certificates(Files.createDirectory(files.resolve("another")));
    another.sign("rsa", "RSA", "CN=server");
    another.writeKey("rsa", files.resolve("wrong.pem"));

    assertRefused("cert.pem", "wrong.pem", "does not belong to the certificate in");
    assertRefused("cert.pem", "other.pem", "is not the RSA key that");
    assertRefused("cert.pem", "broken.pem", "is not the RSA key that");
    assertRefused("cert.pem", "old.pem", "openssl pkcs8 -topk8 -nocrypt");
    assertRefused("cert.pem", "missing.pem", "there is no file");
    assertRefused("empty.pem", "key.pem", "holds no certificate");
    assertRefused("key.pem", "key.pem", "does not hold certificates");
  }

  @ParameterizedTest
  @CsvSource({"by-uri, spiffe://example/worker", "by-dns, d.example", "by-name, build-7"})
  void the_verified_certificate_of_a_client_is_its_principal(String alias, String principal) throws IOException, InterruptedException {
    URI server = serve("ec", authority).base();
    HttpClient client = client(authority.client(alias));
    enqueue(client, server);

    HttpResponse<String> claimed = post(client, server, "/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"w\"}");

    assertThat(new ObjectMapper().readTree(claimed.body()).at("/jobs/0/claimed_by").asText()).isEqualTo(principal + "|w");
  }

  @Test
  void a_client_without_a_certificate_of_ours_is_refused() throws IOException, InterruptedException {
    URI server = serve("ec", authority).base();
    List<String> before = database.everything();

    assertThat(enqueue(client(authority.client(null)), server).statusCode()).isEqualTo(401);
    for (SSLContext stranger : List.of(foreign.client("by-name", authority), authority.client("by-nothing"))) {
      assertThatThrownBy(() -> enqueue(client(stranger), server)).isInstanceOf(IOException.class);
    }
    assertThat(database.everything()).isEqualTo(before);
  }

  @Test
  void a_certificate_is_good_for_its_scopes_alone_and_a_token_counts_beside_it() throws IOException, InterruptedException {
    write("ec");
    authority.writeChain("ca", files.resolve("ca.pem"));
    URI server = database.serve(LIMITS, options("cert.pem", "key.pem", files.resolve("ca.pem")), Set.of(Scope.ENQUEUE)).base();

    HttpClient certified = client(authority.client("by-name"));
    assertThat(enqueue(certified, server).statusCode()).isEqualTo(201);
    assertThat(post(certified, server, "/v1/jobs/claim", "{\"queues\": [\"q\"], \"worker\": \"w\"}").statusCode()).isEqualTo(403);

    String token = database.aToken("ci", Scope.WORK);
    HttpResponse<String> claimed = client(authority.client(null)).send(HttpRequest.newBuilder(server.resolve("/v1/jobs/claim"))
        .header("Content-Type", "application/json")
        .header("Authorization", "Bearer " + token)
        .POST(BodyPublishers.ofString("{\"queues\": [\"q\"], \"worker\": \"w\"}")).build(), BodyHandlers.ofString());
    assertThat(new ObjectMapper().readTree(claimed.body()).at("/jobs/0/claimed_by").asText()).isEqualTo("ci|w");
  }

  @Test
  void a_handshake_that_does_not_come_in_time_ends_its_connection() throws IOException {
    write("ec");
    URI server = database.serve(
        new Limits(10, 10, Duration.ofMillis(300), Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60), 1_000_000),
        options("cert.pem", "key.pem", null)).base();

    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(new byte[] {0x16, 3, 1, 1, 0, 1});
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void plain_http_is_not_answered() {
    Api api = serve("ec", null);

    assertThat(new RawHttp(api.base()).send("GET /v1/jobs HTTP/1.1", "", new byte[0])).doesNotContain("HTTP/1.1 ");
  }

  private Api serve(String alias, Certificates clients) {
    write(alias);
    if (clients != null) {
      clients.writeChain("ca", files.resolve("ca.pem"));
    }
    return database.serve(LIMITS, options("cert.pem", "key.pem", clients == null ? null : files.resolve("ca.pem")));
  }

  private void write(String alias) {
    authority.writeChain(alias, files.resolve("cert.pem"));
    authority.writeKey(alias, files.resolve("key.pem"));
  }

  private TlsFiles.Options options(String certificate, String key, Path clientCa) {
    return new TlsFiles.Options(files.resolve(certificate), files.resolve(key), clientCa, OFTEN);
  }

  private void assertRefused(String certificate, String key, String why) {
    assertThatThrownBy(() -> TlsFiles.open(options(certificate, key, null)))
        .isInstanceOf(IOException.class).hasMessageContaining(why).hasMessageContaining(files.toString());
  }

  private static X509Certificate shownBy(URI server) throws IOException {
    try (SSLSocket socket = (SSLSocket) authority.client(null).getSocketFactory().createSocket(server.getHost(), server.getPort())) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  private static HttpClient client(SSLContext context) {
    return HttpClient.newBuilder().sslContext(context).build();
  }

  private static HttpResponse<String> enqueue(HttpClient client, URI server) throws IOException, InterruptedException {
    return post(client, server, "/v1/jobs", "{\"queue\": \"q\"}");
  }

  private static HttpResponse<String> post(HttpClient client, URI server, String path, String body)
      throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(server.resolve(path)).header("Content-Type", "application/json")
        .timeout(Duration.ofSeconds(20)).POST(BodyPublishers.ofString(body, StandardCharsets.UTF_8)).build(), BodyHandlers.ofString());
  }
}
