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
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A worker in any language, as a process that obeys and tells in JSON lines. */
final class Driver implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SDKS = Path.of("../sdk-generated").toAbsolutePath().normalize();
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private final Process process;
  private final Writer orders;
  private final List<JsonNode> events = new ArrayList<>();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private int asked;

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
    return ofSdk(language, "current").orElseThrow();
  }

  /** The SDK that a release has for a language: today's in every language, Java's of every release. */
  static Optional<Driver> ofSdk(String language, String release) {
    if (language.equals("java")) {
      return Optional.of(new Driver(onClasses("dev.agwp.compat.JavaDriver", workerJar(release))));
    }
    return SdkFolder.all(SDKS).stream().filter(sdk -> sdk.language().equals(language) && release.equals("current"))
        .findFirst().map(sdk -> new Driver(sdk.toolchain().command("conformance", Map.of())));
  }

  /** What a language generates from the contract of a release. */
  static Driver ofWire(WireFolder folder, String release) {
    return new Driver(folder.language().equals("java")
        ? onClasses("dev.agwp.compat.JavaWireDriver", workerJar(release), WireFolder.protobufJar(), folder.of(release).resolve("classes"))
        : folder.driver(release));
  }

  private static Path workerJar(String release) {
    return release.equals("current") ? Path.of("../sdk-java/target/ag-worker.jar") : Release.of(release).workerJar();
  }

  private static ProcessBuilder onClasses(String main, Path... classes) {
    String classPath = Stream.concat(Stream.of(classes), Stream.of(Path.of("target/test-classes")))
        .map(path -> path.toAbsolutePath().toString()).collect(Collectors.joining(File.pathSeparator));
    return new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-cp", classPath, main);
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode event = JSON.readTree(line);
        if (event.has("id")) {
          answers.remove(event.get("id").asInt()).complete(event);
          continue;
        }
        synchronized (events) {
          events.add(event);
        }
      }
    } catch (IOException ended) {
      // What was told before is what there is.
    }
    answers.values().forEach(answer -> answer.completeExceptionally(new IllegalStateException("the driver has ended")));
  }

  static ObjectNode order(String what) {
    return JSON.createObjectNode().put("do", what);
  }

  /** The order for a worker that takes one job of a queue at a time. */
  static ObjectNode start(URI at, String label, String queue, int leaseSeconds) {
    ObjectNode start = order("start").put("server", at.toString()).put("label", label).put("lease_seconds", leaseSeconds)
        .put("wait_seconds", 2).put("concurrency", 1).put("grace_seconds", 0);
    start.putArray("queues").add(queue);
    return start;
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
    return awaitAny(event, each -> each.get("event").asText().equals(event) && which.test(each));
  }

  JsonNode awaitAny(String what, Predicate<JsonNode> which) {
    return Awaitility.await(what).atMost(WITHIN).pollInterval(Duration.ofMillis(20))
        .until(() -> events().stream().filter(which).findFirst().orElse(null), found -> found != null);
  }

  /** Has one call made, or one message recoded, and waits for what came of it: {@code invalid}, or what the order says. */
  JsonNode ask(ObjectNode order) {
    int id = ++asked;
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(id, answer);
    send(order.put("id", id));
    try {
      return answer.get(WITHIN.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException none) {
      throw new AssertionError("no answer to " + order, none);
    }
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
