package dev.agwp.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.AgwpCommand;
import dev.agwp.server.testing.AgwpCommand.Running;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server whose heap is small, and would end at the first OutOfMemoryError. */
@Execution(ExecutionMode.CONCURRENT)
final class SmallHeapTest {
  private static final String SWELLING = "{\"queue\": \"q\", \"payload\": {\"a\": [" + "{},".repeat(80_000) + "{}]}}";

  @TempDir
  private Path folder;

  @Test
  void a_crowd_of_bodies_that_swell_in_memory_does_not_use_up_the_heap() throws IOException {
    AgwpCommand agwp = new AgwpCommand(folder);
    ProcessBuilder command = agwp.command("serve", "--port", "0");
    command.environment().put("JDK_JAVA_OPTIONS", "-Xmx96m -XX:+ExitOnOutOfMemoryError");
    try (Running server = agwp.start(command)) {
      HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      HttpRequest request = HttpRequest.newBuilder(server.address().resolve("/v1/jobs"))
          .header("Content-Type", "application/json").POST(BodyPublishers.ofString(SWELLING)).build();

      List<CompletableFuture<HttpResponse<String>>> answers = Collections.nCopies(48, request).stream()
          .map(each -> client.sendAsync(each, BodyHandlers.ofString())).toList();

      assertThat(answers.stream().map(answer -> answer.join().statusCode())).isSubsetOf(201, 503).contains(201);
      assertThat(server.process().isAlive()).isTrue();
    }
  }
}
