package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench is no module of the build and its figures are no test, but it uses classes of the server. */
final class BenchTest {
  @TempDir
  private Path classes;

  @Test
  void the_bench_compiles_against_the_server_as_it_is() {
    String said = Command.maven(Path.of("bench"), "-Dbench.classes=" + classes, "compile");

    assertThat(said).doesNotContain("ERROR");
    assertThat(classes.resolve("dev/agwp/bench/Bench.class")).exists();
  }
}
