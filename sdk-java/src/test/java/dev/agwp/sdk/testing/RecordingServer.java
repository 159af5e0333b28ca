package dev.agwp.sdk.testing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Answers every request as the test says and keeps what came. */
public final class RecordingServer implements AutoCloseable {
  /** @param authorization the header, null for none */
  public record Seen(String method, String path, String authorization) {}

  public record Answer(int status, String json) {}

  private final HttpServer http;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();

  public RecordingServer(Function<Seen, Answer> answers) {
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    http.createContext("/", exchange -> {
      try (exchange) {
        exchange.getRequestBody().readAllBytes();
        Seen request = new Seen(exchange.getRequestMethod(), exchange.getRequestURI().getPath(),
            exchange.getRequestHeaders().getFirst("Authorization"));
        seen.add(request);
        Answer answer = answers.apply(request);
        byte[] body = answer.json().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.status() < 400 ? "application/json" : "application/problem+json");
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
      }
    });
    http.start();
  }

  /** The answer to a caller that is not known, or may not do this. */
  public static Answer refusal(int status, String code) {
    return new Answer(status, "{\"status\": " + status + ", \"code\": \"" + code + "\", \"detail\": \"not with this token\"}");
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
  }

  public List<Seen> seen() {
    return seen;
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
