package dev.agwp.spec.diff;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** {@code contract-diff} of the working contract against the newest release in a folder of releases. */
public final class WorkingContractDiff {
  private WorkingContractDiff() {}

  /** @param args the folder of releases, the file of accepted breaks, the format */
  public static void main(String[] args) throws IOException {
    Path released = Path.of(args[0]);
    Path newest = releases(released).get(0);
    // Not System.exit: this runs inside of Maven, and whether something breaks is told by the report and decided by the gate.
    ContractDiffCommand.execute(System.out, System.err, newest.resolve("openapi.yaml").toString(),
        released.resolveSibling("openapi.yaml").toString(), "--accepted", args[1], "--format", args[2]);
  }

  /** Newest first. */
  static List<Path> releases(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isDirectory)
          .sorted(Comparator.comparing((Path release) -> ModuleDescriptor.Version.parse(release.getFileName().toString())).reversed())
          .toList();
    }
  }
}
