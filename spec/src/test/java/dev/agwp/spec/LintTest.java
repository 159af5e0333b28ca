package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract as Spectral, a linter many reviewers know, sees it. */
final class LintTest {
  @TempDir
  private Path folder;

  @Test
  void the_contract_lints_clean() throws IOException {
    assertThat(lint(Files.readString(Path.of("openapi.yaml")))).contains("No results with a severity of 'hint' or higher found");
  }

  @Test
  void a_fault_in_the_contract_is_found() throws IOException {
    assertThat(lint(Files.readString(Path.of("openapi.yaml")).replaceFirst("operationId: enqueueJobs", "operationId: enqueueJob")))
        .contains("operation-operationId-unique");
  }

  private String lint(String yaml) throws IOException {
    Path file = folder.resolve("openapi.yaml");
    Files.writeString(file, yaml);
    return Tool.run(Path.of("lint"), List.of(Tool.ofNode("spectral").toString(), "lint", "--ruleset", ".spectral.yaml",
        "--fail-severity", "hint", file.toString())).output();
  }
}
