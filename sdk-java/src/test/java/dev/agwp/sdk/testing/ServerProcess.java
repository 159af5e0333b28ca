package dev.agwp.sdk.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server as its users run it: a process of its own, by default the one of this build on a free port, with an empty SQLite file. */
public final class ServerProcess implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("https?://\\S+");
  private static final Path JAR = Path.of(System.getProperty("agwp.server.jar", "../server/target/agwp-server.jar"));

  private final Process process;
  private final URI uri;

  private ServerProcess(Process process, URI uri) {
    this.process = process;
    this.uri = uri;
  }

  public static ServerProcess start(Path folder) {
    return startWith(folder);
  }

  /** @param options more of {@code serve} */
  public static ServerProcess startWith(Path folder, String... options) {
    return start(JAR, "jdbc:sqlite:" + folder.resolve("agwp.db"), options);
  }

  /**
   * @param jar the server of this build or of a release
   * @param options more of {@code serve}
   */
  public static ServerProcess start(Path jar, String databaseUrl, String... options) {
    if (!jar.toFile().isFile()) {
      throw new IllegalStateException(jar + " is missing: run mvn verify in the root folder, or mvn -pl sdk-java -am verify");
    }
    try {
      // The flags make a short life cheap to begin.
      List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(),
          "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", jar.toAbsolutePath().toString(), "serve", "--db", databaseUrl));
      command.addAll(List.of(options));
      if (!command.contains("--port")) {
        command.addAll(List.of("--port", "0"));
      }
      Process process = new ProcessBuilder(command)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
      BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
      Matcher address = ADDRESS.matcher(String.valueOf(output.readLine()));
      if (!address.find()) {
        throw new IllegalStateException("the server did not start");
      }
      return new ServerProcess(process, URI.create(address.group()));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** What a command of {@code agwp-server} printed, and how it ended. */
  public record Finished(int status, String output) {}

  /** Runs another command of the server of this build, for example {@code key add}, to its end. */
  public static Finished command(String... arguments) {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", JAR.toAbsolutePath().toString()));
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Finished(process.waitFor(), output);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  public URI uri() {
    return uri;
  }

  public long pid() {
    return process.pid();
  }

  /** From now on it takes connections and answers none. */
  public void suspend() {
    try {
      new ProcessBuilder("kill", "-STOP", String.valueOf(pid())).inheritIO().start().onExit().join();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Kills it, as a crash does; when this returns another server can listen on its port. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
