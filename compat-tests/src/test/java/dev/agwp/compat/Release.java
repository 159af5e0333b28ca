package dev.agwp.compat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The server and the worker of a release, built from exactly its commit and kept under target/ by that. */
record Release(String version, Path folder) {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  Path serverJar() {
    return folder.resolve("server/target/agwp-server.jar");
  }

  Path workerJar() {
    return folder.resolve("sdk-java/target/ag-worker.jar");
  }

  /** Skips the test where this folder has no history to build from; in CI that fails. */
  static synchronized Release of(String version) {
    if (!Files.isDirectory(ROOT.resolve("spec/released").resolve(version))) {
      throw new AssertionError("there is no release " + version + " in spec/released");
    }
    String commit = Command.run(ROOT, List.of("git", "log", "--diff-filter=A", "--format=%H", "--", "spec/released/" + version + "/SHA256SUMS"));
    if (!commit.matches("[0-9a-f]{40}")) {
      String what = "the commit of release " + version + " is not in the history of this folder: git fetch --unshallow --tags";
      if (System.getenv("CI") != null) {
        throw new AssertionError(what);
      }
      Assumptions.abort("skipped: " + what);
    }
    Release release = new Release(version, Path.of("target/released").resolve(commit).toAbsolutePath());
    if (!Files.exists(release.serverJar()) || !Files.exists(release.workerJar())) {
      release.build(commit);
    }
    return release;
  }

  private void build(String commit) {
    try {
      Files.createDirectories(folder);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    Path archive = folder.resolve("source.tar");
    String archived = Command.run(ROOT, List.of("git", "archive", "--format=tar", "--output=" + archive, commit));
    String unpacked = Command.run(folder, List.of("tar", "-xf", archive.toString()));
    String built = Command.maven(folder, "-DskipTests", "-pl", "spec,server,sdk-java", "package");
    if (!Files.exists(serverJar()) || !Files.exists(workerJar())) {
      throw new AssertionError("release " + version + " does not build:\n" + archived + unpacked + built);
    }
  }
}
