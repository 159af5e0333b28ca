package dev.agwp.spec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The files of this repository, for tests about the repository itself. */
final class Repository {
  static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules", ".idea", ".vscode");

  private Repository() {}

  /** Every file that is not built, with paths relative to the root. */
  static List<Path> files() {
    return files(ROOT);
  }

  private static List<Path> files(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted()
          .filter(entry -> !NOT_OURS.contains(entry.getFileName().toString()))
          .flatMap(entry -> Files.isDirectory(entry) ? files(entry).stream() : Stream.of(ROOT.relativize(entry)))
          .toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  static List<Path> files(String suffix) {
    return files().stream().filter(file -> file.toString().endsWith(suffix)).toList();
  }

  static String read(Path relative) {
    try {
      return Files.readString(ROOT.resolve(relative));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Whether some test method of the repository has this name. */
  static boolean hasTest(String name) {
    return files("Test.java").stream().anyMatch(file -> read(file).contains("void " + name + "("));
  }
}
