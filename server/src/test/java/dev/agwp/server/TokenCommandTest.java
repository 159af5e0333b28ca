package dev.agwp.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.AgwpCommand;
import dev.agwp.server.testing.AgwpCommand.Finished;
import dev.agwp.server.testing.AgwpCommand.Running;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code agwp-server token} and the options of access, as an operator uses them. */
@Execution(ExecutionMode.CONCURRENT)
final class TokenCommandTest {
  private static final String A_TOKEN = "agwp_[0-9a-f]{16}_[A-Za-z0-9_-]{43}\\R";

  @TempDir
  private Path folder;
  private AgwpCommand agwp;

  @BeforeEach
  void inTheFolder() {
    agwp = new AgwpCommand(folder);
  }

  @EveryDatabase
  void a_token_is_made_used_listed_and_revoked(TestDatabase database) throws IOException, InterruptedException {
    try (database; Running server = agwp.start("serve", "--port", "0", "--db", database.url())) {
      String output = standardOutput("token", "create", "--db", database.url(), "--principal", "ci", "--scope", "enqueue,read",
          "--queue", "team-a.*", "--queue", "shared", "--expires", "90d");
      assertThat(output).matches(A_TOKEN);
      String token = output.strip();
      String id = token.split("_", 3)[1];
      await().atMost(5, SECONDS).until(() -> enqueue(server, null, "shared").statusCode() == 401);
      assertThat(enqueue(server, token, "shared").statusCode()).isEqualTo(201);
      assertThat(enqueue(server, token, "other").statusCode()).isEqualTo(403);

      Finished list = agwp.run("token", "list", "--db", database.url());
      assertThat(list.status()).isZero();
      assertThat(list.output()).doesNotContain(token.substring(22)).containsPattern(
          id + " +ci +enqueue,read +team-a\\.\\*,shared +\\d{4}-\\S+Z +\\d{4}-\\S+Z +- +\\d{4}-\\S+Z");

      Finished revoked = agwp.run("token", "revoke", "--db", database.url(), id);
      assertThat(revoked.status()).isZero();
      assertThat(revoked.output()).contains("The token " + id + " of ci is revoked since ");
      await().atMost(5, SECONDS).until(() -> enqueue(server, token, "shared").statusCode() == 401);
      assertThat(agwp.run("token", "revoke", "--db", database.url(), id).output()).isEqualTo(revoked.output());
    }
  }

  @Test
  void wrong_usage_says_what_to_give_and_makes_no_token() throws IOException, InterruptedException {
    refused("--principal must be 1 to 128 characters", "--principal", "a|b", "--scope", "work");
    refused("--principal must be", "--principal", "a".repeat(129), "--scope", "work");
    refused("--principal must be", "--principal", "", "--scope", "work");
    refused("must be one of enqueue, work, read, operate; got admin", "--principal", "a", "--scope", "work,admin");
    refused("--scope", "--principal", "a");
    refused("--queue must be 1 to 128 characters", "--principal", "a", "--scope", "work", "--queue", "a b");
    refused("at most 4 *", "--principal", "a", "--scope", "work", "--queue", "*a*b*c*d*");
    refused("such as 90d", "--principal", "a", "--scope", "work", "--expires", "soon");
    refused("such as 90d", "--principal", "a", "--scope", "work", "--expires", "0d");
    refused("at most 3650d", "--principal", "a", "--scope", "work", "--expires", "3651d");
    assertThat(folder.resolve("agwp.db")).doesNotExist();
    Finished unknown = agwp.run("token", "revoke", "0123456789abcdef");
    assertThat(unknown.status()).isEqualTo(1);
    assertThat(unknown.output()).contains("No token has the id 0123456789abcdef");
    assertThat(agwp.run("token").output()).contains("token create, list or revoke");
    assertThat(agwp.run("token", "create", "--help").output()).contains("--principal", "--scope", "--queue", "--expires", "--db");
  }

  private void refused(String why, String... options) throws IOException, InterruptedException {
    String[] args = new String[options.length + 2];
    args[0] = "token";
    args[1] = "create";
    System.arraycopy(options, 0, args, 2, options.length);
    Finished refused = agwp.run(args);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.output()).contains(why).doesNotContain("\tat ");
  }

  @Test
  void no_log_ever_holds_a_credential() throws IOException, InterruptedException {
    String token = standardOutput("token", "create", "--principal", "ci", "--scope", "enqueue").strip();
    String wrong = token.substring(0, 22) + "B".repeat(43);
    String jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl";
    Path jwks = Files.writeString(folder.resolve("jwks.json"), "{\"keys\": []}");
    try (Running server = agwp.start("serve", "--port", "0", "--log-level", "debug", "--jwt-issuer", "https://issuer.example",
        "--jwt-audience", "agwp", "--jwt-jwks", jwks.toString())) {
      assertThat(enqueue(server, token, "q").statusCode()).isEqualTo(201);
      assertThat(enqueue(server, wrong, "q").statusCode()).isEqualTo(401);
      assertThat(enqueue(server, jwt, "q").statusCode()).isEqualTo(401);
      server.process().destroy();
      server.process().waitFor();

      assertThat(Files.readString(server.log())).contains("POST v1/jobs 201", "POST v1/jobs 401", "a JWT was refused")
          .doesNotContain(token.substring(22), "B".repeat(43), "eyJ", "c2lnbmF0dXJl");
    }
  }

  @Test
  void another_address_needs_a_token_and_a_proxy() throws IOException, InterruptedException {
    Finished noToken = agwp.run("serve", "--host", "0.0.0.0", "--port", "0", "--insecure-behind-proxy");
    assertThat(noToken.status()).isEqualTo(1);
    assertThat(noToken.output()).contains("Could not start", "token create").doesNotContain("\tat ");
    Finished everybody = agwp.run("serve", "--host", "0.0.0.0", "--port", "0", "--insecure-behind-proxy", "--allow-anonymous");
    assertThat(everybody.status()).isEqualTo(2);
    assertThat(everybody.output()).contains("it would let in everybody");
    String token = standardOutput("token", "create", "--principal", "ci", "--scope", "enqueue").strip();

    try (Running server = agwp.start("serve", "--host", "0.0.0.0", "--port", "0", "--insecure-behind-proxy")) {
      assertThat(enqueue(server, null, "q").statusCode()).isEqualTo(401);
      assertThat(enqueue(server, token, "q").statusCode()).isEqualTo(201);
    }
  }

  @Test
  void options_of_issuers_come_together_and_again_for_each() throws IOException, InterruptedException {
    Finished alone = agwp.run("serve", "--port", "0", "--jwt-issuer", "https://a.example");
    assertThat(alone.status()).isEqualTo(2);
    assertThat(alone.output()).contains("--jwt-audience", "--jwt-jwks");
    Finished plain = agwp.run("serve", "--jwt-issuer", "a", "--jwt-audience", "b", "--jwt-jwks", "http://keys.example/jwks");
    assertThat(plain.status()).isEqualTo(2);
    assertThat(plain.output()).contains("must be an https URL");
    Finished missing = agwp.run("serve", "--port", "0", "--jwt-issuer", "a", "--jwt-audience", "b", "--jwt-jwks", "missing.json");
    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.output()).contains("Could not start: --jwt-jwks missing.json").doesNotContain("\tat ");
    Path jwks = Files.writeString(folder.resolve("jwks.json"), "{\"keys\": []}");
    String[] twice = {"serve", "--port", "0", "--jwt-issuer", "a", "--jwt-audience", "b", "--jwt-jwks", jwks.toString(),
        "--jwt-issuer", "c", "--jwt-audience", "d", "--jwt-jwks", jwks.toString(), "--jwt-scopes", "work,read", "--jwt-lifetime-max", "1h",
        "--jwt-principals", "x*", "--jwt-principals", "y*,z"};
    try (Running server = agwp.start(twice)) {
      assertThat(enqueue(server, null, "q").statusCode()).isEqualTo(401);
    }
    twice[9] = "--jwt-issuer";
    twice[10] = "a";
    assertThat(agwp.run(twice).output()).contains("--jwt-issuer a is given twice");
    assertThat(agwp.run("serve", "--rate-limit", "-1").output()).contains("--rate-limit must be 0..100000, got -1");
  }

  /** Standard output alone, as a script would take it. */
  private String standardOutput(String... args) throws IOException, InterruptedException {
    Process process = agwp.command(args).redirectError(folder.resolve("errors.log").toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(Files.readString(folder.resolve("errors.log"))).isZero();
    return output;
  }

  private static HttpResponse<String> enqueue(Running server, String token, String queue) throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.address().resolve("/v1/jobs")).header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{\"queue\": \"" + queue + "\"}"));
    try {
      return HttpClient.newHttpClient().send(
          (token == null ? request : request.header("Authorization", "Bearer " + token)).build(), BodyHandlers.ofString());
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
