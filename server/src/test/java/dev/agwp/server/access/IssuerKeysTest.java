package dev.agwp.server.access;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the keys of an issuer come from, and what becomes of a server whose issuer misbehaves. */
final class IssuerKeysTest {
  private static final TestIssuer ISSUER = new TestIssuer();
  private static final TestIssuer NEXT = new TestIssuer();
  private static final Map<String, Object> AS_EVER = Map.of();
  /** More often than one read may take, so that only the limit of the whole ends it. */
  private static final int DRIP_EVERY_MS = 200;

  @TempDir
  private Path folder;

  private static Api serve(TestDatabase database, String jwks) {
    return database.serve(new AccessOptions(false, false, List.of(TestIssuer.trusted(jwks)), 0, 0, Set.of()));
  }

  /** A server of keys that answers what it was last told to, and counts. */
  private static final class KeyServer implements AutoCloseable {
    private final HttpServer http;
    private final AtomicInteger asked = new AtomicInteger();
    private volatile int status = 200;
    private volatile String body;

    private KeyServer(String body) throws IOException {
      this.body = body;
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      http.createContext("/jwks", exchange -> {
        asked.incrementAndGet();
        byte[] bytes = this.body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Location", "/elsewhere");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
      });
      http.createContext("/elsewhere", exchange -> {
        byte[] bytes = ISSUER.jwks().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
      });
      http.start();
    }

    private String url() {
      return "http://127.0.0.1:" + http.getAddress().getPort() + "/jwks";
    }

    @Override
    public void close() {
      http.stop(0);
    }
  }

  @Test
  void a_file_of_keys_that_changes_is_read_again_within_seconds_and_a_broken_one_changes_nothing() throws IOException {
    Path file = Files.writeString(folder.resolve("jwks.json"), ISSUER.jwks());
    try (TestDatabase database = TestDatabase.sqlite()) {
      Api api = serve(database, file.toString());
      api.as(ISSUER.token(AS_EVER)).get("/v1/queues").ok();

      Files.writeString(file, "{\"keys\": [");
      await().during(3, SECONDS).atMost(5, SECONDS).until(() -> api.as(ISSUER.token(AS_EVER)).get("/v1/queues").status() == 200);

      Files.writeString(file, NEXT.jwks());
      await().atMost(5, SECONDS).until(() -> api.as(NEXT.token(AS_EVER)).get("/v1/queues").status() == 200);
      api.as(ISSUER.token(Map.of("jti", "another"))).get("/v1/queues").refused(401, "unauthenticated");
    }
  }

  @Test
  void a_file_that_holds_no_keys_is_refused_at_the_start() throws IOException {
    Path broken = Files.writeString(folder.resolve("broken.json"), "no keys");
    try (TestDatabase database = TestDatabase.sqlite()) {
      for (String jwks : List.of(folder.resolve("missing.json").toString(), broken.toString(), folder.toString(), "ftp://x/jwks")) {
        assertThatThrownBy(() -> serve(database, jwks)).as(jwks).isInstanceOf(BadAccessOptions.class).hasMessageContaining("--jwt-jwks " + jwks);
      }
    }
  }

  @Test
  void a_url_is_asked_once_for_many_tokens_and_made_up_kids_do_not_make_the_server_hammer_it() throws IOException {
    try (KeyServer keys = new KeyServer(ISSUER.jwks()); TestDatabase database = TestDatabase.sqlite()) {
      Api api = serve(database, keys.url());
      for (int i = 0; i < 20; i++) {
        api.as(ISSUER.token(Map.of("jti", "token-" + i))).get("/v1/queues").ok();
      }
      assertThat(keys.asked.get()).isEqualTo(1);

      for (int i = 0; i < 20; i++) {
        Map<String, Object> madeUp = Map.of("alg", "RS256", "kid", "kid-" + i);
        api.as(ISSUER.signedBy("RS256", madeUp, TestIssuer.claims(AS_EVER))).get("/v1/queues").refused(401, "unauthenticated");
      }
      assertThat(keys.asked.get()).isLessThanOrEqualTo(3);
      api.as(ISSUER.token(Map.of("jti", "after"))).get("/v1/queues").ok();
    }
  }

  @Test
  void a_new_key_is_found_at_once_by_its_kid() throws IOException {
    try (KeyServer keys = new KeyServer(ISSUER.jwks()); TestDatabase database = TestDatabase.sqlite()) {
      Api api = serve(database, keys.url());
      api.as(ISSUER.token(AS_EVER)).get("/v1/queues").ok();

      keys.body = NEXT.jwks().replace("\"rsa\"", "\"rsa-2\"");

      api.as(NEXT.signedBy("RS256", Map.of("alg", "RS256", "kid", "rsa-2"), TestIssuer.claims(AS_EVER))).get("/v1/queues").ok();
    }
  }

  @Test
  void a_url_that_answers_no_keys_is_the_servers_trouble_and_not_the_callers() throws IOException {
    for (String trouble : List.of("500", "302", "not JSON", "too long")) {
      try (KeyServer keys = new KeyServer("no keys"); TestDatabase database = TestDatabase.sqlite()) {
        keys.status = trouble.matches("\\d+") ? Integer.parseInt(trouble) : 200;
        keys.body = trouble.equals("too long") ? ISSUER.jwks() + " ".repeat(300 * 1024) : "no keys";

        Api.Answer answer = serve(database, keys.url()).as(ISSUER.token(AS_EVER)).get("/v1/queues");

        assertThat(answer.status() + " " + answer.code()).as(trouble).isEqualTo("503 unavailable");
        assertThat(answer.text()).doesNotContain("127.0.0.1", "nimbus");
      }
    }
  }

  @Test
  void a_url_that_drips_holds_a_caller_only_for_seconds() throws IOException {
    CountDownLatch over = new CountDownLatch(1);
    try (KeyServer keys = new KeyServer("{}"); TestDatabase database = TestDatabase.sqlite()) {
      keys.http.createContext("/drip", exchange -> drip(exchange, over));
      Api api = serve(database, keys.url().replace("/jwks", "/drip"));

      assertThat(api.as(ISSUER.token(AS_EVER)).get("/v1/queues").status()).isEqualTo(503);
      over.countDown();
    }
  }

  private static void drip(HttpExchange exchange, CountDownLatch over) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    try (exchange) {
      while (!over.await(DRIP_EVERY_MS, MILLISECONDS)) {
        exchange.getResponseBody().write(' ');
        exchange.getResponseBody().flush();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
