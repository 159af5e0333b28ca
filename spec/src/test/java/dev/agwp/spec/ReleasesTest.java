package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was released stays as it was, and today's code still reads it. */
final class ReleasesTest {
  private static final Path RELEASES = Path.of("released");
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir
  private Path folder;

  @Test
  void released_files_never_change() throws IOException {
    for (Path release : releases(RELEASES)) {
      assertThat(changed(release)).as(release.toString()).isEmpty();
    }
  }

  @Test
  void a_release_has_one_commit() {
    for (Path release : releases(RELEASES)) {
      Tool.Finished log = Tool.run(Path.of("."), List.of("git", "log", "--format=%H", "--", release.toString()));
      // A source archive has no history to look at.
      if (log.status() == 0) {
        assertThat(log.output().lines().count()).as(log.output()).isLessThanOrEqualTo(1);
      }
    }
  }

  @Test
  void todays_code_reads_and_writes_what_every_release_sent() throws IOException, MalformedMessage {
    for (Path release : releases(RELEASES)) {
      assertFixturesHold(release);
    }
  }

  @Test
  void a_release_that_is_cut_holds_and_every_tampering_shows() throws IOException, MalformedMessage {
    Path release = CutRelease.cut(Contract.load(), folder);
    assertThat(changed(release)).isEmpty();
    assertFixturesHold(release);
    assertThat(releases(folder)).hasSize(1);

    Files.writeString(release.resolve("agwp.proto"), Files.readString(release.resolve("agwp.proto")) + "\n");
    assertThat(changed(release)).containsExactly("agwp.proto");
    Files.delete(release.resolve("wire/Job.full.pb"));
    Files.writeString(release.resolve("wire/New.json"), "{}");
    assertThat(changed(release)).containsExactlyInAnyOrder("agwp.proto", "wire/Job.full.pb", "wire/New.json");
  }

  @Test
  void a_release_is_never_cut_twice() throws IOException {
    CutRelease.cut(Contract.load(), folder);

    assertThatThrownBy(() -> CutRelease.cut(Contract.load(), folder)).hasMessageContaining("never written again");
  }

  private static void assertFixturesHold(Path release) throws IOException, MalformedMessage {
    Transcoder today = new Transcoder(WireSchema.of(Contract.load()));
    List<Path> fixtures;
    try (Stream<Path> files = Files.list(release.resolve("wire"))) {
      fixtures = files.filter(file -> file.toString().endsWith(".pb")).sorted().toList();
    }
    assertThat(fixtures).isNotEmpty();
    for (Path pb : fixtures) {
      String name = pb.getFileName().toString();
      String message = name.substring(0, name.indexOf('.'));
      JsonNode json = JSON.readTree(pb.resolveSibling(name.replace(".pb", ".json")).toFile());
      assertThat(today.toProtobuf(message, json)).as(name).isEqualTo(Files.readAllBytes(pb));
      assertThat(JSON.readTree(today.toJson(message, Files.readAllBytes(pb)).toString())).as(name).isEqualTo(json);
    }
  }

  /** The files whose sum is not the one noted, that are missing or that came later. */
  private static List<String> changed(Path release) throws IOException {
    List<String> noted = Files.readAllLines(release.resolve(CutRelease.SUMS));
    List<String> now = CutRelease.sums(release).lines().toList();
    List<String> changed = new ArrayList<>();
    Stream.concat(noted.stream().filter(line -> !now.contains(line)), now.stream().filter(line -> !noted.contains(line)))
        .map(line -> line.substring(line.indexOf("  ") + 2))
        .distinct()
        .forEach(changed::add);
    return changed;
  }

  static List<Path> releases(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isDirectory).sorted().toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
