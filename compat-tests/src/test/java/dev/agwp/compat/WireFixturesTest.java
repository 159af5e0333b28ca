package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.compat.WireDifferences.Named;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The frozen messages of every release, read and written again by what every language generates from every release. What may differ stands
 * in wire-differences.yaml.
 */
final class WireFixturesTest {
  private static final Path RELEASED = Path.of("../spec/released");
  private static final List<String> RELEASES = releases();
  private static final Map<String, Driver> DRIVERS = new LinkedHashMap<>();

  /** @param file of a message in a release */
  record Fixture(String release, Path file) {
    static Stream<Fixture> of(String release) {
      try (Stream<Path> files = Files.list(RELEASED.resolve(release).resolve("wire"))) {
        return files.sorted().map(file -> new Fixture(release, file)).toList().stream();
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }

    /** The same message as another release has it. */
    Fixture asOf(String other) {
      return new Fixture(other, RELEASED.resolve(other).resolve("wire").resolve(file.getFileName()));
    }

    String message() {
      return file.getFileName().toString().replaceFirst("\\..*", "");
    }

    String format() {
      return file.toString().endsWith(".pb") ? "protobuf" : "json";
    }

    byte[] bytes() {
      try {
        return Files.readAllBytes(file);
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
  }

  static List<WireFolder> languages() {
    return WireFolder.built();
  }

  @AfterAll
  static void close() {
    DRIVERS.values().forEach(Driver::close);
  }

  @ParameterizedTest
  @MethodSource("languages")
  void messages_of_a_clients_own_release_and_of_older_ones_come_back_as_they_were(WireFolder language) throws IOException {
    assertOnlyNamedDifferences(language, false);
  }

  @ParameterizedTest
  @MethodSource("languages")
  void of_a_newer_message_an_old_client_reads_what_it_knows(WireFolder language) throws IOException {
    assertOnlyNamedDifferences(language, true);
  }

  private static void assertOnlyNamedDifferences(WireFolder language, boolean newer) throws IOException {
    List<Named> named = WireDifferences.read(Path.of("wire-differences.yaml")).stream()
        .filter(each -> each.languages().contains(language.language()) && (newer || !each.isOfNewerMessages())).toList();
    List<String> unexplained = new ArrayList<>();
    Set<String> shown = new TreeSet<>();
    int read = 0;
    for (String client : WireFolder.RELEASES) {
      Driver driver = DRIVERS.computeIfAbsent(language.language() + " " + client, key -> Driver.ofWire(language, client));
      for (Fixture fixture : fixtures(release -> newer == age(release) > age(client))) {
        Fixture known = newer ? fixture.asOf(client) : fixture;
        if (Files.exists(known.file())) {
          Set<String> names = named.stream().filter(each -> each.format().equals(fixture.format()) && each.isIn(fixture.message()))
              .map(Named::name).collect(Collectors.toSet());
          try {
            WireDifferences.needed(fixture.bytes(), known.bytes(), recode(driver, fixture), names)
                .forEach(name -> shown.addAll(List.of(name + " in all", name + " in " + fixture.message())));
          } catch (AssertionError different) {
            unexplained.add(language.language() + " " + client + ", " + fixture + ": " + different.getMessage());
          }
          read++;
        }
      }
    }

    assertThat(unexplained).isEmpty();
    assertThat(shown).containsAll(listed(named, newer));
    assertThat(read).isPositive();
  }

  /** What must have shown, else its name is stale. */
  private static List<String> listed(List<Named> named, boolean newer) {
    return named.stream().filter(each -> each.isOfNewerMessages() == newer)
        .flatMap(each -> each.messages().stream().map(message -> each.name() + " in " + message)).toList();
  }

  private static JsonNode recode(Driver driver, Fixture fixture) {
    return driver.ask(Driver.order("recode").put("format", fixture.format()).put("message", fixture.message()).put("bytes", fixture.bytes()));
  }

  private static List<Fixture> fixtures(Predicate<String> release) {
    return RELEASES.stream().filter(release).flatMap(Fixture::of).toList();
  }

  /** Today's clients are as old as the newest release, or newer. */
  private static int age(String release) {
    return release.equals("current") ? RELEASES.size() : RELEASES.indexOf(release);
  }

  private static List<String> releases() {
    try (Stream<Path> folders = Files.list(RELEASED)) {
      return folders.filter(Files::isDirectory).map(folder -> folder.getFileName().toString())
          .sorted(Comparator.comparing(Version::parse)).toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
