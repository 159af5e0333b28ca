package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.agwp.sdk.testing.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the shell lines of the tours as they stand in the pages, but for the port. */
final class TourTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern STEP = Pattern.compile("<!-- tour -->\\s*```sh\\n(.*?)```", Pattern.DOTALL);
  private static final String PORT_OF_PAGES = "127.0.0.1:8080";

  @TempDir
  private Path folder;

  @Test
  void the_tour_of_the_readme_does_what_it_says() throws IOException, InterruptedException {
    assertThat(outputOf("README.md", 3)).contains("spec/openapi.yaml: OK", "the attestation is the job's", "it attests spec/openapi.yaml",
        "and says PASSED");
  }

  @Test
  void the_tour_of_leases_does_what_it_says() throws IOException, InterruptedException {
    assertThat(outputOf("server/docs/leases.md", 5)).contains("bob is refused: lease_held", "integrated as number 1, validating",
        "spec/openapi.yaml: OK", "now it is validated", "the attestation names the change", "the late one is refused: not_holder");
  }

  @Test
  void the_tour_of_attestations_does_what_it_says() throws IOException, InterruptedException {
    boolean openssl = Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(path -> new File(path, "openssl").canExecute());
    assumeTrue(openssl || System.getenv("CI") != null, "skipped: openssl is not on the PATH");

    assertThat(outputOf("server/docs/attestations.md", 2)).contains("signed by sha256:", "\nverified\n", "\nprincipal  local");
  }

  private String outputOf(String page, int steps) throws IOException, InterruptedException {
    StringBuilder script = new StringBuilder("set -eu\n");
    Matcher step = STEP.matcher(Files.readString(ROOT.resolve(page)));
    int found = 0;
    while (step.find()) {
      script.append(step.group(1)).append('\n');
      found++;
    }
    assertThat(found).isEqualTo(steps);
    try (ServerProcess server = ServerProcess.start(folder)) {
      ProcessBuilder command = new ProcessBuilder(
          List.of("sh", "-c", script.toString().replace(PORT_OF_PAGES, "127.0.0.1:" + server.uri().getPort())))
          .directory(ROOT.toFile()).redirectErrorStream(true);
      command.environment().put("folder", folder.toString());
      command.environment().put("AGWP_DB", "jdbc:sqlite:" + folder.resolve("agwp.db"));
      Process shell = command.start();
      String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(shell.waitFor()).as(output).isZero();
      return output;
    }
  }
}
