package dev.agwp.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program whose telling line is waited for. What it says to standard error is kept in target/logs. */
final class ChildProcess implements AutoCloseable {
  private static final int STOP_SECONDS = 15;

  private final Process process;
  private final BufferedReader output;
  private final Path log;

  private ChildProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    output = process.inputReader();
  }

  static ChildProcess start(String name, List<String> command) throws IOException {
    Path log = Files.createDirectories(Bench.TARGET.resolve("logs")).resolve(name + ".log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    process.getOutputStream().close();
    // A run that is interrupted leaves nothing behind that listens.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return new ChildProcess(process, log);
  }

  /** Ends it when it takes longer: that closes the output, and whoever waits for a line is told. */
  ChildProcess endAfter(int seconds) {
    CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(process::destroyForcibly);
    return this;
  }

  /** Reads on to the first line that holds this text. */
  String lineWith(String text) throws IOException {
    String line;
    while ((line = output.readLine()) != null) {
      if (line.contains(text)) {
        return line;
      }
    }
    throw new IOException("ended before it said '" + text + "': see target/logs/" + log.getFileName());
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
