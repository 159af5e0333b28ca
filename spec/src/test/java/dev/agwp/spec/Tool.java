package dev.agwp.spec;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Programs other than Java that tests call. */
public final class Tool {
  private static final Path LINT = Path.of("lint");
  private static final Path INSTALLED = Path.of("target", "lint");

  private static final String PYTHON = "python3";
  private static final String PYTHON_SKIPPED = "The test of the audit vectors by Python is skipped: python3 is not on the PATH.";
  private static final String SKIPPED = "The tests of the contract by Spectral, redocly and buf are skipped: node and npm are not on the PATH.";

  private Tool() {}

  public record Finished(int status, String output) {}

  /** Says in the log of the build which tests {@link #ofNode} and {@link #python} skip. */
  public static void main(String[] args) {
    if (!nodeIsInstalled() && !inCi()) {
      System.out.println(SKIPPED);
    }
    if (!onPath(PYTHON) && !inCi()) {
      System.out.println(PYTHON_SKIPPED);
    }
  }

  /** Python 3. Without it the test is skipped; in CI it fails. */
  public static String python() {
    if (!onPath(PYTHON)) {
      if (inCi()) {
        throw new AssertionError("python3 is missing, and in CI every check runs: install Python 3");
      }
      Assumptions.abort(PYTHON_SKIPPED);
    }
    return PYTHON;
  }

  public static Finished run(Path folder, List<String> command) {
    try {
      Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Finished(process.waitFor(), output);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /**
   * The program of a package pinned in {@code lint/package-lock.json}, installed on first use. Without Node the test is skipped; in CI it
   * fails.
   */
  public static synchronized Path ofNode(String program) {
    if (!nodeIsInstalled()) {
      if (inCi()) {
        throw new AssertionError("node and npm are missing, and in CI every check runs: install Node.js 20 or later");
      }
      Assumptions.abort(SKIPPED);
    }
    Path installed = INSTALLED.resolve("node_modules/.bin").resolve(program);
    try {
      String lock = Files.readString(LINT.resolve("package-lock.json"));
      Path stamp = INSTALLED.resolve("installed-lock.json");
      if (!Files.exists(stamp) || !Files.readString(stamp).equals(lock)) {
        install();
        Files.writeString(stamp, lock);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return installed.toAbsolutePath();
  }

  private static void install() throws IOException {
    Files.createDirectories(INSTALLED);
    for (String file : List.of("package.json", "package-lock.json", ".npmrc")) {
      Files.write(INSTALLED.resolve(file), Files.readAllBytes(LINT.resolve(file)));
    }
    Finished npm = run(INSTALLED, List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"));
    if (npm.status() != 0) {
      throw new AssertionError("npm ci failed:\n" + npm.output());
    }
  }

  private static boolean nodeIsInstalled() {
    return onPath("node") && onPath("npm");
  }

  private static boolean inCi() {
    return System.getenv("CI") != null;
  }

  private static boolean onPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(folder -> new File(folder, program).canExecute());
  }
}
