package dev.agwp.compat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs programs to their end. */
final class Command {
  private Command() {}

  /** What a build with Maven says, which is nothing where all is well. */
  static String maven(Path folder, String... arguments) {
    Stream<String> command = Stream.of(System.getProperty("agwp.maven", "mvn"), "--batch-mode", "--quiet");
    return run(folder, Stream.concat(command, Stream.of(arguments)).toList());
  }

  /** All that the program says. */
  static String run(Path folder, List<String> command) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
      // A build runs once: the optimising compiler of its JVM would cost more than it saves.
      builder.environment().merge("MAVEN_OPTS", "-XX:TieredStopAtLevel=1", (given, more) -> given + " " + more);
      Process process = builder.start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      process.waitFor();
      return output;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
