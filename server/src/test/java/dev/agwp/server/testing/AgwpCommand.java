package dev.agwp.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command {@code agwp-server} as an operator runs it: a process of its own, in a folder. */
public final class AgwpCommand {
  private static final Pattern ADDRESS = Pattern.compile("https?://\\S+");

  private final Path folder;

  public AgwpCommand(Path folder) {
    this.folder = folder;
  }

  /** A server that answers, until it is closed. */
  public record Running(Process process, URI address, Path log) implements AutoCloseable {
    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /**
   * What a command left.
   *
   * @param output all that it wrote
   */
  public record Finished(int status, String output) {}

  public ProcessBuilder command(String... args) {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), "dev.agwp.server.Main"));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).directory(folder.toFile());
  }

  public Running start(String... args) throws IOException {
    return start(command(args));
  }

  public Running start(ProcessBuilder command) throws IOException {
    Path log = Files.createTempFile(folder, "server", ".log");
    Process process = command.redirectError(log.toFile()).start();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    String line = output.readLine();
    Matcher address = ADDRESS.matcher(line == null ? Files.readString(log) : line);
    assertThat(address.find()).as("the first line: " + line).isTrue();
    return new Running(process, URI.create(address.group()), log);
  }

  public Finished run(String... args) throws IOException, InterruptedException {
    Process process = command(args).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Finished(process.waitFor(), output);
  }
}
