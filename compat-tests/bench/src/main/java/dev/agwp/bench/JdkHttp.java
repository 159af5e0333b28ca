package dev.agwp.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** The JDK's client as applications use it: one for all callers. */
final class JdkHttp implements HttpCaller {
  private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final URI server;

  JdkHttp(URI server) {
    this.server = server;
  }

  @Override
  public String post(String path, String json) throws IOException {
    HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(json))
        .build();
    try {
      HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() / 100 != 2) {
        throw new IOException(answer.statusCode() + " " + answer.body());
      }
      return answer.body();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  @Override
  public void close() {
    // The connections belong to the client, which lives as long as the program.
  }
}
