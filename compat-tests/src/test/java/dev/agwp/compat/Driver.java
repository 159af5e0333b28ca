package dev.agwp.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.sdks.SdkFolder;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** A worker in any language, as a process that obeys and tells in JSON lines. */
final class Driver implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SDKS = Path.of("../sdk-generated").toAbsolutePath().normalize();
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private final Process process;
  private final Writer orders;
  private final List<JsonNode> events = new ArrayList<>();
  private int calls;

  private Driver(ProcessBuilder command) {
    try {
      process = command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    orders = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "driver-events");
    reader.setDaemon(true);
    reader.start();
    await("ready");
  }

  /** The languages there is a driver for on this machine: Java, and each whose toolchain is installed. */
  static List<String> languages() {
    List<String> languages = new ArrayList<>(List.of("java"));
    SdkFolder.all(SDKS).stream()
        .filter(sdk -> sdk.toolchain().properties().containsKey("conformance") && sdk.toolchain().isInstalled())
        .forEach(sdk -> languages.add(sdk.language()));
    return languages;
  }

  static Driver of(String language) {
    if (language.equals("java")) {
      return ofJava(Path.of("../sdk-java/target/ag-worker.jar"));
    }
    SdkFolder sdk = SdkFolder.all(SDKS).stream().filter(each -> each.language().equals(language)).findFirst().orElseThrow();
    return new Driver(sdk.toolchain().command("conformance", Map.of()));
  }

  /** @param workerJar the SDK of this build or of a release, with all it needs */
  static Driver ofJava(Path workerJar) {
    return new Driver(new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC", "-cp", workerJar.toAbsolutePath() + File.pathSeparator + Path.of("target/test-classes").toAbsolutePath(),
        "dev.agwp.compat.JavaDriver"));
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode event = JSON.readTree(line);
        synchronized (events) {
          events.add(event);
        }
      }
    } catch (IOException ended) {
      // What was told before is what there is.
    }
  }

  static ObjectNode order(String what) {
    return JSON.createObjectNode().put("do", what);
  }

  void send(ObjectNode order) {
    try {
      orders.write(order + "\n");
      orders.flush();
    } catch (IOException ended) {
      throw new UncheckedIOException(ended);
    }
  }

  List<JsonNode> events() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  boolean told(String event) {
    return events().stream().anyMatch(each -> each.get("event").asText().equals(event));
  }

  JsonNode await(String event) {
    return await(event, each -> true);
  }

  JsonNode await(String event, Predicate<JsonNode> which) {
    return Awaitility.await(event).atMost(WITHIN).pollInterval(Duration.ofMillis(20)).until(() -> events().stream()
        .filter(each -> each.get("event").asText().equals(event)).filter(which).findFirst().orElse(null), found -> found != null);
  }

  /** Makes one call of the SDK's client and waits for what came of it: {@code answer}, {@code refused} or {@code invalid}. */
  JsonNode call(ObjectNode call) {
    int id = ++calls;
    send(call.put("do", "call").put("id", id));
    return Awaitility.await("answer to " + call).atMost(WITHIN).pollInterval(Duration.ofMillis(5)).until(() -> events().stream()
        .filter(each -> each.path("id").asInt() == id).findFirst().orElse(null), found -> found != null);
  }

  /** @param name {@code STOP} or {@code CONT} */
  void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Override
  public void close() {
    signal("CONT");
    process.destroy();
    if (!process.onExit().completeOnTimeout(process, 10, TimeUnit.SECONDS).join().isAlive()) {
      return;
    }
    process.destroyForcibly();
  }
}
