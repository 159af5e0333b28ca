package dev.agwp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.AgwpCommand;
import dev.agwp.server.testing.AgwpCommand.Finished;
import dev.agwp.server.testing.AgwpCommand.Running;
import dev.agwp.server.testing.Certificates;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.Signer;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The command as an operator runs it: a process of its own. */
@Execution(ExecutionMode.CONCURRENT)
final class MainTest {
  @TempDir
  private Path folder;
  private AgwpCommand agwp;

  @BeforeEach
  void inTheFolder() {
    agwp = new AgwpCommand(folder);
  }

  @Test
  void serve_without_options_keeps_its_database_in_the_working_folder() throws IOException {
    try (Running server = agwp.start("serve", "--port", "0")) {
      assertThat(get(server.address().resolve("/readyz")).statusCode()).isEqualTo(200);
      assertThat(server.address().getHost()).isEqualTo("127.0.0.1");
      assertThat(folder.resolve("agwp.db")).exists();
    }
  }

  @Test
  void sigterm_answers_waiting_claims_with_no_jobs_and_ends_with_0() throws IOException, InterruptedException {
    try (Running server = agwp.start("serve", "--port", "0")) {
      CompletableFuture<HttpResponse<String>> claim = HttpClient.newHttpClient().sendAsync(
          HttpRequest.newBuilder(server.address().resolve("/v1/jobs/claim")).header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{\"queues\": [\"q\"], \"worker\": \"w\", \"wait_seconds\": 60}")).build(),
          BodyHandlers.ofString());
      await().until(() ->
          get(server.address().resolve("/metrics")).body().contains("agwp_claims_waiting 1.0"));

      server.process().destroy();

      assertThat(claim.orTimeout(10, TimeUnit.SECONDS).join().body()).isEqualTo("{\"jobs\":[],\"fencing_enforced\":true}");
      assertThat(server.process().waitFor(15, TimeUnit.SECONDS)).isTrue();
      assertThat(server.process().exitValue()).isZero();
    }
  }

  @Test
  void a_job_outlives_its_server_being_killed() throws IOException, InterruptedException {
    String jobId;
    try (Running server = agwp.start("serve", "--port", "0")) {
      HttpResponse<String> stored = post(server.address().resolve("/v1/jobs"), "{\"queue\": \"q\"}");
      Matcher id = Pattern.compile("\"job_id\":\"([^\"]+)\"").matcher(stored.body());
      assertThat(id.find()).isTrue();
      jobId = id.group(1);
      server.process().destroyForcibly().waitFor();
    }
    try (Running server = agwp.start("serve", "--port", "0")) {
      assertThat(get(server.address().resolve("/v1/jobs/" + jobId)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void two_servers_that_start_on_one_new_file_share_it() throws IOException {
    try (Running first = agwp.start("serve", "--port", "0"); Running second = agwp.start("serve", "--port", "0")) {
      post(first.address().resolve("/v1/jobs"), "{\"queue\": \"q\"}");

      assertThat(post(second.address().resolve("/v1/jobs/claim"),
          "{\"queues\": [\"q\"], \"worker\": \"w\", \"wait_seconds\": 10}").body()).contains("\"claimed_by\":\"local|w\"");
    }
  }

  @Test
  void require_fencing_refuses_a_worker_that_sends_no_token() throws IOException {
    try (Running server = agwp.start("serve", "--port", "0", "--require-fencing")) {
      post(server.address().resolve("/v1/jobs"), "{\"queue\": \"q\"}");
      Matcher id = Pattern.compile("\"job_id\":\"([^\"]+)\"").matcher(
          post(server.address().resolve("/v1/jobs/claim"), "{\"queues\": [\"q\"], \"worker\": \"w\"}").body());
      assertThat(id.find()).isTrue();
      URI heartbeat = server.address().resolve("/v1/jobs/" + id.group(1) + "/heartbeat");

      assertThat(post(heartbeat, "{\"worker\": \"w\"}").body()).contains("\"reason\":\"fencing_token_required\"");
      assertThat(post(heartbeat, "{\"worker\": \"w\", \"fencing_token\": 1}").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void debug_logs_a_line_for_each_request_with_its_id() throws IOException, InterruptedException {
    try (Running server = agwp.start("serve", "--port", "0", "--log-level", "debug")) {
      HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.address().resolve("/v1/queues"))
          .header("X-Request-Id", "my-id").build(), BodyHandlers.ofString());
      server.process().destroy();
      server.process().waitFor();
      assertThat(Files.readString(server.log())).containsPattern("DEBUG agwp.requests my-id GET v1/queues 200 \\d+ ms ok");
    }
  }

  @Test
  void serve_with_a_certificate_names_an_https_address() throws IOException {
    Certificates authority = certificates();
    try (Running server = agwp.start("serve", "--port", "0", "--tls-cert", "cert.pem", "--tls-key", "key.pem")) {
      assertThat(server.address().getScheme()).isEqualTo("https");
      HttpClient client = HttpClient.newBuilder().sslContext(authority.client(null)).build();
      assertThat(client.sendAsync(HttpRequest.newBuilder(server.address().resolve("/readyz")).build(), BodyHandlers.ofString())
          .orTimeout(20, TimeUnit.SECONDS).join().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void with_client_certificates_another_address_is_served() throws IOException {
    certificates();
    try (Running server = agwp.start("serve", "--host", "0.0.0.0", "--port", "0", "--tls-cert", "cert.pem", "--tls-key", "key.pem",
        "--tls-client-ca", "cert.pem")) {
      assertThat(server.address().toString()).startsWith("https://0.0.0.0:");
    }
  }

  @Test
  void a_connection_beyond_the_most_of_an_address_is_closed() throws IOException {
    try (Running server = agwp.start("serve", "--port", "0", "--connections-per-address-max", "1");
        Socket first = new Socket("127.0.0.1", server.address().getPort())) {
      first.setSoTimeout(20_000);
      first.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      // Served, so it is this one that was counted first: of two that come at once the server may take either.
      assertThat(first.getInputStream().read()).isEqualTo('H');
      try (Socket second = new Socket("127.0.0.1", server.address().getPort())) {
        second.setSoTimeout(20_000);
        assertThat(second.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  private Certificates certificates() {
    Certificates authority = new Certificates(folder);
    authority.sign("server", "EC", "CN=server", "ip:127.0.0.1");
    authority.writeChain("server", folder.resolve("cert.pem"));
    authority.writeKey("server", folder.resolve("key.pem"));
    return authority;
  }

  @Test
  void another_address_is_refused_with_what_to_do() throws IOException, InterruptedException {
    Finished refused = agwp.run("serve", "--host", "0.0.0.0", "--port", "0");

    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.output()).contains("0.0.0.0 is not a loopback address").contains("agwp-server token create")
        .contains("--insecure-behind-proxy");
    assertThat(folder.resolve("agwp.db")).doesNotExist();
  }

  @Test
  void wrong_usage_says_what_to_give() throws IOException, InterruptedException {
    assertThat(agwp.run("serve", "--port", "70000").output()).contains("--port must be 0..65535, got 70000");
    assertThat(agwp.run("serve", "--port", "x").output()).contains("--port").doesNotContain("Exception");
    assertThat(agwp.run("serve", "--wrong").output()).contains("Unknown option: '--wrong'");
    assertThat(agwp.run("serve", "--host", "no.such.host.invalid").output()).contains("is not an address");
    assertThat(agwp.run().output()).contains("agwp-server serve");
    assertThat(agwp.run("serve", "--tls-cert", "cert.pem").output()).contains("--tls-cert and --tls-key go together");
    assertThat(agwp.run("serve", "--tls-client-ca", "ca.pem").output()).contains("--tls-client-ca needs both");
    assertThat(agwp.run("serve", "--connections-max", "0").output()).contains("--connections-max must be 1..1000000, got 0");
    Finished noFile = agwp.run("serve", "--tls-cert", "cert.pem", "--tls-key", "key.pem");
    assertThat(noFile.status()).isEqualTo(1);
    assertThat(noFile.output()).contains("Could not start: there is no file cert.pem").doesNotContain("\tat ");
    Finished noDatabase = agwp.run("serve", "--db", "jdbc:oracle:thin:secret");
    assertThat(noDatabase.status()).isEqualTo(1);
    assertThat(noDatabase.output()).contains("jdbc:sqlite:FILE").doesNotContain("secret").doesNotContain("\tat ");
  }

  @Test
  void a_port_that_is_taken_or_a_database_that_is_down_says_so() throws IOException, InterruptedException {
    try (Running server = agwp.start("serve", "--port", "0")) {
      Finished taken = agwp.run("serve", "--port", String.valueOf(server.address().getPort()));
      assertThat(taken.status()).isEqualTo(1);
      assertThat(taken.output()).contains("Could not start").contains("Address already in use").doesNotContain("\tat ");
    }
    Finished down = agwp.run("serve", "--port", "0", "--db", "jdbc:postgresql://127.0.0.1:1/agwp?user=u&password=secret");
    assertThat(down.status()).isEqualTo(1);
    assertThat(down.output()).contains("Could not start").contains("refused").doesNotContain("secret").doesNotContain("\tat ");
  }

  @Test
  void what_a_command_prints_without_a_line_end_reaches_its_output() throws IOException, InterruptedException {
    String key = Signer.ed25519().key().publicHalf().pem();
    Files.writeString(folder.resolve("key.pub"), key);
    String id = agwp.run("key", "add", "--principal", "ci", "--public-key", "key.pub").output().strip();

    assertThat(agwp.run("key", "show", id).output()).isEqualTo(key);
    assertThat(agwp.run("audit", "checkpoint").output()).startsWith("agwp.dev/audit/");
  }

  @Test
  void help_names_every_option_and_its_default() throws IOException, InterruptedException {
    Finished help = agwp.run("serve", "--help");

    assertThat(help.status()).isZero();
    assertThat(help.output()).contains("--host", "127.0.0.1", "--port", "8080", "--db", "jdbc:sqlite:agwp.db",
        "--require-fencing", "--tls-cert", "--tls-key", "--tls-client-ca", "--tls-client-scopes", "--connections-max", "10000",
        "--connections-per-address-max", "--allow-anonymous", "--jwt-issuer", "--insecure-behind-proxy", "--rate-limit",
        "--bad-credentials-max", "--log-level", "/metrics", "Exit status");
    assertThat(agwp.run("--version").status()).isZero();
  }

  @Test
  void nothing_of_a_token_that_is_too_long_is_logged() throws IOException {
    try (Running server = agwp.start("serve", "--port", "0", "--log-level", "debug")) {
      RawHttp http = new RawHttp(server.address());
      String path = "GET /v1/queues?page_size=7 HTTP/1.1";
      for (int length : List.of(1_000_000, 7_000)) {
        assertThat(http.send(path, "Authorization: Bearer " + "secret".repeat(length / 6) + "\r\n", new byte[0])).contains("\r\n\r\n{");
      }

      await().until(() -> Files.readString(server.log()).contains("v1/queues"));
      assertThat(Files.readString(server.log())).doesNotContain("secret");
    }
  }

  @Test
  void a_server_on_postgresql_takes_its_url_from_the_environment() throws IOException {
    try (TestDatabase database = TestDatabase.postgresql()) {
      ProcessBuilder command = agwp.command("serve", "--port", "0");
      command.environment().put("AGWP_DB", database.url());
      try (Running server = agwp.start(command)) {
        assertThat(post(server.address().resolve("/v1/jobs"), "{\"queue\": \"q\"}").statusCode()).isEqualTo(201);
        assertThat(database.number("select count(*) from job")).isEqualTo(1);
        assertThat(folder.resolve("agwp.db")).doesNotExist();
      }
    }
  }

  private static HttpResponse<String> get(URI uri) throws IOException {
    return send(HttpRequest.newBuilder(uri).build());
  }

  private static HttpResponse<String> post(URI uri, String json) throws IOException {
    return send(HttpRequest.newBuilder(uri).header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(json)).build());
  }

  private static HttpResponse<String> send(HttpRequest request) throws IOException {
    try {
      return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
