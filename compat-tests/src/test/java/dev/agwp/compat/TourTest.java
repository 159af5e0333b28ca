package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the shell lines of the tours as they stand on their pages, but for the port. */
final class TourTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern STEP = Pattern.compile("<!-- tour -->\\s*```sh\\n(.*?)```", Pattern.DOTALL);
  private static final String PORT_OF_PAGES = "127.0.0.1:8080";

  @TempDir
  private Path folder;

  @Test
  void the_tour_of_the_readme_does_what_it_says() throws IOException, InterruptedException {
    assertThat(output("README.md", 3)).contains("spec/openapi.yaml: OK", "the attestation is the job's", "it attests spec/openapi.yaml",
        "and says PASSED");
  }

  @Test
  void the_tour_of_leases_does_what_it_says() throws IOException, InterruptedException {
    assertThat(output("server/docs/leases.md", 5)).contains("bob is refused: lease_held", "integrated as number 1, validating",
        "spec/openapi.yaml: OK", "now it is validated", "the attestation names the change", "the late one is refused: not_holder");
  }

  private String output(String page, int stepsExpected) throws IOException, InterruptedException {
    StringBuilder script = new StringBuilder("set -eu\n");
    Matcher step = STEP.matcher(Files.readString(ROOT.resolve(page)));
    int steps = 0;
    while (step.find()) {
      script.append(step.group(1)).append('\n');
      steps++;
    }
    assertThat(steps).isEqualTo(stepsExpected);

    try (ServerProcess server = ServerProcess.start(folder)) {
      Process shell = new ProcessBuilder(
          List.of("sh", "-c", script.toString().replace(PORT_OF_PAGES, "127.0.0.1:" + server.uri().getPort())))
          .directory(ROOT.toFile()).redirectErrorStream(true).start();
      String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(shell.waitFor()).as(output).isZero();
      return output;
    }
  }
}
