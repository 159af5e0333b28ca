package dev.agwp.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Set;
import java.util.concurrent.Executors;

/** The real server as a later release might answer: more fields in every object, and values of the open sets nobody knows yet. */
final class TomorrowServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  /** What belongs to callers and not to the contract. */
  private static final Set<String> FREE = Set.of("payload", "result");
  private static final Set<String> OPEN_SETS = Set.of("state", "code", "outcome");

  private final URI real;
  private final HttpServer server;
  private final HttpClient http = HttpClient.newHttpClient();

  TomorrowServer(URI real) {
    this.real = real;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", this::answer);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      HttpRequest.Builder request = HttpRequest.newBuilder(real.resolve(exchange.getRequestURI()))
          .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
      for (String header : new String[] {"Content-Type", "Accept"}) {
        String value = exchange.getRequestHeaders().getFirst(header);
        if (value != null) {
          request.header(header, value);
        }
      }
      HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
      String type = response.headers().firstValue("Content-Type").orElse("");
      byte[] body = type.contains("json") && !exchange.getRequestURI().getPath().endsWith("/attestation")
          ? JSON.writeValueAsBytes(ofTomorrow(JSON.readTree(response.body()))) : response.body();
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(response.statusCode(), body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException interrupted) {
      throw new IOException(interrupted);
    }
  }

  private static JsonNode ofTomorrow(JsonNode node) {
    if (node.isArray()) {
      node.forEach(TomorrowServer::ofTomorrow);
    } else if (node instanceof ObjectNode object) {
      for (String name : OPEN_SETS) {
        if (object.path(name).isTextual()) {
          object.put(name, "tomorrow_" + object.get(name).asText());
        }
      }
      object.properties().stream().filter(member -> !FREE.contains(member.getKey()))
          .forEach(member -> ofTomorrow(member.getValue()));
      object.put("tomorrow_text", "☃").put("tomorrow_number", Long.MAX_VALUE).put("tomorrow_flag", true);
      object.putObject("tomorrow_object").putArray("deep").add(1).addNull();
    }
    return node;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
