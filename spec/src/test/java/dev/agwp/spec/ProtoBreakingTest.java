package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code agwp.proto} against the released ones, as buf judges it: a second opinion beside our own rules. */
final class ProtoBreakingTest {
  @TempDir
  private Path folder;

  @Test
  void the_proto_breaks_no_released_one() throws IOException {
    String now = ProtoWriter.write(Contract.load());
    for (Path release : ReleasesTest.releases(Path.of("released"))) {
      assertThat(breaking(now, Files.readString(release.resolve("agwp.proto")))).as(release.toString()).isEmpty();
    }
  }

  @Test
  void a_moved_or_removed_field_number_is_found() throws IOException {
    String now = ProtoWriter.write(Contract.load());
    assertThat(breaking(now, now)).isEmpty();
    assertThat(breaking(now.replace("string job_id = 1 [", "string job_id = 99 ["), now)).contains("job_id");
    assertThat(breaking(now.replace("optional uint32 max_jobs = 5", "optional string max_jobs = 5"), now)).contains("max_jobs");
  }

  private String breaking(String now, String before) throws IOException {
    Path current = module("now", now);
    Path against = module("before", before);
    return Tool.run(current, List.of(Tool.ofNode("buf").toString(), "breaking", "--against", against.toString(), "--config",
        "{\"version\":\"v2\",\"breaking\":{\"use\":[\"FILE\"]}}")).output();
  }

  private Path module(String name, String proto) throws IOException {
    Path module = Files.createDirectories(folder.resolve(name));
    Files.writeString(module.resolve("agwp.proto"), proto);
    return module;
  }
}
