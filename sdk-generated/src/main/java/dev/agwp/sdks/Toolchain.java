package dev.agwp.sdks;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * How code of one language is built and run: a properties file with the program that must be installed, {@code tool}, and command lines.
 *
 * @param target the folder where the command lines run
 */
public record Toolchain(Properties properties, Path target) {
  /** @param required what the file must say besides {@code tool} */
  public static Toolchain of(Path file, Path target, List<String> required) {
    Properties properties = new Properties();
    try (Reader text = Files.newBufferedReader(file)) {
      properties.load(text);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    Stream.concat(Stream.of("tool"), required.stream()).filter(name -> properties.getProperty(name, "").isBlank()).findFirst()
        .ifPresent(name -> {
          throw new IllegalArgumentException(file + " must say " + name + "=");
        });
    return new Toolchain(properties, target);
  }

  /** Whether the program is installed. */
  public boolean isInstalled() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(path -> new File(path, tool()).canExecute());
  }

  /** Whether to go on: says in one line what is skipped without the program. In CI nothing is skipped, so there it fails. */
  public boolean isThereFor(String what) {
    if (isInstalled()) {
      return true;
    }
    if (System.getenv("CI") != null) {
      throw new IllegalStateException(tool() + " is not on the PATH, and in CI nothing is skipped, here " + what + ": install it");
    }
    System.out.println("Skipped: " + what + ". " + tool() + " is not on the PATH.");
    return false;
  }

  public String tool() {
    return properties.getProperty("tool");
  }

  /** What a command printed, and how it ended. */
  public record Finished(int status, String output) {}

  /** Runs a command line of the file. */
  public Finished run(String name, Map<String, String> environment) {
    try {
      Process process = command(name, environment).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Finished(process.waitFor(), output);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /** The command line itself, for a process that goes on. */
  public ProcessBuilder command(String name, Map<String, String> environment) {
    ProcessBuilder command = new ProcessBuilder("sh", "-c", properties.getProperty(name)).directory(target.toFile());
    command.environment().putAll(environment);
    return command;
  }
}
